"""Times whole runs of tidemark: medians of wall time, and peak memory.

    bench.py TIDEMARK MEASURE FRAMES [CORPUS]

MEASURE and FRAMES are tests/bench/measure.c and tests/bench/frames.c, built.  CORPUS is the unpacked corpus of real dumps; without it only
the shipped and made-up programs are timed.
"""
import glob
import os
import random
import statistics
import subprocess
import sys
import tempfile

RUNS = 9
MEASURE = None


def measure(command):
    """Median seconds and peak MiB of the whole process."""
    seconds, memory = [], 0
    for run in range(RUNS + 1):
        done = subprocess.run([MEASURE, *command], stdout=subprocess.PIPE, check=True)
        time, kib = done.stdout.split()
        if run:  # the first one warms the caches
            seconds.append(float(time))
        memory = max(memory, int(kib) / 1024)
    return statistics.median(seconds), memory


def show(name, command, limit=''):
    seconds, memory = measure(command)
    print(f'{name:<44} {1000 * seconds:8.1f} ms {memory:7.1f} MiB  {limit}', flush=True)
    return seconds


# ---- a made-up program of n instructions, as an HloProto -------------------

def varint(n):
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out + bytes([n]))


def number(field, n):
    return varint(field << 3) + varint(n)


def message(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


SHAPE = message(3, number(2, 11) + message(3, varint(1024)) + message(5, message(1, varint(0))))


def instruction(k, opcode, operands, more=b''):
    name = f'{opcode}.{k}'
    return message(2, message(1, name) + message(2, opcode) + SHAPE + number(35, k + 1)
                   + message(7, message(2, f'jit(f)/{name}') + message(3, 'f.py') + number(4, k % 500 + 1))
                   + message(36, b''.join(varint(o + 1) for o in operands)) + more)


def made_up(n, path):
    """A chain of adds, each of an operand at most a hundred steps older; offsets by a free list."""
    rng = random.Random(n)
    operands = [()] + [(k - 1, rng.randrange(max(0, k - 100), k)) for k in range(1, n)]
    last = list(range(n))
    for k, used in enumerate(operands):
        for o in used:
            last[o] = k
    dies = {}
    for k in range(1, n - 1):
        dies.setdefault(last[k], []).append(k)
    free, offsets, top = [], {}, 0
    for k in range(1, n - 1):
        if not free:
            free.append(top)
            top += 4096
        offsets[k] = free.pop()
        free += [offsets[d] for d in dies.get(k - 1, ())]
    body = b''.join(instruction(k, 'add' if k else 'parameter', operands[k]) for k in range(n))
    computation = message(1, 'main') + body + number(5, 1) + number(6, n)
    schedule = message(1, number(1, 1) + message(2, message(1, b''.join(map(varint, range(1, n + 1))))))
    module = (message(1, 'made_up') + message(2, 'main') + message(3, computation) + number(6, 1)
              + message(7, schedule))
    buffers = b''.join(message(1, number(1, k) + number(2, 4096) + message(3, number(4, k + 1)))
                       for k in range(n))
    def allocation(index, size, flags, members):
        return message(3, number(1, index) + number(2, size) + flags + b''.join(
            message(9, number(1, v) + number(2, o) + number(3, 4096)) for v, o in members))
    assignment = (buffers + allocation(0, 4096, number(5, 1), [(0, 0)])
                  + allocation(1, 4096, number(7, 1), [(n - 1, 0)])
                  + allocation(2, top, b'', sorted(offsets.items())))
    with open(path, 'wb') as f:
        f.write(message(1, module) + message(3, assignment))


def slope(tidemark, command, folder):
    times = {}
    for n in (1000, 10000, 100000):
        path = f'{folder}/made_up_{n}.hlo.pb'
        made_up(n, path)
        times[n] = show(f'{command}, made up, {n} instructions', [tidemark, command, path])
    per = (times[100000] - times[10000]) / 90000
    print(f'{command}: {1e6 * per:.2f} us an instruction from 10,000 to 100,000; '
          f'{1e6 * (times[10000] - times[1000]) / 9000:.2f} from 1,000 to 10,000')


def exports(tidemark, folder, corpus):
    """Every form of the largest programs there are, and their sizes."""
    made_up(100000, f'{folder}/exported.hlo.pb')
    paths = [f'{folder}/exported.hlo.pb'] + glob.glob(f'{corpus}/models/cpu-tlm24_unrolled/*tions.hlo.pb' if corpus else '')
    for path in paths:
        for form in ('html', 'svg', 'csv', 'json', 'minimalloc'):
            show(f'export, {os.path.basename(path)[:24]}, {form}',
                 [tidemark, 'export', path, '--format', form, '-o', f'{folder}/out'])
            print(f'  {os.path.getsize(f"{folder}/out")} bytes')


def explorer(tidemark, frames, folder, corpus):
    """What a key costs, by the functions that draw and in a terminal."""
    paths = []
    for n in (1000, 101142):
        paths.append(f'{folder}/explored_{n}.hlo.pb')
        made_up(n, paths[-1])
    paths += glob.glob(f'{corpus}/models/cpu-tlm24_unrolled') if corpus else []
    print('explorer at 200x60: first frame to be under 500 ms, every key under 16 ms')
    for path in paths:
        name = os.path.basename(path)
        for how, command in ('functions', [frames, path]), ('terminal', [
                sys.executable, 'tests/bench/pty_bench.py', tidemark, path]):
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            print(f'{name}, {how}: {done.stdout.strip()}', flush=True)
    medians = []
    for path in paths[:2]:
        done = subprocess.run([frames, path, '200x60', 'l' * 1990], stdout=subprocess.PIPE, text=True, check=True)
        medians.append(float(done.stdout.split('median ')[1].split(' ms')[0]))
    print(f'a step: {medians[1]:.2f} ms at 101,142 instructions, {medians[1] / medians[0]:.2f} times '
          f'that at 1,000, to be at most 2')


def one(pattern):
    found = sorted(glob.glob(pattern))
    return found[0] if found else None


def big(tidemark, corpus):
    case = f'{corpus}/models/cpu-tlm24_unrolled'
    proto, text = one(f'{case}/*.hlo.pb'), one(f'{case}/*after_optimizations.txt')
    if not proto:
        print('no corpus: the large dumps are left out')
        return
    fast = show('report, cpu-tlm24_unrolled, proto (12 MB)', [tidemark, 'report', proto],
                'to be under 250 ms, 150 MiB')
    with tempfile.TemporaryDirectory() as folder:
        for path in glob.glob(f'{case}/*.txt'):
            os.symlink(os.path.abspath(path), f'{folder}/{os.path.basename(path)}')
        slow = show('report, cpu-tlm24_unrolled, all text', [tidemark, 'report', folder],
                    'to be under 3 x the proto')
        print(f'text / proto: {slow / fast:.2f}')
    for name in ('cpu-tlm24_unrolled', 'tpu-tlm24_unrolled'):
        show(f'verify, {name}', [tidemark, 'verify', f'{corpus}/models/{name}'],
             'to be under 2000 ms, 300 MiB')


def main():
    global MEASURE
    tidemark, MEASURE, frames = map(os.path.abspath, sys.argv[1:4])
    corpus = sys.argv[4] if len(sys.argv) > 4 else ''
    show('start and leave (--version)', [tidemark, '--version'])
    seed = one('fixtures/grid/a100-d1048576-s4-u1/*.hlo.pb')
    show('report, the shipped example (49 KB)', [tidemark, 'report', seed], 'to be under 10 ms, 12 MiB')
    show('one screen, the shipped example', [tidemark, seed, '--size', '80x24', '--dump'])
    big(tidemark, corpus)
    with tempfile.TemporaryDirectory() as folder:
        slope(tidemark, 'report', folder)
        slope(tidemark, 'verify', folder)
        exports(tidemark, folder, corpus)
        explorer(tidemark, frames, folder, corpus)


main()
