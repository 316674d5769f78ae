// page.js: the charts of the report's page. What they show stands in the element "data"
// (html_data.c says how); nothing is fetched, and text is only ever set as text.
(() => {
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const KINDS = ["compute", "failed", "wasted", "running", "stage", "receive", "transfer", "prepare",
  "send", "reply"];
const COLOURS = ["#0072B2", "#D55E00", "#777777", "#56B4E9", "#A65628", "#7FC4E8", "#009E73",
  "#E69F00", "#B8A800", "#CC79A7"];
const HUES = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999", "#8F7700"];
const COMPUTE = 0, FAILED = 1, WASTED = 2, RUNNING = 3;
const noun = data.noun, endS = data.end / 1e6;

// ---- elements and numbers ----

const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const show = x => Math.abs(x) >= 1000 ? x.toFixed(0) : String(+x.toPrecision(4));
const cell = x => {
  const td = make("td", {textContent: show(x)});
  td.dataset.s = x;
  return td;
};
const table = (heads, rows, sortable) => make("table", {className: sortable ? "sortable" : ""},
  make("thead", {}, make("tr", {}, ...heads.map(head => make("th", {textContent: head})))),
  make("tbody", {}, ...rows.map(row => make("tr", {}, ...row.map(value =>
    typeof value === "number" ? cell(value) : make("td", {textContent: value}))))));

// ---- the columns ----

const count = data.gap.length;
const start = new Float64Array(count), end = new Float64Array(count);
const task = new Float64Array(count), chunk = new Float64Array(count);
const units = new Float64Array(count), kind = new Uint8Array(count);
const sizes = new Float64Array(data.chunk_units.reduce((sum, value, i) => i % 2 ? sum + value : sum, 0));
const rows = [];
const unpack = () => {
  let at = 0;
  for (const [name, worker, from, until, spans] of data.rows) {
    rows.push({name, worker, from: from / 1e6, until: until / 1e6, first: at, last: at + spans, away: []});
    for (let last = 0, i = at; i < at + spans; i++) {
      const begin = last + data.gap[i];
      last = begin + data.time[i];
      start[i] = begin / 1e6;
      end[i] = last / 1e6;
    }
    at += spans;
  }
  for (let i = 0, t = 0; i < count; i++) task[i] = t += data.task[i];
  const repeat = (pairs, column) => {
    for (let i = 0, k = 0; i < pairs.length; k += pairs[i + 1], i += 2)
      column.fill(pairs[i], k, k + pairs[i + 1]);
  };
  repeat(data.units, units);
  repeat(data.kind, kind);
  if (data.chunk_is === "repeated")
    for (let i = 0, sum = 0; i < data.chunk.length; i += 2) data.chunk[i] = sum += data.chunk[i];
  repeat(data.chunk, chunk);
  if (data.chunk_is !== "repeated") for (let i = 0; i < count; i++) chunk[i] += task[i];
  repeat(data.chunk_units, sizes);
  for (let i = 0; i < data.away.length; i += 3)
    for (const row of rows)
      if (row.worker === data.away[i]) row.away.push([data.away[i + 1] / 1e6, data.away[i + 2] / 1e6]);
};
unpack();
const facts = new Map(data.facts.map(([i, exit, attempt, kib, input]) => [i, {exit, attempt, kib, input}]));
const rowOf = span => {
  let low = 0, high = rows.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].last > span) high = middle; else low = middle + 1;
  }
  return rows[low];
};
const chunkUnits = i => sizes[chunk[i]];

