#!/bin/sh
# README.md's screens are what the program prints (TIDEMARK_GOLDEN=write rewrites them), and what it and
# its neighbours name is there.
. tests/shell/lib.sh
out=$dir/README.md
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
assert n >= 2, n
sys.stdout.buffer.write(text.encode())
END
if [ $? -ne 0 ]; then no "the screens of README.md"; exit $bad; fi
if [ "${TIDEMARK_GOLDEN:-}" = write ]; then cat "$out" >README.md; fi
holds "the screens of README.md are the program's (make golden rewrites them)" diff README.md "$out"
python3 tests/shell/readme.py "$t" README.md CONTRIBUTING.md */README.md || bad=1
exit $bad
