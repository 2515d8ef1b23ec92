"""inject.py PROGRAM LIBRARY [FLOW…]: makes calls of the C library fail, one a run, and watches what the program says.

LIBRARY is inject.c's.  Of each kind of call that a flow makes, some are chosen (INJECT_EVERY=1: all), and
whatever fails, the program must end by itself: with its usual answer where it can do without, else with
status 2 and one line that says why.  A file that it was to write is then as it was before, and nothing lies
beside it.  Prints "ok NAME" and "not ok NAME …" lines."""
import errno
import os
import re
import subprocess
import sys
import tempfile

CELL = "fixtures/grid/cpu-d256-s2-u1"
OTHER = "fixtures/grid/cpu-d256-s2-ufull"
A100 = "fixtures/grid/a100-d1048576-s4-u1"
A100_TEXT = [A100 + "/" + n for n in os.listdir(A100) if n.endswith("after_optimizations.txt")][0]
KEYS = "pxm]]<Tab>jj<Enter><Esc>e<Down><Esc>gj<Esc>c<Tab><Esc>L<Right> <Esc><Esc>/while<Enter>nN?<Esc>:peak<Enter>"
FORMS = "sSuUtUsx++--=vp<Right>v"

# name, words; "OUT" is a file that is there before and must be whole after.
FLOWS = [
    ("report", ["report", CELL]),
    ("report as JSON", ["report", CELL, "--json", "--by", "line"]),
    ("report of text", ["report", A100_TEXT]),
    ("report of a packed program", ["report", "PACKED.gz"]),
    ("report of a program packed with xz", ["report", "PACKED.xz"]),
    ("report of a log", ["report", "fixtures/forms/tpu.log", "--json"]),
    ("report of a profile", ["report", "fixtures/forms/step-jax0.10.2.xplane.pb"]),
    ("report of an assignment", ["report", "fixtures/forms/serialized_buffer_assignment_proto-jax0.6.2"]),
    ("report of many", ["report", "--csv", CELL, OTHER]),
    ("verify", ["verify", CELL]),
    ("timeline", ["timeline", CELL, "--json", "--execution"]),
    ("whatif", ["whatif", "--seqlen", "8", "--json"]),
    ("diff", ["diff", CELL, OTHER, "--json"]),
    ("lesson", ["lesson"]),
    ("run", ["run", CELL, "--trace", "OUT"]),
    ("run as JSON", ["run", CELL, "--json", "--guards", "off"]),
    ("export of a page", ["export", CELL, "--format", "html", "-o", "OUT"]),
    ("export of a drawing", ["export", CELL, "--format", "svg", "-o", "OUT"]),
    ("export of a table", ["export", CELL, "--format", "csv", "-o", "OUT"]),
    ("export as JSON", ["export", CELL, "--format", "json", "-o", "OUT"]),
    ("export of rectangles", ["export", CELL, "--format", "minimalloc", "-o", "OUT"]),
    ("pack", ["pack", "BUFFERS", "--budget", "0.01", "-o", "OUT"]),
    ("the explorer", [A100, "--dump", "--size", "120x40", "--keys", KEYS]),
    ("the explorer's forms", ["--dump", "--keys", FORMS]),
    ("the explorer with a state", [CELL, "--dump", "--state", "STATE", "--config", "CONFIG"]),
    ("the configuration", ["--print-config"]),
    ("completions", ["--completion", "zsh"]),
    ("the help", ["--help"]),
]

# Lines of error at most, where a process for each module may say one, and who waits for it another.
PROCESSES = {"report of many": 3, "verify": 2}

# How each kind fails, and what the one line then says; None: only that there is one.
KINDS = [
    ("alloc", [errno.ENOMEM], "out of memory|Cannot allocate memory"),
    ("read", [errno.EIO], "Input/output error"),
    ("read", [errno.EINTR, "short", "cut"], None),
    ("open", [errno.EMFILE], "Too many open files|no such|not"),
    ("thread", [errno.EAGAIN], None),
    ("mmap", [errno.ENOMEM], None),
    ("write", [errno.ENOSPC, errno.EINTR, "short"], None),
]
MAY_VARY = re.compile(r'.*(seconds|"at"|"resident"| s,| s$|/s).*\n?')  # clocks


