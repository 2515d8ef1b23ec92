#!/bin/sh
# The command line's contract: exit codes, one-line errors, JSON that parses and that the man page
# names, pipes.  $TIDEMARK is the program.
. tests/shell/lib.sh
proto=$(echo $cell/*.hlo.pb)

is "no path: the example's report when there is no terminal" 0 "Peak   24.00 GiB" "" "$t"
is "a directory" 0 "Peak   24.00 GiB" "" "$t" report $cell
is "one file of it" 0 "Peak   24.00 GiB" "" "$t" report "$proto"
is "the text alone" 0 "Peak   24.00 GiB" "" "$t" report "${proto%.hlo.pb}.txt"
is "options behind operands" 0 '"command"' "" "$t" report $cell --json
is "verify agrees" 0 "agrees" "" "$t" verify $cell
is "verify over several paths" 0 "agrees" "" "$t" verify $cell fixtures/grid/a100-d1048576-s4-ufull
is "verify without live ranges" 0 "offsets 104 of 104 exact" "" "$t" verify fixtures/grid/cpu-d256-s2-u1
cp $cell/*optimizations.txt "$dir/alone.txt"
is "verify with nothing to compare" 0 "nothing to compare" "" "$t" verify "$dir/alone.txt"
full=fixtures/grid/a100-d1048576-s4-ufull
is "diff of a dump with itself" 0 "No difference" "" "$t" diff $cell $cell
is "diff of two dumps" 1 "-8.00 GiB  peak" "" "$t" diff $cell $full
is "diff needs two" 2 "" "diff compares two PATHs, not 1" "$t" diff $cell
is "and not three" 2 "" "not 3" "$t" diff $cell $cell $cell
is "diff with a path that is not there" 2 "" "$dir/none" "$t" diff $cell "$dir/none"
is "diff of several modules pairs them by name" 0 "No difference" "" "$t" diff fixtures/grid/cpu-d256-s2-u1 \
    fixtures/grid/cpu-d256-s2-u1
mkdir "$dir/two" && cp $cell/*.pb fixtures/grid/cpu-d256-s2-u1/*.pb "$dir/two"
is "and by platform" 1 "No difference" "has no partner in" "$t" diff "$dir/two" fixtures/grid/cpu-d256-s2-u1
mkdir "$dir/four" && cp $full/*.pb fixtures/grid/cpu-d256-s2-u1/*.pb "$dir/four"
is "pairs that do not differ are one line" 1 "No difference in 1 other pair" "" "$t" diff "$dir/two" "$dir/four"
is "of several reports the last line names the largest peak" 0 "2 programs. The largest peak is that of jit_step" \
    "" "$t" report "$dir/two"
is "what has no partner says where it is" 1 - "$dir/two: module_0001.jit_step has no partner in" \
    "$t" diff "$dir/two" fixtures/grid/cpu-d256-s2-u1
is "what has no partner is said" 1 - "has no partner in" "$t" diff fixtures/grid fixtures/grid/cpu-d256-s2-u1
json "diff's document" "d['command'] == 'diff' and m['differs'] and m['peak']['a'] - m['peak']['b'] == -m['peak']['delta'] and m['bytes']['temp']['delta'] == m['bytes']['temp']['b'] - m['bytes']['temp']['a']" \
    "$t" diff $cell $full --json
json "its rows and roles add up" "sum(r['delta'] for r in m['by_role'].values()) == m['peak']['delta'] and
 sum((v['b'] or {'bytes': 0})['bytes'] - (v['a'] or {'bytes': 0})['bytes'] for v in m['values']) == m['peak']['delta']" \
    "$t" diff $cell $full --json
is "over a limit that was given" 1 "too little" "" "$t" report $cell --limit 20G
is "within a limit that was given" 0 "to spare" "" "$t" report $cell --limit=80GiB
is "the device's own memory is only told" 0 "to spare" "" "$t" report $cell
is "the peak by role" 0 "residual stack" "" "$t" report $cell
is "groups by role" 0 "residual stack" "" "$t" report $cell --by role
is "another step" 0 "Step " "" "$t" report $cell --at 3
is "help" 0 "tidemark report" "" "$t" --help
is "help of one command" 0 "--seqlen N " "" "$t" run --help
is "and of that alone" 0 - "" sh -c "! $t run --help | grep -e --execution"
is "help of the explorer where there is no UTF-8" 0 "[PATH...]" "" env LC_ALL=C "$t" --help
is "completions" 0 "complete -F _tidemark tidemark" "" "$t" --completion bash
is "completions for a shell that is not known" 2 "" "expected bash, zsh or fish" "$t" --completion csh
is "version: libraries" 0 "cJSON 1" "" "$t" --version
is "version: CUDA, or why not" 0 "CUDA: " "" "$t" --version
is "the configuration's defaults" 0 '#key.peak = p' "" "$t" --print-config
printf 'units = bytes\norder = role\nnonsense\n' >"$dir/config"
is "a configuration that is asked for holds for --dump" 0 "25,770,365,040 B" "config:3" "$t" $cell --dump --config "$dir/config"
is "and its rubbish is a warning with its line" 0 - "$dir/config:3: a line without =" "$t" $cell --dump --config "$dir/config"
is "one that is not there is an error" 2 "" "none" "$t" $cell --dump --config "$dir/none"
is "positions are kept where they are asked for" 0 "step 67 of 75" "" "$t" $cell --dump --state "$dir/state" --keys '<Right><Right>q'
is "and taken up again" 0 "resumed at step 67" "" "$t" $cell --dump --state "$dir/state"
is "and not by a screen that is only printed" 0 "step 65 of 75" "" env XDG_STATE_HOME="$dir/state" "$t" $cell --dump
is "while another form is shown, the dump's own place" 0 "seqlen ◂ 5 ▸" "" "$t" $cell --dump --state "$dir/state" --keys '<Right>s<Left><Left>q'
is "is taken up, too" 0 "resumed at step 68" "" "$t" $cell --dump --state "$dir/state"
is "a folder that cannot be written is no matter" 0 "step 65 of 75" "" "$t" $cell --dump --state /proc/none --keys q
is "version" 0 "backend host" "" "$t" --version
is "unknown option" 2 "" "unknown option --wat" "$t" --wat
is "option without its value" 2 "" "--limit needs a value" "$t" report $cell --limit
is "a limit that is no size" 2 "" "expected bytes" "$t" report $cell --limit lots
is "a step that is not there" 2 "" "has steps 0 to" "$t" report $cell --at 100000
is "report without a path" 2 "" "report needs a PATH" "$t" report
is "an option of another command" 2 "" "--at belongs to report" "$t" verify $cell --at 3
is "no such path" 2 "" "$dir/none" "$t" report "$dir/none"
mkdir "$dir/empty"
is "a directory without a dump says how to make one" 2 "" "--xla_dump_to=" "$t" report "$dir/empty"
is "a directory without a dump, in the explorer" 2 "" "--xla_dump_to=" "$t" "$dir/empty"
is "no path and no fixtures says how to make a dump" 2 "" "--xla_dump_to=" \
    env TIDEMARK_DATA="$dir/empty" "$t"
: >"$dir/nothing.hlo.pb"
is "an empty file" 2 "" "$dir/nothing.hlo.pb" "$t" report "$dir/nothing.hlo.pb"
head -c 20000 "$proto" >"$dir/cut.hlo.pb"
is "a file cut short" 2 "" "cut.hlo.pb:@" "$t" report "$dir/cut.hlo.pb"
printf 'hello\n' >"$dir/hello.txt"
is "a file of another kind" 2 "" "hello.txt" "$t" report "$dir/hello.txt"
is "a module that is not there" 2 "" 'no module has "other"' "$t" report $cell --module other
is "a module by a part of its name" 0 "Peak" "" "$t" report $cell --module step
is "a bad key" 2 "" - "$t" --keys '<Nope>' --size 80x24 --dump
is "a bad size" 2 "" "expected COLSxROWS" "$t" --size 80 --dump
is "a screen as text" 0 "live bytes" "" "$t" --keys 'p' --size 80x24 --dump
is "standard input" 0 "Peak   24.00 GiB" "" sh -c "'$t' report - <$proto"
if [ -c /dev/full ]; then
    is "a full disk" 2 "" "cannot write" sh -c "exec $t report $cell >/dev/full"
fi
holds "a broken pipe is silent" silent_when_nobody_reads "$t" report $cell --json
holds "--dump has no escapes" never "$(printf '\033')" "$t" --keys '?' --size 100x30 --dump
holds "--ascii is ASCII" never '[^ -~]' "$t" $cell --ascii --size 120x40 --dump
holds "a locale without UTF-8 gets ASCII" never '[^ -~]' env LC_ALL=C "$t" report $cell
mkdir "$dir/mixed"
cp $cell/*after_optimizations*.txt "$dir/mixed/"
sed -i 's/f32\[4,1024,1048576\]/f32[3,1024,1048576]/' "$dir"/mixed/*-buffer-assignment.txt
is "halves of one program at two lengths are told apart" 0 - "are of different programs" \
    "$t" report "$dir/mixed"
mkdir "$dir/some"
cp $cell/*.hlo.pb "$dir/some/"
: >"$dir/some/module_0099.jit_g.cpu_after_optimizations.hlo.pb"
is "a broken module among sound ones is a warning" 0 - "tidemark: warning: " "$t" report "$dir/some"
is "a broken module that is asked for is an error" 2 "" "tidemark: $dir" "$t" report "$dir/some" --module jit_g

json "the example's bytes are those of memory_analysis()" "all(m['bytes'][k] == v for k, v in json.load(open('$cell/cell.json'))['memory_analysis'].items() if k in ('argument', 'output', 'temp', 'alias'))" "$t" report $cell --json
json "roles add up to the live bytes" "sum(m['by_role'].values()) == m['live_bytes'] == m['peak']['live_bytes']" "$t" report $cell --json
json "roles add up at any step" "sum(m['by_role'].values()) == m['live_bytes'] < m['peak']['live_bytes']" "$t" report $cell --json --at 20
json "the example's peak by role, in GiB" "{r: round(b / 2**30) for r, b in m['by_role'].items() if b > 2**29} == {'residual stack': 16, 'cotangent carry': 4, 'slice of stack': 4}" "$t" report $cell --json
json "every buffer has a role" "[b['role'] for b in m['top'][:3]] == ['residual stack', 'slice of stack', 'cotangent carry'] and all(b['role'] for b in m['top'])" "$t" report $cell --json
json "loops have passes and stacks" "[(l['while'], l['trip_count'], l['pass']) for l in m['loops']] == [('while.16', 4, 'forward'), ('while', 4, 'backward')] and all({'value': 'while.16{3}', 'bytes': 16 * 2**30, 'slot_bytes': 4 * 2**30, 'access': a} in l['stacks'] for l, a in zip(m['loops'], ('fill', 'drain')))" "$t" report $cell --json
json "the peak's step is an instruction" "m['peak']['instruction'] and m['peak']['live_bytes'] > 0 and m['peak']['loops'] == [{'while': 'while', 'iteration': 0}]" "$t" report $cell --json
json "hints that lower the peak, then those that only tell, most bytes first, with their fields" "(lambda h: len(h) > 5 and h == sorted(h, key=lambda x: (x['id'] in ('residual-is-carry', 'double-counted-peak'), -x['bytes'])) and all(set(x) == {'id', 'bytes', 'value', 'source', 'text'} for x in h) and any(x['id'] == 'residual-is-carry' and x['bytes'] == 16 << 30 and x['value'] == 'while.16{3}' and x['source'] for x in h))(m['hints'])" "$t" report $cell --json
json "no hints where there is nothing to say" "m['hints'] == []" "$t" report fixtures/grid/a100-d1048576-s1-ufull --json
json "a limit that is near is a hint" "[h['bytes'] for h in m['hints'] if h['id'] == 'near-limit'][0] > 0" "$t" report $cell --limit 25G --json
json "--top" "len(m['top']) == 3" "$t" report $cell --json --top 3
json "a forward loop's peak is fullest in its last iteration" "m['peak']['loops'] == [{'while': 'while.6', 'iteration': 7}]" "$t" report fixtures/grid/tpu-v5e-d262144-s8-u1 --json
json "--by sums to the live bytes" "sum(g['peak_bytes'] for g in m['groups']) == m['live_bytes']" "$t" report $cell --json --by line
json "--by op sums to the live bytes" "sum(g['peak_bytes'] for g in m['groups']) == m['live_bytes']" "$t" report $cell --json --by op
json "--by shape sums to the live bytes" "sum(g['peak_bytes'] for g in m['groups']) == m['live_bytes']" "$t" report $cell --json --by shape
json "--by role sums to the live bytes" "sum(g['peak_bytes'] for g in m['groups']) == m['live_bytes'] and {g['name']: g['peak_bytes'] for g in m['groups'] if g['peak_bytes']} == m['by_role']" "$t" report $cell --json --by role
json "verify counts" "m['live_ranges']['total'] == m['live_ranges']['exact'] > 50 and m['agrees'] is True" "$t" verify $cell --json
json "verify reruns every offset" "m['offsets']['total'] == m['offsets']['exact'] > 80 and m['overlaps'] == 0 and m['verdicts'] == []" "$t" verify $cell --json
json "verify reruns the bytes of temporaries" "m['temp_bytes']['dump'] == m['temp_bytes']['rerun'] >= m['temp_bytes']['lower_bound'] > 2e10" "$t" verify $cell --json
json "the bound and what is above it are temp" "m['lower_bound_bytes'] + m['fragmentation_bytes'] == m['bytes']['temp']" "$t" report $cell --json
json "verify without ranges is null" "m['live_ranges'] is None and m['agrees'] is True" "$t" verify fixtures/grid/cpu-d256-s2-u1 --json
json "verify of HLO text alone is null" "m['live_ranges'] is m['offsets'] is m['temp_bytes'] is m['overlaps'] is m['agrees'] is None" "$t" verify "$dir/alone.txt" --json

is "timeline: phases" 0 "75 steps in program order" "" "$t" timeline $cell
is "timeline: loops repeated" 0 "moments in execution order" "" "$t" timeline $cell --execution
is "timeline from standard input" 0 "75 steps" "" sh -c "$t timeline - <$proto"
is "timeline of a module by a part of its name" 0 "jit_step" "" "$t" timeline $cell --module step
is "timeline without a path" 2 "" "timeline needs a PATH" "$t" timeline
is "--execution belongs to timeline" 2 "" "--execution belongs to timeline, not to report" \
    "$t" report $cell --execution
"$t" timeline $cell --execution >"$dir/wide"
holds "timeline keeps to 80 columns" [ "$(wc -L <"$dir/wide")" -le 80 ]
holds "timeline --ascii" never '[^ -~]' "$t" timeline $cell --ascii
"$t" report $cell --json >"$dir/report.json"
json "timeline: its highest live bytes are the report's peak" "max(b for s, b in m['live']) == json.load(open('$dir/report.json'))['modules'][0]['peak']['live_bytes']" "$t" timeline $cell --json
json "timeline: runs begin at 0, rise, and differ" "all(r[0][0] == 0 and r[-1][0] <= m['steps'] and all(a[0] < b[0] and a[1] != b[1] for a, b in zip(r, r[1:])) for r in (m['live'], m['filled']))" "$t" timeline $cell --json --execution
json "timeline: loops" "[(l['trip_count'], l['depth']) for l in m['iterations']] == [(4, 0), (4, 0)] and m['iterations'][0]['first'] == m['iterations'][0]['first_moment'] and m['note'] is None" "$t" timeline $cell --json --execution
json "timeline: execution order repeats the loops" "m['steps'] == 75 + sum(3 * (l['last'] - l['first'] + 1) for l in m['iterations'])" "$t" timeline $cell --json --execution
json "timeline: filled is never more than live" "all([b for s, b in m['live'] if s <= at][-1] >= bytes for at, bytes in m['filled'])" "$t" timeline $cell --json --execution
json "timeline: the example's stack, filled slot by slot and drained so: GiB of each iteration" "[[round(max([b for s, b in m['filled'] if s < at][-1:] + [b for s, b in m['filled'] if at <= s < at + n]) / 2**30) for i in range(4) for n in [l['last'] - l['first'] + 1] for at in [l['first_moment'] + i * n]] for l in m['iterations']] == [[8, 12, 16, 20], [24, 20, 16, 12]]" "$t" timeline $cell --json --execution
json "timeline: program order has no moments" "m['order'] == 'program' and all(l['first_moment'] is None for l in m['iterations'])" "$t" timeline $cell --json

printf 'id,lower,upper,size\na,0,3,4\nb,3,9,4\nc,0,9,4\nd,9,21,4\ne,0,21,4\n' >"$dir/five.csv"
is "pack: offsets for every buffer" 0 "e,0,21,4," "the schedule allows" "$t" pack "$dir/five.csv"
is "pack: the height is proven" 0 - "the schedule allows 12 B: no packing needs less" "$t" pack "$dir/five.csv"
json "pack as JSON" "m['height_bytes'] == m['lower_bound_bytes'] == 12 and m['optimal'] is True and m['buffers'] == 5" "$t" pack --json "$dir/five.csv"
is "pack into a file" 0 "" "the schedule allows" "$t" pack "$dir/five.csv" -o "$dir/placed.csv"
is "pack reads what it wrote" 0 "a,0,3,4," "the schedule allows" "$t" pack "$dir/placed.csv"
is "pack where nothing can be written" 2 "" "cannot write" "$t" pack "$dir/five.csv" -o "$dir/none/placed.csv"
printf 'id,lower,upper,size\na,3,3,4\n' >"$dir/empty_life.csv"
is "pack: an empty life has its line" 2 "" "empty_life.csv:2" "$t" pack "$dir/empty_life.csv"
is "pack: another kind of file" 2 "" "hello.txt:1" "$t" pack "$dir/hello.txt"
is "pack without a file" 2 "" "pack needs a PATH" "$t" pack
is "a budget of nothing" 2 "" "expected seconds" "$t" pack "$dir/five.csv" --budget 0

is "whatif: the example, longer" 0 "exact" "" "$t" whatif --seqlen 8
is "whatif: as it is" 0 "it is what was compiled" "" "$t" whatif $cell
json "whatif: the bytes are those that the compiler gives" "m['method'] == 'exact' and m['range'] is None and all(m['bytes'][k] == v for k, v in json.load(open('fixtures/grid/a100-d1048576-s3-u1/cell.json'))['memory_analysis'].items() if k in ('argument', 'output', 'temp', 'alias'))" "$t" whatif $cell --seqlen 3 --json
json "whatif: from, to, peak" "m['from'] == {'seqlen': 4, 'unroll': 1} and m['to'] == {'seqlen': 2, 'unroll': 1} and m['peak']['live_bytes'] > 1.7e10 and m['peak']['loops']" "$t" whatif --seqlen 2 --json
json "whatif: K of N or more is full" "m['to'] == {'seqlen': 4, 'unroll': 'full'}" "$t" whatif --unroll 9 --json
json "whatif: unrolled whole is a range" "m['method'] == 'estimate' and m['range']['low'] <= 17184078368 <= m['range']['high'] and m['range']['high'] - m['range']['low'] <= 0.15 * m['range']['high']" "$t" whatif --unroll full --json
json "whatif: what only a compile can tell is null" "m['method'] == 'unknown' and m['bytes'] is m['range'] is m['peak'] is m['needed_bytes'] is m['fits'] is None and m['note']" "$t" whatif --seqlen 5 --unroll 2 --json
is "whatif: too much for a limit that was given" 1 "too much" "" "$t" whatif --seqlen 8 --limit 30G
is "whatif: a limit in the range of an estimate" 1 "unsure   whether it fits in 70.00 GiB" "" "$t" whatif --seqlen 16 --limit 70G
json "whatif: and nobody can tell whether it fits" "m['method'] == 'estimate' and m['fits'] is None" "$t" whatif --seqlen 16 --limit 72.5G --json
is "whatif: a limit above the range" 0 "fits     in 73.00 GiB" "" "$t" whatif --seqlen 16 --limit 73G
is "whatif: a limit below the range" 1 "too much in 62.00 GiB" "" "$t" whatif --seqlen 16 --limit 62G
cat fixtures/grid/a100-d1048576-s4-u1/*after_optimizations.txt >"$dir/alone.txt"
is "whatif: what a dump without an assignment does not tell" 0 "needed                             ?             ?" "" \
    "$t" whatif "$dir/alone.txt" --seqlen 8
is "whatif: one step" 0 "To     1 step, unrolled whole" "" "$t" whatif --seqlen 1
is "whatif: the loop by name" 0 "loop while" "" "$t" whatif --loop while.16
is "whatif: a loop that is not there" 2 "" "has no loop wh.1" "$t" whatif --loop wh.1
is "whatif: and which there are" 2 "" "(it has while.16)" "$t" whatif --loop wh.1
is "whatif: a program without a loop" 2 "" "has no loop" "$t" whatif fixtures/grid/a100-d1048576-s4-ufull
is "whatif: no length" 2 "" "expected a whole number" "$t" whatif --seqlen 0
is "whatif: no unroll" 2 "" "expected a whole number" "$t" whatif --unroll all
is "whatif: an option of its own" 2 "" "--seqlen belongs to whatif" "$t" report $cell --seqlen 4

cell256=fixtures/grid/cpu-d256-s2-u1
io256=fixtures/io/d256-s2
is "run: planned against used" 0 "Touched" "" "$t" run $cell256 --inputs $io256 --expect $io256
json "run: results, guards, figures" "m['backend'] == 'host' and m['device'] and m['guards']['violations'] == 0 and m['guards']['checks'] > 100 and [o['name'] for o in m['outputs']] == ['w1', 'w2'] and all(o['against'] == 'float64' and o['max_rel_err'] <= 1e-6 for o in m['outputs']) and m['planned_temp_bytes'] == 4216192 and m['measured']['touched_temp_bytes'] == 4215956 and m['computed']" "$t" run $cell256 --inputs $io256 --expect $io256 --json
json "run: without guards pages are counted" "m['guards'] is None and 0 < m['measured']['resident_bytes'] <= m['measured']['arena_bytes'] + 65536 and m['measured']['pool_high_bytes'] > 5000000" "$t" run $cell256 --guards off --json
json "run: steps of two iterations, stacks filled" "{tuple(s['iterations']) for s in m['steps']} == {(), (0,), (1,), (2,)} and m['stacks'] and all(s['filled'] == s['slots'] == 2 for s in m['stacks'])" "$t" run $cell256 --json
json "run: the shipped example by its width" "all(o['against'] == 'closed form' and o['max_rel_err'] <= 1e-6 for o in m['outputs'])" "$t" run --width 256 --seqlen 4 --unroll full --json
is "run: a trace" 0 "Guards" "" "$t" run $cell256 --trace "$dir/trace.json"
holds "run: the trace is JSON" python3 -c "
import json
d = json.load(open('$dir/trace.json'))
assert d['command'] == 'run' and d['modules'][0]['steps']"
is "run: iteration by iteration" 0 "while.16 forward 2/2" "" "$t" run $cell256
json "run: what each step used" "all(s['held'] <= s['live'] and s['dynamic'] > 0 for s in m['steps']) and max(s['dynamic'] for s in m['steps']) == m['measured']['pool_high_bytes'] and m['kept']['steps_run'] == len(m['steps']) and m['measured']['xla_peak_bytes'] is None" "$t" run $cell256 --json
is "run: how far it is" 0 - "progress " "$t" run $cell256 --progress
holds "run: and nothing else" [ "$(grep -cvE '^progress [0-9]+ [0-9]+$' "$dir/err")" -eq 0 ]
is "run: without JAX XLA's peak is not known" 0 - "warning:" env TIDEMARK_PYTHON=/nonexistent "$t" run $cell256 --xla
printf '#!/bin/sh\necho "{\\"device\\": \\"x\\", \\"peak_bytes\\": 4321}"\n' >"$dir/python" && chmod +x "$dir/python"
json "run: XLA's own peak" "m['measured']['xla_peak_bytes'] == 4321" env TIDEMARK_PYTHON="$dir/python" "$t" run $cell256 --xla --json
is "explorer: a trace beside the plan" 0 "used 5.02 MiB" "" "$t" $cell256 --dump --size 100x30 --trace "$dir/trace.json"
is "explorer: another program's trace" 2 "" "is a trace of another program" "$t" fixtures/grid/cpu-d256-s3-u1 --dump --trace "$dir/trace.json"
is "explorer: a trace that is none" 2 "" "is no trace" "$t" $cell256 --dump --trace tests/shell/cli_test.sh
is "explorer: a trace that is not there" 2 "" "cannot open" "$t" $cell256 --dump --trace "$dir/none.json"
is "report: knows no traces" 2 "" "--trace belongs to the explorer" "$t" report $cell256 --trace "$dir/trace.json"
mkdir "$dir/beside" && cp $cell256/*.hlo.pb "$dir/beside" && cp "$dir/trace.json" "$dir/beside/host.trace.json"
is "explorer: a trace beside the dump is found" 0 "used 5.02 MiB" "" "$t" "$dir/beside" --dump --size 100x30
is "report: and is no part of the dump" 0 "Peak" "" "$t" report "$dir/beside"
is "run: a trace nowhere" 2 - "cannot write" "$t" run $cell256 --trace "$dir/none/trace.json"
is "run: inputs that are not there" 2 "" "there is no such file" "$t" run $cell256 --inputs "$dir/empty"
is "run: a folder of inputs that is not there" 2 "" "none: --inputs: No such file or directory" "$t" run $cell256 --inputs "$dir/none"
is "run: a folder of results that is not there" 2 "" "none: --expect: No such file or directory" "$t" run $cell256 --expect "$dir/none"
mkdir "$dir/pipes" && mkfifo "$dir/pipes/in_w1.bin" "$dir/pipes/ref64_grad_w1.bin"
is "run: an input that is a pipe" 2 "" "in_w1.bin: is not a regular file" "$t" run $cell256 --inputs "$dir/pipes"
is "run: a result that is a pipe" 2 "" "ref64_grad_w1.bin: is not a regular file" "$t" run $cell256 --expect "$dir/pipes"
is "run: results that are no folder" 2 "" "trace.json: --expect: is no directory" "$t" run $cell256 --expect "$dir/trace.json"
is "run: a trace onto a folder" 2 - "$dir/empty: " "$t" run $cell256 --trace "$dir/empty"
is "run: a trace onto a full disk" 2 - "/dev/full: " "$t" run $cell256 --trace /dev/full
is "run: more than there is" 2 "" "a width of " "$t" run --width 16384 --limit 100M
is "run: a variant that is not compiled" 2 "" "is not compiled" "$t" run --width 77
is "run: a path and a variant" 2 "" "leave no room" "$t" run $cell256 --width 256
is "run: a TPU's program" 2 "" "for a TPU are not run" "$t" run fixtures/grid/tpu-v5e-d262144-s1-ufull
mkdir "$dir/words"
cp $cell/*after_optimizations*.txt "$dir/words/"
is "run: text alone" 2 "" "needs its .hlo.pb" "$t" run "$dir/words"
is "run: a backend that is none" 2 "" "expected host or cuda" "$t" run --backend gpu
is "run: an option of its own" 2 "" "--inputs belongs to run" "$t" report $cell --inputs .

# documented NAME WORD…: there are words, and the man page has them all.
documented() {
    name=$1
    shift
    holds "$name" python3 -c "
import re, sys
page = re.sub(r'\\\\f[A-Z]', ' ', open('tidemark.1').read()).replace('\\\\-', '-').replace('\\\\_', '_')
missing = [w for w in sys.argv[1:] if not re.search(r'(?<![\w-])' + re.escape(w) + r'(?!\w)', page)]
assert len(sys.argv) > 1 and not missing, missing" "$@"
}
# Every field of every document, every column, every option.
for words in "report $cell --json --by line" "verify $cell --json" "timeline $cell --json" \
    "report fixtures/forms/tpu.log --json --by line" "verify fixtures/forms/tpu.log --json" \
    "timeline fixtures/forms/tpu.log --json" \
    "diff $cell $full --json" "pack $dir/five.csv --json" \
    "export $cell --format json" "whatif --seqlen 8 --json" "lesson --json" "run $cell256 --json"; do
    # shellcheck disable=SC2046,SC2086
    documented "the man page names every field of ${words%% *}" $("$t" $words | python3 -c "
import json, sys
def names(x):
    if isinstance(x, dict):
        for k, v in x.items():
            yield k
            yield from names(v)
    elif isinstance(x, list):
        for v in x:
            yield from names(v)
print(*sorted(set(names(json.load(sys.stdin)))))")
done
# shellcheck disable=SC2046
{
    documented "and every column of a report" $("$t" report $cell --csv | head -n 1 | tr ',\r' '  ')
    documented "and every column of an export" $("$t" export $cell --format csv | head -n 1 | tr ',\r' '  ')
    documented "and every option" $("$t" --help | grep -o -- '--[a-z][a-z-]*' | grep -v -e '^--xla' | sort -u)
}
exit $bad
