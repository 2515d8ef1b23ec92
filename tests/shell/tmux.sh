# A terminal for tests of the explorer, made of tmux: to be sourced, and lib.sh with it.  Sets `of`, the
# path to open (none: the example).
. tests/shell/lib.sh
if ! command -v tmux >/dev/null; then echo "skip the explorer in tmux: tmux is not installed"; exit 0; fi
TMUX_TMPDIR=$dir
XDG_CACHE_HOME=$dir/cache # and no Python: nothing is compiled but where it says so
TIDEMARK_PYTHON=/nonexistent
XDG_CONFIG_HOME=$dir/none XDG_STATE_HOME=/dev/null
export XDG_CONFIG_HOME XDG_STATE_HOME TMUX_TMPDIR XDG_CACHE_HOME TIDEMARK_PYTHON
unset TMUX NO_COLOR
tm() { tmux -L "tidemark-$$" -f /dev/null "$@"; }
trap 'tm kill-server 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP # and so is the server gone, which is nobody's child
of=

# wait_for NAME COMMAND…: until COMMAND succeeds, at most a minute
wait_for() {
    name=$1; shift
    for _ in $(seq 600); do
        tm capture-pane -p -t s >"$dir/seen"
        if "$@"; then ok "in tmux: $name"; return 0; fi
        sleep 0.1
    done
    no "in tmux: $name"
    sed 's/^/    |/' "$dir/seen"
    return 1
}
# shows NAME SIZE KEYS: the terminal shows what --dump prints
shows() {
    "$t" ${of:+"$of"} --color always --dump --size "$2" --keys "$3" >"$dir/want"
    wait_for "$1" cmp -s "$dir/want" "$dir/seen" || { echo "    wanted:"; sed 's/^/    |/' "$dir/want"; }
}
says() { grep -q -- "$1" "$dir/seen"; }
sane() { # the shell is back and the terminal as it was before
    wait_for "$1: the shell" says 'ready>'
    tm send-keys -t s "clear; stty -a >$dir/stty; cmp $dir/stty $dir/stty0 && echo terminal-is-\$((40+2))" Enter
    wait_for "$1" says 'terminal-is-42'
}

if ! python3 -c 'import os; os.openpty()' 2>/dev/null; then
    echo "skip the explorer in tmux: this machine gives no pseudo terminals"
    exit 0
fi
tm new-session -d -s s -x 80 -y 24 "env PS1='ready> ' ENV= sh -i" || exit 2
tm set -g status off
tm resize-window -t s -x 80 -y 24
wait_for "a shell" says 'ready>'
tm send-keys -t s "stty -a >$dir/stty0" Enter
