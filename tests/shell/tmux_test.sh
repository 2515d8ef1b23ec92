#!/bin/sh
# The real program in a real terminal: keys, mouse, resize, suspension and the way out, in tmux.
# What the terminal shows must be what --dump prints for the same keys.
. tests/shell/tmux.sh
tm send-keys -t s "$t" Enter
shows "the first screen" 80x24 ''
tm send-keys -t s Right Right
shows "two steps on" 80x24 '<Right><Right>'
tm send-keys -t s Tab Down o
shows "focus, selection, order" 80x24 '<Right><Right><Tab><Down>o'
tm send-keys -t s o o o o p
tm send-keys -t s / 'dynamic' Enter n
k='<Right><Right><Tab><Down>ooooop/dynamic<Enter>n'
shows "a search" 80x24 "$k"
tm send-keys -t s -l "$(printf '\033[M H)')" # button 1 at column 40, row 9
shows "a click" 80x24 "$k<click:40,9>"
tm send-keys -t s '?'
shows "the help" 80x24 "$k<click:40,9>?"
tm send-keys -t s Escape
shows "Esc leaves it" 80x24 "$k<click:40,9>"
tm send-keys -t s p
k="$k<click:40,9>p"
tm resize-window -t s -x 110 -y 34
shows "a larger window" 110x34 "$k"
tm resize-window -t s -x 30 -y 8
wait_for "a window too small" says 'tidemark needs 40×10'
tm resize-window -t s -x 80 -y 24
shows "and back" 80x24 "$k"
tm send-keys -t s C-z
wait_for "suspended" says 'Stopped'
tm send-keys -t s fg Enter
shows "resumed" 80x24 "$k"
tm send-keys -t s m Up Up
shows "the map" 80x24 "${k}m<Up><Up>"
tm send-keys -t s m
shows "and back from it" 80x24 "$k"
tm send-keys -t s x ']' ']'
shows "execution order, two iterations on" 80x24 "${k}x]]"
tm send-keys -t s -l '{'
shows "the loop's start" 80x24 "${k}x]]{"
tm send-keys -t s x p e
shows "the peak explained, beside the unrolled form" 80x24 "${k}x]]{xpe"
tm send-keys -t s NPage Escape f
shows "one role alone" 80x24 "${k}x]]{xpe<PgDn><Esc>f"
tm send-keys -t s f Enter
shows "why a buffer is alive" 80x24 "${k}x]]{xpe<PgDn><Esc>ff<Enter>"
tm send-keys -t s Down Down Enter
shows "a line leads on" 80x24 "${k}x]]{xpe<PgDn><Esc>ff<Enter><Down><Down><Enter>"
k="${k}x]]{xpe<PgDn><Esc>ff<Enter><Down><Down><Enter>"
tm send-keys -t s s u S
shows "another length, unrolled" 80x24 "${k}suS"
tm send-keys -t s g Right
shows "the table of forms, filled while it is shown" 80x24 "${k}suSg<Right>"
tm send-keys -t s Enter c
shows "Enter opens a cell, and c compares" 80x24 "${k}suSg<Right><Enter>c"
tm send-keys -t s q
sane "q leaves the terminal as it was"
tm send-keys -t s "clear; $t lesson 5" Enter
shows "the lesson begins at a page" 80x24 'L<Right><Right><Right><Right>'
tm send-keys -t s Right Space
shows "the next page, its answer, two programs" 80x24 'L<Right><Right><Right><Right><Right><Space>'
tm resize-window -t s -x 120 -y 40
shows "its panel beside the views" 120x40 'L<Right><Right><Right><Right><Right><Space>'
tm resize-window -t s -x 80 -y 24
tm send-keys -t s End Down Down Down
shows "the remedies, each with its program" 80x24 'L<End><Down><Down><Down>'
tm send-keys -t s Enter Left m
shows "Enter looks around" 80x24 'L<End><Down><Down><Down><Enter><Left>m'
tm send-keys -t s L
shows "L returns" 80x24 'L<End><Down><Down><Down>'
tm send-keys -t s Escape
wait_for "and Esc leaves, as it says" says 'L: back to the lesson'
tm send-keys -t s Escape
shows "to what was there before" 80x24 ''
tm send-keys -t s q
sane "q leaves the lesson's terminal"
# A script stands in for the compiler: it works until that was seen, then copies a cell of the grid.
cat >"$dir/python" <<END
#!/bin/sh
for out; do :; done
[ "\$2" = one ] || exit 0
case "\$*" in *"--unroll 3"*) sleep 600;; esac
until [ -e $dir/seen-compile ]; do sleep 0.1; done
mkdir -p "\$out.new" && cp $PWD/fixtures/grid/a100-d1048576-s8-u1/* "\$out.new" && mv "\$out.new" "\$out"
END
chmod +x "$dir/python"
tm send-keys -t s "clear; XDG_CACHE_HOME=$dir/cache TIDEMARK_PYTHON=$dir/python $t" Enter
shows "the example again" 80x24 ''
tm send-keys -t s s s s s s
wait_for "what-if answers while it is compiled" says 'seqlen ◂ 9 ▸  unroll ◂ 1 ▸  exact'
wait_for "a compile shows its seconds" says 'exact · compiling [0-9]* s'
: >"$dir/seen-compile"
wait_for "and then its program" says 'seqlen ◂ 9 ▸  unroll ◂ 1 ▸  compiled'
tm send-keys -t s S S S S S u u
wait_for "a long one" says 'unroll ◂3▸ compiling'
tm send-keys -t s Escape
wait_for "Esc ends it" says 'the compile was cancelled'
tm send-keys -t s q
sane "q leaves that terminal too"
# A run in the background: its trace is then shown as --trace shows it; Esc ends one.
export XDG_STATE_HOME="$dir/state"
of=fixtures/grid/cpu-d256-s4-u1
tm send-keys -t s "clear; XDG_STATE_HOME=$dir/state $t $of" Enter
shows "a program for this machine" 80x24 ''
tm send-keys -t s r
wait_for "r runs it" says 'used 7.04 MiB . host'
tm send-keys -t s Right
shows "what it used stands beside the plan" 80x24 '<Right>'
tm send-keys -t s x r PPage
shows "and r tells all of it" 80x24 '<Right>xr<PgUp>'
tm send-keys -t s Escape q
sane "q leaves the terminal after a run"
of=fixtures/grid/a100-d16384-s8-u1
tm send-keys -t s "clear; XDG_STATE_HOME=$dir/state $t $of" Enter
shows "a larger one" 80x24 ''
tm send-keys -t s r Right
wait_for "a run shows its seconds, and keys work" says 'running, [0-9]* s'
tm send-keys -t s Escape
wait_for "Esc ends the run" says 'the run was ended'
tm send-keys -t s Right
shows "and nothing of it is left" 80x24 '<Right><Right>'
tm send-keys -t s q
sane "q leaves the terminal after that, too"
of=
mkdir "$dir/two" && cp fixtures/grid/a100-d1048576-s4-u1/*.hlo.pb "$dir/two"
echo broken >"$dir/two/module_0099.jit_bad.sm_8.0_gpu_after_optimizations.hlo.pb"
of="$dir/two"
tm send-keys -t s "clear; $t $of" Enter
shows "the list of modules" 80x24 ''
tm send-keys -t s Down Enter
shows "a broken one says why" 80x24 '<Down><Enter>'
tm send-keys -t s Up Enter Home
shows "Enter opens a module" 80x24 '<Enter><Home>'
tm send-keys -t s M
shows "M leads back" 80x24 '<Enter><Home>M'
tm send-keys -t s / bad
shows "a filter" 80x24 '<Enter><Home>M/bad'
tm send-keys -t s Escape
shows "Esc shows all again" 80x24 '<Enter><Home>M/bad<Esc>'
tm send-keys -t s q
sane "q leaves the list too"
of=
for how in INT TERM HUP; do
    tm send-keys -t s "clear; $t & p=\$!; echo \$p >$dir/pid; fg" Enter
    shows "again" 80x24 ''
    kill -"$how" "$(cat "$dir/pid")"
    sane "SIG$how leaves the terminal as it was"
done
tm send-keys -t s "clear; $t" Enter
shows "once more" 80x24 ''
tm send-keys -t s C-c
sane "Ctrl-C leaves the terminal as it was"
# Colours, keys and positions of one's own, on a terminal of 16 colours that terminfo may not know.
mkdir -p "$dir/mine/tidemark"
printf 'theme = light\nrubbish\nkey.peak = P\ncolor.residual-stack = bright-green\n' >"$dir/mine/tidemark/config"
mine="XDG_CONFIG_HOME=$dir/mine XDG_STATE_HOME=$dir/state TERM=xterm-16color"
tm send-keys -t s "clear; $mine $t" Enter
shows "a terminal of 16 colours" 80x24 ''
tm capture-pane -e -p -t s >"$dir/colours"
holds "in tmux: it has colours" grep "$(printf '\033')\[3[0-9]m" "$dir/colours"
tm send-keys -t s G Right Right
wait_for "steps and groups" says 'step 67 of 75'
tm send-keys -t s q
wait_for "rubbish is one warning" says "mine/tidemark/config:2: a line" # cut where the screen ends
sane "q leaves and remembers"
tm send-keys -t s "clear; $mine $t" Enter
wait_for "opened again where one left" says 'resumed at step 67; p: the peak'
tm send-keys -t s P
shows "a key of one's own" 80x24 'G<Right><Right>p'
tm send-keys -t s p
wait_for "the key before does nothing" says 'does nothing here'
tm send-keys -t s q
sane "q leaves it again"
tm send-keys -t s "clear; TERM=dumb $t" Enter
wait_for "a dumb terminal is refused in a line" says 'tidemark: the explorer needs a terminal'
exit $bad
