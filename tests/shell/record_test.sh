#!/bin/sh
# tidemark record: flags are added, the command is left alone, its dump is opened.  A script stands in
# for a compiler; where a Python with JAX is found (TIDEMARK_PYTHON, python3) a real one runs as well.
t=$(realpath "${TIDEMARK:-build/tidemark}")
export LC_ALL=C.UTF-8
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export TMPDIR="$dir/tmp"
mkdir "$TMPDIR"
cell=$(realpath fixtures/grid/a100-d1048576-s4-u1)
bad=0
unset XLA_FLAGS JAX_ENABLE_COMPILATION_CACHE

# Dumps the cell where XLA_FLAGS says, as XLA would; says what it got; ends with $STATUS.
cat >"$dir/compile" <<END
#!/bin/sh
echo "arguments: \$*"
echo "flags: \$XLA_FLAGS cache: \$JAX_ENABLE_COMPILATION_CACHE" >"$dir/seen"
to=\$(echo "\$XLA_FLAGS" | sed -n 's/.*--xla_dump_to="\{0,1\}\([^" ]*\( [^"-]*"\)\{0,1\}\).*/\1/p' | tr -d '"')
mkdir -p "\$to" && cp $cell/* "\$to"
echo "to the error stream" >&2
[ -z "\$SLOW" ] || { kill -INT \$PPID; sleep 0.2; }
exit \${STATUS:-0}
END
chmod +x "$dir/compile"

# is NAME STATUS WANTED-IN-OUT WANTED-IN-ERR WANTED-IN-SEEN COMMAND…  (-: any)
is() {
    name=$1 want=$2 out=$3 err=$4 seen=$5
    shift 5
    : >"$dir/seen"
    "$@" >"$dir/out" 2>"$dir/err" </dev/null
    got=$?
    why=
    [ $got -eq "$want" ] || why="exit $got"
    [ "$out" = - ] || grep -qF -- "$out" "$dir/out" || why="$why; out lacks: $out"
    [ "$err" = - ] || grep -qF -- "$err" "$dir/err" || why="$why; err lacks: $err"
    [ "$seen" = - ] || grep -qF -- "$seen" "$dir/seen" || why="$why; the command did not see: $seen"
    [ -z "$(ls "$TMPDIR")" ] || why="$why; left behind: $(ls "$TMPDIR")"
    if [ -z "$why" ]; then echo "ok $name"; else
        echo "not ok $name ($why)"
        head -5 "$dir/out" "$dir/err" "$dir/seen"
        bad=1
    fi
}

c=$dir/compile
is "the report follows the command's own output" 0 "Peak   24.00 GiB" "to the error stream" "--xla_dump_hlo_as_proto" \
    "$t" record "$c"
is "the command's output stands first, untouched" 0 "arguments: --json -o x" - - "$t" record "$c" --json -o x
is "-- before the command" 0 "arguments: --help" - - "$t" record -- "$c" --help
is "options before the command are record's" 0 '"command":	"report"' - - "$t" record --json "$c"
is "a screen can be asked for" 0 "live bytes" - - "$t" record --size 80x24 --dump "$c"
is "flags of the user are kept" 0 Peak - "--xla_foo=1 --xla_bar=2 --xla_dump_to=" \
    env XLA_FLAGS="--xla_foo=1 --xla_bar=2" "$t" record "$c"
is "and so is what they say about dumping" 0 Peak - "flags: --xla_dump_to=$dir/own --xla_dump_hlo_as_text=false --xla_dump_hlo_as_proto=true cache" \
    env XLA_FLAGS="--xla_dump_to=$dir/own --xla_dump_hlo_as_text=false" "$t" record "$c"
[ -d "$dir/own" ] && echo "ok the user's own directory stays" || { echo "not ok the user's own directory stays"; bad=1; }
printf -- '--xla_from=file\n--xla_more=1\n' >"$dir/flags"
is "XLA_FLAGS that names a file" 0 Peak - "--xla_from=file --xla_more=1" env XLA_FLAGS="$dir/flags" "$t" record "$c"
is "XLA_FLAGS that names no file" 2 - "$dir/none" - env XLA_FLAGS="$dir/none" "$t" record "$c"
is "the compilation cache is off" 0 - - "cache: false" "$t" record "$c"
is "unless the user has decided" 0 - - "cache: 1" env JAX_ENABLE_COMPILATION_CACHE=1 "$t" record "$c"
is "-o keeps the dump" 0 Peak - "--xla_dump_to=$dir/kept" "$t" record -o "$dir/kept" "$c"
is "where it can be opened again" 0 "Peak   24.00 GiB" - - "$t" report "$dir/kept"
is "-o where a dump is already" 0 Peak "warning: $dir/kept has a dump from before" - "$t" record -o "$dir/kept" "$c"
(cd "$dir" && is "-o of a command that goes elsewhere" 0 Peak - "--xla_dump_to=$dir/near" \
    "$t" record -o near sh -c "cd / && exec '$c'" && exit $bad) || bad=1
is "-o that is a file" 2 - "seen: is no directory" - "$t" record -o "$dir/seen" "$c"
is "-o with a blank in its name" 0 Peak - "--xla_dump_to=\"$dir/a b\"" "$t" record -o "$dir/a b" "$c"
is "-o that cannot be made" 2 - "$dir/none/x" - "$t" record -o "$dir/none/x" "$c"
is "-o against XLA_FLAGS" 2 - "two places" - env XLA_FLAGS=--xla_dump_to=x "$t" record -o y "$c"
is "a command that fails, as one out of memory does, has its dump opened" 0 Peak "warning: $c ended with status 3" - \
    env STATUS=3 "$t" record "$c"
is "Ctrl-C is the command's affair" 0 Peak - - env SLOW=1 "$t" record "$c"
is "a command that dumps nothing" 2 - "dumped nothing" - "$t" record true
is "one that is killed" 2 - "was ended by signal 9" - "$t" record sh -c 'kill -9 $$'
is "no such command" 2 - "no-such-command: No such file" - "$t" record "$dir/no-such-command"
is "no command at all" 2 - "record needs a command" - "$t" record
is "no command behind --" 2 - "record needs a command" - "$t" record --
is "a place that cannot be written" 2 - "$dir/none" - env TMPDIR="$dir/none" "$t" record "$c"

python=${TIDEMARK_PYTHON:-python3}
if "$python" -c 'import jax' 2>/dev/null; then
    cat >"$dir/train.py" <<'END'
import jax, jax.numpy as jnp
print("from JAX")
jax.jit(lambda x: jnp.sin(x) @ x)(jnp.ones((64, 64))).block_until_ready()
END
    is "a real program" 0 "48.00 KiB" - - env JAX_PLATFORMS=cpu "$t" record "$python" "$dir/train.py"
    said=$("$python" fixtures/measure.py --target cpu --seqlen 2 --unroll 1 --width 8 2>&1)
    case $said in
    '{"device": "'*'"peak_bytes": null}') echo "ok XLA on a CPU counts no peak, and that is said" ;;
    *) echo "not ok XLA's own peak: $said"; bad=1 ;;
    esac
    "$python" fixtures/measure.py --target cpu --seqlen 0 --unroll 1 --width 8 2>&1 | grep -q '^measure.py: .*whole number' &&
        echo "ok measure.py says what is wrong in a line" || { echo "not ok measure.py says what is wrong"; bad=1; }
else
    echo "skip XLA's own peak: no JAX in $python"
    echo "skip a real program: no JAX in $python"
fi
exit $bad
