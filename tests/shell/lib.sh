# What the scripts here share: to be sourced, from the repository's root.  Sets t (the program) and dir (a
# folder of its own, removed at the end); `bad` is the script's status.
t=$(realpath "${TIDEMARK:-build/tidemark}")
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C.UTF-8
cell=fixtures/grid/a100-d1048576-s4-u1 # the example
bad=0

ok() { echo "ok $1"; }
no() { # no NAME [WHY]
    echo "not ok $1${2:+ ($2)}"
    bad=1
}
show() { # show FILE…: how each begins
    for file in "$@"; do head -n 5 "$file" | cut -c 1-600 | sed 's/^/    |/'; done
}

# has WORDS FILE: the file has them (-: whatever it has; "": it is empty)
has() {
    case $1 in
    -) ;;
    '') [ ! -s "$2" ] ;;
    *) grep -qF -- "$1" "$2" ;;
    esac
}

# run STATUS OUT ERR COMMAND…: sets `why` to what is not as it should be: the status, words on standard
# output, words on standard error (as `has` takes them).  An error (2) is told in one line.
run() {
    want=$1 out=$2 err=$3 why=
    shift 3
    "$@" >"$dir/out" 2>"$dir/err" </dev/null
    got=$?
    [ "$got" -eq "$want" ] || why="exit $got, wanted $want"
    has "$out" "$dir/out" || why="$why; standard output: wanted ${out:-nothing}"
    has "$err" "$dir/err" || why="$why; standard error: wanted ${err:-nothing}"
    [ "$want" -ne 2 ] || lines 1 "$dir/err" || why="$why; not one line of error"
}
verdict() { # verdict NAME: of `run`
    if [ -z "$why" ]; then ok "$1"; else
        no "$1" "$why"
        show "$dir/out" "$dir/err"
    fi
}

# is NAME STATUS OUT ERR COMMAND…
is() {
    name=$1
    shift
    run "$@"
    verdict "$name"
}

# holds NAME COMMAND…: it succeeds; what the last `is` wrote stays.
holds() {
    name=$1
    shift
    if "$@" >"$dir/.held" 2>&1 </dev/null; then ok "$name"; else
        no "$name"
        show "$dir/.held"
    fi
}

# json NAME EXPRESSION COMMAND…: a Python expression over the document d that the command prints, its
# modules (of the lesson: pages) `all_of`, and the first of them, m.
json() {
    name=$1 expression=$2
    shift 2
    "$@" >"$dir/out" 2>"$dir/err" </dev/null
    if python3 -c "
import json, sys
d = json.load(open('$dir/out'))
all_of = d['modules']
m = all_of[0]
sys.exit(not ($expression))" 2>"$dir/.why"; then ok "$name"; else
        no "$name" "$(tail -n 1 "$dir/.why")"
        show "$dir/out" "$dir/err"
    fi
}

# For `holds`.  never PATTERN COMMAND…: the command succeeds and prints, and no line of it has the pattern.
never() {
    pattern=$1
    shift
    "$@" >"$dir/.text" && [ -s "$dir/.text" ] && ! LC_ALL=C grep -- "$pattern" "$dir/.text"
}
# silent_when_nobody_reads COMMAND…: into a pipe that is closed.
silent_when_nobody_reads() {
    (trap '' PIPE; "$@" 2>"$dir/.text" | true)
    [ ! -s "$dir/.text" ]
}
# lines N FILE
lines() { [ "$(wc -l <"$2")" -eq "$1" ]; }
