// A page that nobody serves has its pairs inside, and answers itself; the browser keeps its verdicts.
function offline({ pairs, words }) {
  const store = `simsieve ${location.pathname}`;
  const name = (pair) => JSON.stringify(pair.naming);
  const log = [];
  const judged = () => pairs.filter(({ verdict }) => verdict && verdict !== "skip");
  const state = () => {
    const verdicts = {};
    for (const { verdict } of judged()) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    return { number: 0, judged: judged().length, near: pairs.length, verdicts };
  };
  const give = (pair, verdict) => {
    pair.verdict = verdict;
    // A browser may refuse to keep anything of a page from a file.
    try { localStorage.setItem(store, JSON.stringify(pairs.map((one) => [name(one), one.verdict]))); } catch { /* the page works without */ }
  };
  try {
    const kept = new Map(JSON.parse(localStorage.getItem(store) ?? "[]"));
    for (const pair of pairs) pair.verdict ||= kept.get(name(pair)) ?? "";
  } catch { /* nothing was kept */ }
  let isSaved = true;
  document.querySelector("a[download]").addEventListener("click", ({ target }) => {
    const columns = ["a", "b", "verdict", "position_a", "position_b", "check_a", "check_b"];
    const rows = judged().map((pair) => columns.map((column) => String((column === "verdict" ? pair.verdict : pair.naming[column]) ?? "")));
    filled(target, [columns, ...rows]);
    isSaved = true;
  });
  addEventListener("beforeunload", (event) => { if (!isSaved) event.preventDefault(); });
  return {
    begin: () => ({ words, may: { judge: true }, state: state() }),
    item: () => ({ total: Math.min(pairs.length, 1), rank: 0, left: 0, pairs }),
    verdict: ({ position, verdict }) => {
      const pair = pairs.find((one) => one.position === position);
      log.push([pair, pair.verdict]);
      give(pair, verdict);
      isSaved = false;
      return { state: state() };
    },
    undo: () => {
      const last = log.pop();
      if (last) give(...last);
      return { state: state(), rank: last ? 0 : null, position: last?.[0].position, is_undone: Boolean(last) };
    },
  };
}

const told = at("data");
const inside = told && offline(JSON.parse(told.textContent));
const asked = (path, body) => (inside ? inside[path.split("?")[0]](body) : ask(path, body));
let state = { number: 0 };
let item = { pairs: [], rank: 0, total: 0 };
let current = 0;
let wanted = new URLSearchParams(location.hash.slice(1));
let isBusy = false;

NearPair.prototype.keeps = function keeps(verdict) { choose(this); doing(() => judge(verdict)); };

const pairs = () => [...document.querySelectorAll("near-pair")];

function tell(text) { at("told").textContent = text; }

function showState() {
  const said = Object.entries(state.verdicts).filter(([, count]) => count).map(([word, count]) => `${words[word]} ${count}`);
  at("state").textContent = [put(words.judged, { done: state.judged, all: state.near }), ...said].join(" · ");
  if (inside) return;
  at("precision").textContent = put(words.precision, { value: state.precision });
  at("about").textContent = state.about;
  at("effects").textContent = state.effects ?? "";
}

function choose(pair, scrolls = false) {
  const all = pairs();
  current = all.indexOf(pair);
  for (const one of all) one.toggleAttribute("data-now", one === pair), one.setAttribute("aria-current", String(one === pair));
  for (const button of document.querySelectorAll(".buttons [data-verdict]")) {
    button.setAttribute("aria-pressed", String(!!pair && button.dataset.verdict === pair.pair.verdict));
  }
  if (!scrolls || !pair) return;
  const { top } = pair.getBoundingClientRect();
  if (top < document.querySelector("header").getBoundingClientRect().bottom || top > innerHeight / 2) pair.scrollIntoView({ block: "start" });
  pair.focus({ preventScroll: true });
}

function added(list) {
  const new_ = list.map((pair) => {
    const one = shownPair(pair);
    one.addEventListener("click", () => { if (!String(getSelection())) choose(one); });
    return one;
  });
  at("pairs").append(...new_);
  at("more").hidden = !item.left;
  at("more").textContent = put(words.more, { count: item.left });
}

