// The page of `simsieve app`: a look, a run, groups with boxes, and what becomes of the files that are not checked.
const form = at("start");
let look = {};
let last = Promise.resolve();
let first = 0;
let run = 0;

const listed = (place, texts) => at(place).replaceChildren(...texts.map((text) => made("li", text)));
const percent = (kind) => Math.round(look.proposal.limits[kind] * 100);

// The number of the page's state, in case another tab has opened or found something else.
const act = (path, body) => ask(path, { ...body, place: look.name, run });
const undo = (body) => ask("undo", { ...body, place: look.name });

// One thing after another.
function doing(what) {
  last = last.then(async () => {
    at("told").textContent = "";
    try { await what(); } catch (error) {
      at("told").textContent = error.message;
      at("done").textContent = "";
      at("told").scrollIntoView({ block: "nearest" });
      if (!(error instanceof Refused)) throw error;
    }
  }).catch((error) => { console.error(error); });
  return last;
}

function showWhat() {
  const what = form.elements.what.value;
  for (const one of document.querySelectorAll("[data-of]")) one.hidden = !one.dataset.of.split(" ").includes(what);
  form.querySelector("[type=submit]").textContent = words[what === "passages" ? "find-passages" : "find"];
  document.querySelector("[data-rule=longest]").textContent = words[what === "texts" ? "longest" : "largest"];
  at("fields").hidden ||= !look.fields.length;
  for (const name of ["similarity", "bits"]) form.elements[name].disabled = form.elements[name].closest("label").hidden;
}

async function showLook(found = ask("look")) {
  at("files").textContent = words.looking;
  look = await found;
  at("other").hidden = !look.may_choose;
  at("looking").hidden = at("runs").hidden = look.is_closed;
  if (look.is_closed) {
    await choose();
    return;
  }
  at("name").textContent = look.name;
  at("asking").hidden = !look.index;
  if (look.index) {
    for (const id of ["runs", "shared", "found", "closing", "kinds", "unread-part"]) at(id).hidden = true;
    at("files").textContent = look.index;
    return;
  }
  const inside = look.fields.length ? put(words.records, { names: look.fields.join(", ") }) : words.lines;
  at("files").textContent = look.is_folder ? put(words.files, look) : inside;
  at("kinds").textContent = put(words.kinds, { kinds: look.kinds.map(([ending, count]) => `${count} ${ending}`).join(", ") });
  at("kinds").hidden = !look.is_folder;
  at("unread-part").hidden = !look.unread.length;
  at("unread-title").textContent = put(words.unread, { count: look.unread.reduce((sum, [, count]) => sum + count, 0) });
  document.querySelector("#unread tbody").replaceChildren(...look.unread.map((row) => holding(made("tr"), ...row.map((cell) => made("td", String(cell))))));
  at("whats").hidden = !look.texts;
  for (const box of form.elements.what) box.closest("label").hidden = box.value === "pictures" && !look.pictures;
  form.elements.what.value = look.texts || !look.pictures ? "texts" : "pictures";
  form.elements.kind.value = look.kind;
  form.elements.similarity.value = percent(look.kind);
  at("why").textContent = look.proposal.why;
  for (const { elements } of [form, at("by-field")]) elements.field.replaceChildren(...look.fields.map((name) => option(name, name)));
  at("by-field").hidden = !look.fields.length;
  document.querySelector("[data-rule=newest]").hidden = !look.is_folder;
  showWhat();
  showState(look);
}

// The folders and files that can be opened, of the folder of the start or of one below or above it.
async function choose(inside) {
  const here = await ask("folder", inside === undefined ? {} : { inside });
  const buttons = (place, entries, what) =>
    at(place).replaceChildren(...entries.map(([name, path]) => holding(made("li"), button(name, () => doing(() => what(path))))));
  at("choosing").hidden = false;
  at("folder").textContent = here.name;
  at("up").hidden = here.up === null;
  at("up").onclick = () => doing(() => choose(here.up));
  at("open").hidden = !here.may_open;
  at("open").onclick = () => doing(() => open(here.inside));
  buttons("folders", here.folders, choose);
  buttons("places", here.files, open);
  // What was clicked may be gone, and with it the place of the keyboard.
  (here.may_open ? at("open") : document.querySelector("#folders button"))?.focus({ preventScroll: true });
  at("unlisted").textContent = here.left ? put(words.left, { count: here.left }) : here.folders.length + here.files.length ? "" : words.empty;
}

