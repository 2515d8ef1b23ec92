#!/bin/sh
# Memory that runs out, reads that fail or come short, files that cannot be opened, threads that cannot be
# made: see tests/inject.  INJECT_EVERY=1 lets every call fail, not a sample.
. tests/shell/lib.sh
lib=${TESTS:-build/rel/tests}/inject/inject.so
if ! command -v python3 >/dev/null || [ ! -f "$lib" ]; then
    echo "skip injection: python3 or $lib is not there"
    exit 0
fi
python3 tests/inject/inject.py "$t" "$lib" || bad=1
exit $bad
