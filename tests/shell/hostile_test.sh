#!/bin/sh
# Surroundings that are not as one would like them: no HOME, full and odd outputs, a dump that goes away, two
# at once, and loops that never end.  Nothing is written but where it was asked for.
. tests/shell/lib.sh
cpu=fixtures/grid/cpu-d256-s2-u1
export XDG_CONFIG_HOME="$dir/config" XDG_STATE_HOME="$dir/state" XDG_CACHE_HOME="$dir/cache"

# ---- Folders of one's own ----
is "HOME is not set" 0 'jit_step' '' env -u HOME -u XDG_CONFIG_HOME -u XDG_STATE_HOME -u XDG_CACHE_HOME "$t" $cell --dump
mkdir "$dir/here"
cp -r $cpu "$dir/here/dump"
(cd "$dir/here" && env -u XDG_CONFIG_HOME -u XDG_STATE_HOME -u XDG_CACHE_HOME HOME=. "$t" dump --dump >/dev/null 2>&1)
holds "a relative HOME is none: nothing is written where one stands" [ "$(ls "$dir/here")" = dump ]
is "folders that cannot be made" 0 'jit_step' '' env XDG_STATE_HOME=/dev/null/x XDG_CACHE_HOME=/dev/null/y "$t" $cell --dump
is "TMPDIR is not there" 0 'jit_step' '' env TMPDIR=/nonexistent "$t" run $cpu
is "nothing on standard input" 0 'jit_step' '' sh -c "\"$t\" report $cpu <&-"

# ---- Outputs ----
for form in html svg csv json minimalloc; do
    is "a full disk, $form" 2 '' 'No space left on device' "$t" export $cpu --format $form -o /dev/full
    is "a full standard output, $form" 2 '' 'No space left on device' \
        sh -c "\"$t\" export $cpu --format $form -o - >/dev/full"
    # The shell's own SIGXFSZ would end it: ignored, the write fails.
    printf before >"$dir/out.$form"
    is "a file that may not grow, $form" 2 '' 'File too large' \
        sh -c "trap '' XFSZ; ulimit -f 1; \"$t\" export $cell --format $form -o \"$dir/out.$form\""
    holds "it is as it was, $form" [ "$(cat "$dir/out.$form")" = before ]
done
for command in report verify "timeline --json" "run" "report --json" "lesson"; do
    where=$cpu
    [ "$command" != lesson ] || where=
    is "a full standard output, $command" 2 '' 'No space left on device' sh -c "\"$t\" $command $where >/dev/full"
    sh -c "\"$t\" $command $where" 2>"$dir/err" | true
    holds "a closed pipe is silent, $command" [ ! -s "$dir/err" ]
done
mkfifo "$dir/fifo"
cat "$dir/fifo" >"$dir/through" &
is "a pipe with a name is written to" 0 '' '' "$t" export $cpu --format csv -o "$dir/fifo"
wait
holds "all of it comes through" [ -s "$dir/through" ]
holds "and it is still a pipe" [ -p "$dir/fifo" ]
is "a file of the kernel that waits for more" 2 '' 'tidemark: /proc/kmsg: ' timeout 10 "$t" report /proc/kmsg
is "a folder is refused" 2 '' 'is a directory' "$t" export $cpu --format csv -o "$dir"
is "a folder that is not there" 2 '' 'No such file' "$t" export $cpu --format csv -o "$dir/none/x.csv"

# ---- A dump that goes away, and one that comes and goes ----
mkdir "$dir/gone"
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
    cp -r $cpu "$dir/gone/d$n"
