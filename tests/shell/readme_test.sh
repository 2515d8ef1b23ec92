#!/bin/sh
# The screens in README.md are what the program prints.  TIDEMARK_GOLDEN=write rewrites them.
t=${TIDEMARK:-build/tidemark}
export LC_ALL=C.UTF-8
out=$(mktemp) || exit 2
trap 'rm -f "$out" "$out.err"' EXIT
python3 - "$t" README.md >"$out" <<'END'
import re, shlex, subprocess, sys
program, page = sys.argv[1:]
text = open(page, encoding='utf-8').read()
n = 0
def fill(match):
    global n
    n += 1
    command = [program] + match.group(1).split()[1:]
    screen = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    return f'<!-- screen: {match.group(1)} -->\n```\n{screen}```\n'
text = re.sub(r'<!-- screen: (.*) -->\n```\n(?:.*\n)*?```\n', fill, text)
assert n == 2, n
sys.stdout.buffer.write(text.encode())
END
if [ $? -ne 0 ]; then echo "not ok the screens of README.md"; exit 1; fi
if [ "${TIDEMARK_GOLDEN:-}" = write ]; then cat "$out" >README.md; fi
if cmp -s "$out" README.md; then echo "ok the screens of README.md are the program's"; else
    echo "not ok README.md: make golden rewrites its screens"
    diff README.md "$out" | head -20
    exit 1
fi
