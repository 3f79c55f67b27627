let may = {};

// A near duplicate beside its representative.
class NearPair extends HTMLElement {
  fill(pair) {
    this.pair = pair;
    this.setAttribute("role", "group");
    this.tabIndex = -1;
    this.setAttribute("aria-label", `${pair.names[0]} ~ ${pair.names[1]}`);
    const head = made("p", "", "why");
    head.append(made("span", "", "said"), made("span", pair.why));
    this.replaceChildren(head, ...pair.guards.map((text) => made("p", text, "guard")));
    if (pair.lost) this.append(made("p", put(words.lost, { run: pair.lost }), "guard"));
    const sides = made("div", "", "sides");
    ["a", "b"].forEach((name, side) => sides.append(this.side(name, side)));
    this.append(sides);
    if (pair.fields.length) this.append(this.fields());
    if (pair.exact) this.append(holding(made("details"), made("summary", words.exact), made("p", pair.exact)));
    this.say();
  }

  side(name, side) {
    const box = made("div", "", "side");
    const keep = button("", () => this.keeps(keep.dataset.verdict));
    keep.append(made("kbd", name), ` ${words.keep}`);
    keep.dataset.verdict = `keep ${name}`;
    keep.setAttribute("aria-label", `${words.keep}: ${this.pair.names[side]}`);
    keep.disabled = !may.judge || (name === "b" && this.pair.is_old);
    const text = made("div", "", "text");
    text.dir = "auto";
    const picture = this.pair.pictures[side];
    if (picture) {
      const image = made("img");
      Object.assign(image, { src: picture, alt: this.pair.names[side] });
      text.append(image);
    } else text.append(...runs(this.pair.texts[side]));
    box.append(made("h3", put(words[name], { name: this.pair.names[side] })), text, ...(this.keeps && words.keep ? [keep] : []));
    return box;
  }

  fields() {
    const table = made("table", "", "fields");
    for (const [name, a, b] of this.pair.fields) {
      const label = Object.assign(made("th", name), { scope: "row" });
      table.append(holding(made("tr"), label, ...[a, b].map((value) => made("td", value, a === b ? "" : "differs"))));
    }
    return table;
  }

  say() {
    const { verdict, person } = this.pair;
    const word = verdict && words[verdict];
    const text = person ? put(words.by, { verdict: word, person }) : word;
    this.querySelector(".said").textContent = text ? `${text} · ` : "";
    this.dataset.verdict = verdict;
    for (const button of this.querySelectorAll("[data-verdict]")) button.setAttribute("aria-pressed", String(button.dataset.verdict === verdict));
  }
}
customElements.define("near-pair", NearPair);
const shownPair = (pair) => {
  const one = document.createElement("near-pair");
  one.fill(pair);
  return one;
};

// Runs that follow one another and are folded become one button, which opens them.
function runs(spans) {
  const nodes = [];
  let folded = [];
  const close = () => {
    if (!folded.length) return;
    const inside = folded.map(([text, names]) => made("span", text, names.replace("folded", "").trim()));
    const count = folded.reduce((sum, [text]) => sum + text.length, 0);
    nodes.push(button(`… ${put(words.fold, { count })} …`, (event) => { event.stopPropagation(); event.currentTarget.replaceWith(...inside); }, "fold"));
    folded = [];
  };
  for (const span of spans) {
    if (span[1].includes("folded")) { folded.push(span); continue; }
    close();
    nodes.push(made("span", span[0], span[1]));
  }
  close();
  return nodes;
}