async function open(inside) {
  const found = await ask("choose", { inside });
  at("choosing").hidden = true;
  at("done").textContent = at("ruled").textContent = "";
  listed("refused", []);
  at("write").elements.name.value = "";
  await showLook(found);
  at("looking").scrollIntoView();
}

function showState(state) {
  at("work").hidden = !state.running;
  form.querySelector("[type=submit]").disabled = state.running;
  const { name, done, total, rate, eta_seconds: left } = state.stage;
  if (total) Object.assign(at("bar"), { max: total, value: done });
  else at("bar").removeAttribute("value");
  const values = { name, done: done?.toLocaleString(), total: total?.toLocaleString() ?? "?", rate: Math.round(rate ?? 0).toLocaleString(), left: Math.ceil(left ?? 0) };
  at("stage").textContent = name ? put(rate ? words.stage : words.begun, values) : words.starting;
  if (state.error) at("told").textContent = state.error;
  const { counts } = state;
  at("found").hidden = !counts;
  at("promise").hidden = !counts;
  at("shared").hidden = !state.passages || state.running;
  at("passages").textContent = state.passages ?? "";
  at("move").hidden = !counts?.gone || !look.is_folder;
  at("write").hidden = !counts || look.is_folder;
  at("closing").hidden = !counts && !state.moved?.length && !at("done").textContent;
  if (counts) {
    at("counts").textContent = counts.groups ? counts.told : `${counts.told} ${words["no-group"]}`;
    at("failed").hidden = !counts.failures.length;
    listed("failures", counts.failures);
    listed("notes", counts.notes);
    // A change of all groups holds for those that are not shown yet too.
    const left = Math.max(counts.groups - first, 0);
    const later = left ? counts.later[first / counts.page] : 0;
    const told = (text, values, count, more) => (count ? put(words[more], { what: put(words[text], values), count }) : put(words[text], values));
    at("beside").textContent = told("beside-button", { count: counts.gone, folder: state.beside }, later, "later");
    at("bin").textContent = told("bin-button", { count: counts.gone }, later, "later");
    at("write-button").textContent = told("write-button", {}, left, "later-groups");
    if (!at("write").elements.name.value) at("write").elements.name.value = counts.name;
  }
  at("undos").replaceChildren(...(state.moved ?? []).map(([batch, text, names]) =>
    holding(made("div", `${text} `), button(words["undo-button"], () => doing(() => finished(undo({ batch })))), list(batch, names))));
}

// The files of a move; each can be put back. A list that is open stays open when the page is filled again.
const opened = new Set();
function list(batch, names) {
  const part = Object.assign(made("details"), { open: opened.has(batch) });
  part.addEventListener("toggle", () => (part.open ? opened.add(batch) : opened.delete(batch)));
  const files = made("ul");
  files.append(...names.map((name) => {
    const back = button(words.back, () => doing(() => finished(undo({ batch, name }))));
    back.setAttribute("aria-label", `${words.back}: ${name}`);
    return holding(made("li", `${name} `), back);
  }));
  part.append(made("summary", words.list), files);
  return part;
}

async function watch() {
  let state = await ask("state");
  while (state.running) {
    showState(state);
    await new Promise((done) => setTimeout(done, 300));
    state = await ask("state");
  }
  showState(state);
  if (state.counts) await showGroups(0);
}

function member(one, group) {
  const row = made("div", "", "member");
  const box = Object.assign(made("input"), { type: "checkbox", value: one.position });
  const label = holding(made("label"), box, " ", made("span", one.name));
  const compare = button(words.compare, () => doing(async () => {
    const open = row.querySelector("near-pair");
    compare.textContent = open ? words.compare : words.close;
    if (open) open.remove();
    else row.append(shownPair(await ask(`pair?position=${one.position}`)));
  }));
  compare.setAttribute("aria-label", `${words.compare}: ${one.name}`);
  row.append(label, compare, made("p", [one.why, one.letters && put(words[one.text.length < one.letters ? "beginning" : "letters"], { count: one.letters.toLocaleString() })].filter(Boolean).join(" · ")));
  const preview = one.picture ? Object.assign(made("img"), { src: one.picture, alt: one.name }) : made("div", one.text, "text");
  preview.dir = "auto";
  row.append(preview);
  box.addEventListener("change", () => {
    const keep = box.checked;
    doing(async () => {
      group.querySelector(".refused").textContent = "";
      try { said(group, await act("check", { position: one.position, keep })); } catch (error) {
        box.checked = !keep;
        if (!(error instanceof Refused)) throw error;
        group.querySelector(".refused").textContent = error.message;
      }
    });
  });
  return row;
}

