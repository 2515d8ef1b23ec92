"""The example rolled, four steps, weights of 64 MiB: executed by tidemark on the host and by XLA's CPU
compiler, turn by turn, in one run.

    bench_run.py TIDEMARK

Needs a Python with JAX: $TIDEMARK_PYTHON, else python3; without one it says so and ends.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

WIDTH, STEPS, TURNS = 16384, 4, 9
PYTHON = os.environ.get('TIDEMARK_PYTHON', 'python3')


def xla():
    """Runs the program once for each line that comes in, and says how long that took."""
    import time
    sys.path.insert(0, 'fixtures')
    import jax
    import jax.numpy as jnp
    import scan
    x = jnp.full((STEPS, 1), 0.01, jnp.float32)
    fresh = lambda: {'w1': jnp.full((1, scan.N), 1 / scan.N, jnp.float32),
                     'w2': jnp.full((scan.N, WIDTH), 1 / WIDTH, jnp.float32)}
    for _ in sys.stdin:
        model = jax.block_until_ready(fresh())  # the model is donated
        start = time.perf_counter()
        jax.block_until_ready(scan.step(model, x))
        print(time.perf_counter() - start, flush=True)


def own(tidemark, dump):
    done = subprocess.run([tidemark, 'run', dump, '--guards', 'off', '--json'], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)['modules'][0]['seconds']


def main():
    if '--xla' in sys.argv:
        return xla()
    tidemark = os.path.abspath(sys.argv[1])
    if subprocess.run([PYTHON, '-c', 'import jax'], stderr=subprocess.DEVNULL).returncode:
        print('run against XLA: left out, no Python with JAX ($TIDEMARK_PYTHON names one)')
        return None
    with tempfile.TemporaryDirectory() as folder:
        dump = f'{folder}/cell'
        subprocess.run([PYTHON, 'fixtures/record.py', 'one', '--target', 'cpu', '--seqlen', str(STEPS), '--unroll', '1',
                        '--width', str(WIDTH), '--out', dump], check=True, stdout=subprocess.DEVNULL)
        child = subprocess.Popen([PYTHON, __file__, '--xla'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, 'JAX_PLATFORMS': 'cpu'})
        times = []
        for turn in range(TURNS + 1):
            child.stdin.write('\n')
            child.stdin.flush()
            pair = float(child.stdout.readline()), own(tidemark, dump)
            if turn:  # the first compiles, and warms the caches
                times.append(pair)
        child.stdin.close()
        child.wait()
    theirs, ours = (statistics.median(t[k] for t in times) for k in (0, 1))
    print(f'the example, {STEPS} steps, 64 MiB of weights: XLA {1000 * theirs:.1f} ms, tidemark run {1000 * ours:.1f} ms; '
          f'ratio {ours / theirs:.2f} (least {min(t[1] for t in times) / min(t[0] for t in times):.2f}), to be under 1.5')


main()