// What a span is, in lines.
const tell = i => {
  const fact = facts.get(i), row = rowOf(i), lines = [];
  const what = task[i] > 0 ? `${noun} ${task[i]}${units[i] > 1 ? " to " + (task[i] + units[i] - 1) : ""}`
    : `${units[i] || ""} ${noun}s`.trim();
  const from = kind[i] === RUNNING ? "since about " : "";
  lines.push(`${row.name}: ${what}, ${KINDS[kind[i]]}, ${show(end[i] - start[i])} s ` +
    `(${from}${show(start[i])} to ${kind[i] === RUNNING ? "now" : show(end[i]) + " s"})`);
  const more = [];
  if (fact && fact.exit > 0) more.push(`exit code ${fact.exit}`);
  if (fact && fact.exit < 0) more.push(`signal ${-fact.exit}`);
  if (fact && fact.attempt > 1) more.push(`attempt ${fact.attempt}`);
  if (fact && fact.kib > 0) more.push(`${show(fact.kib / 1024)} MiB`);
  if (row.worker >= 0 && chunkUnits(i) !== undefined)
    more.push(`chunk ${chunk[i]} of ${show(chunkUnits(i))} ${noun}${chunkUnits(i) === 1 ? "" : "s"}`);
  lines.push(more.join(", "));
  if (fact && fact.input) lines.push(fact.input);
  return lines.join("\n");
};

// Where the chart of workers begins, so that others of the same time begin there, too.
let ganttLeft = 60;
// Rows that share an axis of time with the chart of workers hear of a zoom here.
const followers = [];

// ---- who computed what, when ----

const order = () => {
  const speed = row => {
    let seconds = 0, done = 0;
    for (let i = row.first; i < row.last; i++)
      if (kind[i] === COMPUTE) { seconds += end[i] - start[i]; done += units[i]; }
    return done > 0 ? seconds / done : Infinity;
  };
  const workers = rows.filter(row => row.worker >= 0);
  const others = rows.filter(row => row.worker < 0);
  const speeds = new Map(workers.map(row => [row, speed(row)]));
  const compare = (a, b) => speeds.get(a) < speeds.get(b) ? -1 : speeds.get(a) > speeds.get(b) ? 1 : 0;
  return others.concat(workers.sort(compare));
};