function mark(box, kept) {
  box.checked = kept;
  box.closest(".member").classList.toggle("kept", kept);
}

// What a change of one box has come to, in its whole group; the boxes stay where they are, and so does the focus.
function said(group, { kept, none, state }) {
  for (const box of group.querySelectorAll(".member input")) mark(box, kept[box.value]);
  group.querySelector(".none-of input").checked = none;
  showState(state);
}

function shown(one, number) {
  const group = made("fieldset", "", "group");
  group.append(made("legend", put(words.group, { number, size: one.size })), Object.assign(made("p", "", "refused"), { role: "alert" }));
  group.append(...one.members.map((each) => member(each, group)));
  one.members.forEach((each, place) => mark(group.querySelectorAll(".member input")[place], each.kept));
  if (one.left) group.append(made("p", put(words.rest, { count: one.left }), "note"));
  if (one.linked.length) group.append(made("p", put(words.linked, { names: one.linked.join(", ") }), "note"));
  const none = Object.assign(made("input"), { type: "checkbox", checked: one.none });
  const label = holding(made("label", "", "none-of"), none, " ", made("span", words["none-of"]));
  none.addEventListener("change", () => doing(async () => said(group, await act("none", { group: one.head, none: none.checked }))));
  return holding(group, label, button(words["all-of"], () => doing(async () => said(group, await act("none", { group: one.head, all: true })))));
}

async function showGroups(start) {
  const { groups, run: found } = await ask(`groups?start=${start}`);
  if (start && found !== run) throw new Refused(0, words.other_run);
  run = found;
  if (!start) { at("groups").replaceChildren(); first = 0; }
  at("groups").append(...groups.map((one, place) => shown(one, start + place + 1)));
  first += groups.length;
  const state = await ask("state");
  const { counts } = state;
  showState(state);
  at("more").hidden = first >= counts.groups;
  at("more").textContent = put(words.more, { count: counts.groups - first });
}

// Something was written, moved or put back: say it, and look again.
async function finished(answer) {
  const { said: text, refused, state } = await answer;
  at("done").textContent = text;
  listed("refused", refused ?? []);
  at("write").elements.name.value = "";
  showState(state);
  if (look.is_folder) await showLook();
}

form.addEventListener("change", ({ target }) => {
  if (target.name === "what") showWhat();
  if (target.name === "kind") form.elements.similarity.value = percent(target.value);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { what, kind, similarity, bits, field, encoding } = form.elements;
  const limit = what.value === "pictures" ? Number(bits.value) : similarity.value / 100;
  doing(async () => {
    at("done").textContent = "";
    listed("refused", []);
    await ask("start", { what: what.value, kind: kind.value, limit, field: field.value, encoding: encoding.value, place: look.name });
    at("ruled").textContent = "";
    first = 0;
    watching();
  });
});
async function rule(body) {
  at("ruled").textContent = (await act("rule", body)).said;
  await showGroups(0);
}
const watching = () => watch().catch((error) => { at("told").textContent = error.message; });
at("cancel").addEventListener("click", () => doing(() => ask("cancel", {})));
for (const button of document.querySelectorAll("[data-rule]")) {
  button.addEventListener("click", () => doing(() => rule({ rule: button.dataset.rule })));
}
at("by-field").addEventListener("submit", (event) => {
  event.preventDefault();
  const { field, least } = event.target.elements;
  doing(() => rule({ rule: "field", field: field.value, least: least.value === "1" }));
});
at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  doing(async () => {
    const { matches } = await ask("ask", { text: event.target.elements.text.value });
    at("matched").textContent = put(words.matched, { count: matches.length });
    at("matches").replaceChildren(...matches.map(shownPair));
  });
});
at("other").addEventListener("click", () => doing(async () => {
  await choose();
  at("choosing").scrollIntoView();
}));
at("more").addEventListener("click", () => doing(() => showGroups(first)));
for (const where of ["beside", "bin"]) {
  at(where).addEventListener("click", () => doing(() => { at("done").textContent = words.moving; return finished(act("move", { where })); }));
}
at("write").addEventListener("submit", (event) => {
  event.preventDefault();
  doing(() => finished(act("write", { name: event.target.elements.name.value })));
});

await doing(async () => {
  words = await ask("begin");
  await showLook();
});
if (!look.index && !look.is_closed) await watch();
