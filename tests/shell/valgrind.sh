#!/bin/sh
# The main flows under valgrind: no bad read or write, no use of what was never set, nothing lost.
# $TIDEMARK is the program, built without sanitizers.
. tests/shell/lib.sh
small=fixtures/grid/cpu-d256-s2-u1

# clean NAME WORD…: valgrind's own status is 99.
clean() {
    name=$1
    shift
    valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
        --child-silent-after-fork=no --trace-children=no --log-file="$dir/log.%p" \
        "$t" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    if [ $status -gt 2 ] || [ -n "$(cat "$dir"/log.*)" ]; then
        no "$name" "exit $status"
        head -40 "$dir"/log.*
    elif [ ! -s "$dir/out" ] && [ ! -s "$dir/err" ]; then
        no "$name" "it printed nothing"
    else
        ok "$name"
    fi
    rm -f "$dir"/log.*
}

clean "report" report $cell
clean "report as JSON, grouped" report $cell --json --by line
clean "report of a log" report fixtures/forms/tpu.log
clean "report of many, in processes" report --csv fixtures/grid/cpu-d256-*
clean "verify" verify $cell
clean "verify from text" verify $cell/*after_optimizations.txt
clean "timeline" timeline $cell --execution
clean "whatif" whatif --seqlen 8
clean "diff" diff $cell fixtures/grid/a100-d1048576-s4-ufull
clean "lesson" lesson
clean "run, with guards" run $small
clean "run, without" run $small --guards off
for form in html svg csv json minimalloc; do
    clean "export $form" export $cell --format $form -o -
done
"$t" export $cell --format minimalloc -o "$dir/buffers.csv"
clean "pack" pack "$dir/buffers.csv"
clean "a file that is cut" report "$small/cell.json"
clean "explorer: all views" $cell --dump --size 120x40 --keys 'pxm]]<Tab>jj<Enter><Esc>e<Down><Esc>gj<Esc>c<Tab><Esc>L<Right> <Esc><Esc>/while<Enter>nN?<Esc>:peak<Enter>'
clean "explorer: forms and targets" --dump --keys 'sSuUtUsx++--=vp<Right>v'
clean "explorer: filters, groups, sizes" $cell --dump --size 80x24 --keys 'f<Down><Enter>Fo'"GBoooo"
clean "explorer: a list of modules" --dump $small $cell --keys '<Down>'
clean "explorer: a listing" fixtures/forms/tpu.log --dump --keys 'jj<Enter>'
clean "completions" --completion zsh
exit $bad
