#!/bin/sh
# The man page: its sections, its keys, and that formatters have nothing to say against it.
t=${TIDEMARK:-build/tidemark}
page=tidemark.1 bad=0
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
export LC_ALL=C.UTF-8
ok() { echo "ok $1"; }
no() {
    echo "not ok $1"
    head -n 8 "$out"
    bad=1
}

printf '%s\n' NAME SYNOPSIS DESCRIPTION OPTIONS COMMANDS KEYS 'EXIT STATUS' ENVIRONMENT FILES EXAMPLES DIAGNOSTICS LIMITS \
    'SEE ALSO' | while IFS= read -r title; do grep -qx "\.SH $title" $page || echo "$title"; done >"$out"
if [ -s "$out" ]; then no "the man page lacks a section"; else ok "the man page has its sections"; fi

# Every key and :command that the explorer knows stands in bold, or as a word, under KEYS.
"$t" --print-config | python3 -c '
import re, sys
page = open("tidemark.1", encoding="utf-8").read().split("\n.SH KEYS\n")[1].split("\n.SH ")[0]
for a, b in (("\\(<-", "Left"), ("\\(->", "Right"), ("\\-", "-"), ("\\(aq", "\x27")):
    page = page.replace(a, b)
bold = " ".join(re.findall(r"\\fB(.*?)\\fR", page)).split()
words = set(bold) | set(re.findall(r"\w+", re.sub(r"\\f.", " ", page)))
if "arrows" in words:
    words |= {"Up", "Down"}
for line in re.findall(r"^#key\.\S+ = (.*)$", sys.stdin.read(), re.M):
    for key in line.split():
        key = {"lt": "<", "C-c": "q"}.get(key, key)
        if key not in words:
            print("no key", key)' >"$out"
if [ -s "$out" ]; then no "the man page lacks a key"; else ok "the man page has every key"; fi

grep -n '.\{81,\}' $page >"$out"
if [ -s "$out" ]; then no "the man page has lines beyond 80 columns"; else ok "the man page's lines are short"; fi

if command -v groff >/dev/null && groff -man -Tutf8 -rLL=80n /dev/null >/dev/null 2>&1; then
    groff -man -ww -Tutf8 -P-c -P-b -P-u -rLL=80n $page 2>"$out" | grep '.\{81,\}' >>"$out"
    if [ -s "$out" ]; then no "groff warns of the man page, or has no room"; else ok "groff shows the man page on 80 columns"; fi
else
    echo "skip groff shows the man page: not installed"
fi
if command -v mandoc >/dev/null; then
    mandoc -Tlint $page >"$out"
    if [ -s "$out" ]; then no "mandoc warns of the man page"; else ok "mandoc has nothing to say"; fi
else
    echo "skip mandoc looks at the man page: not installed"
fi
exit $bad
