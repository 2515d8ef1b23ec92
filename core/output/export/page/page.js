/* What holds the parts together: the head, the cursor, the loops' iterations, hands. */
const turning = data.loops.filter((l) => l.known && l.trips > 1);

function figure(name, value, over) {
  byId("figures").append(element("div", {}, element("dt", { textContent: name }),
    element("dd", { textContent: value, className: over ? "over" : "" })));
}

function makeHead() {
  byId("name").textContent = data.name;
  byId("about").textContent = [data.device || data.platform,
    data.instructions === null ? "" : data.instructions + " instructions", data.buffers + " buffers",
    "lives " + (data.lives === "rerun" ? "rerun from the program" : "as the dump claims")].filter(Boolean).join(" · ");
  figure("peak", bytesText(data.live));
  if (data.need !== null) figure("reserved", bytesText(data.need), data.limit && data.need > data.limit);
  if (data.bytes) figure("temporaries", bytesText(data.bytes.temp));
  if (data.bound !== null) figure("schedule allows", bytesText(data.bound));
  if (data.limit && data.need !== null)
    figure(data.need > data.limit ? "too little by" : "to spare", bytesText(Math.abs(data.limit - data.need)), data.need > data.limit);
  byId("legend").append(...roles.filter((r) => r.own).map((r) => element("li", { title: r.words }, key(r.id), r.name)));
  if (data.runAt && turning.length)
    byId("legend").append(element("li", { title: "slots of a stack that hold nothing yet, or nothing that is still read" },
      element("span", { className: "key empty" }), "reserved, empty"));
  if (data.hints.length || data.notes.length) {
    byId("advice").hidden = false;
    byId("hints").append(...data.hints.map((h) => element("li", {}, element("b", { textContent: bytesText(h.bytes) }),
      element("span", { textContent: h.text + (h.source ? " (" + h.source + ")" : "") }))),
    ...data.notes.map((n) => element("li", {}, element("b"), element("span", { textContent: n }))));
  }
  byId("omitted").textContent = (data.rest ? "The " + buffers.length + " largest of " + data.buffers +
    " buffers stand one by one; the other " + data.rest + " are of at most " + bytesText(data.restSize) +
    " each, together at most " + bytesText(data.restMost) + " at once: the chart counts them, map and table do not.  " : "") +
    (data.first.length <= data.steps ? "The chart has " + data.first.length + " columns for " + (data.steps + 1) +
      " steps: each shows its step with the most live bytes.  " : "") +
    (data.loops.length < data.allLoops ? "Of " + data.allLoops + " loops the first " + data.loops.length +
      " are shown, and no execution order.  " : "") + (data.runAt || !data.loops.length ? "" : "How much is filled changes too often to be told here: all that is reserved is shown as filled.");
}

/* ---- The cursor ---- */

function hereText() {
  const step = stepHere(), k = columnOf(step), exact = data.at[k] === step;
  const turns = state.clock === "execution" ? momentOf(state.at).turns : [];
  const filled = state.clock === "execution" ? filledAt(state.at) : filledAt(momentAt(data.at[k]));
  const where = (exact ? "step " : "near step ") + data.at[k] + " of " + data.steps + ", " + data.strings[data.inst[k]] +
    turns.map(([l, i]) => ", iteration " + (i + 1) + "/" + l.trips + " of " + l.name).join("");
  return { k, filled: filled === null || filled > live[k] ? live[k] : filled, where };
}

function showHere() {
  const { k, filled, where } = hereText();
  byId("at").replaceChildren(element("b", { textContent: bytesText(live[k]) }), " live" +
    (filled < live[k] ? ", " + bytesText(filled) + " of it filled" : "") + " at " + where);
}

function bufferText(b) {
  return b.name + ": " + bytesText(b.size) + ", " + roleOf.get(b.role).name + ", " + b.shape + ", steps " + b.start +
    " to " + b.end + (b.source ? ", " + b.source : "") +
    (b.group >= 0 ? ", " + data.groupName[b.group] + " at offset " + b.offset : ", not in the main memory");
}

