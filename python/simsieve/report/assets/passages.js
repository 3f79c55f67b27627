const percent = (share) => (100 * share).toFixed(1) + " %";

// A page that nobody serves has all inside; any other asks for a document or a text when it is shown.
const told = at("data");
const inside = told && JSON.parse(told.textContent);
const asked = async (path, number, of) => (inside ? inside[path][number] : ask(`${path}?number=${number}&of=${of}`));
const tell = (text) => { at("told").textContent = text; };
async function doing(what) {
  try { await what(); tell(""); } catch (error) {
    tell(error.message);
    if (!(error instanceof Refused)) throw error;
  }
}

let begun = inside;
await doing(async () => { begun ??= await ask("begin"); });
const { documents, names, lines, cut, first_source: firstSource, shortest, against, own: tellsOwn } = begun;
({ words } = begun);
documents.forEach((one, n) => { one.n = n; });
const opens = ({ n, sources, works }) => (inside ? n in inside.document : sources + works > 0);
let hidden = false;
const name = (n) => {
  if (!hidden) return names[n];
  return against && n >= firstSource ? put(words.a_source, { number: n + 1 - firstSource }) : put(words.a_document, { number: n + 1 });
};

// All documents.

const columns = [
  ["document", ({ n }) => name(n), (text) => text],
  ["characters", (one) => one.characters, (count) => count?.toLocaleString() ?? ""],
  ["shared", (one) => one.share, percent],
  ["quoted", (one) => one.quoted, percent],
  ["longest", (one) => one.longest, (count) => count.toLocaleString()],
  ["sources", (one) => one.sources, String],
  ["works", (one) => one.works ?? 0, percent],
  ["first", (one) => one.first, (source) => (source === null ? "" : name(source))],
].filter(([key]) => key !== "works" || tellsOwn);
const order = new Intl.Collator(undefined, { numeric: true });
const [page, mostDrawn, mostNumbers, mostNames] = [100, 150, 80, 12];
let sorted = { key: "shared", down: true };
let shown = page;

function rows() {
  const [, value] = columns.find(([key]) => key === sorted.key);
  const wanted = at("find").value.toLocaleLowerCase();
  const least = Number(at("from").value) / 100;
  const found = documents.filter((one) => one.share >= least && (!wanted || name(one.n).toLocaleLowerCase().includes(wanted)));
  const keys = new Map(found.map((one) => [one, value(one) ?? -1]));
  const compared = (a, b) => (sorted.key === "document" ? order.compare(keys.get(a), keys.get(b)) : keys.get(a) - keys.get(b));
  return found.sort((a, b) => (sorted.down ? compared(b, a) : compared(a, b)));
}

function table() {
  const head = columns.map(([key]) => {
    const now = sorted.key === key;
    const cell = holding(made("th"), button(words[key] + (now ? (sorted.down ? " ▼" : " ▲") : ""), () => {
      sorted = { key, down: now ? !sorted.down : key !== "document" };
      table();
      at("table").querySelector("[aria-sort] button").focus();
    }));
    cell.scope = "col";
    if (now) cell.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
    return cell;
  });
  const found = rows();
  const body = found.slice(0, shown).map((one) => holding(made("tr"), ...columns.map(([key, value, said]) => {
    const text = key === "document" && !hidden ? `${one.n + 1}. ${name(one.n)}` : said(value(one));
    const to = opens(one) && text && (key === "document" ? [one.n] : key === "first" && [one.n, one.first]);
    const cell = holding(made(key === "document" ? "th" : "td"), to ? button(text, () => go(...to), "name") : text);
    if (key === "document") cell.scope = "row";
    return cell;
  })));
  at("table").replaceChildren(holding(made("thead"), holding(made("tr"), ...head)), holding(made("tbody"), ...body));
  at("count").textContent = put(words.count, { count: found.length.toLocaleString(), all: documents.length.toLocaleString() });
  at("more").hidden = found.length <= shown;
  at("more").textContent = put(words.more, { count: (found.length - shown).toLocaleString() });
}
function overview() {
  table();
  if (!against) graph();
}

