/* Program order counts each step once; execution order repeats loops: a moment is a step and an
 * iteration of each loop around it.  Levels: the program, and each loop in the one around it. */
const program = { first: 0, last: data.steps, trips: 1, children: [], around: null };

(function nest() {
  let level = program;
  for (const l of data.loops) {
    while (level !== program && l.first > level.last) level = level.around;
    Object.assign(l, { children: [], around: level, known: l.trips >= 0, turn: 0 });
    l.trips = l.known && l.depth < 16 ? l.trips : 1;
    level.children.push(l);
    level = l;
  }
  /* A pass is shown at its fullest: the last iteration of a forward loop, the first of others. */
  for (const l of data.loops) l.turn = l.pass === "forward" ? Math.max(l.trips - 1, 0) : 0;
  (function measure(of) {
    let shift = 0;
    for (const c of of.children) {
      measure(c);
      c.before = c.first - of.first + shift;
      c.total = c.length * c.trips;
      shift += c.total - (c.last - c.first + 1);
    }
    of.length = of.last - of.first + 1 + shift;
    of.firsts = of.children.map((c) => c.first);
    of.befores = of.children.map((c) => c.before);
  })(program);
})();

/* The moment of a step, each loop around it at its `turn`. */
function momentAt(step) {
  let at = 0;
  for (let level = program; ;) {
    const c = level.children[lastUpTo(level.firsts, step)];
    if (c && step <= c.last) {
      at += c.before + Math.min(c.turn, Math.max(c.trips - 1, 0)) * c.length;
      level = c;
      continue;
    }
    return at + (c ? c.before + c.total + step - c.last - 1 : step - level.first);
  }
}

/* The step of a moment, and the loops around it: [loop, iteration], outermost first. */
function momentOf(at) {
  const turns = [];
  for (let level = program; ;) {
    const c = level.children[lastUpTo(level.befores, at)];
    if (!c) return { step: level.first + at, turns };
    at -= c.before;
    if (at >= c.total) return { step: c.last + 1 + at - c.total, turns };
    turns.push([c, Math.floor(at / c.length)]);
    at %= c.length;
    level = c;
  }
}

/* The closed ranges of steps that run from one moment to another. */
function stepsBetween(first, last) {
  const a = momentOf(first), b = momentOf(last);
  let k = 0;
  while (k < a.turns.length && k < b.turns.length && a.turns[k][0] === b.turns[k][0] &&
    a.turns[k][1] === b.turns[k][1]) k++;
  const low = (from) => {
    const t = a.turns.slice(from).find(([l, i]) => i + 1 < l.trips);
    return t ? t[0].first : a.step;
  };
  const high = (from) => {
    const t = b.turns.slice(from).find(([, i]) => i > 0);
    return t ? t[0].last : b.step;
  };
  if (k === a.turns.length || k === b.turns.length || a.turns[k][0] !== b.turns[k][0])
    return [[low(k), high(k)]];
  const loop = a.turns[k][0];
  if (b.turns[k][1] - a.turns[k][1] > 1) return [[loop.first, loop.last]];
  return [[low(k + 1), loop.last], [loop.first, high(k + 1)]];
}

/* Filled bytes at a moment, and the most of a run of them; null where that is not known. */
function filledAt(moment) {
  return data.runAt ? data.runBytes[lastUpTo(data.runAt, moment)] : null;
}
function filledMost(first, last) {
  if (!data.runAt) return null;
  let most = 0;
  for (let k = lastUpTo(data.runAt, first); k < data.runAt.length && data.runAt[k] <= last; k++)
    most = Math.max(most, data.runBytes[k]);
  return most;
}