done
(while [ ! -e "$dir/stop" ]; do
    rm -rf "$dir/gone/d1" "$dir/gone/d5"
    cp -r $cpu "$dir/gone/d1"
    head -c 5000 $cpu/*.hlo.pb >"$dir/gone/d2/$(basename $cpu/*.hlo.pb)"
    cp $cpu/*.hlo.pb "$dir/gone/d2"
    cp -r $cpu "$dir/gone/d5"
done) 2>/dev/null &
writer=$!
crashed=
for n in 1 2 3 4 5 6; do
    "$t" report --json "$dir/gone" >"$dir/out" 2>"$dir/err"
    [ $? -le 2 ] || crashed="$crashed report:$?"
    "$t" "$dir/gone/d$n" --dump --keys 'pxm<Tab>jj<Enter>' >"$dir/out" 2>"$dir/err"
    [ $? -le 2 ] || crashed="$crashed explorer:$?"
done
touch "$dir/stop"
wait $writer
holds "a dump that is rewritten meanwhile does no harm" [ -z "$crashed" ]

# ---- Two at once ----
state=$dir/both
for n in 1 2 3 4 5 6; do
    "$t" $cell --dump --state "$state" --keys "$n"p >/dev/null 2>>"$dir/both.err" &
    "$t" $cell --dump --state "$state" --keys 'xj' >/dev/null 2>>"$dir/both.err" &
done
wait
holds "explorers that share a state folder" [ ! -s "$dir/both.err" ]
holds "leave nothing half-written in it" sh -c '! ls "$1" 2>/dev/null | grep -q part' sh "$state"

# ---- Nothing is written elsewhere ----
# writes NAME WORD…: makes, renames and removes files in $dir/named alone (and what devices are opened).
writes() {
    name=$1
    shift
    ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o "$dir/trace" \
        -e trace=open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,truncate,chmod,fchmodat,mknod,mknodat \
        env XDG_CONFIG_HOME="$dir/named/config" XDG_STATE_HOME="$dir/named/state" XDG_CACHE_HOME="$dir/named/cache" \
        "$t" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    grep -vE '"/dev/|"/proc/self/|= -1 ' "$dir/trace" | grep -E 'O_WRONLY|O_RDWR|O_CREAT|^[0-9]+ +(mk|creat|rename|link|symlink|unlink|trunc|chmod|fchmodat)' |
        grep -vF "\"$dir/named" >"$dir/elsewhere"
    holds "$name" [ ! -s "$dir/elsewhere" ]
    [ ! -s "$dir/elsewhere" ] || show "$dir/elsewhere"
}
mkdir "$dir/named"
if strace -qq -o /dev/null true 2>/dev/null; then
    writes "a report writes no file" report $cell
    writes "a report of many writes none" report --csv fixtures/grid/cpu-d256-s*
    writes "verify writes none" verify $cell
    writes "whatif writes none" whatif --seqlen 9
    writes "diff writes none" diff $cell $cpu
    writes "the lesson writes none" lesson
    writes "a run writes its trace where it is told" run $cpu --trace "$dir/named/x.trace.json"
    holds "there it is" [ -s "$dir/named/x.trace.json" ]
    for form in html svg csv json minimalloc; do
        writes "an export writes its file, $form" export $cpu --format $form -o "$dir/named/x.$form"
        holds "there it is, $form" [ -s "$dir/named/x.$form" ]
    done
    writes "pack writes its answer" pack "$dir/named/x.minimalloc" --budget 0.01 -o "$dir/named/y.csv"
    writes "the explorer writes none but in its own folders" $cell --dump --keys 'pxmLsSuU++--=v<Right>/while<Enter>y:peak<Enter>'
    writes "its forms and targets neither" --dump --keys 'sSuUtUsx++--=vp<Right>v'
else
    echo "skip nothing is written elsewhere: strace is not there, or may not trace"
fi

# ---- Loops that never end, and ones that end after 2^63 ----
loop() { # loop NAME CONDITION COUNT
    printf 'HloModule m, is_scheduled=true\n\nb {\n bp = (s64[], f32[4]) parameter(0)\n bi = s64[] get-tuple-element(bp), index=0\n bx = f32[4] get-tuple-element(bp), index=1\n one = s64[] constant(1)\n bn = s64[] add(bi, one)\n by = f32[4] log(bx)\n ROOT bt = (s64[], f32[4]) tuple(bn, by)\n}\nc {\n cp = (s64[], f32[4]) parameter(0)\n ci = s64[] get-tuple-element(cp), index=0\n%b}\nENTRY e {\n x = f32[4] parameter(0)\n i = s64[] constant(0)\n t = (s64[], f32[4]) tuple(i, x)\n w = (s64[], f32[4]) while(t), condition=c, body=b%s\n ROOT o = f32[4] get-tuple-element(w), index=1\n}\n' \
        "$2" "$3" >"$dir/$1.txt"
}
loop forever ' ROOT true = pred[] constant(true)\n' ''
loop long ' cn = s64[] constant(9223372036854775807)\n ROOT cc = pred[] compare(ci, cn), direction=LT\n' ''
loop said ' cn = s64[] constant(5)\n ROOT cc = pred[] compare(ci, cn), direction=LT\n' \
    ', backend_config={"known_trip_count":{"n":"9223372036854775807"}}'
loop more ' cn = s64[] constant(5)\n ROOT cc = pred[] compare(ci, cn), direction=LT\n' \
    ', backend_config={"known_trip_count":{"n":"99999999999999999999999"}}'
loop negative ' cn = s64[] constant(5)\n ROOT cc = pred[] compare(ci, cn), direction=LT\n' \
    ', backend_config={"known_trip_count":{"n":"-7"}}'
for name in forever long said more negative; do
    is "a loop, $name, is read" 0 'instructions; ranges rerun' - "$t" report "$dir/$name.txt"
    for command in report "report --json" timeline "timeline --execution" "timeline --execution --json" verify \
        "export --format html -o -" "--dump --keys px[[]]<End><Home>m"; do
        # shellcheck disable=SC2086
        timeout 120 "$t" $command "$dir/$name.txt" >"$dir/out" 2>"$dir/err"
        status=$?
        holds "a loop, $name, $command" [ $status -le 2 ]
    done
done
exit $bad
