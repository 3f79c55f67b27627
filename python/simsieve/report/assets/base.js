// Every text of a record goes into the page by textContent, so none of it is markup.
const at = (id) => document.getElementById(id);
const made = (name, text = "", kind = "") => {
  const one = document.createElement(name);
  one.textContent = text;
  if (kind) one.className = kind;
  return one;
};
const holding = (element, ...parts) => { element.append(...parts); return element; };
const button = (text, done, kind = "") => {
  const one = Object.assign(made("button", text, kind), { type: "button" });
  one.addEventListener("click", done);
  return one;
};
const option = (value, text) => Object.assign(made("option", text), { value });
const put = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

// A spreadsheet would take such a text for a formula: see sinks/tables.py.
const safe = (text) => (/^'*[=+\-@\t\r]/.test(text) && !/^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text) ? `'${text}` : text);
const cell = (text) => (/[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text);
// Makes a link lead to a table, whose rows have texts; a mark before all says to Excel that it is UTF-8.
const filled = (link, rows, mark = "") => {
  const text = mark + rows.map((row) => `${row.map((one) => cell(safe(one))).join(",")}\n`).join("");
  URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
};

// Asks the program that serves the page.
class Refused extends Error {
  constructor(status, message) { super(message); this.status = status; }
}

let words = {};

async function ask(path, body) {
  const headers = { "Accept-Language": document.documentElement.lang };
  const how = body === undefined ? { headers } : { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try { answer = await fetch(`api/${path}`, how); } catch { throw new Refused(0, words.away ?? "?"); }
  const said = await answer.json().catch(() => ({ error: { message: `HTTP ${answer.status}` } }));
  if (!answer.ok) throw new Refused(answer.status, said.error.message);
  return said;
}
