#!/bin/sh
# Whatever ends the explorer leaves the terminal as it was; a slow file says that it is being read.
. tests/shell/tmux.sh
ulimit -c 0
for how in SEGV BUS FPE ILL ABRT QUIT; do
    tm send-keys -t s "clear; ulimit -c 0; $t & p=\$!; echo \$p >$dir/pid; fg" Enter
    shows "the explorer" 80x24 ''
    kill -"$how" "$(cat "$dir/pid")"
    sane "SIG$how leaves the terminal as it was"
done
tm send-keys -t s "clear; $t" Enter
shows "once more" 80x24 ''
tm send-keys -t s 'C-\'
sane "Ctrl-backslash leaves the terminal as it was"
# A pipe that gives nothing until that was seen stands in for a slow disk.
cell=$(echo fixtures/grid/a100-d1048576-s4-u1/*.hlo.pb)
tm send-keys -t s "clear; { until [ -e $dir/seen-slow ]; do sleep 0.1; done; cat $PWD/$cell; } | $t report -" Enter
wait_for "a slow file shows that it is read" says 'tidemark: looking through -, [0-9]* s'
: >"$dir/seen-slow"
wait_for "then its report" says 'ready>'
if says 'looking through'; then
    echo "not ok in tmux: the line is wiped"; failed=1
else
    echo "ok in tmux: the line is wiped"
fi
exit $bad
