#!/bin/sh
# Runs the seeds and every old find of each fuzz target.  $TESTS is where the replay programs are.
bad=0
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
cell=fixtures/grid/a100-d1048576-s4-u1
for target in hlo_proto hlo_text assignment_text target_config minimalloc; do
    case $target in
    hlo_proto) seeds="$(echo fixtures/grid/*-s2-u1/*.hlo.pb)" ;;
    hlo_text) seeds="$(echo $cell/*after_optimizations.txt)" ;;
    assignment_text) seeds="$(echo $cell/*-buffer-assignment*.txt $cell/*-live-range.txt)" ;;
    trace) seeds="$(echo tests/fuzz/seeds/trace.json fixtures/traces/*.json)" ;;
    minimalloc) seeds=tests/fuzz/seeds/minimalloc.csv ;;
    target_config) seeds="$(echo $cell/*.pbtxt)" ;;
    esac
    finds=tests/fuzz/finds/$target
    [ -d "$finds" ] || finds=
    # shellcheck disable=SC2086
    if "$TESTS/fuzz/replay_$target" $seeds $finds >"$log" 2>&1; then
        echo "ok $target: $(tail -n 1 "$log")"
    else
        echo "not ok $target"
        tail -n 30 "$log"
        bad=1
    fi
done
exit $bad