// Groups of documents, each in a box of its own, as points that push one another away and lines that pull.
function boxes(groups) {
  for (let unit = 320; ; unit *= 0.95) {
    let [x, y, row] = [0, 0, 0];
    const places = groups.map((members) => {
      const size = unit * Math.sqrt(members.length / groups[0].length);
      const [width, height] = [Math.max(76, 2 * size), Math.max(34, size)];
      if (x > 0 && x + width > 640) [x, y, row] = [0, y + row, 0];
      const box = { left: x + 10, right: x + width - 34, top: y + 12, bottom: y + height - 11 };
      x += width;
      row = Math.max(row, height);
      return box;
    });
    if (y + row <= 320 || unit < 20 * Math.sqrt(groups[0].length)) return [places, Math.max(160, y + row)];
  }
}
function spread(members, lines, { left, right, top, bottom }) {
  const [x0, y0, far] = [(left + right) / 2, (top + bottom) / 2, Math.sqrt(((right - left) * (bottom - top)) / members.length) * 0.7];
  const points = new Map(members.map((n, k) => {
    const turn = (2 * Math.PI * k) / members.length;
    return [n, { x: x0 + ((right - left) / 2) * Math.cos(turn), y: y0 + ((bottom - top) / 2) * Math.sin(turn) }];
  }));
  const all = [...points.values()];
  for (let heat = far; heat > 0.5; heat *= 0.96) {
    for (const one of all) {
      one.to = [(x0 - one.x) * 0.1, (y0 - one.y) * 0.2];
      for (const other of all) {
        const [x, y] = [one.x - other.x, one.y - other.y];
        const push = one === other ? 0 : (far * far) / (x * x + y * y + 0.01);
        one.to[0] += x * push; one.to[1] += y * push;
      }
    }
    for (const [one, other] of lines.map(([, a, b]) => [points.get(a), points.get(b)])) {
      const [x, y] = [one.x - other.x, one.y - other.y];
      const pull = Math.hypot(x, y) / far;
      one.to[0] -= x * pull; one.to[1] -= y * pull; other.to[0] += x * pull; other.to[1] += y * pull;
    }
    for (const one of all) {
      const long = Math.hypot(...one.to) || 1;
      const step = Math.min(long, heat) / long;
      one.x = Math.min(right, Math.max(left, one.x + one.to[0] * step));
      one.y = Math.min(bottom, Math.max(top, one.y + one.to[1] * step));
    }
  }
  return points;
}
// The lines come by share, the largest first, and each joins two groups or is in one.
function graph() {
  const least = Number(at("line").value) / 100;
  const groupOf = new Map();
  let k = 0;
  for (; k < lines.length && lines[k][0] >= least && groupOf.size < mostDrawn; k++) {
    const [share, ...ends] = lines[k];
    const [one, other] = ends.map((n) => groupOf.get(n) ?? { members: [n], lines: [], most: share });
    if (one !== other) {
      one.members.push(...other.members);
      one.lines.push(...other.lines);
      one.most = Math.max(one.most, other.most);
      for (const n of one.members) groupOf.set(n, one);
    }
    one.lines.push(lines[k]);
  }
  const groups = [...new Set(groupOf.values())].sort((a, b) => b.members.length - a.members.length);
  for (const { members } of groups) members.sort((a, b) => a - b);
  const [places, height] = groups.length ? boxes(groups.map(({ members }) => members)) : [[], 0];
  const points = new Map(groups.flatMap((one, k) => [...spread(one.members, one.lines, places[k])]));
  const drawn = (kind, values, title, done) => {
    const one = document.createElementNS("http://www.w3.org/2000/svg", kind);
    for (const [key, value] of Object.entries(values)) one.setAttribute(key, value);
    if (title) one.append(Object.assign(document.createElementNS("http://www.w3.org/2000/svg", "title"), { textContent: title }));
    if (done) one.addEventListener("click", done);
    return one;
  };
  // What it shows is in the list below it, for keys and screen readers.
  const picture = drawn("svg", { viewBox: `0 0 640 ${height}`, role: "img", "aria-label": words.graph });
  for (const [share, a, b] of groups.flatMap((one) => one.lines)) {
    const [one, other] = [points.get(a), points.get(b)];
    picture.append(drawn("line", { x1: one.x, y1: one.y, x2: other.x, y2: other.y, class: "joins", "stroke-width": 1 + 5 * share }, `${name(a)} – ${name(b)}: ${percent(share)}`, () => go(a, b)));
  }
  groups.forEach(({ members }, k) => {
    for (const n of members) {
      const { x, y } = points.get(n);
      picture.append(drawn("circle", { cx: x, cy: y, r: 6, class: `point c${k % 8}` }, name(n), () => go(n)));
      if (points.size > mostNumbers) continue;
      const label = drawn("text", { x: x + 8, y: y + 4 });
      label.textContent = points.size > mostNames ? n + 1 : name(n).slice(0, 12);
      picture.append(label);
    }
  });
  at("graph").replaceChildren(...(groups.length ? [picture] : [made("p", words.no_group, "none")]));
  at("drawn").textContent = groupOf.size >= mostDrawn || (cut && k === lines.length) ? put(words.drawn, { count: groupOf.size }) : "";
  at("groups").replaceChildren(...groups.map(({ members, most }, k) => {
    const said = put(words.group, { count: members.length, share: percent(most) }) + ": ";
    return holding(made("li", "", `c${k % 8}`), made("i", "", "key"), said, ...members.map((n) => button(hidden ? name(n) : `${n + 1}. ${name(n)}`, () => go(n), "name")));
  }));
}

