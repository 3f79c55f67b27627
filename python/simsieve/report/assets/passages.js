"use strict";
(() => {
  const { documents, words, shortest } = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const percent = (share) => (100 * share).toFixed(1) + " %";
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const made = (name, text, classes) => {
    const element = document.createElement(name);
    element.textContent = text ?? "";
    if (classes) element.className = classes;
    return element;
  };
  // Places are in code points, and strings in halves of them.
  for (const one of documents) {
    one.points = Array.from(one.text);
    one.sources.forEach((source, number) => {
      source.used = true;
      source.number = number;
      source.colour = "c" + (number % 8);
      for (const piece of source.pieces) piece[1] = Array.from(piece[1]);
    });
  }
  let own = documents[0];
  let marks = [];
  let now = null;

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
  const cut = ([start, end], others) => {
    const parts = [];
    for (const [from, to] of others) {
      if (to <= start || from >= end) continue;
      if (from > start) parts.push([start, from]);
      start = to;
    }
    return start < end ? [...parts, [start, end]] : parts;
  };
  const outside = (kinds) => merged(own.excluded.filter(([kind]) => kinds.includes(kind)).map(([, start, end]) => [start, end]));
  // Of what the run has not excluded, as in its totals.
  const share = (places) => size(places) / Math.max(1, own.points.length - size(outside(["always"])));

  // The parts of spans that count, each with its span and source, by place. A part of a span is as long as a passage must be.
  function counted(left) {
    const least = Number(at("least").value) || 0;
    const all = own.sources.filter((source) => source.used).flatMap((source) => source.spans.map((span) => ({ source, span })));
    return all.flatMap((one) => {
      const parts = cut(one.span, left);
      const whole = size(parts) === one.span[1] - one.span[0];
      return parts.filter((part) => size([part]) >= least && (whole || units(part) >= shortest)).map((place) => ({ ...one, place }));
    }).sort((a, b) => a.place[0] - b.place[0] || a.source.number - b.source.number);
  }

  function numbers(spans, left) {
    const places = (some) => merged(some.map(({ place }) => place));
    const found = own.sources.map((source) => [source, spans.filter((one) => one.source === source)]);
    const shares = new Map(found.filter(([, some]) => some.length).map(([source, some]) => [source, share(places(some))]));
    const without = merged([...left, ...outside(["quotes", "references"])]);
    const rows = [
      [percent(share(places(spans))), words.share],
      [percent(share(places(spans).flatMap((place) => cut(place, without)))), words.own],
      [percent(Math.max(0, ...shares.values())), words.largest],
      [String(shares.size), words.sources],
      [String(spans.length), words.passages],
    ];
    at("numbers").replaceChildren(...rows.map(([value, name]) => {
      const card = made("div", "", "card");
      card.append(made("b", value), made("span", name));
      return card;
    }));
    return shares;
  }

  // Their order stays, so that no row moves under the pointer.
  function list(shares) {
    const of = (source) => shares.get(source) ?? 0;
    at("sources").replaceChildren(...own.sources.map((source) => {
      const row = made("li", "", source.colour + (shares.has(source) ? "" : " off"));
      const box = made("input");
      box.type = "checkbox";
      box.checked = source.used;
      box.setAttribute("aria-label", source.name);
      box.addEventListener("change", () => { source.used = box.checked; refresh(); });
      const name = made("button", source.name, "name");
      name.type = "button";
      name.addEventListener("click", () => show(marks.find((mark) => mark.source === source)));
      row.append(box, made("span", source.number + 1, "number"), name, made("span", percent(of(source)), "share"));
      return row;
    }));
  }

  // Each stretch between two ends of spans is one mark, of the source with the largest share.
  function text(spans) {
    const only = at("only").checked;
    const ends = [...new Set([0, own.points.length, ...spans.flatMap(({ place }) => place)])].sort((a, b) => a - b);
    const parts = [];
    let open = [];
    let next = 0;
    for (const one of spans) one.marks = [];
    for (let k = 0; k + 1 < ends.length; k++) {
      const [start, end] = [ends[k], ends[k + 1]];
      open = open.filter(({ place }) => place[1] > start);
      while (next < spans.length && spans[next].place[0] <= start) open.push(spans[next++]);
      const content = own.points.slice(start, end).join("");
      if (!open.length) {
        parts.push(only ? made("span", filled(words.left, { count: end - start }), "gap") : document.createTextNode(content));
        continue;
      }
      const first = open.reduce((a, b) => (b.source.number < a.source.number ? b : a));
      const mark = made("mark", content, first.source.colour);
      mark.tabIndex = 0;
      mark.title = `${first.source.number + 1}. ${first.source.name}`;
      const opened = () => show(first);
      mark.addEventListener("click", opened);
      mark.addEventListener("keydown", (event) => { if (event.key === "Enter") opened(); });
      for (const one of open) one.marks.push(mark);
      parts.push(mark);
    }
    at("text").replaceChildren(...parts);
  }

  function show(one) {
    for (const mark of document.querySelectorAll("mark.now")) mark.classList.remove("now");
    now = one ?? null;
    if (!one) {
      at("twin").replaceChildren(made("p", words.choose, "note"));
      return;
    }
    one.marks.forEach((mark) => mark.classList.add("now"));
    const [, , start, end, score, page, source_page] = one.span;
    const piece = one.source.pieces.find(([from, points]) => from <= start && end <= from + points.length);
    const [from, points, more] = piece;
    const twin = made("mark", points.slice(start - from, end - from).join(""), one.source.colour + " now");
    const place = filled(words.at, { number: marks.indexOf(one) + 1, count: marks.length });
    const equal = filled(words.equal, { share: percent(score) });
    const pages = [[words.page, page], [words.source_page, source_page]].filter(([, page]) => page !== null);
    at("twin").replaceChildren(
      made("b", `${one.source.number + 1}. ${one.source.name}`),
      made(
        "p",
        [place, filled(words.from, { start: start + 1, end }), ...pages.map(([word, page]) => filled(word, { page })), equal].join(" · "),
        "note",
      ),
      document.createTextNode((from > 0 ? "…" : "") + points.slice(0, start - from).join("")),
      twin,
      document.createTextNode(points.slice(end - from).join("") + (more ? "…" : "")),
    );
    one.marks[0]?.scrollIntoView({ block: "center" });
    // In its own box, so that the page stays at the document.
    const box = at("twin").closest("section");
    box.scrollTop = twin.offsetTop - box.clientHeight / 3;
  }

  function refresh() {
    const left = outside(["always", ...["quotes", "references"].filter((kind) => at(kind).checked)]);
    marks = counted(left);
    list(numbers(marks, left));
    text(marks);
    show(null);
  }
  function move(by) {
    if (!marks.length) return;
    const here = now ? marks.indexOf(now) : by > 0 ? -1 : 0;
    show(marks[(here + by + marks.length) % marks.length]);
  }

  for (const id of ["quotes", "references", "only", "least"]) at(id).addEventListener("input", refresh);
  at("next").addEventListener("click", () => move(1));
  at("previous").addEventListener("click", () => move(-1));
  at("document")?.addEventListener("change", (event) => { own = documents[event.target.value]; refresh(); });
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j" || event.key === "ArrowRight") move(1);
    if (event.key === "k" || event.key === "ArrowLeft") move(-1);
  });
  refresh();
})();
