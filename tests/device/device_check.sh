#!/bin/sh
# make device-check: the example on a GPU (see tests/device/device_check.c).  Without one: a line that begins
# with SKIP, and success; with REQUIRE_CUDA=1 that is a failure.  The capture goes to
# build/device-check.json.
#   device_check.sh NVCC MAKE
nvcc=$1 make=$2 begun=$(date +%s)

skip() {
    echo "SKIP: $1"
    [ "${REQUIRE_CUDA:-}" != 1 ]
    exit
}

[ -n "$nvcc" ] || skip "there is no nvcc to build with"
"$make" --no-print-directory -j"$(nproc)" SAN= build/rel-cuda/tests/device/device_check >build/device-check.log 2>&1 || {
    tail -n 20 build/device-check.log
    exit 1
}
# What is left of four minutes, less the time that the last cell may take.
build/rel-cuda/tests/device/device_check fixtures/grid build/device-check.json $((200 - $(date +%s) + begun)) \
    >build/device-check.out
status=$?
[ "$status" -ne 77 ] || skip "$(tail -n 1 build/device-check.out)"
cat build/device-check.out
[ "$status" -ne 0 ] || echo "the capture is in build/device-check.json"
exit "$status"