// One document. Places are in code points, and strings in halves of them.

let own = null;
let items = [];
let now = null;
let beside = null;
let only = null;

const merged = (places) => {
  const all = [];
  for (const [start, end] of [...places].sort((a, b) => a[0] - b[0])) {
    const last = all[all.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end); else all.push([start, end]);
  }
  return all;
};
const size = (places) => places.reduce((sum, [start, end]) => sum + end - start, 0);
const wide = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u;
const units = ([start, end]) => own.points.slice(start, end).reduce((sum, one) => sum + (wide.test(one) ? 2 : 1), 0);
// What of a place is in no other; these ascend.
const apart = ([start, end], others) => {
  const parts = [];
  for (const [from, to] of others) {
    if (to <= start || from >= end) continue;
    if (from > start) parts.push([start, from]);
    start = to;
  }
  return start < end ? [...parts, [start, end]] : parts;
};
const outside = (kinds) => merged(own.excluded.filter(([kind]) => kinds.includes(kind)).map(([, start, end]) => [start, end]));
// Of the text that the run has not excluded, as in its totals.
const share = (places) => size(places) / Math.max(1, own.points.length - size(outside(["always"])));
// The texts of a document and of the sources that were looked at beside it.
let texts = new Map();
const pieces = (n) => texts.get(n);
async function load(n, of = own.n, into = texts) {
  if (!into.has(n)) into.set(n, (await asked("text", n, of)).map(([start, text, more]) => [start, Array.from(text), more]));
}

// The parts of spans that count, each with its span and source, by place. A part of a span is as long as a passage must be.
function counted(left) {
  const least = Number(at("least").value) || 0;
  const all = own.matches.filter((source) => (only ? source === only : source.used)).flatMap((source) => source.spans.map((span) => ({ source, span })));
  return all.flatMap((one) => {
    const parts = apart(one.span, left);
    const whole = size(parts) === one.span[1] - one.span[0];
    return parts.filter((part) => size([part]) >= least && (whole || units(part) >= shortest)).map((place) => ({ ...one, places: [place, one.span.slice(2, 4)], marks: [[], []] }));
  }).sort((a, b) => a.places[0][0] - b.places[0][0] || a.source.number - b.source.number);
}

function numbers(left) {
  const places = (some) => merged(some.map((one) => one.places[0]));
  const found = own.matches.map((source) => [source, items.filter((one) => one.source === source)]);
  const shares = new Map(found.filter(([, some]) => some.length).map(([source, some]) => [source, share(places(some))]));
  const without = merged([...left, ...outside(["quotes", "references"])]);
  at("numbers").replaceChildren(...[
    [percent(share(places(items))), words.share],
    [percent(share(places(items).flatMap((place) => apart(place, without)))), words.own],
    [percent(Math.max(0, ...shares.values())), words.largest],
    [String(shares.size), words.sources],
    [String(items.length), words.passages],
  ].map(([value, text]) => holding(made("div", "", "card"), made("b", value), made("span", text))));
  return shares;
}