// Show an item: `to` has its rank, or the place from which on something is to be judged. Its first pair that is not judged
// is chosen, or the last one, or that at a position.
async function show(to, chosen = "") {
  const query = new URLSearchParams(wanted);
  query.delete("rank");
  for (const [name, value] of Object.entries(to)) query.set(name, value);
  item = await asked(`item?${query}`);
  at("pairs").replaceChildren();
  query.delete("after");
  query.set("rank", item.rank);
  history.replaceState(null, "", `#${query}`);
  if (!item.total) {
    at("name").textContent = words.none;
    at("note").textContent = "";
    at("more").hidden = true;
    return;
  }
  at("name").textContent = put(words.item, { rank: item.rank + 1, total: item.total, name: item.name });
  at("note").textContent = put(words.near, { size: item.size });
  added(item.pairs);
  const found = () => pairs().find(({ pair }) => (typeof chosen === "number" ? pair.position === chosen : !pair.verdict));
  while (chosen !== "last" && !found() && item.left) await more();
  choose((chosen === "last" ? pairs().at(-1) : found()) ?? pairs()[0], true);
}

async function more() {
  const query = new URLSearchParams(wanted);
  query.set("rank", item.rank);
  query.set("start", pairs().length);
  const further = await asked(`item?${query}`);
  item.left = further.left;
  added(further.pairs);
}

async function next() {
  if (current + 1 >= pairs().length && item.left) await more();
  if (current + 1 < pairs().length) choose(pairs()[current + 1], true);
  else if (item.rank + 1 < item.total) await show({ rank: item.rank + 1 });
}

async function previous() {
  if (current) choose(pairs().at(Math.max(-1, current - 1)), true);
  else if (item.rank > 0) await show({ rank: item.rank - 1 }, "last");
}

// The next pair of the item without a verdict, or the next item that has one.
async function goOn() {
  const rest = () => pairs().find((one, place) => place > current && !one.pair.verdict);
  while (!rest() && item.left) await more();
  const open = rest() ?? pairs().find((one) => !one.pair.verdict);
  if (open) { choose(open, true); return; }
  await show({ after: (item.rank + 1) % item.total });
  end();
}

// Where all is judged no pair is chosen, so that a key which is pressed once more changes nothing.
function end() {
  if (!item.total || !pairs().every((one) => one.pair.verdict)) return;
  if (!wanted.has("rank")) tell(words.done);
  choose();
}

async function judge(verdict) {
  const one = pairs()[current];
  if (!one || (verdict === "keep b" && one.pair.is_old)) return;
  const said = await asked("verdict", { position: one.pair.position, verdict, seen: one.pair.number });
  Object.assign(one.pair, said.pair);
  state = said.state;
  one.say();
  tell("");
  // The count changes with the pair, so that who waits for the count presses a key for the pair that is shown.
  try { await goOn(); } finally { showState(); }
}

async function undo() {
  const said = await asked(`undo?${wanted}`, {});
  state = said.state;
  tell(said.is_undone ? (said.rank === null ? words.undone : "") : words.nothing);
  try { if (said.rank !== null) await show({ rank: said.rank }, said.position); } finally { showState(); }
}

// One thing at a time: a key that is held down does not judge what nobody has seen.
async function doing(what) {
  if (isBusy) return;
  isBusy = true;
  try { await what(); } catch (error) {
    if (!(error instanceof Refused)) throw error;
    tell(error.message);
    if (error.status === 409) await look();
  } finally { isBusy = false; }
}

async function look() {
  const said = await asked(`changes?after=${state.number}`);
  state = said.state;
  for (const one of pairs()) {
    const change = said.pairs[one.pair.position];
    if (change && change.number !== one.pair.number) { Object.assign(one.pair, change); one.say(); }
  }
  const now = pairs()[current];
  if (now) choose(now);
  showState();
}

