#!/bin/sh
# A program with an instruction that is not known: refused in one line that names it; with --memory-only run for
# its memory, and every figure that would need values is left out.
. tests/shell/lib.sh
known=fixtures/grid/cpu-d256-s2-ufull
mkdir "$dir/unknown"
for f in $known/*; do
    LC_ALL=C sed 's/\x12\x03dot/\x12\x03dxt/g' "$f" > "$dir/unknown/${f##*/}"
done

is "an unknown instruction is refused in one line that names it" 2 "" ": dxt of %dot" "$t" run "$dir/unknown"
holds "which says that it is not run" grep 'is not run$' "$dir/err"
is "with --memory-only it runs, and says that values are not computed" 0 "Values not computed" - \
    "$t" run --memory-only "$dir/unknown"
holds "and compares them with nothing" never float64 cat "$dir/out"

"$t" run --memory-only --json "$dir/unknown" >"$dir/unknown.json"
"$t" run --json $known >"$dir/known.json"
holds "its bytes are those of the program that is known, its errors null" python3 -c '
import json, sys
a, b = (json.load(open(f))["modules"][0] for f in sys.argv[1:])
assert a["computed"] is False and b["computed"] is True
assert all(o["max_rel_err"] is None and o["against"] is None for o in a["outputs"])
assert all(o["max_rel_err"] is not None for o in b["outputs"])
assert a["guards"]["violations"] == 0
same = ("arena_bytes", "touched_bytes", "touched_temp_bytes", "pool_high_bytes")
assert [a["measured"][k] for k in same] == [b["measured"][k] for k in same]
' "$dir/unknown.json" "$dir/known.json"
exit $bad