// Their order stays, so that no row moves under the pointer.
function list(shares) {
  at("sources").replaceChildren(...own.matches.map((source) => {
    const box = made("input");
    box.type = "checkbox";
    box.checked = source.used;
    box.setAttribute("aria-label", name(source.source));
    box.addEventListener("change", () => { source.used = box.checked; refresh(); });
    const title = button(name(source.source) + (source.own ? ` · ${words.own_work}` : ""), () => go(own.n, source.source), "name");
    if (source === only) title.setAttribute("aria-current", "true");
    const part = made("span", percent(shares.get(source) ?? (only ? source.share : 0)), "share");
    return holding(made("li", "", source.colour + (only || shares.has(source) ? "" : " off")), box, made("span", source.number + 1, "number"), title, part);
  }));
}

// Words and dense characters of a place, each with its own; case, width and signs do not count.
const token = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[\p{L}\p{N}\p{M}]/u;
function tokens(points, start, end) {
  const found = [];
  for (let k = start, joins = false; k < end; k++) {
    const letter = points[k].normalize("NFKC").toLowerCase();
    if (!token.test(letter)) { joins = false; continue; }
    const dense = wide.test(letter);
    if (joins && !dense) { const last = found[found.length - 1]; last[0] += letter; last[2] = k + 1; }
    else found.push([letter, k, k + 1]);
    joins = !dense;
  }
  return found;
}

// The least edits between two lists, by the way of Myers (1986); all of both where these are too many. Out come places of both.
function edits(a, b) {
  const most = 1500;
  const steps = [];
  const far = new Map([[1, 0]]);
  let done = null;
  for (let d = 0; d <= Math.min(most, a.length + b.length) && !done; d++) {
    steps.push(new Map(far));
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && far.get(k - 1) < far.get(k + 1)) ? far.get(k + 1) : far.get(k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x][0] === b[x - k][0]) x++;
      far.set(k, x);
      if (x >= a.length && x - k >= b.length) done = [d, k];
    }
  }
  const differs = [a.map(() => !done), b.map(() => !done)];
  for (let [d, k] = done ?? [0, 0]; d > 0; d--) {
    const before = steps[d];
    const down = k === -d || (k !== d && before.get(k - 1) < before.get(k + 1));
    const x = before.get(down ? k + 1 : k - 1);
    k = down ? k + 1 : k - 1;
    differs[down ? 1 : 0][down ? x - k : x] = true;
  }
  return [a, b].map((all, side) => {
    const found = [];
    all.forEach(([, start, end], n) => {
      if (!differs[side][n]) return;
      if (n && differs[side][n - 1] && found.length) found[found.length - 1][1] = end; else found.push([start, end]);
    });
    return found;
  });
}

// What differs between a passage and its twin, in places of both.
const twin = ({ source, places: [, [start, end]] }) => pieces(source.source).find(([from, points]) => from <= start && end <= from + points.length);
function compared(one) {
  const [from, points] = twin(one);
  const [here, there] = edits(tokens(own.points, ...one.span), tokens(points, one.places[1][0] - from, one.places[1][1] - from));
  return [here, there.map(([start, end]) => [start + from, end + from])];
}

// The points of a place, with what differs in it.
function content(points, from, [start, end], differs) {
  const parts = [];
  const said = (a, b) => points.slice(a - from, b - from).join("");
  for (const [a, b] of differs) {
    if (b <= start || a >= end) continue;
    if (a > start) parts.push(said(start, a));
    parts.push(made("ins", said(Math.max(a, start), Math.min(b, end))));
    start = Math.min(b, end);
  }
  return start < end ? [...parts, said(start, end)] : parts;
}

