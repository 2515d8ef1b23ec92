#!/bin/sh
# The exported page in a real browser, where there is one; `make check-browser` installs it.
# $TIDEMARK is the program; pictures of the page go to build/browser.
for word in chromium chromium-browser google-chrome; do
    command -v $word >/dev/null && exec python3 tests/shell/browser.py "${TIDEMARK:-build/tidemark}" build/browser
done
echo "skip the page in a browser: there is no chromium (make check-browser installs it)"
