/* The buffers as a table: sorted by a column, filtered by words, role and the cursor. */
const table = { by: "size", down: true, shown: 100 };
const PAGE = 200;

const columns = [
  { name: "size", key: (b) => b.size, cell: (b) => element("td", { className: "n", textContent: bytesText(b.size) }) },
  { name: "role", key: (b) => roleOf.get(b.role).name, cell: roleCell },
  { name: "value", key: (b) => b.name, cell: nameCell },
  { name: "shape", key: (b) => b.shape, cell: (b) => codeCell(b.shape) },
  { name: "life", key: (b) => b.start, cell: (b) => element("td", { className: "n", textContent: b.start + "–" + b.end }) },
  { name: "operation", key: (b) => b.op, cell: (b) => codeCell(b.op) },
  { name: "source", key: (b) => b.source, cell: (b) => codeCell(b.source) },
];

function codeCell(text) {
  return element("td", { className: "code", textContent: text });
}
function key(role) {
  const e = element("span", { className: "key" });
  e.style.background = colorOf(role);
  return e;
}
function roleCell(b) {
  const r = roleOf.get(b.role);
  return element("td", { className: "role", title: r.words }, key(b.role), r.name);
}
function nameCell(b) {
  const button = element("button", { type: "button", textContent: b.name });
  button.addEventListener("click", () => choose(b.k, true));
  return element("td", { className: "code" }, button);
}

function matching() {
  const words = byId("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const role = byId("role").value, step = stepHere(), alive = byId("alive").checked;
  return buffers.filter((b) => (role === "" || b.role === Number(role)) &&
    (!alive || (b.start <= step && step <= b.end)) &&
    words.every((w) => (b.name + " " + b.shape + " " + b.op + " " + b.source).toLowerCase().includes(w)));
}

function sorted(list) {
  const { key: of } = columns.find((c) => c.name === table.by), way = table.down ? -1 : 1;
  return list.sort((a, b) => {
    const x = of(a), y = of(b);
    return x < y ? -way : x > y ? way : a.k - b.k;
  });
}

function drawTable() {
  const list = sorted(matching()), sum = list.reduce((n, b) => n + b.size, 0);
  byId("count").textContent = list.length + " of " + data.buffers + " buffers, " + bytesText(sum) +
    " in all; shared bytes are counted for each" + (data.rest ? " (" + data.rest + " small ones are not listed)" : "");
  byId("rows").replaceChildren(...list.slice(0, table.shown).map((b) => {
    const row = element("tr", { className: b.k === state.chosen ? "chosen-row" : "" });
    row.append(...columns.map((c) => c.cell(b)));
    return row;
  }));
  byId("more").hidden = list.length <= table.shown;
  byId("more").textContent = "Show more (" + (list.length - table.shown) + ")";
  for (const th of byId("heads").children) {
    if (th.dataset.by === table.by) th.setAttribute("aria-sort", table.down ? "descending" : "ascending");
    else th.removeAttribute("aria-sort");
    th.lastChild.textContent = th.dataset.by + (th.dataset.by === table.by ? (table.down ? " ↓" : " ↑") : "");
  }
}

function makeTable() {
  for (const c of columns) {
    const button = element("button", { type: "button", textContent: c.name }), th = element("th", { scope: "col" }, button);
    th.dataset.by = c.name;
    button.addEventListener("click", () => {
      table.down = table.by === c.name ? !table.down : c.name === "size";
      table.by = c.name;
      drawTable();
    });
    byId("heads").append(th);
  }
  byId("role").append(element("option", { value: "", textContent: "any" }),
    ...roles.map((r) => element("option", { value: r.id, textContent: r.name })));
  for (const id of ["words", "role", "alive"])
    byId(id).addEventListener("input", () => {
      table.shown = 100;
      drawTable();
    });
  byId("more").addEventListener("click", () => {
    table.shown += PAGE;
    drawTable();
  });
}
