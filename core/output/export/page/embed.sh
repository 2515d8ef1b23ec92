#!/bin/sh
# embed.sh DIR: the page's files as arrays in C, on standard output.  The scripts are one, in order.
cd "$1" || exit 2
array() {
    name=$1
    shift
    echo "const unsigned char export_page_$name[] = {"
    cat "$@" | od -An -v -tu1 | sed 's/  *\([0-9][0-9]*\)/\1,/g'
    echo "0};"
    echo "const size_t export_page_${name}_size = sizeof export_page_$name - 1;"
}
echo '#include "core/output/export/export_page.h"'
array html page.html
array css page.css
array js data.js clock.js chart.js map.js table.js page.js
