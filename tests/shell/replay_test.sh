#!/bin/sh
# Runs seeds and every old find of each fuzz target.  $TESTS is where the replay programs are.
. tests/shell/lib.sh
log=$dir/log
for source in tests/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    target=${target#fuzz_}
    case $target in
    hlo_proto) seeds="$(echo fixtures/grid/*-s2-u1/*.hlo.pb)" ;;
    hlo_text) seeds="$(echo $cell/*after_optimizations.txt)" ;;
    assignment_text) seeds="$(echo $cell/*-buffer-assignment*.txt $cell/*-live-range.txt)" ;;
    trace) seeds="$(echo tests/fuzz/seeds/trace.json fixtures/traces/*.json)" ;;
    target_config) seeds="$(echo $cell/*.pbtxt)" ;;
    *)
        seeds=$dir/$target
        mkdir "$seeds"
        sh tests/fuzz/seeds.sh "$target" "$seeds"
        ;;
    esac
    finds=tests/fuzz/finds/$target
    [ -d "$finds" ] || finds=
    # shellcheck disable=SC2086
    if "$TESTS/fuzz/replay_$target" $seeds $finds >"$log" 2>&1; then
        ok "$target: $(tail -n 1 "$log")"
    else
        no "$target"
        tail -n 30 "$log"
    fi
done
exit $bad
