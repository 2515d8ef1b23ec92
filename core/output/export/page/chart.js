/* Live bytes over time: an area for each role, and hatched above them what is reserved for slots of stacks
 * that hold nothing yet, or nothing that is still read. */
const LEFT = 76, TOP = 18;

/* Colours of the roles by their numbers: for light and dark. */
const light = ["#a9b08a", "#6f94c4", "#9dbbe0", "#3fa394", "#a7adb5", "#e08a2c", "#e9bd55", "#b98446", "#8a76c6",
  "#c065a6", "#cf5560", "#e79aa2", "#4fb0dc", "#c9c9bd", "#dddddd"];
const dark = ["#7f8765", "#557cae", "#7ea1cc", "#2f8f80", "#6c747e", "#d27c1f", "#cfa23c", "#9c6c33", "#7864b8",
  "#ad5294", "#bd4450", "#c97a83", "#3797c4", "#8f8f84", "#666666"];
const darkness = matchMedia("(prefers-color-scheme: dark)");
const colorOf = (role) => (darkness.matches ? dark : light)[role] || "#888";
const styleOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* What the page shows: units are steps, or moments in execution order. */
const state = { clock: "program", at: data.peak, from: 0, to: data.steps + 1, chosen: -1, group: -1 };
const unitsThere = () => (state.clock === "program" ? data.steps + 1 : data.moments);
const stepHere = () => (state.clock === "program" ? state.at : momentOf(state.at).step);

function sized(canvas) {
  const r = canvas.getBoundingClientRect(), scale = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(r.width * scale));
  canvas.height = Math.max(1, Math.round(r.height * scale));
  const g = canvas.getContext("2d");
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.clearRect(0, 0, r.width, r.height);
  g.font = "12px system-ui, sans-serif";
  return { g, w: r.width, h: r.height, plot: Math.max(1, r.width - LEFT - 2) };
}
const xOf = (c, unit) => LEFT + ((unit - state.from) / (state.to - state.from)) * c.plot;
const unitAt = (canvas, x) => {
  const plot = Math.max(1, canvas.getBoundingClientRect().width - LEFT - 2);
  const unit = Math.floor(state.from + ((x - LEFT) / plot) * (state.to - state.from));
  return Math.max(0, Math.min(unitsThere() - 1, unit));
};

/* The column of the data with the most bytes among closed ranges of steps. */
function highest(ranges) {
  let best = -1;
  for (const [a, b] of ranges)
    for (let k = columnOf(a), end = columnOf(b); k <= end; k++)
      if (best < 0 || live[k] > live[best]) best = k;
  return best;
}

/* One column a pixel: which column of the data, and its filled bytes. */
function columnsOf(c) {
  const list = [];
  for (let x = 0; x < c.plot; x++) {
    const span = (state.to - state.from) / c.plot;
    const first = Math.floor(state.from + x * span);
    const last = Math.max(first, Math.min(Math.ceil(state.from + (x + 1) * span) - 1, unitsThere() - 1));
    const execution = state.clock === "execution";
    const k = highest(execution ? stepsBetween(first, last) : [[first, last]]);
    let filled = execution ? filledMost(first, last) : filledAt(momentAt(data.at[k]));
    if (filled === null || filled > live[k]) filled = live[k];
    list.push({ k, filled });
  }
  return list;
}

/* Where slots are empty: in what loops fill, residual stacks first. */
const FILLED_ROLES = ["residual stack", "stacked array", "gradient", "output"];
const filledFirst = roles.filter((r) => r.own).sort((a, b) => rankOf(a) - rankOf(b));
function rankOf(r) {
  const k = FILLED_ROLES.indexOf(r.name);
  return k < 0 ? FILLED_ROLES.length : k;
}

/* Bytes of each role that are filled, by the role's number. */
function filledOf(k, empty) {
  const own = {};
  for (const r of filledFirst) {
    const cut = Math.min(empty, r.own[k]);
    own[r.id] = r.own[k] - cut;
    empty -= cut;
  }
  return own;
}

function hatch(g) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const t = tile.getContext("2d");
  t.strokeStyle = styleOf("--empty");
  t.lineWidth = 1.6;
  t.beginPath();
  for (const d of [-6, 0, 6]) {
    t.moveTo(d, 6);
    t.lineTo(d + 6, 0);
  }
  t.stroke();
  return g.createPattern(tile, "repeat");
}

function everyOf(most, lines) {
  let every = 1;
  while (most / every > lines) every *= 2;
  return every;
}

function drawAxis(c, most, bottom) {
  const { g } = c, every = everyOf(most, 6);
  g.textAlign = "right";
  g.textBaseline = "middle";
  for (let at = 0; at <= most; at += every) {
    const y = bottom - (at / most) * (bottom - TOP);
    g.fillStyle = styleOf("--rule");
    g.fillRect(LEFT, Math.round(y), c.plot, 1);
    g.fillStyle = styleOf("--soft");
    g.fillText(at ? bytesText(at) : "0", LEFT - 8, y);
  }
}

