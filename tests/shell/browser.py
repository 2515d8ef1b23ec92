"""browser.py TIDEMARK OUT: exported pages in a headless chromium, driven through its DevTools protocol.

Nothing but Python's own library: the protocol is JSON over a web socket, of which what is needed is here.
Prints "ok NAME" and "not ok NAME: why" lines; pictures of the page go to the folder OUT."""
import base64
import json
import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

TIDEMARK, OUT = sys.argv[1:3]
CELL = "fixtures/grid/a100-d1048576-s4-u1"


class Socket:
    """A web socket's client: RFC 6455, text messages only."""

    def __init__(self, url):
        host, path = url.removeprefix("ws://").split("/", 1)
        name, port = host.split(":")
        self.s = socket.create_connection((name, int(port)), timeout=30)
        key = base64.b64encode(os.urandom(16)).decode()
        self.s.sendall(f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.s.recv(4096)
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head

    def take(self, n):
        while len(self.rest) < n:
            more = self.s.recv(1 << 16)
            assert more, "the browser has closed the connection"
            self.rest += more
        out, self.rest = self.rest[:n], self.rest[n:]
        return out

    def send(self, text):
        data = text.encode()
        mask = os.urandom(4)
        n = len(data)
        head = struct.pack("!BB", 0x81, 0x80 | n) if n < 126 else struct.pack("!BBH", 0x81, 0xFE, n) \
            if n < 65536 else struct.pack("!BBQ", 0x81, 0xFF, n)
        self.s.sendall(head + mask + bytes(b ^ mask[k % 4] for k, b in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            first, second = self.take(2)
            n = second & 0x7F
            n = struct.unpack("!H", self.take(2))[0] if n == 126 else struct.unpack("!Q", self.take(8))[0] if n == 127 else n
            data = self.take(n)
            if first & 0x0F in (0, 1):
                text += data
                if first & 0x80:
                    return text.decode()


class Page:
    def __init__(self, port):
        ask = urllib.request.Request(f"http://127.0.0.1:{port}/json/new?about:blank", method="PUT")
        self.socket = Socket(json.load(urllib.request.urlopen(ask))["webSocketDebuggerUrl"])
        self.number, self.errors, self.requests, self.loaded = 0, [], [], False
        for domain in ("Runtime", "Log", "Page", "Network", "DOM"):
            self.call(domain + ".enable")

    def event(self, m):
        name, p = m.get("method"), m.get("params", {})
        if name == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(p["exceptionDetails"])[:600])
        elif name == "Runtime.consoleAPICalled" and p["type"] in ("error", "assert", "warning"):
            self.errors.append(json.dumps(p["args"])[:600])
        elif name == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.errors.append(json.dumps(p["entry"])[:600])
        elif name == "Network.requestWillBeSent" and not p["request"]["url"].startswith("data:"):
            self.requests.append(p["request"]["url"])
        elif name == "Page.loadEventFired":
            self.loaded = True

    def call(self, method, **params):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            m = json.loads(self.socket.receive())
            if m.get("id") == self.number:
                assert "error" not in m, (method, m["error"])
                return m["result"]
            self.event(m)

    def eval(self, expression):
        r = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in r, (expression, r["exceptionDetails"])
        return r["result"].get("value")

    def settle(self):
        self.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def size(self, w, h):
        self.call("Emulation.setDeviceMetricsOverride", width=w, height=h, deviceScaleFactor=1, mobile=False)

    def open(self, path):
        self.loaded, self.errors, self.requests = False, [], []
        self.call("Page.navigate", url="file://" + path)
        while not self.loaded:
            self.event(json.loads(self.socket.receive()))
        self.settle()

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if kind != "mouseMoved" else "none",
                  clickCount=int(kind != "mouseMoved"))
        self.settle()

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def key(self, key, **more):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **more)
        self.settle()

    def press_right(self):
        self.key("ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)

    def picture(self, name):
        r = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=False)
        os.makedirs(OUT, exist_ok=True)
        open(os.path.join(OUT, name + ".png"), "wb").write(base64.b64decode(r["data"]))


bad = 0


def check(name, holds, why=""):
    global bad
    bad += not holds
    print(f"ok {name}" if holds else f"not ok {name}: {str(why)[:400]}", flush=True)


def export(path, to, *more):
    subprocess.run([TIDEMARK, "export", path, "--format", "html", "-o", to, *more], check=True)
    return to


def tidemark_json(*words):
    return json.loads(subprocess.run([TIDEMARK, *words, "--json"], check=True, capture_output=True).stdout)["modules"][0]


# What the chart's or the map's pixels add up to.
SUM = """(id => { let n = 0; for (const c of document.getElementById(id).toDataURL()) n = (n * 31 + c.charCodeAt(0)) % 1000000007;
  return n; })"""
COLORS = """(id => { const c = document.getElementById(id), copy = document.createElement('canvas');
  copy.width = c.width, copy.height = c.height;
  const g = copy.getContext('2d', { willReadFrequently: true });
  g.drawImage(c, 0, 0);
  const d = g.getImageData(0, 0, c.width, c.height).data, s = new Set();
  for (let k = 0; k < d.length; k += 4) s.add(d[k] << 16 | d[k + 1] << 8 | d[k + 2]); return s.size; })"""