async function fillFilters(filters) {
  const form = at("filters");
  const fill = (name, entries) => {
    const select = form.elements[name];
    select.replaceChildren(...entries.map(([value, text]) => option(value, text)));
    if (wanted.has(name)) select.value = wanted.get(name);
    select.closest("label").hidden = entries.length < 2;
  };
  const any = ["", words.any];
  const orders = { doubt: words.doubt, lost: words.most, conflict: words.numbers, size: words.size, sample: words.sample };
  fill("order", filters.orders.map((name) => [name, orders[name]]));
  fill("source", filters.sources.length ? [any, ...filters.sources.map((name, place) => [String(place), name])] : []);
  fill("field", filters.fields.length ? [any, ...filters.fields.map((name) => [name, name])] : []);
  fill("value", []);
  const values = async () => {
    const field = form.elements.field.value;
    const found = field ? (await asked(`values?field=${encodeURIComponent(field)}`)).values : [];
    fill("value", found.length ? found.map((value) => [value, value || "-"]) : []);
    form.elements.value.closest("label").hidden = !field;
  };
  form.elements.field.addEventListener("change", () => doing(values));
  if (wanted.get("field")) await values();
  form.querySelector(`[data-range="${filters.by_bits ? "similarity" : "distance"}"]`).hidden = true;
  for (const input of form.querySelectorAll("input")) input.value = wanted.get(input.name) ?? "";
  const read = () => {
    const given = [...new FormData(form)].filter(([name, value]) => value !== "" || (name === "value" && form.elements.field.value));
    wanted = new URLSearchParams(given);
    return doing(() => show({ after: 0 }));
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); tell(""); read(); });
  form.addEventListener("reset", () => setTimeout(() => { fill("value", []); read(); }));
}

const moves = {
  undo, next, previous,
  "next-item": () => item.rank + 1 < item.total && show({ rank: item.rank + 1 }),
  "previous-item": () => item.rank > 0 && show({ rank: item.rank - 1 }),
};
const keys = new Map(["a", "b"].map((side) => [side, () => words.keep && judge(`keep ${side}`)]));
for (const button of document.querySelectorAll(".buttons button")) {
  const act = button.dataset.verdict ? () => judge(button.dataset.verdict) : moves[button.dataset.move];
  keys.set(button.querySelector("kbd").textContent, act);
  button.addEventListener("click", () => doing(act));
}
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  if (event.target.closest("input, select, textarea")) return;
  // What was typed counts. Only where it is no letter of this page, as in Russian or under an input method, the place of the key does.
  const letter = /^(?:[ -~]|\p{Script=Latin})$/u.test(event.key) ? event.key.toLowerCase() : event.code.replace(/^Key/, "").toLowerCase();
  if (!keys.has(letter)) return;
  event.preventDefault();
  doing(keys.get(letter));
});
at("more").addEventListener("click", () => doing(more));
if (!inside) {
  at("work-out").addEventListener("click", () => doing(async () => {
    at("effects").textContent = "…";
    ({ state } = await asked("effects", {}));
    showState();
  }));
  at("take").addEventListener("change", ({ target }) => doing(async () => {
    const [file] = target.files;
    if (!file) return;
    at("taken").textContent = "…";
    try {
      const content = await new Promise((done) => {
        const reader = new FileReader();
        reader.onload = () => done(reader.result);
        reader.readAsDataURL(file);
      });
      const said = await asked("take", { name: file.name, content: content.slice(content.indexOf(",") + 1) });
      await look();
      at("taken").textContent = said.said;
    } catch (error) {
      at("taken").textContent = error.message;
      if (!(error instanceof Refused)) throw error;
    } finally { target.value = ""; }
  }));
  at("apply").addEventListener("click", () => doing(async () => {
    const { said, button } = await asked("apply", {});
    at("applied").textContent = said;
    at("apply").textContent = button;
  }));
  at("invite").addEventListener("submit", (event) => {
    event.preventDefault();
    doing(async () => {
      const { token } = await asked("invite", { name: new FormData(event.target).get("name") });
      at("address").textContent = `${words.address}\n${new URL(`./?token=${token}`, location.href.split("#")[0])}`;
      event.target.reset();
    });
  });
}

await doing(async () => {
  const begun = await asked("begin");
  ({ words, may, state } = begun);
  for (const button of document.querySelectorAll(".buttons [data-verdict], [data-move=undo], #work-out, #take")) button.disabled = !may.judge;
  showState();
  if (!inside) {
    for (const id of ["apply", "invite"]) at(id).hidden = !may.apply;
    at("apply").textContent = words.apply;
    await fillFilters(begun.filters);
  }
  await show(wanted.has("rank") ? { rank: wanted.get("rank") } : { after: 0 });
  end();
  wanted.delete("rank");
});
if (!inside) setInterval(() => { if (!document.hidden && !isBusy) look().catch((error) => tell(error.message)); }, 1000);