// Fills a pane: each stretch between two ends of passages is one mark, of the source with the largest share.
function fill(side, some, shown, withGaps) {
  const parts = [];
  for (const one of shown) one.marks[side] = [];
  for (const [from, points, more] of some) {
    const to = from + points.length;
    if (from > 0) parts.push("…");
    const here = shown.filter(({ places: { [side]: place } }) => place[0] < to && place[1] > from).sort((a, b) => a.places[side][0] - b.places[side][0]);
    const ends = [...new Set([from, to, ...here.flatMap((one) => one.places[side])])].filter((end) => end >= from && end <= to).sort((a, b) => a - b);
    let open = [];
    let next = 0;
    for (let k = 0; k + 1 < ends.length; k++) {
      const [start, end] = [ends[k], ends[k + 1]];
      open = open.filter(({ places }) => places[side][1] > start);
      while (next < here.length && here[next].places[side][0] <= start) open.push(here[next++]);
      if (!open.length) {
        parts.push(withGaps ? made("span", put(words.left, { count: end - start }), "gap") : points.slice(start - from, end - from).join(""));
        continue;
      }
      const first = open.reduce((a, b) => (b.source.number < a.source.number ? b : a));
      const mark = made("mark", "", first.source.colour);
      const begins = open.filter((one) => one.places[side][0] === start);
      if (begins.length) mark.append(...begins.map((one) => made("sup", items.indexOf(one) + 1, "number " + one.source.colour)));
      mark.append(...content(points, from, [start, end], first.source === beside ? (first.span.differs ??= compared(first))[side] : []));
      mark.title = `${items.indexOf(first) + 1}. ${name(first.source.source)}`;
      mark.addEventListener("click", () => doing(() => show(first)));
      if (begins.includes(first)) {
        mark.tabIndex = 0;
        mark.setAttribute("role", "button");
        mark.addEventListener("keydown", (event) => { if (event.key === "Enter") doing(() => show(first)); });
      }
      for (const one of open) one.marks[side].push(mark);
      parts.push(mark);
    }
    if (more) parts.push("…");
  }
  at(panes[side]).replaceChildren(...parts);
}

// Both panes scroll together: a passage in one stays level with its twin in the other.
const panes = ["text", "twin"];
let leads = null;
function follow(side) {
  if (leads !== side || !beside) return;
  const [one, other] = [at(panes[side]), at(panes[1 - side])];
  const top = (item, s) => item.marks[s][0].offsetTop;
  const end = (item, s) => { const last = item.marks[s].at(-1); return last.offsetTop + last.offsetHeight; };
  const both = items.filter((item) => item.source === beside && item.marks[0].length && item.marks[1].length);
  const knots = both.flatMap((item) => [top, end].map((edge) => [edge(item, side), edge(item, 1 - side)])).sort((a, b) => a[0] - b[0]);
  knots.unshift([0, 0]);
  knots.push([one.scrollHeight, other.scrollHeight]);
  const level = one.clientHeight / 3;
  const y = one.scrollTop < 2 ? 0 : one.scrollTop + level;
  const k = Math.max(1, knots.findIndex(([place]) => place >= y));
  const [[a, c], [b, d]] = [knots[k - 1], knots[k]];
  other.scrollTop = c + ((d - c) * (y - a)) / Math.max(1, b - a) - level;
}

async function show(one, { focus = false } = {}) {
  now = one ?? null;
  const source = one?.source ?? only;
  if (source) await load(source.source);
  if (now !== (one ?? null)) return;
  if (source !== beside) {
    beside = source;
    fill(0, [[0, own.points, false]], items, at("only").checked);
    if (beside) fill(1, pieces(beside.source), items.filter((item) => item.source === beside), false);
  }
  at("twin-name").textContent = beside ? `${beside.number + 1}. ${name(beside.source)}` : "";
  if (!beside) at("twin").replaceChildren(made("p", words.choose, "note"));
  for (const mark of document.querySelectorAll("mark.now")) mark.classList.remove("now");
  const said = one ? [put(words.at, { number: items.indexOf(one) + 1, count: items.length }), ...where(one)] : [];
  at("where").textContent = said.join(" · ");
  if (!one) return;
  leads = null;
  one.marks.flat().forEach((mark) => mark.classList.add("now"));
  for (const side of [0, 1]) {
    const mark = one.marks[side][0];
    if (mark) at(panes[side]).scrollTop = mark.offsetTop - at(panes[side]).clientHeight / 3;
  }
  if (focus) one.marks[0][0]?.focus({ preventScroll: true });
}
function where({ span: [start, end, , , score, page, source_page] }) {
  const pages = [[words.page, page], [words.source_page, source_page]].filter(([, page]) => page !== null);
  return [put(words.from, { start: start + 1, end }), ...pages.map(([word, page]) => put(word, { page })), put(words.equal, { share: percent(score) })];
}

function refresh() {
  const left = outside(["always", ...["quotes", "references"].filter((kind) => at(kind).checked)]);
  items = counted(left);
  list(numbers(left));
  beside = undefined;
  return doing(() => show(only ? items[0] : null));
}
function move(by) {
  if (!items.length) return;
  const here = now ? items.indexOf(now) : by > 0 ? -1 : 0;
  doing(() => show(items[(here + by + items.length) % items.length], { focus: true }));
}

