#!/bin/sh
# seeds.sh TARGET DIR: copies the fixtures that are seeds of a fuzz target, small ones first.
set -eu
case $1 in
hlo_proto) set -- "$2" fixtures/grid/*-s[12]-*/*.hlo.pb ;;
hlo_text) set -- "$2" fixtures/grid/*/*after_optimizations.txt ;;
assignment_text) set -- "$2" fixtures/grid/*/*-buffer-assignment*.txt fixtures/grid/*/*-live-range.txt ;;
trace) set -- "$2" tests/fuzz/seeds/trace.json fixtures/traces/*.json ;;
minimalloc) set -- "$2" tests/fuzz/seeds/minimalloc.csv ;;
listing) set -- "$2" fixtures/forms/*.log fixtures/forms/*-memory-usage-report.txt tests/fuzz/seeds/listing-* ;;
xplane) set -- "$2" fixtures/forms/*.xplane.pb ;;
unpack) set -- "$2" tests/fuzz/seeds/packed.* ;;
assignment_proto) set -- "$2" fixtures/forms/serialized_buffer_assignment_proto-* ;;
keys) set -- "$2" tests/fuzz/seeds/keys-* ;;
config) set -- "$2" tests/fuzz/seeds/config-* ;;
state) set -- "$2" tests/fuzz/seeds/state-* ;;
index) set -- "$2" tests/fuzz/seeds/index-* ;;
whatif) set -- "$2" tests/fuzz/seeds/scan-* ;;
run) set -- "$2" fixtures/grid/cpu-d256-s[12]-*/*.hlo.pb ;;
target_config) set -- "$2" fixtures/grid/*-s1-*/*.pbtxt ;;
esac
dir=$1
shift
n=0
for f in "$@"; do
    n=$((n + 1))
    cp "$f" "$dir/seed-$n"
done
