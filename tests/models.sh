#!/bin/sh
# Runs every CPU and GPU program of a corpus of dumps on the host and counts those that end: models.sh RUNONE CORPUS
# ($MODELS_SECONDS of processor time for each, 600).
run=$1 dir=$2/models seconds=${MODELS_SECONDS:-600}
ok=0 all=0
for path in "$dir"/cpu-* "$dir"/a100-*; do
    [ -d "$path" ] || continue
    all=$((all + 1))
    said=$( (ulimit -t "$seconds"; exec "$run" "$path") 2>&1 | head -1)
    case $said in
    ok*" violations 0 "*) ok=$((ok + 1)) ;;
    "") printf '%s: not done in %s s\n' "${path##*/}" "$seconds" ;;
    *) printf '%s: %s\n' "${path##*/}" "$(printf '%s' "$said" | sed 's/.*hlo.pb: //' | cut -c1-160)" ;;
    esac
done
printf '%d of %d run to their end without a violation\n' "$ok" "$all"
[ "$all" -gt 0 ]
