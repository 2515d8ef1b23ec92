#!/bin/sh
# What was built for CUDA, and what is said where there is no device.
. tests/shell/lib.sh

# Architectures in the program: pieces of device code, in the format of nvcc's fat binaries.
architectures() {
    python3 - "$1" <<'PYTHON'
import struct, sys
data, found, at = open(sys.argv[1], "rb").read(), set(), 0
magic = struct.pack("<I", 0xBA55ED50)
while (at := data.find(magic, at)) >= 0:
    header, size = struct.unpack_from("<HQ", data, at + 6)
    piece, end = at + header, at + header + size
    while piece + 32 <= end <= len(data):
        kind, head, length = struct.unpack_from("<HxxIQ", data, piece)
        found.add(("ptx" if kind == 1 else "sm") + "_%d" % struct.unpack_from("<I", data, piece + 28))
        piece += head + length
        if head == 0:
            break
    at += 4
print(*sorted(found))
PYTHON
}

built=build/rel-cuda/tidemark
if [ -x $built ]; then
    pieces=" $(architectures $built) "
    for arch in sm_80 sm_90 ptx_90; do
        holds "device code: $arch" [ "${pieces#* "$arch" }" != "$pieces" ]
    done
else
    echo "skip device code: there is no $built"
fi

if [ -e /dev/nvidia0 ]; then
    echo "skip run where there is no device: there is one"
else
    is "run where there is no device" 2 "" "CUDA" "$t" run --backend cuda --seqlen 2
    holds "and says why" grep -E 'no usable CUDA device|built without CUDA' "$dir/err"
fi

skips() { sh tests/device/device_check.sh "" make | grep '^SKIP: '; }
holds "device-check without nvcc skips" skips
is "or fails where a device is required" 1 "SKIP: " "" env REQUIRE_CUDA=1 sh tests/device/device_check.sh "" make
exit $bad
