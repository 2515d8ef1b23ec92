#!/bin/sh
# check.sh MAKE VERSION [NVCC]: two builds, in two folders, under two umasks and time zones, have the same
# bytes; lintian finds no error and warns of nothing; what is in it runs (in the Debian below
# $TIDEMARK_CHROOT, where that is set).
set -eu
make=$1 version=$2 nvcc=${3:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
for n in 1 a-longer-name; do
    mkdir "$dir/$n"
    git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$dir/$n"
done
(cd "$dir/1" && umask 077 && TZ=Asia/Tokyo LC_ALL=C sh debian/deb.sh "$make" "$version" "$nvcc" >/dev/null 2>log) ||
    { tail "$dir/1/log"; exit 1; }
(cd "$dir/a-longer-name" && sh debian/deb.sh "$make" "$version" "$nvcc" >/dev/null 2>log) ||
    { tail "$dir/a-longer-name/log"; exit 1; }
deb=$(cd "$dir/1/build" && echo *.deb)
sha256sum "$dir"/*/build/*.deb
cmp "$dir/1/build/$deb" "$dir/a-longer-name/build/$deb"
echo "two builds, the same bytes"
(cd "$dir/1" && "$make" -s -n need-build) # a second make finds nothing in its way
lintian --fail-on error,warning --tag-display-limit 0 --allow-root "$dir/1/build/$deb"
echo "lintian: no errors, no warnings"
dpkg-deb -x "$dir/1/build/$deb" "$dir/x"
"$dir/x/usr/bin/tidemark" | grep -q 'Peak   24.00 GiB'
"$dir/x/usr/bin/tidemark" lesson 11 >/dev/null
if [ -n "${TIDEMARK_CHROOT:-}" ]; then
    cp "$dir/1/build/$deb" "$TIDEMARK_CHROOT/tmp/"
    chroot "$TIDEMARK_CHROOT" sh -c "
        apt-get install -y --no-install-recommends /tmp/$deb >/dev/null &&
        tidemark | grep 'Peak   24.00 GiB' && tidemark lesson 11 >/dev/null &&
        tidemark --version && tidemark run --width 256 --seqlen 2 >/dev/null &&
        apt-get purge -y tidemark >/dev/null && ! ls -d /usr/share/tidemark /usr/bin/tidemark 2>/dev/null"
fi
mkdir -p build && cp "$dir/1/build/$deb" build/
echo "build/$deb"
