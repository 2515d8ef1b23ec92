"use strict";
/* The program's figures as the page holds them: columns of numbers are written as differences. */
const data = JSON.parse(document.getElementById("data").textContent);

function sums(list) {
  let total = 0;
  return list.map((d) => (total += d));
}

for (const name of ["first", "at", "inst", "groupSize", "size", "offset", "start", "end", "role", "group",
  "value", "shape", "op", "source"])
  data[name] = sums(data[name]);
data.runAt = data.runAt && sums(data.runAt);
data.runBytes = data.runBytes && sums(data.runBytes);

/* The roles there are, from the bottom of the chart to its top, each with a column of bytes. */
const roles = data.roles.filter((r) => data["role" + r.id] || data.role.includes(r.id));
for (const r of roles)
  r.own = data["role" + r.id] ? sums(data["role" + r.id]) : null;
const roleOf = new Map(data.roles.map((r) => [r.id, r]));

/* Live bytes of each column, and the address at which each group begins. */
const live = data.first.map((_, k) => roles.reduce((sum, r) => sum + (r.own ? r.own[k] : 0), 0));
const bases = [];
let height = 0;
for (const size of data.groupSize) {
  bases.push(height);
  height += size;
}

const buffers = data.size.map((size, k) => ({
  k, size, start: data.start[k], end: data.end[k], role: data.role[k],
  group: data.group[k] < bases.length ? data.group[k] : -1, offset: data.offset[k],
  name: data.strings[data.value[k]], shape: data.strings[data.shape[k]], op: data.strings[data.op[k]],
  source: data.strings[data.source[k]],
}));

function bytesText(n) {
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 1024]])
    if (n / size >= 0.999995)
      return (n / size).toFixed(2) + " " + unit;
  return n + " B";
}

/* The last place of an ascending list that holds no more than n. */
function lastUpTo(list, n) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= n) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
const columnOf = (step) => lastUpTo(data.first, step);

function element(tag, properties, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
}
const byId = (id) => document.getElementById(id);
