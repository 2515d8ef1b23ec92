#!/bin/sh
# checkers.sh MAKE: cppcheck and clang-tidy as `make check` runs them: where they are installed, and of the
# version that the tree is clean with, since another one finds other things; with CI set, any version.
# `make cppcheck`, `make tidy-fast` and `make tidy` run what there is.
failed=0
# with TOOL VERSION GOAL
with() {
    if ! has=$("$1" --version 2>/dev/null); then
        echo "skip $1: it is not installed (make $3 installs and runs it)"
    elif [ -z "${CI:-}" ] && ! echo "$has" | grep -qE "(^Cppcheck|version) $2(\.|$)"; then
        echo "skip $1: it is not of version $2 (make $3 runs it)"
    else
        $make --no-print-directory "$3" || failed=1
    fi
}
make=${1:-make}
with cppcheck 2.10 cppcheck
with clang-tidy 14 tidy-fast
exit $failed