const gantt = section => {
  const place = section.querySelector("div");
  const HEIGHT = 22, BAR = 16, AXIS = 26, lines = order();
  const box = make("div", {className: "rows", tabIndex: 0});
  const canvas = make("canvas"), told = make("div", {className: "told"});
  const search = make("input", {type: "search", placeholder: `${noun} number or text`});
  const reset = make("button", {textContent: "whole run"});
  const tools = make("div", {className: "tools"}, search, reset);
  const view = {from: 0, to: endS, span: -1, drag: null, found: new Set()};
  box.setAttribute("role", "application");
  box.setAttribute("aria-label", "Spans of the workers. Arrow keys go from one to the next, plus and " +
    "minus zoom, Escape shows all.");
  told.setAttribute("aria-live", "polite");
  const used = new Set(kind);
  for (const k of used) {
    const patch = make("i");
    patch.style.background = COLOURS[k];
    tools.append(make("span", {className: "key"}, patch, KINDS[k]));
  }
  const height = Math.min(lines.length * HEIGHT, 24 * HEIGHT) + AXIS;
  box.style.height = height + "px";
  box.append(canvas, make("div"));
  box.lastChild.style.height = Math.max(0, lines.length * HEIGHT + AXIS - height) + "px";
  place.append(tools, box, told);
  told.textContent = "Point at a bar, or go there with the arrow keys. Drag to zoom, Esc shows all.";

  const context = canvas.getContext("2d");
  let width = 0, left = 0;
  const x = seconds => left + (width - left - 8) * (seconds - view.from) / (view.to - view.from);
  const seconds = pixel => view.from + (pixel - left) / (width - left - 8) * (view.to - view.from);

  // The first span of the row that ends behind this time.
  const firstBehind = (row, time) => {
    let low = row.first, high = row.last;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (end[middle] > time) high = middle; else low = middle + 1;
    }
    return low;
  };
  // Spans of less than a pixel are drawn as one of the worst among them.
  const drawRow = (row, y) => {
    let lastPixel = -1, lastKind = -1;
    for (let i = firstBehind(row, view.from); i < row.last && start[i] < view.to; i++) {
      const a = Math.max(left, x(start[i])), b = Math.min(width - 8, x(end[i]));
      const pixel = Math.floor(a), is_bad = kind[i] === FAILED || kind[i] === WASTED;
      const is_marked = i === view.span || view.found.has(i);
      if (b - a < 1 && pixel === lastPixel && (!is_bad || lastKind === kind[i]) && !is_marked) continue;
      lastPixel = pixel;
      lastKind = kind[i];
      context.fillStyle = COLOURS[kind[i]];
      context.fillRect(a, y, Math.max(b - a - (b - a > 4 ? 0.5 : 0), 0.6), BAR);
      if (is_bad && b - a > 3) hatch(a, y, b - a);
      if (is_marked) {
        context.strokeStyle = colour("--mark");
        context.lineWidth = 2;
        context.strokeRect(a - 1, y - 1, Math.max(b - a, 2) + 2, BAR + 2);
      }
    }
  };
  const hatch = (a, y, length) => {
    context.save();
    context.beginPath();
    context.rect(a, y, length, BAR);
    context.clip();
    context.beginPath();
    for (let k = a - BAR; k < a + length; k += 6) { context.moveTo(k, y + BAR); context.lineTo(k + BAR, y); }
    context.strokeStyle = "#ffffffaa";
    context.lineWidth = 1.5;
    context.stroke();
    context.restore();
  };
  const drawAxis = (y, ink) => {
    const span = view.to - view.from, least = span / 8;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map(k => k * power).find(k => k >= least);
    context.fillStyle = ink;
    context.textAlign = "center";
    for (let time = Math.ceil(view.from / step) * step; time <= view.to + step / 1e6; time += step) {
      context.fillRect(x(time), y, 1, 4);
      context.fillText(String(+time.toPrecision(6)) + (time + step > view.to ? " s" : ""), x(time), y + 16);
    }
  };
  const cut = (text, most) => {
    if (context.measureText(text).width <= most) return text;
    let length = text.length;
    while (length > 1 && context.measureText(text.slice(0, length) + "\u2026").width > most) length--;
    return text.slice(0, length) + "\u2026";
  };
  const draw = () => {
    const ratio = window.devicePixelRatio || 1, ink = colour("--ink"), there = colour("--there");
    width = box.clientWidth || 1000;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "12px system-ui, sans-serif";
    left = Math.min(220, 16 + Math.max(40, ...lines.slice(0, 200).map(row => context.measureText(row.name).width)));
    ganttLeft = left;
    const first = Math.floor(box.scrollTop / HEIGHT), shift = box.scrollTop % HEIGHT;
    for (let k = first; k < lines.length; k++) {
      const row = lines[k], y = 2 + (k - first) * HEIGHT - shift;
      if (y > height - AXIS - BAR / 2) break;
      context.fillStyle = there;
      const a = Math.max(left, x(row.from)), b = Math.min(width - 8, x(row.until));
      if (b > a) context.fillRect(a, y, b - a, BAR);
      context.fillStyle = colour("--paper");
      for (const [from, until] of row.away) context.fillRect(x(from), y, x(until) - x(from), BAR);
      drawRow(row, y);
      context.fillStyle = ink;
      context.textAlign = "right";
      context.fillText(cut(row.name, left - 14), left - 8, y + 12);
    }
    context.clearRect(0, height - AXIS, width, AXIS);
    drawAxis(height - AXIS, ink);
    if (view.drag) {
      context.fillStyle = "#0072b244";
      context.fillRect(view.drag.from, 0, view.drag.to - view.drag.from, height - AXIS);
    }
  };
  let is_due = false;
  const later = () => {
    if (is_due) return;
    is_due = true;
    requestAnimationFrame(() => { is_due = false; draw(); });
  };
  const zoom = (from, to) => {
    const least = Math.max(endS * 1e-7, 1e-6);
    if (to - from < least) to = from + least;
    const span = Math.min(to - from, endS);
    view.from = Math.max(0, Math.min(from, endS - span));
    view.to = view.from + span;
    for (const follow of followers) follow(view.from, view.to);
    later();
  };
  const select = (span, is_moved) => {
    view.span = span;
    if (span < 0) return;
    told.textContent = tell(span);
    if (!is_moved) return later();
    const span_s = view.to - view.from, k = lines.indexOf(rowOf(span));
    if (start[span] < view.from || end[span] > view.to) zoom((start[span] + end[span] - span_s) / 2, (start[span] + end[span] + span_s) / 2);
    if (k * HEIGHT < box.scrollTop || (k + 1) * HEIGHT > box.scrollTop + height - AXIS)
      box.scrollTop = (k - 8) * HEIGHT;
    later();
  };
  const at = event => {
    const bounds = canvas.getBoundingClientRect(), px = event.clientX - bounds.left;
    const row = lines[Math.floor((event.clientY - bounds.top + box.scrollTop) / HEIGHT)];
    if (!row || px < left) return -1;
    const slack = 2 * (view.to - view.from) / width, time = seconds(px);
    const i = firstBehind(row, time - slack);
    return i < row.last && start[i] <= time + slack ? i : -1;
  };
  canvas.addEventListener("pointerdown", event => {
    const from = event.clientX - canvas.getBoundingClientRect().left;
    view.drag = {from, to: from};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", event => {
    if (view.drag) view.drag.to = event.clientX - canvas.getBoundingClientRect().left;
    else { const span = at(event); if (span >= 0 && span !== view.span) select(span, false); }
    if (view.drag) later();
  });
  canvas.addEventListener("pointerup", event => {
    const drag = view.drag;
    view.drag = null;
    if (drag && Math.abs(drag.to - drag.from) > 5)
      zoom(seconds(Math.min(drag.from, drag.to)), seconds(Math.max(drag.from, drag.to)));
    else if (at(event) >= 0) select(at(event), false);
    later();
  });
  const whole = () => { view.found.clear(); zoom(0, endS); };
  canvas.addEventListener("dblclick", whole);
  reset.addEventListener("click", whole);
  const step = (direction) => {
    if (view.span < 0) return lines.find(row => row.last > row.first)?.first ?? -1;
    const row = rowOf(view.span), next = view.span + direction;
    return next >= row.first && next < row.last ? next : view.span;
  };
  const change = (direction) => {
    if (view.span < 0) return step(1);
    for (let k = lines.indexOf(rowOf(view.span)) + direction; k >= 0 && k < lines.length; k += direction)
      if (lines[k].last > lines[k].first)
        return Math.min(firstBehind(lines[k], start[view.span]), lines[k].last - 1);
    return view.span;
  };
  box.addEventListener("keydown", event => {
    const middle = (view.from + view.to) / 2, half = (view.to - view.from) / 2;
    const keys = {
      ArrowRight: () => select(step(1), true), ArrowLeft: () => select(step(-1), true),
      ArrowDown: () => select(change(1), true), ArrowUp: () => select(change(-1), true),
      Escape: whole, "+": () => zoom(middle - half / 2, middle + half / 2),
      "-": () => zoom(middle - half * 2, middle + half * 2)
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  search.addEventListener("change", () => {
    const wanted = search.value.trim(), number = Number(wanted);
    view.found.clear();
    if (wanted === "") return later();
    for (let i = 0; i < count; i++) {
      const is_it = number > 0 ? task[i] > 0 && task[i] <= number && number < task[i] + Math.max(units[i], 1)
        : facts.has(i) && facts.get(i).input.includes(wanted);
      if (is_it) view.found.add(i);
    }
    const [first] = view.found;
    if (first === undefined) told.textContent = `No ${noun} like that${number > 0 ? "" : " among those with a text here"}.`;
    else select(first, true);
    later();
  });
  box.addEventListener("scroll", later);
  window.addEventListener("resize", later);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", later);
  draw();
};

// ---- charts of lines ----

const besides = () => ({size: Math.max(ganttLeft - 22, 40)});
const axis = (label, more) => Object.assign({label, stroke: colour("--faint"), labelSize: 22, size: 60,
  grid: {stroke: colour("--line"), width: 0.5}, ticks: {stroke: colour("--line")}}, more);
const chart = (place, series, axes, columns, more) => {
  const options = Object.assign({width: place.clientWidth || 1000, height: 240, series, axes,
    cursor: {y: false}, scales: {x: {time: false}}, padding: [null, 8, 0, 0]}, more);
  return new uPlot(options, columns, place);
};
const line = (label, stroke, more) =>
  Object.assign({label, stroke, width: 1.5, points: {show: false}, value: (u, v) => v == null ? "" : show(v)}, more);
const follow = plot => {
  followers.push((from, to) => plot.setScale("x", {min: from, max: to}));
  return plot;
};

const course = section => {
  const BINS = Math.max(1, Math.min(1000, 4 * count)), step = endS / BINS;
  if (!(endS > 0) || count === 0) return section.remove();
  const there = new Float64Array(BINS), computing = new Float64Array(BINS), done = new Float64Array(BINS);
  const cover = (bins, from, to) => {
    const last = Math.min(BINS - 1, Math.floor(to / step));
    for (let k = Math.max(0, Math.floor(from / step)); k <= last; k++)
      bins[k] += Math.max(0, Math.min(to, (k + 1) * step) - Math.max(from, k * step)) / step;
  };
  let total = 0;
  for (const row of rows) {
    if (row.worker < 0) continue;
    cover(there, row.from, row.until);
    for (const [from, until] of row.away) cover(there, until, from);
    for (let i = row.first; i < row.last; i++) {
      cover(computing, start[i], end[i]);
      if (kind[i] !== COMPUTE) continue;
      done[Math.min(BINS - 1, Math.floor(end[i] / step))] += units[i];
      total += units[i];
    }
  }
  const all = Math.max(data.total, total) || 1;
  const xs = Array.from(there, (_, k) => (k + 0.5) * step);
  const share = [];
  for (let k = 0, sum = 0; k < BINS; k++) share.push(100 * (sum += done[k]) / all);
  follow(chart(section, [{label: "s"}, line("workers there", "#E69F00", {dash: [6, 3]}), line("computing", "#0072B2")],
    [axis("time, s", {size: 40}), axis("workers", besides())], [xs, Array.from(there), Array.from(computing)]));
  follow(chart(section, [{label: "s"}, line("done, %", "#009E73")], [axis("time, s", {size: 40}), axis("done, %", besides())],
    [xs, share]));
};

const chunks = section => {
  const most = 20000, stride = Math.ceil(sizes.length / most);
  if (sizes.length === 0) return section.remove();
  const workers = new Uint32Array(sizes.length), kept = [];
  for (const row of rows)
    if (row.worker >= 0) for (let i = row.first; i < row.last; i++) workers[chunk[i]] = row.worker;
  for (let i = 0; i < sizes.length; i += stride) if (sizes[i] > 0) kept.push(i);
  const paint = plot => {
    const {ctx} = plot, size = 4 * devicePixelRatio;
    for (const i of kept) {
      ctx.fillStyle = HUES[workers[i] % HUES.length];
      ctx.fillRect(plot.valToPos(i, "x", true) - size / 2, plot.valToPos(sizes[i], "y", true) - size / 2, size, size);
    }
  };
  chart(section, [{label: "chunk"}, line(`${noun}s`, "#0072B2", {paths: () => null})],
    [axis("chunk"), axis(`${noun}s in it`)], [kept, kept.map(i => sizes[i])],
    {scales: {x: {time: false}, y: {distr: 3}}, hooks: {draw: [paint]}});
  section.append(make("p", {className: "note", textContent: `Colour: the worker.` +
    (stride > 1 ? ` One of ${stride} is drawn.` : "")}));
};

const times = section => {
  const workers = rows.filter(row => row.worker >= 0), seconds = [], ends = [], spans = [];
  let total = 0;
  for (const row of workers)
    for (let i = row.first; i < row.last; i++)
      if (kind[i] === COMPUTE && units[i] > 0) {
        seconds.push((end[i] - start[i]) / units[i]);
        ends.push(i);
        spans.push(i);
        total += units[i];
      }
  if (seconds.length === 0) return section.remove();
  const sorted = Float64Array.from(seconds).sort();
  const quantile = share => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  const points = [...Array(Math.min(1000, sorted.length)).keys()].map(k => Math.floor(k * sorted.length / Math.min(1000, sorted.length)));
  points.push(sorted.length - 1);
  chart(section, [{label: "s"}, line("share, %", "#0072B2")], [axis(`seconds of a ${noun}`), axis(`${noun}s so fast, %`)],
    [points.map(k => sorted[k]), points.map(k => 100 * (k + 1) / sorted.length)]);
  const quantiles = [["half", 0.5], ["90 %", 0.9], ["99 %", 0.99], ["all", 1]];
  section.append(table([`of the ${noun}s`, "took at most, s"], quantiles.map(([name, share]) => [name, quantile(share)])));
  ends.sort((a, b) => end[a] - end[b]);
  const when = share => {
    let sum = 0;
    for (const i of ends) if ((sum += units[i]) >= share * total - 1e-9) return end[i];
    return end[ends[ends.length - 1]];
  };
  section.append(table([`of the ${noun}s that are done`, "done after, s"],
    [0.5, 0.9, 0.95, 0.99, 1].map(share => [`${100 * share} %`, when(share)])));
  spans.sort((a, b) => (end[b] - start[b]) / units[b] - (end[a] - start[a]) / units[a]);
  section.append(make("h3", {textContent: `The slowest ${Math.min(20, spans.length)}`}),
    table([noun, "worker", "seconds each", "began, s", "input"], spans.slice(0, 20).map(i =>
      [task[i] || chunk[i], rowOf(i).name, (end[i] - start[i]) / units[i], start[i], facts.get(i)?.input ?? ""])));
};

// ---- tables that sort, files to save ----

const sortable = sheet => {
  const heads = [...sheet.tHead.rows[0].cells], body = sheet.tBodies[0];
  heads.forEach((head, column) => {
    head.tabIndex = 0;
    const sort = () => {
      const is_up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", is_up ? "ascending" : "descending");
      const value = row => row.cells[column].dataset.s === undefined ? row.cells[column].textContent : +row.cells[column].dataset.s;
      const list = [...body.rows].sort((a, b) => value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0);
      body.append(...(is_up ? list : list.reverse()));
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", event => { if (event.key === "Enter") sort(); });
  });
};

const save = place => {
  const quote = text => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const writers = {
    csv: () => ["resource,kind,task,units,chunk,start_s,end_s\n", ...Array.from(start, (_, i) =>
      [quote(rowOf(i).name), KINDS[kind[i]], task[i] || "", units[i], chunk[i], start[i], end[i]].join() + "\n")],
    json: () => [JSON.stringify(data)],
    svg: () => [document.querySelector("#gantt noscript").textContent.trim()]
  };
  for (const name of Object.keys(writers)) {
    const button = make("button", {textContent: name.toUpperCase()});
    button.addEventListener("click", () => {
      const url = URL.createObjectURL(new Blob(writers[name]()));
      make("a", {href: url, download: `loadstar.${name}`}).click();
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    });
    place.append("Save as ", button, " ");
  }
};

document.documentElement.classList.add("has-script");
gantt(document.getElementById("gantt"));
course(document.getElementById("course"));
chunks(document.getElementById("chunks"));
times(document.getElementById("times"));
document.querySelectorAll(".sortable").forEach(sortable);
save(document.getElementById("save"));
document.body.dataset.ready = count;
})();
