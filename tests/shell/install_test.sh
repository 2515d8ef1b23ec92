#!/bin/sh
# make install and uninstall, in a folder of their own.  $TIDEMARK is the program.
. tests/shell/lib.sh

# goal GOAL PREFIX: what was built is what is installed.
goal() { (unset MAKEFLAGS MFLAGS; make -s -o tidemark "$1" TIDEMARK="$t" NVCC= PREFIX="$2" DESTDIR="$dir/a root"); }
# DIR: nothing but what was installed is found; the folder of the sources is out of reach.
alone() { (cd / && unset TIDEMARK_DATA; PATH="$1/bin:$PATH"; shift; "$@"); }

for prefix in /usr /opt/some/where; do
    root="$dir/a root$prefix"
    holds "install below $prefix" goal install $prefix
    holds "the example ($prefix)" alone "$root" sh -c 'tidemark | grep "Peak   24.00 GiB"'
    holds "its unrolled form, in the explorer" alone "$root" sh -c "tidemark --dump --size 100x30 --keys U | grep compiled"
    holds "the lesson, whole" never "cannot be shown" alone "$root" tidemark lesson
    holds "its remedies" alone "$root" sh -c 'tidemark lesson 11 --json | grep "\"dump\""'
    holds "the example runs" alone "$root" tidemark run --width 256 --seqlen 2
    for file in bin/tidemark share/man/man1/tidemark.1 share/bash-completion/completions/tidemark \
        share/zsh/site-functions/_tidemark share/fish/vendor_completions.d/tidemark.fish; do
        holds "$file" [ -s "$root/$file" ]
    done
    holds "every program that is listed is there" python3 -c "
import json, os
listed = json.load(open('fixtures/index.json'))['cells'] + json.load(open('fixtures/remedies.json'))['remedies']
missing = [c['dir'] for c in listed if not os.path.isdir('$root/share/tidemark/' + c['dir'])]
assert listed and not missing, missing"
    holds "everybody can read it" [ -z "$(find "$root" ! -perm -004)" ]
    holds "uninstall below $prefix" goal uninstall $prefix
    holds "uninstall leaves no file" [ -z "$(find "$dir/a root" -type f)" ]
done
exit $bad
