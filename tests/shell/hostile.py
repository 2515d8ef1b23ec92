"""hostile.py FROM.hlo.pb TO.hlo.pb: the same program with names that no format may be broken by.

Texts of a proto have their length before them, so each is replaced by one of the same length: quotes, line
ends, markup, control bytes, formulas, commas, and bytes that are no UTF-8."""
import sys

SWAPS = {
    b"loop_broadcast_fusion": b'"</script><b>\n\x01\xff,\'&;',
    b"arg_tuple.1": b"=1+1,\"\r\n\xc3(",
    b"jit(step)/jvp()": b"]]><!--\x1b[31m\xe2\"",
    b"transpose(": b"</style>@A",
    b"scan.py": b"a,\"\xfe<&",
    b"model__w2__": b"@DATA@\xe2\x80\xae`$",
}


def main():
    source, target = sys.argv[1:]
    data = open(source, "rb").read()
    for old, new in SWAPS.items():
        assert old in data, old
        data = data.replace(old, new.ljust(len(old), b"'")[:len(old)])
    open(target, "wb").write(data)


main()
