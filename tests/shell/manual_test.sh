#!/bin/sh
# The man page: its sections, its keys, and that formatters have nothing to say against it.
. tests/shell/lib.sh
page=tidemark.1 out=$dir/out
# empty NAME: what was found wrong is in $out.
empty() {
    if [ -s "$out" ]; then
        no "$1"
        show "$out"
    else ok "$1"; fi
}

printf '%s\n' NAME SYNOPSIS DESCRIPTION OPTIONS COMMANDS KEYS 'EXIT STATUS' ENVIRONMENT FILES EXAMPLES DIAGNOSTICS LIMITS \
    'SEE ALSO' | while IFS= read -r title; do grep -qx "\.SH $title" $page || echo "no $title"; done >"$out"
empty "the man page has its sections"

# Under KEYS every key of the table stands in bold, or as a word.
"$t" --print-config | python3 -c '
import re, sys
page = open("tidemark.1", encoding="utf-8").read().split("\n.SH KEYS\n")[1].split("\n.SH ")[0]
for a, b in (("\\(<-", "Left"), ("\\(->", "Right"), ("\\-", "-"), ("\\(aq", "\x27")):
    page = page.replace(a, b)
words = set(" ".join(re.findall(r"\\fB(.*?)\\fR", page)).split())
words |= set(re.findall(r"\w+", re.sub(r"\\f.", " ", page)))
if "arrows" in words:
    words |= {"Up", "Down"}
for line in re.findall(r"^#key\.\S+ = (.*)$", sys.stdin.read(), re.M):
    for key in line.split():
        if {"lt": "<", "C-c": "q"}.get(key, key) not in words:
            print("no key", key)' >"$out" 2>&1
empty "the man page has every key"

grep -n '.\{81,\}' $page >"$out"
empty "the man page's lines are short"

if groff -man -Tutf8 /dev/null >/dev/null 2>&1; then
    groff -man -ww -Tutf8 -P-c -P-b -P-u -rLL=80n $page 2>"$out" | grep '.\{81,\}' >>"$out"
    empty "groff shows the man page on 80 columns"
else
    echo "skip groff shows the man page: not installed"
fi
if command -v mandoc >/dev/null; then
    mandoc -Tlint $page >"$out"
    empty "mandoc has nothing to say"
else
    echo "skip mandoc looks at the man page: not installed"
fi
exit $bad
