#!/bin/sh
# dict.sh TARGET: a dictionary for libFuzzer, of the words that the target's own readers look for.
set -eu
case $1 in
hlo_text | whatif) from="hlo_*.c shape_text.c literal_text.c hlo.c shape.c" ;;
assignment_text) from="assignment_*.c shape_text.c" ;;
listing) from="listing*.c" ;;
trace) from="measured.c" ;;
minimalloc) from="minimalloc_csv.c" ;;
target_config) from="target_config.c" ;;
hlo_proto) from="hlo.c" ;;
run) from="hlo.c tape_*.c inputs*.c" ;;
config) from="config.c keymap.c keys.c looks.c cli_table.c options*.c" ;;
state) from="state.c" ;;
index) from="variants.c shipped.c dump*.c" ;;
*) exit 0 ;;
esac
set -f
for name in $from; do find core gpu tui -name "$name"; done |
    xargs grep -ohE '"[^"\\%]{2,40}"' | grep -vE '\.h"$|^", ' | LC_ALL=C grep -v '[^ -~]' | sort -u