// The printed form of two texts, for those who speak of them.
function form() {
  at("form").replaceChildren();
  if (!own) { shown = documents.length; table(); }
  if (!only) return;
  const row = (kind, ...cells) => holding(made("tr"), ...cells.map((cell) => holding(made(kind), ...[cell].flat())));
  const body = items.map((one, n) => {
    const [here, there] = (one.span.differs ??= compared(one));
    const [from, points] = twin(one);
    return row("td", String(n + 1), where(one).join(" · "), content(own.points, 0, one.places[0], here), content(points, from, one.places[1], there));
  });
  const head = holding(made("thead"), row("th", "", words.place, words.in_document, words.in_source));
  at("form").append(
    made("h2", words.form),
    made("p", `${words.document}: ${name(own.n)}`), made("p", `${words.source}: ${name(only.source)}`),
    made("p", [at("numbers").firstChild.innerText.replace("\n", " "), `${items.length} ${words.passages}`, words.differs].join(" · ")),
    holding(made("table"), head, holding(made("tbody"), ...body)), ...(against ? [] : [made("p", words.origin)]),
    made("p", words.heard, "lines"), made("p", words.signed, "line-of-names"),
  );
}

// The address names the view, so that the browser's way back works: nothing, a document, or a document and its source.

function go(...numbers) { location.hash = numbers.join("-"); }
async function route() {
  const { hash } = location;
  const [n, source] = hash.slice(1).split("-").map((part) => (part === "" ? NaN : Number(part)));
  const next = documents[n] && opens(documents[n]) ? documents[n] : null;
  const read = next === own ? texts : new Map();
  if (next) await load(n, n, read);
  if (next && !next.matches) {
    const { names: more, ...found } = await asked("document", n, n);
    Object.assign(names, more);
    Object.assign(next, found);
    next.matches.forEach((match, number) => Object.assign(match, { number, colour: "c" + (number % 8), used: !match.own }));
  }
  if (location.hash !== hash) return;
  if (own) delete own.points;
  [own, texts] = [next, read];
  at("all").hidden = Boolean(own);
  at("one").hidden = !own;
  if (!own) { only = null; overview(); return; }
  own.points = pieces(n)[0][1];
  only = own.matches.find((match) => match.source === source) ?? null;
  at("every").disabled = !only;
  at("name").textContent = name(n);
  at("text-name").textContent = name(n);
  await refresh();
  scrollTo(0, 0);
  at("name").focus({ preventScroll: true });
}

for (const id of ["quotes", "references", "only", "least"]) at(id).addEventListener("input", refresh);
at("line")?.addEventListener("input", graph);
for (const id of ["find", "from"]) at(id).addEventListener("input", () => { shown = page; table(); });
at("more").addEventListener("click", () => {
  shown += page;
  table();
  const first = at("table").querySelectorAll("tbody tr")[shown - page];
  first.tabIndex = -1;
  first.focus();
});
at("next").addEventListener("click", () => move(1));
at("previous").addEventListener("click", () => move(-1));
at("back").addEventListener("click", () => go());
at("every").addEventListener("click", () => go(own.n));
at("hide").addEventListener("click", () => { hidden = !hidden; at("hide").setAttribute("aria-pressed", hidden); overview(); });
at("save").addEventListener("click", ({ target }) => {
  const values = rows().map((one) => columns.map(([key, value, said]) => String((key === "first" ? said(value(one)) : value(one)) ?? "")));
  filled(target, [columns.map(([key]) => words[key]), ...values], "\ufeff");
});
for (const one of document.querySelectorAll(".print")) one.addEventListener("click", () => print());
panes.forEach((id, side) => {
  for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"]) at(id).addEventListener(kind, () => { leads = side; }, { passive: true });
  at(id).addEventListener("scroll", () => follow(side));
});
addEventListener("beforeprint", form);
addEventListener("hashchange", () => doing(route));
document.addEventListener("keydown", (event) => {
  if (!own || event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "j" || event.key === "ArrowRight") move(1);
  if (event.key === "k" || event.key === "ArrowLeft") move(-1);
  if (event.key === "Escape") go(...(only ? [own.n] : []));
});
await doing(route);
