#!/bin/sh
# Hands in a real terminal: drags, the wheel, the command line, back, play, copies; and that the mouse
# is reported only while the explorer has the terminal.
. tests/shell/tmux.sh
type_it() { tm send-keys -t s -l "$(printf "$1")"; }
# reports NAME FLAGS: of presses, drags, SGR
reports() {
    for _ in $(seq 600); do
        flags=$(tm display-message -p -t s '#{mouse_button_flag}#{mouse_sgr_flag}')
        [ "$flags" = "$2" ] && { ok "in tmux: $1"; return; }
        sleep 0.1
    done
    no "in tmux: $1" "$flags"
}
tm send-keys -t s "clear; XDG_STATE_HOME=$dir/state $t" Enter
shows "the first screen" 80x24 ''
reports "the mouse is reported" 11
type_it '\033[<0;40;9M\033[<0;40;9m'
k='<click:40,9>'
shows "a click" 80x24 "$k"
type_it '\033[<0;20;8M\033[<32;30;8M\033[<32;44;9M\033[<0;44;9m'
k="$k<click:20,8><drag:20,8:44,9>"
shows "a drag selects a range" 80x24 "$k"
tm send-keys -t s Escape
shows "Esc drops it" 80x24 "$k<Esc>"
type_it '\033[<64;30;8M\033[<64;30;8M'
k="$k<Esc><wheel+:30,8><wheel+:30,8>"
shows "the wheel zooms at the pointer" 80x24 "$k"
type_it '\033[<69;30;8M'
shows "with Shift it moves" 80x24 "$k<wheel-right:30,8>"
type_it '=<'
k="$k<wheel-right:30,8>=<lt>"
shows "all of it again, and back" 80x24 "$k"
tm send-keys -t s : d y n
shows "what a line may become" 80x24 "$k:dyn"
tm send-keys -t s Tab Tab
shows "Tab completes it" 80x24 "$k:dyn<Tab><Tab>"
tm send-keys -t s Enter
shows "Enter goes there" 80x24 "$k:dyn<Tab><Tab><Enter>"
k="$k:dyn<Tab><Tab><Enter>"
type_it '"a'
tm send-keys -t s Home
type_it "'"
shows "marks are listed" 80x24 "$k\"a<Home>'"
type_it 'a'
shows "a mark leads back" 80x24 "$k\"a<Home>'a"
k="$k\"a<Home>'a"
tm send-keys -t s 1 2
shows "a count" 80x24 "${k}12"
tm send-keys -t s Right Z
shows "a key that does nothing" 80x24 "${k}12<Right>Z"
k="${k}12<Right>Z"
type_it 'yy'
wait_for "a copy names its file" says 'copied.txt'
holds "in tmux: and is in it" grep GiB "$dir/state/tidemark/copied.txt"
tm send-keys -t s p Space
wait_for "Space plays" says '2 iterations a second'
wait_for "iteration after iteration" says 'backward 3/4'
tm send-keys -t s Space
wait_for "and stops" says 'execution order'
tm send-keys -t s C-z
wait_for "suspended" says 'Stopped'
reports "no reports while suspended" 00
tm send-keys -t s "clear; fg" Enter
wait_for "resumed" says 'live bytes'
reports "and again" 11
tm send-keys -t s q
sane "q leaves the terminal as it was"
reports "and the mouse alone" 00
for how in SEGV ABRT TERM; do
    tm send-keys -t s "clear; ulimit -c 0; $t & p=\$!; echo \$p >$dir/pid; fg" Enter
    shows "again" 80x24 ''
    kill -"$how" "$(cat "$dir/pid")"
    sane "SIG$how leaves the terminal as it was"
    reports "and the mouse alone" 00
done
exit $bad
