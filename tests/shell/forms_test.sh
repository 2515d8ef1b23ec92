#!/bin/sh
# What people hold besides dumps: every form opens by its content, packed or not, from a file or from
# standard input, and what it cannot answer is said.
. tests/shell/lib.sh
forms=fixtures/forms

# The same from every packing, and through standard input.
while IFS='|' read -r file says; do
    base=${file##*/}
    is "$base" 0 "$says" "" "$t" report "$forms/$file"
    cp "$forms/$file" "$dir/named-by-the-user"
    is "$base under any name" 0 "$says" "" "$t" report "$dir/named-by-the-user"
    gzip -nc "$forms/$file" >"$dir/packed.gz"
    xz -c "$forms/$file" >"$dir/packed.xz"
    is "$base, gzip" 0 "$says" "" "$t" report "$dir/packed.gz"
    is "$base, xz" 0 "$says" "" "$t" report "$dir/packed.xz"
    for form in "$forms/$file" "$dir/packed.gz" "$dir/packed.xz"; do
        is "$base, standard input" 0 "$says" "" sh -c "\"$t\" report - <\"$form\""
        is "$base on the screen" 0 "quit" "" "$t" "$form" --dump --size 80x24
    done
    size=$(wc -c <"$dir/packed.xz")
    head -c $((size - 9)) "$dir/packed.xz" >"$dir/cut.xz"
    is "$base, xz cut short" 2 "" "cut.xz:@$((size - 9)): the xz file is cut short" "$t" report "$dir/cut.xz"
done <<'LIST'
gpu.log|Says   20.00 GiB could not be allocated
tpu.log|at least 1 of the listed buffers would have to go (16.00 GiB)
reservation.log|no, by 2.55 GiB
rows.log|at 239578644480
pool.log|most 1.50 GiB in one piece
serialized_hlo_proto-jax0.4.30|35 values in 14 allocations; ranges rerun from the HLO
serialized_buffer_assignment_proto-jax0.6.2|38 values in 17 allocations
serialized_buffer_assignment_proto-jax0.10.2|38 values in 17 allocations
hlo_module_proto-jax0.10.2|59 instructions; ranges rerun from the HLO
step-jax0.4.30.xplane.pb|jit_step on cpu
step-jax0.10.2.xplane.pb|jit_loss on cpu
module_0241.jit_train_step.sm_8.0_gpu_after_optimizations-memory-usage-report.txt|8.00 MiB in all
module_0000.jit_train_step.cl_1014260217.after_optimizations-memory-usage-report.txt|memory usage report
LIST

is "a profile's programs agree with their rerun" 0 "offsets 38 of 38 exact, 0 overlaps, agrees" "" \
    "$t" verify $forms/step-jax0.10.2.xplane.pb --module jit_step
is "a buffer assignment without shapes does not differ from itself" 0 "No difference" "" "$t" diff \
    $forms/serialized_buffer_assignment_proto-jax0.10.2 $forms/serialized_buffer_assignment_proto-jax0.10.2
mkdir -p "$dir/logdir/plugins/profile/now"
cp $forms/step-jax0.4.30.xplane.pb "$dir/logdir/plugins/profile/now"
is "the directory that a profiler wrote" 0 "jit_step" "" "$t" "$dir/logdir" --dump --size 80x24
is "a program of a profile runs" 0 "measured" "" "$t" run $forms/step-jax0.10.2.xplane.pb --module jit_loss --json
is "a packed program runs" 0 "measured" "" sh -c "gzip -nc fixtures/grid/cpu-d256-s2-u1/*.hlo.pb >'$dir/p.gz'; '$t' run '$dir/p.gz' --json"

cat $forms/gpu.log $forms/tpu.log $forms/gpu.log >"$dir/all.log"
is "several listings in one log are a list, each once" 0 "2 modules" "" "$t" "$dir/all.log" --dump --size 80x24
is "one of them opens" 0 "15.75 GiB there" "" "$t" "$dir/all.log" --dump --size 80x24 --keys '<Down><Enter>'
is "and leads back" 0 "2 modules" "" "$t" "$dir/all.log" --dump --size 80x24 --keys '<Down><Enter>M'
is "--module chooses one" 0 "TPU listing" "" "$t" report "$dir/all.log" --module all.log:4
is "a limit that was asked for and is too small" 1 "no, by 8.00 GiB" "" "$t" report $forms/gpu.log --limit 16G
is "one that is enough" 0 "yes, with 56.00 GiB" "" "$t" report $forms/gpu.log --limit 80G
is "verify of a listing" 0 "nothing to compare: a listing has no program" "" "$t" verify $forms/tpu.log
is "timeline of a listing" 0 "a listing is a snapshot" "" "$t" timeline $forms/tpu.log
for words in whatif run "diff $forms/tpu.log"; do
    # shellcheck disable=SC2086
    is "${words%% *} of a listing" 2 "" "tpu.log:1:1: is a snapshot, a list of buffers, and holds no program" \
        "$t" $words $forms/tpu.log
done
"$t" report "$dir/all.log" --json >"$dir/out" 2>"$dir/err"
holds "a listing as JSON" python3 -c "
import json
gpu, tpu = json.load(open('$dir/out'))['modules']
assert gpu['listing']['times'] == 2 and gpu['fits'] is None and gpu['peak'] is None and gpu['instructions'] is None
assert tpu['fits'] is False and tpu['listing']['must_go'] == {'count': 1, 'bytes': 2**34, 'enough': True, 'buffers': [{'buffer': 0, 'count': 1}]}
assert tpu['top'][0]['size'] == 2**34 and tpu['listing']['buffers'][0]['exact'] and tpu['top'][0]['defined'] is None
assert tpu['listing']['padding_bytes'] == sum(b['padding'] for b in tpu['listing']['buffers'])"

# A bomb that begins like a log: 1.1 GB in 5 MB.
(cat $forms/tpu.log; head -c 1150000000 /dev/zero) | gzip -1n >"$dir/bomb.gz"
is "a bomb" 2 "" "it unpacks to more than 1 GiB" "$t" report "$dir/bomb.gz"

# Streams that never end: an error, not the end of the machine's memory.
is "an endless text on standard input" 2 "" "<stdin>: has no end within 1 GiB (save it in a file first)" \
    sh -c "yes | \"$t\" report -"
is "endless zeros on standard input" 2 "" "<stdin>: has no end within 1 GiB" sh -c "\"$t\" - --dump </dev/zero"
mkfifo "$dir/endless"
yes >"$dir/endless" 2>/dev/null &
is "an endless pipe with a name" 2 "" "endless: has no end within 1 GiB" "$t" pack "$dir/endless"
wait
exit $bad