function showChosen() {
  const b = buffers[state.chosen];
  byId("chosen").textContent = b ? bufferText(b) + (b.op ? " — " + b.op : "") : "Point at a rectangle, or choose a buffer in the table.";
}

let waiting = false;
function draw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    drawChart();
    drawMap();
    showHere();
    showChosen();
  });
}

function drawAll() {
  draw();
  drawTable();
}

function moveTo(unit) {
  state.at = Math.max(0, Math.min(unitsThere() - 1, unit));
  const span = state.to - state.from;
  if (state.at < state.from || state.at >= state.to) {
    state.from = Math.max(0, Math.min(unitsThere() - span, state.at - span / 2));
    state.to = state.from + span;
  }
  draw();
  if (byId("alive").checked) drawTable();
}

function zoom(by, around) {
  const all = unitsThere(), span = Math.min(all, Math.max(Math.min(all, 8), (state.to - state.from) * by));
  const part = (around - state.from) / (state.to - state.from);
  state.from = Math.max(0, Math.min(all - span, around - part * span));
  state.to = state.from + span;
  draw();
}

function choose(k, go) {
  state.chosen = k;
  const b = buffers[k], step = stepHere();
  if (b && go && (step < b.start || step > b.end))
    moveTo(state.clock === "program" ? b.start : momentAt(b.start));
  drawAll();
}

function setClock(clock) {
  const step = stepHere();
  if (state.clock === "execution") for (const [l, i] of momentOf(state.at).turns) l.turn = i;
  state.clock = clock;
  state.at = clock === "program" ? step : momentAt(step);
  [state.from, state.to] = [0, unitsThere()];
  showTurn();
  draw();
}

/* ---- Iterations ---- */

const loopHere = () => turning[Number(byId("which").value)];

function showTurn() {
  const l = loopHere();
  if (!l) return;
  byId("iteration").max = l.trips;
  byId("iteration").value = l.turn + 1;
  byId("turn").textContent = l.turn + 1 + " of " + l.trips;
  for (const other of data.loops) other.turned = other === l;
}

/* The chart shows the loop at that iteration; the cursor goes there, if it is in the loop. */
function setTurn(turn) {
  const l = loopHere(), step = stepHere();
  if (!l) return;
  if (state.clock === "execution") for (const [other, i] of momentOf(state.at).turns) other.turn = i;
  l.turn = Math.max(0, Math.min(l.trips - 1, turn));
  if (step < l.first || step > l.last) moveTo(state.clock === "program" ? l.last : momentAt(l.last));
  else if (state.clock === "execution") moveTo(momentAt(step));
  showTurn();
  draw();
}

function makeLoops() {
  byId("loop").hidden = turning.length === 0;
  byId("which").append(...turning.map((l, k) => element("option", { value: k,
    textContent: "  ".repeat(l.depth) + l.name + (l.pass ? ", " + l.pass : "") + ", × " + l.trips })));
  const first = turning.findIndex((l) => l.first <= data.peak && data.peak <= l.last);
  if (turning.length) byId("which").value = Math.max(first, 0);
  byId("which").addEventListener("change", () => setTurn(loopHere().turn));
  byId("iteration").addEventListener("input", () => setTurn(Number(byId("iteration").value) - 1));
  showTurn();
}

/* ---- Hands ---- */

function showTip(event, ...content) {
  const tip = byId("tip");
  tip.replaceChildren(...content);
  tip.hidden = false;
  const r = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(innerWidth - r.width - 8, event.clientX + 14)) + "px";
  tip.style.top = Math.max(4, event.clientY + 18 + r.height > innerHeight ? event.clientY - r.height - 12 : event.clientY + 18) + "px";
}

function tipRow(role, name, value) {
  const row = element("div", { className: "row" }, element("span", { textContent: name }), element("span", { className: "n", textContent: value }));
  if (role >= 0) row.prepend(key(role));
  return row;
}

