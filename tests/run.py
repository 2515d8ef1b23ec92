#!/usr/bin/env python3
"""run.py [--first NAME,…] TEST…: runs test programs (CMocka) and test scripts, as many at a time as
there are processors (TEST_JOBS: so many), shows what failed, in the order given, and closes with one line:
  N passed, N failed, N skipped
A script prints "ok NAME", "not ok NAME …" or "skip NAME: why" lines; one that ends badly, or runs no
test, counts as a failure.  --first: base names to be started before the others, the longest ones, so that
none is left alone at the end.  TEST_SECONDS (default 3600): a test that takes longer hangs, and fails: it is
asked to end, and TEST_GRACE (default 10) seconds later it is made to.

Every test is the leader of a session of its own: when it is over, or Ctrl-C ends the run, whatever it
started and left behind ends as well, and its temporary files ($TMPDIR) are gone."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

SECONDS = float(os.environ.get("TEST_SECONDS") or 3600)
LINES = 60  # of a failure
GRACE = float(os.environ.get("TEST_GRACE") or 10)


class Stopped(BaseException):
    """A signal asked for the end of the run."""


def environment(own):
    """With folders of the test's own, not the person's; what would be kept between runs goes nowhere."""
    return {**os.environ, "TMPDIR": own, "XDG_CONFIG_HOME": own + "/config", "XDG_CACHE_HOME": own + "/cache",
            "XDG_STATE_HOME": "/dev/null", "LC_ALL": "C.UTF-8",
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS") or "detect_leaks=1"}


class Running:
    """The tests that run now: so that all can be ended."""

    def __init__(self):
        self.lock = threading.Lock()
        self.groups = set()
        self.over = False

    def start(self, command, out, own):
        with self.lock:
            if self.over:
                raise InterruptedError
            p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                 env=environment(own), start_new_session=True)
            self.groups.add(p.pid)
            return p

    def done(self, p):
        """Ends what p left behind; p is over and not yet reaped, so the number is still its own."""
        with self.lock:
            kill(p.pid, signal.SIGKILL)
            self.groups.discard(p.pid)
            p.wait()

    def end(self):
        """Asks all to end, so that they tidy up; then makes them."""
        with self.lock:
            self.over = True
            for group in self.groups:
                kill(group, signal.SIGTERM)
        until = time.monotonic() + GRACE
        while self.groups and time.monotonic() < until:
            time.sleep(0.02)
        with self.lock:
            for group in self.groups:
                kill(group, signal.SIGKILL)


def kill(group, how):
    try:
        os.killpg(group, how)
    except (ProcessLookupError, PermissionError):
        pass


def wait(p, seconds):
    """Until p is over, which it is made after so many seconds: whether it was in time."""
    end = time.monotonic() + seconds
    ways = [(end + GRACE, signal.SIGKILL), (end, signal.SIGTERM)]
    while not os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
        if ways and time.monotonic() > ways[-1][0]:
            kill(p.pid, ways.pop()[1])
        time.sleep(0.02)
    return len(ways) == 2


def run_one(running, test):
    """(whether it was in time, exit status, output, seconds)"""
    command = ["sh", test] if test.endswith(".sh") else [test if "/" in test else "./" + test]
    own = tempfile.mkdtemp(prefix="tidemark-")
    with tempfile.TemporaryFile() as out:
        began = time.monotonic()
        try:
            p = running.start(command, out, own)
            in_time = wait(p, SECONDS)
            running.done(p)
        except OSError as why:
            return True, 127, f"{test}: {why.strerror}\n", 0.0
        finally:
            shutil.rmtree(own, ignore_errors=True)
        out.seek(0)
        return in_time, p.returncode, out.read().decode(errors="replace"), time.monotonic() - began


def count(pattern, text):
    return len(re.findall(pattern, text, re.MULTILINE))


def tally(test, in_time, status, text):
    """[passed, failed, skipped], and what is to be said besides."""
    if test.endswith(".sh"):
        n = [count(r"^ok ", text), count(r"^not ok ", text), count(r"^skip ", text)]
    else:  # CMocka names each that failed or was skipped again at the end
        n = [count(r"^\[       OK \]", text), count(r"^\[  FAILED  \] [^0-9]", text) // 2,
             count(r"^\[  SKIPPED \] [^0-9]", text) // 2]
    said = []
    if not in_time:
        said.append(f"{test} was ended: it took more than {SECONDS:g} seconds")
    elif status < 0:
        said.append(f"{test} was ended by {signal.Signals(-status).name}")
    if sum(n) == 0:
        said.append(f"{test} ran no test")
    if (status != 0 or not in_time or sum(n) == 0) and n[1] == 0:
        n[1] = 1
    return n, said


def report(test, result):
    in_time, status, text, seconds = result
    n, said = tally(test, in_time, status, text)
    print("%-28s %4d passed, %d failed, %d skipped %7.1f s" % (os.path.basename(test), *n, seconds))
    lines = text.splitlines()
    if n[1]:
        print(*[line for line in lines if not re.match(r"\[ RUN|\[       OK", line)][-LINES:], *said, sep="\n")
    else:
        for line in lines:
            if line.startswith("skip "):
                print(line)
    sys.stdout.flush()
    return n


def stop(number, _frame):
    raise Stopped(number)


def main(tests):
    first = []
    if tests[:1] == ["--first"]:
        first, tests = tests[1].split(","), tests[2:]
    rank = {name: k for k, name in enumerate(first)}
    order = sorted(range(len(tests)), key=lambda k: rank.get(os.path.basename(tests[k]), len(first)))
    running = Running()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    total = [0, 0, 0]
    pool = ThreadPoolExecutor(int(os.environ.get("TEST_JOBS") or os.cpu_count() or 1))
    try:
        results = {k: pool.submit(run_one, running, tests[k]) for k in order}
        for k, test in enumerate(tests):
            total = [a + b for a, b in zip(total, report(test, results[k].result()))]
    except Stopped as by:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        running.end()
        sys.exit(128 + by.args[0])
    print("\n%d passed, %d failed, %d skipped" % tuple(total))
    return 0 if total[1] == 0 and total[0] > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
