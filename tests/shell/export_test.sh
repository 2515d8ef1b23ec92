#!/bin/sh
# Exports as others read them: CSV, JSON, XML and a page by Python's own readers, minimalloc's by pack.
# $TIDEMARK is the program.
. tests/shell/lib.sh

# reads NAME PYTHON…: assertions over what the exports in $dir/$set hold.
reads() {
    if python3 - "$dir/$set" <<EOF; then ok "$1 ($set)"; else no "$1 ($set)"; fi
import csv, html.parser, json, re, sys, xml.etree.ElementTree as xml
at = sys.argv[1]
text = {f: open(at + '.' + f, newline='').read() for f in ('html', 'svg', 'csv', 'json')}
rows = list(csv.reader(text['csv'].splitlines(True)))
values = [dict(zip(rows[0], r)) for r in rows[1:]]
m = json.loads(text['json'])['modules'][0]
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text['html'], re.S)[1])
$2
EOF
}

mkdir "$dir/hostile_dump"
python3 tests/shell/hostile.py $cell/*.hlo.pb "$dir/hostile_dump/module_0001.jit_step.sm_8.0_gpu_after_optimizations.hlo.pb" || exit 2
for set in example hostile tpu cpu; do
    case $set in
    example) from=$cell ;;
    hostile) from=$dir/hostile_dump ;;
    tpu) from=fixtures/grid/tpu-v5e-d262144-s8-ufull ;;
    cpu) from=fixtures/grid/cpu-d256-s2-u1 ;;
    esac
    for form in html svg csv json minimalloc; do
        is "$form is written ($set)" 0 - "" "$t" export "$from" --format $form -o "$dir/$set.$form"
    done
    reads "CSV has as many fields in each line" "assert len({len(r) for r in rows}) == 1 and len(rows) > 10"
    reads "no field of it is a formula" "assert not any(f[:1] in tuple('=+-@\t\r') for r in rows for f in r if f)"
    reads "CSV and JSON say the same of every value" "
assert len(values) == len(m['all_values']) == data['buffers']
for c, j in zip(values, m['all_values']):
    for k, v in j.items():
        assert c[k] == ('' if v is None else str(v)) or c[k] == \"'\" + str(v), (k, c[k], v)"
    reads "JSON has the report" "assert m['peak']['live_bytes'] == m['live_bytes'] == max(b for _, b in m['live']) == data['live']"
    reads "SVG is XML that draws" "
root = xml.fromstring(text['svg'].encode())
tags = [e.tag.split('}')[1] for e in root.iter()]
assert tags[0] == 'svg' and tags.count('pattern') > 2 and tags.count('rect') > 10 and tags.count('path') > 3 and 'script' not in tags"
    reads "no two of its patterns look alike" "
root = xml.fromstring(text['svg'].encode())
looks = [xml.tostring(e)[60:] for e in root.iter() if e.tag.endswith('pattern')]
assert len(set(looks)) == len(looks)"
    reads "nothing points to a network" "
assert '://' not in re.sub(r'(?s)<script type=.application/json.*?</script>', '', text['html'])
assert re.sub('xmlns=\"[^\"]*\"', '', text['svg']).count('://') == 0"
    reads "the page has no element of a name's making" "
class Tags(html.parser.HTMLParser):
    seen = {}
    def handle_starttag(self, tag, attrs):
        self.seen[tag] = self.seen.get(tag, 0) + 1
        assert all(re.fullmatch('[a-zA-Z-]+', k) and not k.startswith('on') for k, _ in attrs), attrs
t = Tags()
t.feed(text['html'])
assert t.seen['script'] == 2 and t.seen['style'] == 1 and 'b' not in t.seen and 'img' not in t.seen, t.seen"
    if [ $set != hostile ]; then # and what it says of names is there
        reads "every value's name is in the page" "assert {v['value'] for v in values} <= set(data['strings'])"
    fi
    "$t" pack "$dir/$set.minimalloc" --json --budget 0.1 -o /dev/null >"$dir/packed"
    reads "pack reads minimalloc's, and needs what the report says" "
packed = json.load(open('$dir/packed'))['modules'][0]
assert packed['lower_bound_bytes'] >= m['lower_bound_bytes'] and packed['height_bytes'] <= sum(s['temp'] for s in m['spaces'] if s['name'] in ('default', 'hbm'))"
done
set=example
reads "the page holds no second copy of a name" "assert len(set(data['strings'])) == len(data['strings'])"
for view in chart map; do
    "$t" export $cell --format svg --view $view >"$dir/$view.svg"
done
only_in() { grep -q "$1" "$2" && ! grep -q "$1" "$3"; } # only_in WORDS FILE OTHER
holds "the map alone" only_in 'Addresses over time' "$dir/map.svg" "$dir/chart.svg"
holds "the chart alone" only_in 'Live bytes by role' "$dir/chart.svg" "$dir/map.svg"

# ---- Where it is written, and what is refused ----
is "standard output is the default" 0 - "" "$t" export $cell --format csv
holds "and the same" cmp "$dir/out" "$dir/example.csv"
is "a dash is standard output" 0 - "" "$t" export $cell --format csv -o -
holds "and the same" cmp "$dir/out" "$dir/example.csv"
is "the form is guessed from the name" 0 - "" "$t" export $cell -o "$dir/guessed.svg"
holds "as it should" cmp "$dir/guessed.svg" "$dir/example.svg"
is "a name that tells no form" 2 "" "export needs --format" "$t" export $cell -o "$dir/guessed"
is "no form and no name" 2 "" "export needs --format" "$t" export $cell
is "a form that is none" 2 "" "expected svg, html, csv, json or minimalloc" "$t" export $cell --format pdf
is "a directory is not written over" 2 "" "is a directory" "$t" export $cell --format csv -o "$dir"
is "a file in no directory" 2 "" "cannot write" "$t" export $cell --format csv -o "$dir/none/a.csv"
is "two paths" 2 "" "export takes one PATH" "$t" export $cell $cell --format csv
is "no path" 2 "" "export needs a PATH" "$t" export --format csv
is "several modules" 2 "" "say which: --module module_0001.jit_step, or its directory" "$t" export fixtures/grid --format csv
mkdir "$dir/text"
cp $cell/*optimizations-buffer-assignment.txt "$dir/text/"
echo old >"$dir/kept.csv"
is "nothing that can be packed" 2 "" "no live ranges" "$t" export "$dir"/text --format minimalloc -o "$dir/kept.csv"
holds "leaves the file as it was" [ "$(cat "$dir/kept.csv")" = old ]
holds "and no part of another" [ "$(ls "$dir" | grep -c part)" -eq 0 ]
is "nothing that can be drawn" 2 "" "no live ranges" "$t" export "$dir/text" --format svg
is "but tables can be had" 0 - "" "$t" export "$dir/text" --format csv
if [ -c /dev/full ]; then
    is "a full disk" 2 "" "cannot write" sh -c "exec $t export $cell --format json >/dev/full"
    is "a full disk behind a name" 2 "" "cannot write" "$t" export $cell --format json -o /dev/full
fi
holds "a broken pipe is silent" silent_when_nobody_reads "$t" export $cell --format html
if command -v script >/dev/null; then
    script -qec "$t export $cell --format html" /dev/null >"$dir/tty" 2>&1 </dev/null
    holds "a page is not put on a terminal" grep "o FILE.html" "$dir/tty"
    holds "but a word on how to get it" [ "$(wc -l <"$dir/tty")" -lt 3 ]
fi

# ---- In bulk ----
"$t" report --csv fixtures/grid >"$dir/grid.csv" || no "a sweep's lines"
holds "a sweep's lines have every cell's bytes" python3 -c "
import csv, glob, json, os
rows = list(csv.DictReader(open('$dir/grid.csv', newline='')))
assert len(rows) == len(glob.glob('fixtures/grid/*/')) and [r['path'] for r in rows] == sorted(r['path'] for r in rows)
for r in rows:
    want = json.load(open(os.path.join(r['path'], 'cell.json')))['memory_analysis']
    assert not r['error'] and int(r['peak']) > 0 and int(r['lower_bound']) + int(r['fragmentation']) >= 0
    for k in ('argument', 'output', 'alias') + (('temp',) if r['platform'] != 'tpu' else ()):
        assert int(r[k]) == want[k], (r['path'], k)
