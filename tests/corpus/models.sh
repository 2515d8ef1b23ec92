#!/bin/sh
# Runs every CPU and GPU program of a corpus of dumps on the host and counts those that end: models.sh RUNONE CORPUS
# ($MODELS_SECONDS of processor time for each run, 600); of a program that is there for both, how far the results are
# apart, and may be (tests/corpus/pair.h).
run=$1 dir=$2/models seconds=${MODELS_SECONDS:-600}
all=$(mktemp) pairs=$(mktemp)
trap 'rm -f "$all" "$pairs"' EXIT

# runs PATH…: a line for each into $all, what they say of each other into $pairs
runs() {
    program=${1##*/cpu-}
    (ulimit -t $((seconds * (2 * $# - 1))); exec "$run" "$@") 2>&1 | while IFS= read -r said; do
        case $said in
        ok*" violations 0 "*) echo "ok ${1##*/}" >> "$all" ;;
        pair:*) echo "$program: ${said#pair: }" >> "$pairs"; break ;;
        *) printf '%s: %s\n' "${1##*/}" "$(printf '%s' "$said" | sed 's/.*hlo.pb: //' | cut -c1-160)" | tee -a "$all" ;;
        esac
        shift
    done
}

n=0
for path in "$dir"/cpu-* "$dir"/a100-*; do
    [ -d "$path" ] || continue
    n=$((n + 1))
    name=${path##*/}
    case $name in
    cpu-*) set -- "$path"; [ -d "$dir/a100-${name#cpu-}" ] && set -- "$path" "$dir/a100-${name#cpu-}" ;;
    *) [ -d "$dir/cpu-${name#a100-}" ] && continue; set -- "$path" ;;
    esac
    runs "$@"
    for path in "$@"; do
        grep -q "${path##*/}\(\$\|:\)" "$all" || printf '%s: not done in %s s\n' "${path##*/}" "$seconds"
    done
done
echo "CPU and A100 programs with the same inputs:"
cat "$pairs"
printf '%d of %d run to their end without a violation; %d pairs, %d apart, %d without comparison, %d not judged\n' \
    "$(grep -c '^ok ' "$all")" "$n" "$(wc -l < "$pairs")" "$(grep -c APART "$pairs")" "$(grep -c 'no comparison' "$pairs")" \
    "$(grep -c 'not judged' "$pairs")"
[ "$n" -gt 0 ]
