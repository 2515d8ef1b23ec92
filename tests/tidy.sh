#!/bin/sh
# tidy.sh OPTION… -- FILE…: clang-tidy over the files; options that begin with -I, -D, -f, -std are the
# compiler's.  Says what it finds and what clang could not read, not how many warnings were left out.
tidy= clang=
while [ "$1" != -- ]; do
    case $1 in
    --*) tidy="$tidy $1" ;;
    *) clang="$clang $1" ;;
    esac
    shift
done
shift
said=$(mktemp) || exit 2
trap 'rm -f "$said"' EXIT
set -f # the options hold patterns
# shellcheck disable=SC2086
clang-tidy --quiet $tidy "$@" -- $clang 2>"$said"
status=$?
grep -vE '^([0-9]+ warnings?|[0-9]+ errors?|[0-9]+ warnings? and [0-9]+ errors?) generated\.$' "$said" >&2
exit $status
