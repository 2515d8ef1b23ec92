#!/bin/sh
# make install and uninstall, in a folder of their own.  $TIDEMARK is the program.
t=${TIDEMARK:-build/tidemark}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
ok() { echo "ok $1"; }
no() { echo "not ok $1"; bad=1; }
check() { # NAME COMMAND…
    name=$1
    shift
    if "$@" >"$dir/out" 2>&1; then ok "$name"; else
        no "$name"
        tail -5 "$dir/out"
    fi
}

# run GOAL PREFIX: what was built is what is installed.
run() { (unset MAKEFLAGS MFLAGS; make -s -o tidemark "$1" TIDEMARK="$t" NVCC= PREFIX="$2" DESTDIR="$dir/a root"); }
# DIR: nothing but what was installed is found; the folder of the sources is out of reach.
alone() { (cd / && unset TIDEMARK_DATA; PATH="$1/bin:$PATH"; shift; "$@"); }

for prefix in /usr /opt/some/where; do
    root="$dir/a root$prefix"
    check "install below $prefix" run install $prefix
    check "the example ($prefix)" alone "$root" sh -c 'tidemark | grep "Peak   24.00 GiB"'
    check "its unrolled form, in the explorer" alone "$root" sh -c "tidemark --dump --size 100x30 --keys U | grep compiled"
    check "the lesson, whole" alone "$root" sh -c '! tidemark lesson | grep "cannot be shown"'
    check "its remedies" alone "$root" sh -c 'tidemark lesson 11 --json | grep "\"dump\""'
    check "the example runs" alone "$root" tidemark run --width 256 --seqlen 2
    for file in bin/tidemark share/man/man1/tidemark.1 share/bash-completion/completions/tidemark \
        share/zsh/site-functions/_tidemark share/fish/vendor_completions.d/tidemark.fish; do
        [ -s "$root/$file" ] || no "there is no $file"
    done
    for dump in $(python3 -c "
import json
print(*(c['dir'] for c in json.load(open('fixtures/index.json'))['cells']))
print(*(r['dir'] for r in json.load(open('fixtures/remedies.json'))['remedies']))" 2>"$dir/python"); do
        [ -d "$root/share/tidemark/$dump" ] || no "a listed program is not installed: $dump"
    done
    cat "$dir/python"
    if find "$root" ! -perm -004 | grep -q .; then no "everybody can read it"; else ok "everybody can read it"; fi
    check "uninstall below $prefix" run uninstall $prefix
    left=$(find "$dir/a root" -type f)
    if [ -z "$left" ]; then ok "uninstall leaves no file"; else no "uninstall leaves: $left"; fi
done
exit $bad
