"use strict";
(() => {
  const told = JSON.parse(document.getElementById("data").textContent);
  const pairs = [...document.querySelectorAll("article")];
  if (!pairs.length) return;
  const keys = new Map([...document.querySelectorAll("button[data-verdict]")].map((b) => [b.querySelector("kbd").textContent, b]));
  const store = "simsieve " + location.pathname;
  let now = 0;
  let saved = true;

  const columns = ["a", "b", "verdict", "position_a", "position_b", "check_a", "check_b"];
  const cell = (pair, column) => pair.getAttribute("data-" + column.replaceAll("_", "-")) ?? "";
  const name = (pair) => JSON.stringify(columns.filter((column) => column !== "verdict").map((column) => cell(pair, column)));
  const words = new Map([...keys.values()].map((b) => [b.dataset.verdict, b.textContent.slice(b.querySelector("kbd").textContent.length).trim()]));

  function shown(pair) {
    pair.querySelector(".verdict").textContent = pair.dataset.verdict ? words.get(pair.dataset.verdict) : "";
  }
  function refresh() {
    const done = pairs.filter((pair) => pair.dataset.verdict).length;
    document.getElementById("count").textContent = told.count.replace("{done}", done).replace("{all}", pairs.length);
    for (const button of keys.values()) {
      button.setAttribute("aria-pressed", String(!!button.dataset.verdict && button.dataset.verdict === pairs[now].dataset.verdict));
    }
  }
  function go(to) {
    pairs[now].classList.remove("now");
    now = Math.max(0, Math.min(pairs.length - 1, to));
    pairs[now].classList.add("now");
    pairs[now].scrollIntoView({ block: "start" });
    refresh();
  }
  // The first pair from one on without a verdict, else the first of all, else the one before.
  function open(from) {
    const rest = (pair, at) => at >= from && !pair.dataset.verdict;
    const found = pairs.findIndex(rest);
    const any = found < 0 ? pairs.findIndex((pair) => !pair.dataset.verdict) : found;
    return any < 0 ? Math.max(0, from - 1) : any;
  }
  function keep() {
    // A browser may refuse to keep anything of a page from a file.
    try {
      localStorage.setItem(store, JSON.stringify(pairs.map((pair) => [name(pair), pair.dataset.verdict])));
    } catch { /* the page works without */ }
  }
  function judge(verdict) {
    pairs[now].dataset.verdict = verdict;
    shown(pairs[now]);
    saved = false;
    keep();
    if (verdict) go(open(now + 1)); else refresh();
  }
  // A spreadsheet would take such a text for a formula: see config/cells.py.
  const safe = (text) => (/^'*[=+\-@\t\r]/.test(text) && !/^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text) ? "'" + text : text);
  const field = (text) => (/[",\r\n]/.test(text) || text !== text.trim() ? '"' + text.replaceAll('"', '""') + '"' : text);
  function save() {
    const rows = pairs.filter((pair) => pair.dataset.verdict).map((pair) => columns.map((column) => cell(pair, column)));
    const text = [columns, ...rows].map((row) => row.map((text) => field(safe(text))).join(",") + "\n").join("");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    link.download = told.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    saved = true;
  }

  try {
    const kept = new Map(JSON.parse(localStorage.getItem(store) || "[]"));
    for (const pair of pairs) if (!pair.dataset.verdict && kept.get(name(pair))) pair.dataset.verdict = kept.get(name(pair));
  } catch { /* nothing was kept */ }
  pairs.forEach((pair, at) => {
    shown(pair);
    pair.addEventListener("click", () => { if (at !== now && !String(getSelection())) { pairs[now].classList.remove("now"); now = at; pair.classList.add("now"); refresh(); } });
  });
  for (const button of keys.values()) button.addEventListener("click", () => judge(button.dataset.verdict));
  document.getElementById("save").addEventListener("click", save);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = { j: 1, ArrowDown: 1, ArrowRight: 1, k: -1, ArrowUp: -1, ArrowLeft: -1 };
    if (keys.has(event.key)) judge(keys.get(event.key).dataset.verdict);
    else if (event.key in moves) go(now + moves[event.key]);
    else return;
    event.preventDefault();
  });
  addEventListener("beforeunload", (event) => { if (!saved) event.preventDefault(); });
  // A page that is opened again goes on where it was left.
  const first = open(0);
  if (first) go(first); else { pairs[0].classList.add("now"); refresh(); }
})();
