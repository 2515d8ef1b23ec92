#!/bin/sh
# corpus.sh COMMAND…: finds the corpus of real dumps, unpacks it, runs COMMAND… with it behind.
# $TIDEMARK_CORPUS names it (a folder of sets, or one with an `unpack` script), else it is looked
# for beside the checkout.
set -eu
corpus=${TIDEMARK_CORPUS:-../shared/corpus}
if [ ! -d "$corpus" ]; then
    echo "skip corpus: none at $corpus (TIDEMARK_CORPUS names one)"
    exit 0
fi
if [ -f "$corpus/unpack" ]; then
    dir=$(mktemp -d)
    trap 'rm -rf "$dir"' EXIT
    bash "$corpus/unpack" "$dir"
    corpus=$dir
fi
"$@" "$corpus"
