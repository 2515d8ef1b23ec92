#!/bin/sh
# tidemark record: flags are added, the command is left alone, its dump is opened.  A script stands in
# for a compiler; where a Python with JAX is found (TIDEMARK_PYTHON, python3) a real one runs as well.
. tests/shell/lib.sh
export TMPDIR="$dir/tmp"
mkdir "$TMPDIR"
cell=$(realpath $cell)
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

# records NAME SEEN STATUS OUT ERR COMMAND…: as `is`, and what the compiler saw; nothing is left behind.
records() {
    name=$1 seen=$2
    shift 2
    : >"$dir/seen"
    run "$@"
    has "$seen" "$dir/seen" || why="$why; the command did not see: $seen"
    [ -z "$(ls "$TMPDIR")" ] || why="$why; left behind: $(ls "$TMPDIR")"
    verdict "$name"
}

c=$dir/compile
records "the report follows the command's own output" "--xla_dump_hlo_as_proto" 0 "Peak   24.00 GiB" "to the error stream" \
    "$t" record "$c"
records "the command's output stands first, untouched" - 0 "arguments: --json -o x" - "$t" record "$c" --json -o x
records "-- before the command" - 0 "arguments: --help" - "$t" record -- "$c" --help
records "options before the command are record's" - 0 '"command":	"report"' - "$t" record --json "$c"
records "a screen can be asked for" - 0 "live bytes" - "$t" record --size 80x24 --dump "$c"
records "flags of the user are kept" "--xla_foo=1 --xla_bar=2 --xla_dump_to=" 0 Peak - \
    env XLA_FLAGS="--xla_foo=1 --xla_bar=2" "$t" record "$c"
records "and so is what they say about dumping" "flags: --xla_dump_to=$dir/own --xla_dump_hlo_as_text=false --xla_dump_hlo_as_proto=true cache" 0 Peak - \
    env XLA_FLAGS="--xla_dump_to=$dir/own --xla_dump_hlo_as_text=false" "$t" record "$c"
holds "the user's own directory stays" [ -d "$dir/own" ]
printf -- '--xla_from=file\n--xla_more=1\n' >"$dir/flags"
records "XLA_FLAGS that names a file" "--xla_from=file --xla_more=1" 0 Peak - env XLA_FLAGS="$dir/flags" "$t" record "$c"
records "XLA_FLAGS that names no file" - 2 - "$dir/none" env XLA_FLAGS="$dir/none" "$t" record "$c"
records "the compilation cache is off" "cache: false" 0 - - "$t" record "$c"
records "unless the user has decided" "cache: 1" 0 - - env JAX_ENABLE_COMPILATION_CACHE=1 "$t" record "$c"
records "-o keeps the dump" "--xla_dump_to=$dir/kept" 0 Peak - "$t" record -o "$dir/kept" "$c"
records "where it can be opened again" - 0 "Peak   24.00 GiB" - "$t" report "$dir/kept"
records "-o where a dump is already" - 0 Peak "warning: $dir/kept has a dump from before" "$t" record -o "$dir/kept" "$c"
(cd "$dir" && records "-o of a command that goes elsewhere" "--xla_dump_to=$dir/near" 0 Peak - \
    "$t" record -o near sh -c "cd / && exec '$c'" && exit $bad) || bad=1
records "-o that is a file" - 2 - "seen: is no directory" "$t" record -o "$dir/seen" "$c"
records "-o with a blank in its name" "--xla_dump_to=\"$dir/a b\"" 0 Peak - "$t" record -o "$dir/a b" "$c"
records "-o that cannot be made" - 2 - "$dir/none/x" "$t" record -o "$dir/none/x" "$c"
records "-o against XLA_FLAGS" - 2 - "two places" env XLA_FLAGS=--xla_dump_to=x "$t" record -o y "$c"
records "a command that fails, as one out of memory does, has its dump opened" - 0 Peak "warning: $c ended with status 3" \
    env STATUS=3 "$t" record "$c"
records "Ctrl-C is the command's affair" - 0 Peak - env SLOW=1 "$t" record "$c"
records "a command that dumps nothing" - 2 - "dumped nothing" "$t" record true
records "one that is killed" - 2 - "was ended by signal 9" "$t" record sh -c 'kill -9 $$'
records "no such command" - 2 - "no-such-command: No such file" "$t" record "$dir/no-such-command"
records "no command at all" - 2 - "record needs a command" "$t" record
records "no command behind --" - 2 - "record needs a command" "$t" record --
records "a place that cannot be written" - 2 - "$dir/none" env TMPDIR="$dir/none" "$t" record "$c"

python=${TIDEMARK_PYTHON:-python3}
if "$python" -c 'import jax' 2>/dev/null; then
    cat >"$dir/train.py" <<'END'
import jax, jax.numpy as jnp
print("from JAX")
jax.jit(lambda x: jnp.sin(x) @ x)(jnp.ones((64, 64))).block_until_ready()
END
    records "a real program" - 0 "48.00 KiB" - env JAX_PLATFORMS=cpu "$t" record "$python" "$dir/train.py"
    is "XLA on a CPU counts no peak, and that is said" 0 '"peak_bytes": null}' - \
        "$python" fixtures/measure.py --target cpu --seqlen 2 --unroll 1 --width 8
    is "measure.py says what is wrong in a line" 2 "" "whole number" \
        "$python" fixtures/measure.py --target cpu --seqlen 0 --unroll 1 --width 8
else
    echo "skip XLA's own peak: no JAX in $python"
    echo "skip a real program: no JAX in $python"
fi
exit $bad
