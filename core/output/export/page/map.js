/* Addresses against the program's steps: a rectangle for each listed buffer of the main memory, the
 * largest first, so that smaller ones stay visible. */
const mapped = buffers.filter((b) => b.group >= 0 && b.size);

/* The addresses shown: all, or one allocation's. */
function reach() {
  return state.group < 0 ? [0, Math.max(height, 1)] : [bases[state.group], bases[state.group] + data.groupSize[state.group]];
}

/* The steps shown; execution order has no map of its own: it shows the whole program. */
function stepsShown() {
  return state.clock === "program" ? [state.from, state.to] : [0, data.steps + 1];
}

function placer(c) {
  const [low, high] = reach(), [from, to] = stepsShown(), bottom = c.h - 18;
  return {
    bottom,
    x: (step) => LEFT + ((step - from) / (to - from)) * c.plot,
    y: (address) => bottom - ((address - low) / (high - low)) * (bottom - 6),
  };
}

function rectOf(p, b) {
  const address = bases[b.group] + b.offset, x = p.x(b.start), top = p.y(address + b.size);
  return [x, top, Math.max(p.x(b.end + 1) - x, .6), Math.max(p.y(address) - top, .4)];
}

function drawBuffers(c, p) {
  const { g } = c, step = stepHere();
  for (const b of mapped) {
    if (state.group >= 0 && b.group !== state.group) continue;
    const [x, y, w, h] = rectOf(p, b);
    if (x + w < LEFT || x > LEFT + c.plot) continue;
    g.globalAlpha = b.start <= step && step <= b.end ? 1 : .45;
    g.fillStyle = colorOf(b.role);
    g.fillRect(x, y, w, h);
    if (w > 3 && h > 3) {
      g.globalAlpha = 1;
      g.strokeStyle = styleCard;
      g.lineWidth = .7;
      g.strokeRect(x, y, w, h);
    }
    if (w > 120 && h > 15) {
      g.globalAlpha = 1;
      g.fillStyle = darkness.matches ? "#fff" : "#10161d";
      g.textAlign = "left";
      g.textBaseline = "top";
      const left = Math.max(x, LEFT);
      g.save();
      g.beginPath();
      g.rect(left, y, w - (left - x), h);
      g.clip();
      g.fillText(b.name, left + 5, y + 3);
      g.restore();
    }
  }
  g.globalAlpha = 1;
}
let styleCard = "#fff";

function drawGroups(c, p) {
  const { g } = c;
  g.textAlign = "right";
  g.textBaseline = "middle";
  bases.forEach((base, k) => {
    if (state.group >= 0 && state.group !== k) return;
    const low = p.y(base), high = p.y(base + data.groupSize[k]);
    if (low - high < 2) return;
    g.fillStyle = styleOf("--soft");
    g.fillRect(LEFT - 5, Math.round(low), c.plot + 5, .6);
    if (low - high > 13) g.fillText(bytesText(data.groupSize[k]), LEFT - 8, (low + high) / 2);
  });
}

function drawMap() {
  const c = sized(byId("map")), p = placer(c);
  styleCard = styleOf("--card");
  c.g.save();
  c.g.beginPath();
  c.g.rect(LEFT, 0, c.plot, c.h);
  c.g.clip();
  drawBuffers(c, p);
  const b = buffers[state.chosen];
  if (b && b.group >= 0 && (state.group < 0 || state.group === b.group)) {
    c.g.strokeStyle = styleOf("--cursor");
    c.g.lineWidth = 2;
    c.g.strokeRect(...rectOf(p, b));
  }
  c.g.restore();
  drawGroups(c, p);
  c.g.fillStyle = styleOf("--cursor");
  const x = p.x(stepHere() + .5);
  if (x >= LEFT && x <= LEFT + c.plot) c.g.fillRect(Math.round(x) - .5, 6, 1.5, p.bottom - 6);
  c.g.fillStyle = styleOf("--soft");
  c.g.textBaseline = "bottom";
  c.g.textAlign = "left";
  c.g.fillText(state.clock === "program" ? "" : "in program order", LEFT, c.h);
}

/* The buffer at a place of the map: the smallest of those drawn there. */
function bufferAt(x, y) {
  const canvas = byId("map"), r = canvas.getBoundingClientRect();
  const p = placer({ h: r.height, plot: Math.max(1, r.width - LEFT - 2) });
  for (let k = mapped.length; k-- > 0;) {
    const b = mapped[k], [bx, by, w, h] = rectOf(p, b);
    if (state.group >= 0 && b.group !== state.group) continue;
    if (x >= Math.max(bx, LEFT) && x <= bx + w && y >= by && y <= by + h) return b;
  }
  return null;
}

/* The next buffer alive at the cursor by address, up or down. */
function nextByAddress(up) {
  const step = stepHere(), address = (b) => bases[b.group] + b.offset;
  const here = mapped.filter((b) => b.start <= step && step <= b.end &&
    (state.group < 0 || b.group === state.group)).sort((a, b) => address(a) - address(b) || a.k - b.k);
  const at = here.findIndex((b) => b.k === state.chosen);
  return here.length ? here[Math.max(0, Math.min(here.length - 1, at < 0 ? 0 : at + (up ? 1 : -1)))].k : -1;
}