class Runner:
    def __init__(self, program, library, folder):
        self.program, self.library, self.folder = program, library, folder
        self.out = os.path.join(folder, "out", "file")
        self.bad = 0
        self.screen = False  # it is told on a screen, and then other keys are pressed

    def words(self, words):
        at = {"OUT": self.out, "STATE": self.folder + "/state", "CONFIG": self.folder + "/config",
              "BUFFERS": self.folder + "/buffers.csv", "PACKED.gz": self.folder + "/p.gz",
              "PACKED.xz": self.folder + "/p.xz"}
        return [self.program] + [at.get(w, w) for w in words]

    def run(self, words, inject=None, count=None):
        env = dict(os.environ, LD_PRELOAD=self.library, LC_ALL="C", XDG_STATE_HOME=self.folder + "/none",
                   XDG_CACHE_HOME=self.folder + "/none", XDG_CONFIG_HOME=self.folder + "/none")
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "detect_leaks=1") + ":verify_asan_link_order=0"
        if inject:
            env["INJECT"] = inject
        if count:
            env["INJECT_COUNT"] = count
        for name in os.listdir(os.path.dirname(self.out)):
            os.remove(os.path.join(os.path.dirname(self.out), name))
        with open(self.out, "w", encoding="latin-1") as f:
            f.write("before")
        try:
            p = subprocess.run(self.words(words), env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                               check=False)
            status, said, err = p.returncode, p.stdout.decode("latin-1"), p.stderr.decode("latin-1")
        except subprocess.TimeoutExpired:
            status, said, err = "hangs", "", ""
        with open(self.out, encoding="latin-1") as f:
            wrote = f.read()
        left = [n for n in os.listdir(os.path.dirname(self.out)) if n != "file"]
        return status, MAY_VARY.sub("", said), err, MAY_VARY.sub("", wrote), left

    def judge(self, usual, got, wanted, most):
        """What is wrong with it, or None."""
        status, said, err, wrote, left = got
        lines = [l for l in err.splitlines() if not l.startswith("tidemark: warning: ")]
        if left:
            return "leaves " + " ".join(left)
        if status == usual[0] and wrote == usual[3]:
            told = err.startswith("tidemark: warning: ") or self.screen
            return None if said == usual[1] or told or wanted is None else "answers otherwise, and does not say why"
        if status not in (1, 2):
            return "status %s: %s" % (status, err[:300])
        if not 1 <= len(lines) <= most or not lines[0].startswith("tidemark: "):
            return "says %r" % err[:300]
        if wrote not in ("before", usual[3]):
            return "half-written"
        if wanted and not re.search(wanted, lines[0]):
            return "says %r" % lines[0]
        return None

    def flow(self, name, words):
        counts = self.folder + "/counts"
        usual = self.run(words, count=counts)
        self.screen = "--dump" in words
        with open(counts) as f:
            calls = {k: int(n) for k, n in (line.split() for line in f)}
        for kind, hows, wanted in KINDS:
            for how in hows:
                tried, faults = 0, []
                for n in chosen(calls[kind]):
                    got = self.run(words, "%s:%d:%s" % (kind, n, how))
                    wrong = self.judge(usual, got, wanted, PROCESSES.get(name, 1))
                    tried += 1
                    if wrong:
                        faults.append("%d: %s" % (n, wrong))
                if faults:
                    self.bad += 1
                    print("not ok %s, %s fails (%s): %s" % (name, kind, how, "; ".join(faults[:5])))
                elif tried:
                    print("ok %s, %d of %d %s fail (%s)" % (name, tried, calls[kind], kind, how))
                sys.stdout.flush()


def chosen(n):
    """Which of n calls fail: the first ones, then ever fewer, and the last."""
    every = int(os.environ.get("INJECT_EVERY", "0"))
    if every:
        return range(1, n + 1, every)
    picked, k = [], 1.0
    while k <= n:
        picked.append(int(k))
        k = max(k + 1, k * 1.9)
    return sorted(set(picked + [n])) if n else []


def main():
    program, library, only = sys.argv[1], sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/out")
        hlo = [n for n in os.listdir(CELL) if n.endswith(".hlo.pb")][0]
        for tool, end in (("gzip", "gz"), ("xz", "xz")):
            with open("%s/p.%s" % (folder, end), "wb") as f:
                subprocess.run([tool, "-c", "%s/%s" % (CELL, hlo)], stdout=f, check=True)
        subprocess.run([program, "export", A100, "--format", "minimalloc", "-o", folder + "/buffers.csv"], check=True)
        with open(folder + "/config", "w") as f:
            f.write("theme = light\nkey.help = C-h\n")
        runner = Runner(os.path.abspath(program), os.path.abspath(library), folder)
        for name, words in FLOWS:
            if not only or name in only:
                runner.flow(name, words)
        sys.exit(1 if runner.bad else 0)


main()
