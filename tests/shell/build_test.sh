#!/bin/sh
# What make asks of the compiler, and the sources of the C library.
. tests/shell/lib.sh
unset MAKEFLAGS MFLAGS SAN CFLAGS LDFLAGS

recipe() { make -s -n NVCC= B="$dir/b" "$@" "$dir/b/core/base/arena.o" 2>/dev/null | grep core/base/arena.c; }
takes() { echo | ${CC:-cc} -O2 -Werror "$1" -include features.h -x c -c -o "$dir/o" - 2>/dev/null; }

# A compiler that knows a flag is asked for it.
asked=$(recipe)
for flag in -fstack-protector-strong -fstack-clash-protection -fcf-protection -D_FORTIFY_SOURCE=3; do
    case " $asked " in
    *" $flag "*) if takes $flag; then ok "hardened: $flag"; else no "hardened: $flag" "the compiler lacks it"; fi ;;
    *) if takes $flag; then no "hardened: $flag" "not asked for"; else ok "left out: $flag"; fi ;;
    esac
done
case $(recipe CFLAGS=-O0) in
*_FORTIFY_SOURCE*) no "no _FORTIFY_SOURCE without optimization" ;;
*arena.c*) ok "no _FORTIFY_SOURCE without optimization" ;;
*) no "no _FORTIFY_SOURCE without optimization" "no recipe" ;;
esac
case $(recipe SAN=1) in
*_FORTIFY_SOURCE* | *-fPIE*) no "sanitizers stand alone" ;;
*-fsanitize=address*) ok "sanitizers stand alone" ;;
*) no "sanitizers stand alone" "no recipe" ;;
esac
# Memory comes from core/base/memory.h, which ends in one line where there is none; or what is done
# with it can be left undone, and the call stands as "? … : NULL".
find core gpu tui -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | grep -v '^core/base/memory\.c$' |
    xargs grep -nE '\b((m|c|re)alloc|reallocarray|aligned_alloc|posix_memalign|strn?dup|v?asprintf|open_memstream|abort) *\(' |
    grep -v ' ? .*alloc(.*) : NULL;' >"$dir/asked"
if [ -s "$dir/asked" ]; then
    no "memory comes from one place" "$(head -n 1 "$dir/asked")"
else
    ok "memory comes from one place"
fi
exit $bad
