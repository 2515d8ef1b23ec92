#!/bin/sh
# Runs test programs (CMocka) and test scripts, shows what failed, and closes with one line:
#   N passed, N failed, N skipped
# A script prints "ok NAME", "not ok NAME …" or "skip NAME: why" lines; a program that runs no test
# counts as a failure.
passed=0 failed=0 skipped=0
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
export XDG_CONFIG_HOME=/nonexistent XDG_STATE_HOME=/nonexistent # not the person's own
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1}" LC_ALL=C.UTF-8
export XDG_STATE_HOME=/nonexistent # no traces of earlier runs

count() {
    grep -c "$1" "$out"
}

for t in "$@"; do
    case $t in
    *.sh) sh "$t" >"$out" 2>&1 && rc=0 || rc=$?
        p=$(count '^ok ') f=$(count '^not ok ') s=$(count '^skip ') ;;
    *) "$t" >"$out" 2>&1 && rc=0 || rc=$?
        p=$(count '^\[       OK \]') f=$(count '^\[  FAILED  \] [^0-9]') s=$(count '^\[  SKIPPED \] [^0-9]')
        f=$((f / 2)) s=$((s / 2)) ;; # CMocka names each again at the end
    esac
    if [ "$rc" -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
    if [ $((p + f + s)) -eq 0 ]; then f=1; echo "$t ran no test"; fi
    printf '%-28s %4d passed, %d failed, %d skipped\n' "$(basename "$t")" "$p" "$f" "$s"
    if [ "$f" -ne 0 ]; then
        grep -vE '^\[ RUN|^\[       OK' "$out" | tail -n 60
    else
        grep '^skip ' "$out"
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