function drawAreas(c, columns, y) {
  const pattern = hatch(c.g);
  for (let x = 0, end; x < columns.length; x = end) {
    const { k, filled } = columns[x];
    for (end = x + 1; end < columns.length && columns[end].k === k && columns[end].filled === filled; end++);
    const own = filledOf(k, live[k] - filled);
    let low = 0;
    for (const r of roles) {
      if (!own[r.id]) continue;
      c.g.fillStyle = colorOf(r.id);
      c.g.fillRect(LEFT + x, y(low + own[r.id]), end - x, y(low) - y(low + own[r.id]));
      low += own[r.id];
    }
    c.g.fillStyle = pattern;
    c.g.fillRect(LEFT + x, y(live[k]), end - x, y(low) - y(live[k]));
  }
}

/* The loops beneath, a row for each level; in execution order with a tick where an iteration begins. */
function drawLoops(c, top) {
  const { g } = c;
  g.textBaseline = "middle";
  g.textAlign = "center";
  const band = (l, from, to, text) => {
    const x = Math.max(LEFT, xOf(c, from)), w = Math.min(LEFT + c.plot, xOf(c, to)) - x;
    if (w <= 0 || l.depth > 2) return;
    const y = top + 4 + 18 * l.depth;
    g.fillStyle = styleOf("--shade");
    g.fillRect(x, y, w, 15);
    g.strokeStyle = l.turned ? styleOf("--accent") : styleOf("--soft");
    g.strokeRect(x + .5, y + .5, Math.max(w - 1, 1), 14);
    g.fillStyle = styleOf("--soft");
    for (const t of [l.name + " " + text, text])
      if (g.measureText(t).width < w - 10) {
        g.fillText(t, x + w / 2, y + 8);
        break;
      }
  };
  for (const l of data.loops) {
    const times = l.pass + (l.known ? " × " + l.trips : "");
    if (state.clock === "program") {
      band(l, l.first, l.last + 1, l.known && l.trips > 1 ? l.pass + " " + (l.turn + 1) + "/" + l.trips : times);
      continue;
    }
    if (l.around !== program && l.around.trips !== 1) continue; /* of inner loops, those that run once */
    const from = momentAt(l.first) - Math.min(l.turn, Math.max(l.trips - 1, 0)) * l.length;
    const apart = (l.length / (state.to - state.from)) * c.plot;
    if (l.trips > 1 && apart > 26) /* those in sight */
      for (let i = Math.max(0, Math.floor((state.from - from) / l.length)); i < l.trips && from + i * l.length < state.to; i++)
        band(l, from + i * l.length, from + (i + 1) * l.length, i + 1 + "/" + l.trips);
    else if (l.total) band(l, from, from + l.total, times);
  }
}

function drawCursor(c, top, bottom, unit) {
  const x = xOf(c, unit + .5);
  if (x < LEFT || x > LEFT + c.plot) return;
  c.g.fillStyle = styleOf("--cursor");
  c.g.fillRect(Math.round(x) - .5, top, 1.5, bottom - top);
}

/* All moments of the peak would be too many: the mark is at its first, or at its turn. */
function drawPeak(c) {
  const x = xOf(c, (state.clock === "program" ? data.peak : momentAt(data.peak)) + .5);
  if (x < LEFT || x > LEFT + c.plot) return;
  c.g.fillStyle = styleOf("--over");
  c.g.beginPath();
  c.g.moveTo(x, TOP);
  c.g.lineTo(x - 5, TOP - 8);
  c.g.lineTo(x + 5, TOP - 8);
  c.g.fill();
  c.g.textBaseline = "middle";
  c.g.textAlign = x > c.w - 60 ? "right" : "left";
  c.g.fillText("peak", x > c.w - 60 ? x - 8 : x + 8, TOP - 7);
}

function drawLimit(c, most, y) {
  if (!data.limit || data.limit > most) return;
  c.g.fillStyle = styleOf("--over");
  c.g.fillRect(LEFT, y(data.limit), c.plot, 1.5);
  c.g.textAlign = "right";
  c.g.textBaseline = "bottom";
  c.g.fillText("memory there is, " + bytesText(data.limit), LEFT + c.plot - 4, y(data.limit) - 2);
}

function drawChart() {
  const c = sized(byId("chart"));
  const depth = data.loops.reduce((d, l) => Math.max(d, Math.min(l.depth + 1, 3)), 0);
  const bottom = c.h - 20 - 18 * depth;
  let most = Math.max(1, ...live);
  if (data.limit && data.limit < most * 1.25) most = Math.max(most, data.limit);
  most *= 1.02;
  const y = (bytes) => bottom - (bytes / most) * (bottom - TOP);
  drawAxis(c, most, bottom);
  drawAreas(c, columnsOf(c), y);
  drawLimit(c, most, y);
  drawLoops(c, bottom);
  drawPeak(c);
  drawCursor(c, TOP, bottom + 18 * depth + 4, state.at);
  c.g.fillStyle = styleOf("--soft");
  c.g.textBaseline = "bottom";
  c.g.textAlign = "left";
  const unit = state.clock === "program" ? "step " : "moment ";
  c.g.fillText(unit + Math.floor(state.from), LEFT, c.h);
  c.g.textAlign = "right";
  c.g.fillText(unit + (Math.ceil(state.to) - 1), LEFT + c.plot, c.h);
}
