#!/bin/sh
# What was built for CUDA, and what is said where there is no device.
program=build/tidemark

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

if [ -d build/rel-cuda ] && cmp -s build/rel-cuda/tidemark $program; then
    has=$(architectures $program)
    case " $has " in
    *" ptx_90 "*) case "$has" in *sm_80*sm_90*) echo "ok code for sm_80 and sm_90, and PTX" ;; *) echo "not ok architectures: $has" ;; esac ;;
    *) echo "not ok architectures: $has" ;;
    esac
else
    echo "skip code for sm_80 and sm_90, and PTX: build/tidemark is not built with CUDA"
fi

said=$($program run --backend cuda --seqlen 2 2>&1)
status=$?
if [ -e /dev/nvidia0 ]; then
    echo "skip run where there is no device: there is one"
elif [ "$status" -eq 2 ] && [ "$(printf '%s\n' "$said" | wc -l)" -eq 1 ] &&
    printf '%s\n' "$said" | grep -qE 'no usable CUDA device|built without CUDA'; then
    echo "ok run where there is no device: one line, and status 2"
else
    echo "not ok run where there is no device: $status, $said"
fi

if said=$(sh tests/device/device_check.sh "" make); [ "${said#SKIP: }" != "$said" ] &&
    ! REQUIRE_CUDA=1 sh tests/device/device_check.sh "" make >/dev/null; then
    echo "ok device-check without nvcc skips, or fails where a device is required"
else
    echo "not ok device-check without nvcc: $said"
fi