function chartTip(event, unit) {
  const kept = state.at;
  state.at = unit;
  const { k, filled, where } = hereText();
  state.at = kept;
  showTip(event, element("strong", { textContent: data.strings[data.inst[k]] }),
    tipRow(-1, where.split(",")[0], bytesText(live[k])), ...(filled < live[k] ? [tipRow(-1, "filled", bytesText(filled))] : []),
    ...roles.filter((r) => r.own && r.own[k]).reverse().map((r) => tipRow(r.id, r.name, bytesText(r.own[k]))));
}

function mapTip(event, b) {
  showTip(event, element("strong", { textContent: b.name }), tipRow(b.role, roleOf.get(b.role).name, bytesText(b.size)),
    element("div", { textContent: b.shape }), element("div", { textContent: "steps " + b.start + " to " + b.end }),
    ...(b.source ? [element("div", { textContent: b.source })] : []),
    element("div", { className: "quiet", textContent: data.groupName[b.group] + ", offset " + b.offset }));
}

function makeHands(canvas, hover, click) {
  const place = (e) => {
    const r = canvas.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  };
  canvas.addEventListener("pointermove", (e) => hover(e, ...place(e)));
  canvas.addEventListener("pointerleave", () => (byId("tip").hidden = true));
  canvas.addEventListener("click", (e) => click(...place(e)));
  canvas.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    zoom(e.deltaY > 0 ? 1.25 : .8, unitAt(canvas, place(e)[0]));
  }, { passive: false });
  canvas.addEventListener("keydown", (e) => press(e, canvas));
}

function press(e, canvas) {
  const many = Math.max(1, Math.round((state.to - state.from) / 20));
  const keys = {
    ArrowLeft: () => moveTo(state.at - 1), ArrowRight: () => moveTo(state.at + 1),
    PageUp: () => moveTo(state.at - many), PageDown: () => moveTo(state.at + many),
    Home: () => moveTo(0), End: () => moveTo(unitsThere() - 1), p: () => byId("peak").click(),
    "[": () => setTurn(loopHere().turn - 1), "]": () => setTurn(loopHere().turn + 1),
    "+": () => zoom(.5, state.at), "-": () => zoom(2, state.at), 0: () => byId("all").click(),
  };
  if (canvas.id === "map")
    Object.assign(keys, { ArrowUp: () => choose(nextByAddress(true)), ArrowDown: () => choose(nextByAddress(false)) });
  if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey || ("[]".includes(e.key) && !turning.length)) return;
  e.preventDefault();
  keys[e.key]();
}

function makeButtons() {
  byId("peak").addEventListener("click", () => moveTo(state.clock === "program" ? data.peak : momentAt(data.peak)));
  byId("in").addEventListener("click", () => zoom(.5, state.at));
  byId("out").addEventListener("click", () => zoom(2, state.at));
  byId("all").addEventListener("click", () => {
    [state.from, state.to] = [0, unitsThere()];
    draw();
  });
  for (const radio of document.querySelectorAll("input[name=clock]")) {
    radio.disabled = radio.value === "execution" && (data.moments === null || data.lives !== "rerun");
    radio.addEventListener("change", () => setClock(radio.value));
  }
  byId("group").append(element("option", { value: -1, textContent: "all, " + bytesText(height) }),
    ...data.groupName.slice(0, 200).map((name, k) => element("option", { value: k, textContent: name })));
  byId("group").addEventListener("change", () => {
    state.group = Number(byId("group").value);
    draw();
  });
  makeHands(byId("chart"), (e, x) => chartTip(e, unitAt(byId("chart"), x)), (x) => moveTo(unitAt(byId("chart"), x)));
  makeHands(byId("map"), (e, x, y) => {
    const b = bufferAt(x, y);
    if (b) mapTip(e, b);
    else byId("tip").hidden = true;
  }, (x, y) => {
    const b = bufferAt(x, y);
    choose(b ? b.k : -1);
  });
}

byId("app").hidden = false;
makeHead();
makeLoops();
makeTable();
makeButtons();
drawAll();
addEventListener("resize", draw);
darkness.addEventListener("change", () => {
  for (const [k, r] of roles.filter((role) => role.own).entries())
    byId("legend").children[k].firstChild.style.background = colorOf(r.id);
  drawAll();
});
