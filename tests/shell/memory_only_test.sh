#!/bin/sh
# A program with an instruction that is not known: refused in one line that names it; with --memory-only run for
# its memory, and every figure that would need values is left out.
program=build/tidemark
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/unknown"
for f in fixtures/grid/cpu-d256-s2-ufull/*; do
    LC_ALL=C sed 's/\x12\x03dot/\x12\x03dxt/g' "$f" > "$dir/unknown/${f##*/}"
done

is() { # is NAME: the condition before it held
    if [ $? -eq 0 ]; then echo "ok $1"; else echo "not ok $1"; fi
}

said=$($program run "$dir/unknown" 2>&1)
[ $? -eq 2 ] && [ "$(printf '%s\n' "$said" | wc -l)" -eq 1 ] && printf '%s\n' "$said" | grep -q ': dxt of %dot.*is not run$'
is "an unknown instruction is refused in one line that names it"

said=$($program run --memory-only "$dir/unknown" 2>&1)
[ $? -eq 0 ] && printf '%s\n' "$said" | grep -q '^Values not computed' && ! printf '%s\n' "$said" | grep -q float64
is "with --memory-only it runs, and says that values are not computed"

$program run --memory-only --json "$dir/unknown" > "$dir/unknown.json" 2>&1 &&
    $program run --json fixtures/grid/cpu-d256-s2-ufull > "$dir/known.json" 2>&1 &&
    python3 - "$dir/unknown.json" "$dir/known.json" <<'PYTHON'
import json, sys
a, b = (json.load(open(f))["modules"][0] for f in sys.argv[1:])
assert a["computed"] is False and b["computed"] is True
assert all(o["max_rel_err"] is None and o["against"] is None for o in a["outputs"])
assert all(o["max_rel_err"] is not None for o in b["outputs"])
assert a["guards"]["violations"] == 0
same = ("arena_bytes", "touched_bytes", "touched_temp_bytes", "pool_high_bytes")
assert [a["measured"][k] for k in same] == [b["measured"][k] for k in same]
PYTHON
is "its bytes are those of the program that is known, its errors null"