"
mkdir "$dir/some"
cp $cell/*.hlo.pb "$dir/some/"
printf nonsense >"$dir/some/module_0099.jit_g.cpu_after_optimizations.hlo.pb"
is "a module that cannot be opened is a warning" 0 - "tidemark: warning: " "$t" report --csv "$dir/some"
holds "and a line with the error" grep "jit_g.*,,,,," "$dir/out"
holds "beside that of the other" lines 3 "$dir/out"
is "a path that is none, and one that is" 2 - "$dir/none" "$t" report --csv "$dir/none" $cell
holds "the other is told" lines 2 "$dir/out"
is "over a limit in one of them" 1 - "" "$t" report --csv fixtures/grid --limit 20G
is "CSV is the report's" 2 "" "--csv belongs to report" "$t" verify $cell --csv
is "verify over a directory" 0 - "" "$t" verify fixtures/grid
tail -n 4 "$dir/out" >"$dir/summary"
holds "closes with a summary" grep "^  gpu  *38  *38  *0  *0  *0$" "$dir/summary"
json "so does its JSON" "len(all_of) == sum(sum(k.values()) for k in d['summary'].values()) and all(m['agrees'] for m in all_of) and
    d['summary']['gpu'] == {'agree': 38, 'differ': 0, 'not_known': 0, 'not_opened': 0}" "$t" verify fixtures/grid --json
for words in "verify fixtures/grid" "report --csv fixtures/grid"; do
    # shellcheck disable=SC2086
    holds "a broken pipe is silent: $words" silent_when_nobody_reads "$t" $words
done
for n in 1 2; do "$t" verify fixtures/grid >"$dir/order$n" 2>&1; done
holds "the order is always the same" cmp "$dir/order1" "$dir/order2"
exit $bad