# The middle, in the window, of a buffer's rectangle on the map.
MIDDLE = """(b => { const r = byId('map').getBoundingClientRect(), p = placer({ h: r.height, plot: r.width - LEFT - 2 }),
  [x, y, w, h] = rectOf(p, b); return [r.left + x + w / 2, r.top + y + h / 2]; })"""
LARGEST = "mapped.find(b => b.start <= data.peak && data.peak <= b.end)"


def check_figures(page, report):
    check("the page names the program", page.eval("byId('name').textContent") == report["name"])
    check("its peak is the report's", page.eval("data.live") == report["peak"]["live_bytes"] and
          page.eval("byId('figures').textContent").startswith("peak24.00 GiB"))
    check("chart and map are drawn", page.eval(COLORS + "('chart')") > 5 and page.eval(COLORS + "('map')") > 5)
    roles = page.eval("Object.fromEntries(roles.filter(r => r.own).map(r => [r.name, r.own[columnOf(data.peak)]]).filter(r => r[1]))")
    check("the peak's roles are the report's", roles == {k: v for k, v in report["by_role"].items() if v}, roles)


def check_clock(page, path):
    run = tidemark_json("timeline", path, "--execution")
    check("moments are as many as the timeline's", page.eval("[program.length, data.moments]") == [run["steps"] + 1] * 2)
    check("filled bytes at every moment are the timeline's", page.eval("data.runAt.map((at, k) => [at, data.runBytes[k]])") == run["filled"])
    back = page.eval("""(() => { for (let m = 0; m < data.moments; m++) { const { step, turns } = momentOf(m);
        for (const [l, i] of turns) l.kept = l.turn, l.turn = i;
        const at = momentAt(step); for (const [l] of turns) l.turn = l.kept;
        if (at !== m) return m; } return -1; })()""")
    check("a moment is one step and its iterations", back == -1, back)
    random.seed(5)
    moments = page.eval("data.moments")
    pairs = [sorted(random.randrange(moments) for _ in range(2)) for _ in range(300)]
    wrong = page.eval("""(pairs => pairs.find(([a, b]) => { const ran = new Set(), said = new Set();
        for (let m = a; m <= b; m++) ran.add(momentOf(m).step);
        for (const [x, y] of stepsBetween(a, b)) for (let s = x; s <= y; s++) said.add(s);
        return [...ran].some(s => !said.has(s)) || [...said].some(s => !ran.has(s)); }))(""" + json.dumps(pairs) + ")")
    check("the steps between two moments are those that run", wrong is None, wrong)


def check_filled(page):
    cut = page.eval("""(() => { const cut = new Set(); let sums = true;
        for (let k = 0; k < live.length; k++) for (const turn of [0, 1, 2, 3]) {
          for (const l of data.loops) l.turn = turn;
          const filled = filledAt(momentAt(data.at[k])), own = filledOf(k, live[k] - filled);
          for (const r of roles) if (r.own && own[r.id] !== r.own[k]) cut.add(r.name);
          sums = sums && Object.values(own).reduce((a, b) => a + b, 0) === filled; }
        return [sums, ...cut]; })()""")
    check("what is empty is taken off the stacks alone", cut == [True, "residual stack"], cut)


def check_hover(page):
    largest = page.eval(LARGEST)
    page.mouse("mouseMoved", *page.eval(MIDDLE + "(" + LARGEST + ")"))
    tip = page.eval("byId('tip').hidden ? '' : byId('tip').innerText")
    wanted = [largest["name"], largest["shape"], largest["source"], f"steps {largest['start']} to {largest['end']}",
              "16.00 GiB", "residual stack"]
    check("hover on the map names the value", all(w in tip for w in wanted), (tip, wanted))
    x, y = page.eval("(r => [r.left + r.width / 2, r.top + 100])(byId('chart').getBoundingClientRect())")
    page.mouse("mouseMoved", x, y)
    tip = page.eval("byId('tip').innerText")
    check("hover on the chart names the instruction and its roles", "residual stack" in tip and
          page.eval(f"data.inst.some(k => {json.dumps(tip)}.includes(data.strings[k]))"), tip)
    page.click(x, y)
    check("a click moves the cursor", page.eval("state.at !== data.peak"))
    page.eval("byId('chart').focus()")
    before = page.eval("state.at")
    page.press_right()
    check("an arrow moves it a step", page.eval("state.at") == before + 1)
    page.key("p", text="p")
    check("p goes back to the peak", page.eval("state.at === data.peak"))


