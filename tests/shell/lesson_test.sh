#!/bin/sh
# tidemark lesson: pages as text and JSON, and what is said where dumps are missing or odd.
. tests/shell/lib.sh
export TIDEMARK_PYTHON=/nonexistent XDG_CACHE_HOME="$dir/cache"
here=$(realpath fixtures)

# A folder of the example of its own, each program in it a link.
example() {
    rm -rf "$dir/data"
    mkdir -p "$dir/data/grid" "$dir/data/remedies"
    cp "$here"/*.json "$here"/*.py "$dir/data"
    ln -s "$here"/grid/* "$dir/data/grid"
    ln -s "$here"/remedies/* "$dir/data/remedies"
}
lesson() { env TIDEMARK_DATA="$dir/data" "$t" lesson "$@"; }

is "all pages as text" 0 "11. Remedies side by side" "" "$t" lesson
is "one page" 0 "5. The peak" "" "$t" lesson 5
holds "and no other" never '^4\.' "$t" lesson 5
is "with its answer" 0 "A  Only the stack, by a row: with 3 steps it is 12 GiB, and the peak 20 GiB." "" "$t" lesson 5
is "in ASCII" 0 "slice                   4         -" "" "$t" lesson 6 --ascii
holds "nothing but ASCII then" never '[^ -~]' "$t" lesson --ascii
holds "no line beyond 80 columns" [ "$("$t" lesson | wc -L)" -le 80 ]
is "the text of a page is a screen's" 0 "lesson 5/11: The peak" "" "$t" lesson 5 --size 80x24 --dump
is "keys go on from there" 0 "lesson 6/11" "" "$t" lesson 5 --keys '<Right>' --size 80x24 --dump
is "a page that there is not" 2 - "lesson 12: expected a page, 1 to 11" "$t" lesson 12
is "a page that is no number" 2 - "lesson x: expected a page, 1 to 11" "$t" lesson x
is "two pages" 2 - "expected a page" "$t" lesson 1 2
json "JSON: every page" "[p['page'] for p in all_of] == list(range(1, 12)) and d['command'] == 'lesson'" "$t" lesson --json
json "JSON: bytes in full" "{f['name']: f['bytes'] for f in all_of[0]['figures']}['unit'] == 4 << 30" "$t" lesson 1 --json
json "JSON: figures, question, answer" "all(p['figures'] and p['question'] and p['answer'] and p['dumps'] for p in all_of)" \
    "$t" lesson --json
json "JSON: the remedies" "len(all_of[0]['remedies']) > 10 and all(r['bytes'] > 1 << 32 for r in all_of[0]['remedies'])" \
    "$t" lesson 11 --json

example
is "an example of one's own" 0 "11. Remedies" "" lesson
rm "$dir/data/grid/a100-d1048576-s3-u1"
is "a missing dump is named" 0 "cannot be shown" "data/grid/a100-d1048576-s3-u1: cannot open: No such file" lesson
is "and its page alone says so" 2 "a100-d1048576-s3-u1" - lesson 5
is "the others are as they were" 0 "Unrolled, each model that is kept is" "" lesson 3
json "JSON: a page without question" "all_of[4]['question'] is None and all_of[4]['answer'] is None and all_of[3]['answer']" lesson --json
is "in the explorer too" 0 "cannot be shown" "" lesson 5 --size 80x24 --dump
is "where one goes on" 0 "lesson 6/11: Plus eight" "" lesson 5 --size 80x24 --keys '<Tab><Down><Space><Right>' --dump
is "and leaves" 0 "live bytes" "" lesson 5 --size 80x24 --keys '<Esc><Esc>' --dump
example
rm "$dir/data/remedies.json"
is "no list of remedies" 0 "cannot be shown" "remedies.json: cannot open" lesson
for rubbish in '' '{' '[]' '{"remedies": 3}' '{"remedies": [3, {"name": 1}, {"name": "x", "dir": "/etc", "seqlen": -1}]}'; do
    printf '%s' "$rubbish" >"$dir/data/remedies.json"
    is "remedies.json that holds '$rubbish'" 2 "cannot be shown" "remedies.json: lists no remedies" lesson 11
done
cat >"$dir/data/remedies.json" <<'END'
{"remedies": [{"name": "x\u001b[2J", "target": "a100", "width": 1048576, "seqlen": 8, "forward": 1,
  "title": "\u001b[31m", "when": "{rolled}", "dir": "../../../../etc"}]}
END
is "a remedy that is no dump" 2 - "etc" lesson 11
holds "whose name reaches no terminal" never "$(printf '\033')" sh -c "TIDEMARK_DATA='$dir/data' '$t' lesson 11; [ \$? -eq 2 ]"
example
sed -i 's|"default": "[^"]*"|"default": "grid/cpu-d256-s4-u1"|' "$dir/data/index.json"
is "another default has few of its pages" 0 "1. Four, eight, sixteen" "remedies.json" lesson
example
sed -i 's|"default": "[^"]*"|"default": "grid/a100-d16384-s4-u1"|' "$dir/data/index.json"
json "pages tell of whatever dumps there are" "all(round({f['name']: f['bytes'] for f in all_of[k]['figures']}[n] / 2**20) == v and
    all(None in f.values() and list(f.values()).count(None) == 2 for f in all_of[k]['figures'])
    for k, n, v in ((1, 'total', 64), (2, 'sum', 256), (3, 'held', 128), (5, 'grad', 64)))" lesson --json
example
printf 'broken' >"$dir/broken.hlo.pb"
rm "$dir/data/grid/a100-d1048576-s2-u1"
mkdir "$dir/data/grid/a100-d1048576-s2-u1"
cp "$dir/broken.hlo.pb" "$dir/data/grid/a100-d1048576-s2-u1/module_0001.jit_step.sm_8.0_gpu_after_optimizations.hlo.pb"
is "a broken dump" 2 "cannot be shown" "a100-d1048576-s2-u1" lesson 6
rm -r "$dir/data"
is "no example at all" 2 - "not installed" lesson
exit $bad
