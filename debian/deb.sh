#!/bin/sh
# deb.sh MAKE VERSION [NVCC]: build/tidemark_VERSION_ARCH.deb.  The same sources and tools give the same
# bytes: times are those of the last commit ($SOURCE_DATE_EPOCH), paths of the build are left out, and
# neither the umask nor the locale matters.
set -eu
make=$1 version=$2 nvcc=${3:-}
umask 022
export LC_ALL=C.UTF-8 TZ=UTC
unset MAKEFLAGS MFLAGS SAN CI CFLAGS LDFLAGS
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || dpkg-parsechangelog -S Timestamp)
fi
export SOURCE_DATE_EPOCH
if [ "$(dpkg-parsechangelog -S Version)" != "$version" ]; then
    echo "debian/changelog is not about version $version" >&2
    exit 1
fi
mkdir -p build
b=build/deb root=build/deb/root
flags="-O2 -g -ffile-prefix-map=$PWD=."
"$make" --no-print-directory -j "$(nproc)" tidemark B=$b/obj TIDEMARK=$b/tidemark PREFIX=/usr NVCC="$nvcc" \
    CFLAGS="$flags" >build/deb.log 2>&1 || { tail -n 20 build/deb.log >&2; exit 1; }
rm -rf $root
"$make" --no-print-directory -s -o tidemark install B=$b/obj TIDEMARK=$b/tidemark PREFIX=/usr NVCC="$nvcc" \
    DESTDIR="$PWD/$root" CFLAGS="$flags" ZSH_COMPLETIONS=share/zsh/vendor-completions/_tidemark >&2
doc=$root/usr/share/doc/tidemark
strip --strip-unneeded -R .comment -R .note $root/usr/bin/tidemark
gzip -9n $root/usr/share/man/man1/tidemark.1
install -m 644 debian/copyright $doc/copyright
gzip -9nc debian/changelog >$doc/changelog.gz
install -D -m 644 debian/lintian-overrides $root/usr/share/lintian/overrides/tidemark
mkdir $root/DEBIAN
dpkg-shlibdeps -T$b/substvars $root/usr/bin/tidemark
dpkg-gencontrol -ptidemark -T$b/substvars -f$b/files -P$root
(cd $root && find usr -type f | sort | xargs -d '\n' md5sum) >$root/DEBIAN/md5sums
chmod 644 $root/DEBIAN/*
find $root -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build $root build >&2
