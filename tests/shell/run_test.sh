#!/bin/sh
# The runner of the tests itself, on made-up ones: nothing that one of them does is lost, or takes the others along.
. tests/shell/lib.sh
runner=$(realpath tests/run.py)
cd "$dir" || exit 2

# that NAME: the condition before it held
that() {
    if [ $? -eq 0 ]; then ok "$1"; else
        no "$1"
        show out
    fi
}
# runs STATUS "CLOSING LINE" TEST…: two at a time
runs() {
    want=$1 line=$2
    shift 2
    TEST_JOBS=2 TEST_SECONDS=${seconds:-60} TEST_GRACE=${grace:-60} python3 "$runner" "$@" >out 2>&1
    [ $? -eq "$want" ] && [ "$(tail -n 1 out)" = "$line" ]
}
says() { grep -qF -- "$1" out; }
# gone PID: it is over, even if nobody has asked for its status yet
gone() {
    for _ in $(seq 1200); do
        grep -q '^State:[[:space:]]*[^ZX]' "/proc/$1/status" 2>nothing || return 0
        sleep 0.05
    done
    return 1
}

echo 'echo ok one; echo ok two; echo "skip three: no luck"' >good_test.sh
echo 'until [ -e second ]; do sleep 0.02; done; echo ok first' >first_test.sh
echo ': >second; echo ok second' >second_test.sh
echo 'echo ok before; echo "not ok that"; exit 1' >bad_test.sh
echo 'echo ok before; kill -SEGV $$' >crash_test.sh
echo 'echo ok before; exit 3' >status_test.sh
echo 'echo nothing' >none_test.sh
echo 'trap "echo tidied; exit 1" TERM; echo ok before; sleep 100 & wait' >hang_test.sh
echo 'trap "" TERM; echo ok before; while :; do sleep 1; done' >deaf_test.sh
echo 'sleep 100 & echo $! >left; echo ok done' >left_test.sh
echo 'mktemp -d >folder; case $(cat folder) in "$TMPDIR"/*) echo ok own;; esac' >folder_test.sh
printf '#!/bin/sh\n%s\n' 'printf "[ RUN      ] a\n[       OK ] a\n[  FAILED  ] b\n[  SKIPPED ] c\n[  FAILED  ] b\n[  SKIPPED ] c\n"; exit 1' >program
chmod +x program

runs 0 "2 passed, 0 failed, 1 skipped" good_test.sh && says "skip three: no luck"
that "what is skipped is shown"
runs 0 "2 passed, 0 failed, 0 skipped" first_test.sh second_test.sh && [ "$(sed -n 1p out | cut -c 1-13)" = first_test.sh ]
that "two run at a time, and are shown in order"
rm second
TEST_JOBS=1 python3 "$runner" --first second_test.sh,other first_test.sh second_test.sh >out 2>&1 && says "2 passed, 0 failed"
that "what is long is started first"
runs 1 "3 passed, 1 failed, 1 skipped" bad_test.sh good_test.sh && says "not ok that"
that "a failure is shown, and fails the run"
runs 1 "3 passed, 1 failed, 1 skipped" crash_test.sh good_test.sh && says "crash_test.sh was ended by SIGSEGV"
that "a crash is one failure"
runs 1 "3 passed, 1 failed, 1 skipped" status_test.sh good_test.sh
that "a status other than 0 is one failure"
runs 1 "2 passed, 2 failed, 1 skipped" none_test.sh ./nosuch good_test.sh && says "none_test.sh ran no test" && says "nosuch: No such file"
that "so is one that runs no test, or is not there"
runs 1 "1 passed, 1 failed, 1 skipped" ./program && ! says "OK ] a"
that "programs name what failed twice, and it counts once"
seconds=5
runs 1 "3 passed, 1 failed, 1 skipped" hang_test.sh good_test.sh && says tidied
that "one that hangs is asked to end, and tidies up"
grace=0
runs 1 "3 passed, 1 failed, 1 skipped" deaf_test.sh good_test.sh && says "deaf_test.sh was ended: it took more than 5 seconds"
that "and made to, if it does not hear"
grace=
seconds=
runs 0 "1 passed, 0 failed, 0 skipped" left_test.sh && gone "$(cat left)"
that "what a test leaves behind ends with it"
runs 0 "1 passed, 0 failed, 0 skipped" folder_test.sh && [ ! -e "$(cat folder)" ]
that "and so does its folder of temporary files"
echo 'trap "echo >tidied; exit 1" TERM; echo $$ >pid; sleep 100 & wait' >asked_test.sh
TEST_JOBS=2 TEST_GRACE=60 python3 "$runner" asked_test.sh left_test.sh >out 2>&1 &
until [ -s pid ]; do sleep 0.05; done
kill -INT $! # as Ctrl-C does
wait $!
[ $? -eq 130 ] && [ -e tidied ] && gone "$(cat pid)" && ! grep -q 'passed, .* failed, .*skipped$' out
that "Ctrl-C ends all of them, which tidy up"
exit $bad
