"use strict";
// All texts enter the page by textContent; all answers were worked out by the engine and stand in the data.
const { drawing, details } = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const nodes = drawing.nodes, edges = drawing.edges;
const junction = (node) => node.kind === "and" || node.kind === "own";
const place = new Map(nodes.map((node, number) => [node.id, number]));
const svg = document.querySelector("#picture svg");
const drawn = nodes.map((_, number) => document.getElementById("n" + number));
const arrows = edges.map((_, number) => document.getElementById("e" + number));
let chosen = -1, view = { x: 0, y: 0, k: 1 };

function make(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// -- the picture: move and zoom

function show() { svg.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.k})`; }

function frame(left, top, width, height) { // in the picture's own units
  const box = $("picture").getBoundingClientRect();
  view.k = Math.min(box.width / width, box.height / height, 1.5);
  view.x = (box.width - width * view.k) / 2 - left * view.k;
  view.y = (box.height - height * view.k) / 2 - top * view.k;
  show();
}

function fit() { frame(0, 0, svg.width.baseVal.value, svg.height.baseVal.value); }

function frameNodes(numbers) {
  const from = svg.getBoundingClientRect(), boxes = [...numbers].map((number) => drawn[number].getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left)), right = Math.max(...boxes.map((box) => box.right));
  const top = Math.min(...boxes.map((box) => box.top)), bottom = Math.max(...boxes.map((box) => box.bottom));
  frame((left - from.left) / view.k - 25, (top - from.top) / view.k - 25, (right - left) / view.k + 50, (bottom - top) / view.k + 50);
}

function zoom(factor, x, y) {
  const box = $("picture").getBoundingClientRect();
  const [cx, cy] = x === undefined ? [box.width / 2, box.height / 2] : [x - box.left, y - box.top];
  const k = Math.min(8, Math.max(0.02, view.k * factor));
  view.x = cx - (cx - view.x) * k / view.k;
  view.y = cy - (cy - view.y) * k / view.k;
  view.k = k;
  show();
}

function centre(number) {
  const box = $("picture").getBoundingClientRect(), at = drawn[number].getBoundingClientRect();
  view.x += box.left + box.width / 2 - (at.left + at.width / 2);
  view.y += box.top + box.height / 2 - (at.top + at.height / 2);
  show();
}

let dragged = null;
$("picture").addEventListener("pointerdown", (event) => { dragged = { x: event.clientX, y: event.clientY, far: false }; });
window.addEventListener("pointermove", (event) => {
  if (!dragged) return;
  const dx = event.clientX - dragged.x, dy = event.clientY - dragged.y;
  if (!dragged.far && Math.abs(dx) + Math.abs(dy) < 4) return;
  view.x += dx; view.y += dy;
  dragged = { x: event.clientX, y: event.clientY, far: true };
  show();
});
window.addEventListener("pointerup", () => { const far = dragged && dragged.far; dragged = far ? { done: true } : null; if (far) setTimeout(() => { dragged = null; }); });
$("picture").addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY / 500), event.clientX, event.clientY); }, { passive: false });

// -- what is marked in it

function unmark() {
  for (const element of [...drawn, ...arrows]) element.classList.remove("faint", "chosen", "differs", "rises");
  for (const text of svg.querySelectorAll("text.becomes")) text.remove();
}

function keep(numbers) {
  drawn.forEach((element, number) => element.classList.toggle("faint", !numbers.has(number)));
  edges.forEach((edge, number) => arrows[number].classList.toggle("faint", !(numbers.has(place.get(edge.source)) && numbers.has(place.get(edge.target)))));
}

function cone(number) { // all that it rests on, and all that rests on it
  const found = new Set([number]);
  for (const [from, to] of [["source", "target"], ["target", "source"]]) {
    const waiting = [number], seen = new Set(waiting);
    while (waiting.length) {
      const id = nodes[waiting.pop()].id;
      for (const edge of edges) {
        const next = edge[from] === id ? place.get(edge[to]) : undefined;
        if (next !== undefined && !seen.has(next)) { seen.add(next); found.add(next); waiting.push(next); }
      }
    }
  }
  return found;
}

function focus() {
  if (chosen < 0) return;
  const found = cone(chosen);
  unmark();
  keep(found);
  drawn[chosen].classList.add("chosen");
  frameNodes(found);
}

const HOLDS = new Set(["in", "active", "resolved", "ruled-out", "falsified"]);

function suppose() {
  const found = chosen >= 0 && details[chosen].whatif;
  if (!found) return;
  unmark();
  const numbers = new Set([chosen]);
  for (const changed of found.changed) {
    const number = place.get(changed.id);
    if (number === undefined) continue;
    numbers.add(number);
    const element = drawn[number], box = element.getBBox();
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    text.setAttribute("class", "becomes");
    text.setAttribute("x", box.x + 4);
    text.setAttribute("y", box.y - 3);
    text.textContent = "→ " + changed.after;
    element.classList.add("differs");
    element.classList.toggle("rises", HOLDS.has(changed.after));
    element.append(text);
  }
  for (const held of found.survived) if (place.has(held.id)) numbers.add(place.get(held.id));
  edges.forEach((edge) => { // a support set between two that are marked
    const source = place.get(edge.source), target = place.get(edge.target);
    if (junction(nodes[target]) && numbers.has(source) && edges.some((e) => e.source === edge.target && numbers.has(place.get(e.target)))) numbers.add(target);
  });
  keep(numbers);
  drawn[chosen].classList.add("chosen");
  frameNodes(numbers);
  tell(found);
}

// -- the details

function go(id) {
  if (!place.has(id)) return make("span", id);
  const button = make("button", id, { class: "go", type: "button" });
  button.addEventListener("click", () => choose(place.get(id), true));
  return button;
}

function section(title, ...children) {
  const part = make("section");
  part.append(make("h3", title), ...children);
  $("details").append(part);
  return part;
}

function lines(values, each) {
  const list = make("ul");
  for (const value of values) { const item = make("li"); item.append(...each(value)); list.append(item); }
  return list;
}

function choose(number, moves) {
  if (junction(nodes[number])) number = place.get(edges.find((edge) => edge.source === nodes[number].id).target);
  chosen = number;
  unmark();
  drawn[number].classList.add("chosen");
  if (moves) centre(number);
  const node = nodes[number], detail = details[number] || {};
  $("details").replaceChildren(make("h2", `${node.kind} ${node.id}`), make("p", `${node.before ? node.before + " → " : ""}${node.status}${node.flags.length ? " [" + node.flags.join(", ") + "]" : ""}${node.state && node.state !== node.status ? ", recorded as " + node.state : ""}`));
  if (node.text) $("details").append(make("p", node.text));
  if (detail.rationale) section("Rationale", make("p", detail.rationale));
  if (detail.evidence && detail.evidence.length) section("Evidence", lines(detail.evidence, (text) => [text]));
  if (node.scope.length) section("Scope", make("p", node.scope.join(", ")));
  if (node.hidden_up || node.hidden_down) section("Not drawn", make("p", `${node.hidden_up} that it rests on, ${node.hidden_down} that rest on it`));
  const tools = make("p"), focusing = make("button", "focus", { type: "button", id: "focusing" });
  focusing.addEventListener("click", focus);
  tools.append(focusing);
  if (detail.whatif) {
    const asking = make("button", `what if: ${detail.whatif.change.join(" ")}`, { type: "button", id: "asking" });
    asking.addEventListener("click", suppose);
    tools.append(" ", asking);
  }
  $("details").append(tools);
  if (detail.why) section("Why", make("pre", detail.why));
  else if (node.change !== "removed" && node.kind !== "missing" && node.kind !== "scope") section("Why", make("p", `Not worked out for this page: tms why ${node.id}`));
  for (const button of $("list").querySelectorAll("button")) button.setAttribute("aria-current", String(Number(button.dataset.number) === number));
}

function tell(found) {
  const old = $("answer");
  if (old) old.remove();
  const part = section(`What if: ${found.change.join(" ")}. Nothing is written.`,
    make("p", `${found.changed.length} would change, ${found.survived.length} would survive on other grounds${found.left_out ? "; " + found.left_out + " more are not listed" : ""}.`),
    lines(found.changed, (c) => [go(c.id), make("span", ` ${c.before} → `), make("b", c.after, HOLDS.has(c.after) ? {} : { class: "fell" }), make("small", c.cause.length > 1 ? `  by ${c.cause.join(" → ")}` : "")]),
    lines(found.survived, (s) => [go(s.id), ` stays ${s.status} by ${s.by.length ? "{" + s.by.join(", ") + "}" : "its own authority"}${s.degraded ? ", degraded" : ""}`]));
  part.id = "answer";
  $("details").append(part);
}

// -- the list, search and filters

function matching() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean), status = $("status").value, scope = $("scope").value;
  return nodes.map((node, number) => number).filter((number) => {
    const node = nodes[number], text = `${node.id} ${node.kind} ${node.text}`.toLowerCase();
    return !junction(node) && words.every((word) => text.includes(word)) && (!status || node.status === status) && (!scope || node.scope.includes(scope));
  });
}

function list() {
  const found = matching(), wanted = $("search").value || $("status").value || $("scope").value;
  $("count").textContent = `${found.length} of ${nodes.filter((node) => !junction(node)).length} nodes drawn`;
  $("list").replaceChildren(...found.map((number) => {
    const button = make("button", `${nodes[number].id}: ${nodes[number].status}`, { type: "button", "data-number": number });
    button.append(make("small", nodes[number].text.slice(0, 90)));
    button.addEventListener("click", () => choose(number, true));
    const item = make("li");
    item.append(button);
    return item;
  }));
  unmark();
  if (wanted) keep(new Set(found));
}

function options(select, values) { for (const value of [...new Set(values)].sort()) select.append(make("option", value, { value })); }

// -- keys

function step(by) {
  const buttons = [...$("list").querySelectorAll("button")], at = buttons.indexOf(document.activeElement);
  const next = buttons[Math.min(buttons.length - 1, Math.max(0, at + by))];
  if (next) next.focus();
}

function theme() {
  const root = document.documentElement, dark = root.classList.contains("dark") || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  root.classList.toggle("dark", !dark);
  root.classList.toggle("light", dark);
}

const hint = [...$("details").children];

function clear() {
  $("search").value = $("status").value = $("scope").value = "";
  chosen = -1;
  $("details").replaceChildren(...hint);
  list();
  fit();
}

const KEYS = { "/": () => $("search").focus(), "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), "0": fit, f: focus, w: suppose, t: theme };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return clear();
  if (event.key === "ArrowDown" || event.key === "ArrowUp") { if (event.target.tagName !== "SELECT") { event.preventDefault(); step(event.key === "ArrowDown" ? 1 : -1); } return; }
  if (/^(INPUT|SELECT)$/.test(event.target.tagName)) { if (event.key === "Enter" && event.target.id === "search") { const first = $("list").querySelector("button"); if (first) first.click(); } return; }
  if (Object.hasOwn(KEYS, event.key)) { event.preventDefault(); KEYS[event.key](); }
});

// -- the start

$("title").textContent = drawing.title;
$("subtitle").textContent = drawing.subtitle;
$("note").textContent = drawing.note;
svg.setAttribute("role", "group"); // here it is no picture of one piece: its nodes are buttons
drawn.forEach((element, number) => {
  const seen = [...element.querySelectorAll("text")].map((text) => text.textContent).join(" ");
  element.setAttribute("tabindex", "0");
  element.setAttribute("role", "button");
  element.setAttribute("aria-label", `${nodes[number].kind} ${nodes[number].id}: ${nodes[number].status}. ${seen}`);
  element.addEventListener("click", () => { if (!dragged || !dragged.done) choose(number, false); });
  element.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(number, false); } });
});
options($("status"), nodes.filter((node) => !junction(node)).map((node) => node.status));
options($("scope"), nodes.flatMap((node) => node.scope));
for (const name of ["search", "status", "scope"]) $(name).addEventListener("input", list);
for (const [name, act] of [["in", () => zoom(1.25)], ["out", () => zoom(0.8)], ["fit", fit], ["clear", clear], ["theme", theme]]) $(name).addEventListener("click", act);
window.addEventListener("resize", fit);
list();
fit();
