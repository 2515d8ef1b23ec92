"""Times the explorer as a terminal sees it: the first frame, and what each key takes.

    pty_bench.py TIDEMARK PATH [KEYS]

A pseudo terminal of 200x60 stands in for the terminal; a frame is there when no more bytes come for
a while, and its time is that of the last byte.
"""
import fcntl
import os
import pty
import select
import statistics
import struct
import sys
import termios
import time

QUIET = 0.03  # seconds without output after which a frame is over


def frame(fd, since, most=30):
    """Seconds from `since` to the last byte of what is drawn, and how many bytes it took."""
    last, size = since, 0
    wait = most
    while True:
        ready, _, _ = select.select([fd], [], [], wait)
        if not ready:
            return last - since, size
        size += len(os.read(fd, 1 << 16))
        last, wait = time.monotonic(), QUIET


def main():
    tidemark, path = sys.argv[1:3]
    keys = sys.argv[3] if len(sys.argv) > 3 else 'llhjkp\x09jjo\x09llpxllx' * 10
    start = time.monotonic()
    child, fd = pty.fork()
    if child == 0:
        os.environ.update(TERM='xterm-256color', XDG_CONFIG_HOME='/nonexistent', XDG_STATE_HOME='/dev/null', LC_ALL='C.UTF-8', TIDEMARK_PYTHON='/nonexistent')
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 60, 200, 0, 0))
        os.execv(tidemark, [tidemark, path])
    first, size = frame(fd, start)
    print(f'first frame {1000 * first:.1f} ms, {size} bytes', end='')
    costs = []
    for key in keys:
        sent = time.monotonic()
        os.write(fd, key.encode())
        seconds, size = frame(fd, sent, most=0.3)
        if size:
            costs.append((1000 * seconds, key))
    os.write(fd, b'q')
    os.waitpid(child, 0)
    costs.sort(reverse=True)
    worst = ', '.join(f'{key!r} {cost:.2f}' for cost, key in costs[:3])
    print(f'; {len(costs)} keys: median {statistics.median(c for c, _ in costs):.2f} ms, '
          f'worst {costs[0][0]:.2f} ms ({worst})')


main()
