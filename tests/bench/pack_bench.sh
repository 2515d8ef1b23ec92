#!/bin/sh
# pack_bench.sh TIDEMARK PACKGEN [SECONDS [SEEDS]]: packings of 150 to 450 buffers whose bound can be
# reached (packgen.c), how far above it `tidemark pack` ends.  In turn: perfect ones; ones that are
# full at some moments only; perfect ones whose lives begin and end at 256 steps.
t=$1 gen=$2 seconds=${3:-60} seeds=${4:-1 2 3 4 5 6 7 8}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
for seed in $seeds; do
    n=$((150 + seed * 97 % 301))
    case $((seed % 3)) in
    0) kind=full shape="1024 0" ;;
    1) kind=loose shape="1024 8" ;;
    2) kind=coarse shape="256 0" ;;
    esac
    # shellcheck disable=SC2086
    "$gen" "$seed" "$n" $shape >"$dir/$seed.csv" 2>/dev/null
    "$t" pack --json --budget "$seconds" "$dir/$seed.csv" >"$dir/$seed.json"
    python3 -c "
import json
m = json.load(open('$dir/$seed.json'))['modules'][0]
gap = 100 * (m['height_bytes'] / m['lower_bound_bytes'] - 1)
fit = m['best_fit_bytes'] and f\"{100 * (m['best_fit_bytes'] / m['lower_bound_bytes'] - 1):.1f}%\"
print(f\"seed $seed ($kind): {m['buffers']} buffers, {gap:.2f}% above the bound, best fit {fit}, {m['seconds']:.1f} s\")
open('$dir/all', 'a').write(f'{gap}\n')"
done
python3 -c "
gaps = [float(x) for x in open('$dir/all')]
print(f'{len(gaps)} instances: {sum(g == 0 for g in gaps)} at the bound, worst {max(gaps):.2f}% above')"
