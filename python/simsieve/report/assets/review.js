"use strict";
(() => {
  const told = JSON.parse(document.getElementById("data").textContent);
  const pairs = [...document.querySelectorAll("article")];
  if (!pairs.length) return;
  const keys = new Map([...document.querySelectorAll("button[data-verdict]")].map((b) => [b.querySelector("kbd").textContent, b]));
  const store = "simsieve " + location.pathname;
  let now = 0;
  let saved = true;

  const name = (pair) => JSON.stringify([pair.dataset.a, pair.dataset.b]);
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
    if (verdict) go(now + 1); else refresh();
  }
  const field = (text) => (/[",\r\n]/.test(text) || text !== text.trim() ? '"' + text.replaceAll('"', '""') + '"' : text);
  function save() {
    const rows = pairs.filter((pair) => pair.dataset.verdict).map(({ dataset: of }) => [of.a, of.b, of.verdict, of.positionA ?? "", of.positionB ?? ""]);
    const text = [["a", "b", "verdict", "position_a", "position_b"], ...rows].map((row) => row.map(field).join(",") + "\n").join("");
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
  pairs[0].classList.add("now");
  refresh();
})();