def check_slider(page):
    turn = "byId('turn').textContent"
    before = page.eval(f"[{turn}, byId('at').textContent, {SUM}('chart')]")
    page.eval("byId('iteration').focus()")
    page.press_right()
    after = page.eval(f"[{turn}, byId('at').textContent, {SUM}('chart')]")
    check("the slider moves", before[0] == "1 of 4" and after[0] == "2 of 4", (before, after))
    check("and changes the figure", before[1] != after[1] and before[2] != after[2], (before, after))
    page.eval("document.querySelector('input[value=execution]').click()")
    page.settle()
    check("execution order shows another chart", page.eval(SUM + "('chart')") != after[2])
    check("with the cursor at that iteration", page.eval("byId('at').textContent").find("iteration 2/4 of") > 0,
          page.eval("byId('at').textContent"))
    page.picture("execution")
    page.eval("document.querySelector('input[value=program]').click()")


def check_table(page):
    rows = "byId('rows').children.length"
    whole = page.eval(rows)
    page.eval("byId('words').value = 'gemm'; byId('words').dispatchEvent(new Event('input'))")
    check("words filter the table", 0 < page.eval(rows) < whole)
    page.eval("byId('words').value = ''; byId('alive').click()")
    check("so does the cursor", 0 < page.eval(rows) < whole)
    page.eval("byId('alive').click(); byId('heads').children[4].firstChild.click()")
    starts = page.eval("[...byId('rows').children].map(r => parseInt(r.children[4].textContent))")
    check("a head sorts it", starts == sorted(starts) and page.eval("byId('heads').children[4].getAttribute('aria-sort')") == "ascending", starts)
    page.eval("byId('rows').children[3].querySelector('button').click()")
    page.settle()
    check("a row chooses its buffer", page.eval("byId('rows').children[3].children[2].textContent") in page.eval("byId('chosen').textContent"))


def check_looks(page, path):
    for w, h in ((1280, 1500), (400, 1700)):
        page.size(w, h)
        page.open(path)
        page.picture(f"page-{w}")
        wide = page.eval("document.documentElement.scrollWidth")
        check(f"nothing is wider than a window of {w}", wide <= w, wide)
    page.size(1280, 1500)
    light = page.eval("getComputedStyle(document.body).backgroundColor")
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    page.settle()
    page.picture("page-dark")
    check("it has a dark form", page.eval("getComputedStyle(document.body).backgroundColor") != light)
    page.call("Emulation.setEmulatedMedia", features=[])


def check_quiet(page, name):
    check(f"{name}: no error on the console", not page.errors, page.errors)
    check(f"{name}: nothing is asked of a network", all(u.startswith("file:") for u in page.requests) and len(page.requests) == 1, page.requests)


def check_without_script(page, path):
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    page.loaded = False
    page.call("Page.navigate", url="file://" + path)
    while not page.loaded:
        page.event(json.loads(page.socket.receive()))
    root = page.call("DOM.getDocument")["root"]["nodeId"]
    found = [page.call("DOM.querySelector", nodeId=root, selector=s)["nodeId"]
             for s in ("noscript svg path", "noscript table td")]
    page.picture("no-script")
    check("without a script there are the chart and a table", all(found), found)
    page.call("Emulation.setScriptExecutionDisabled", value=False)


def check_others(page, folder):
    hostile = os.path.join(folder, "module_0001.jit_step.sm_8.0_gpu_after_optimizations.hlo.pb")
    source = next(os.path.join(CELL, f) for f in os.listdir(CELL) if f.endswith("optimizations.hlo.pb"))
    subprocess.run([sys.executable, "tests/shell/hostile.py", source, hostile], check=True)
    page.open(export(hostile, os.path.join(folder, "hostile.html")))
    check("hostile names stay text", page.eval("buffers.some(b => b.name.includes('</script><b>')) && !document.querySelector('b b, body > b')"))
    check_quiet(page, "hostile names")
    for cell in ("a100-d1048576-s4-ufull", "tpu-v5e-d262144-s8-ufull", "cpu-d256-s2-u1"):
        page.open(export("fixtures/grid/" + cell, os.path.join(folder, cell + ".html")))
        check(cell + " is drawn", page.eval(COLORS + "('chart')") > 3)
        check_quiet(page, cell)


def browse(port, folder):
    page = Page(port)
    page.size(1280, 1500)
    path = export(CELL, os.path.join(folder, "page.html"))
    page.open(path)
    check_figures(page, tidemark_json("report", CELL))
    check_clock(page, CELL)
    check_filled(page)
    page.open(path)
    check_hover(page)
    check_slider(page)
    check_table(page)
    check_quiet(page, "the example")
    check_looks(page, path)
    check_quiet(page, "in other sizes and colours")
    check_without_script(page, path)
    check_others(page, folder)


def main():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    folder = tempfile.mkdtemp()
    process = subprocess.Popen([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                                "--remote-debugging-port=0", "--remote-allow-origins=*", f"--user-data-dir={folder}/profile",
                                "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        told, until = os.path.join(folder, "profile", "DevToolsActivePort"), time.time() + 60
        while not (os.path.exists(told) and "\n" in open(told).read()):
            assert time.time() < until and process.poll() is None, "chromium does not start"
            time.sleep(.05)
        browse(int(open(told).read().split()[0]), folder)
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(bad > 0)


main()
