(function () {
"use strict";
const root = document.documentElement;
const report = JSON.parse(document.getElementById("report-data").textContent);
const byId = (id) => document.getElementById(id);
root.classList.add("script");

/* ---- theme: kept while the page is open ---- */
const night = window.matchMedia("(prefers-color-scheme: dark)");
const themeButton = byId("theme");
function theme() {
  return root.dataset.theme || (night.matches ? "dark" : "light");
}
function themeChanged() {
  const dark = theme() === "dark";
  themeButton.textContent = dark ? "Light" : "Dark";
  themeButton.setAttribute("aria-pressed", String(dark));
  themeButton.setAttribute("aria-label", dark ? "Switch to light colours" : "Switch to dark colours");
}

themeButton.addEventListener("click", () => {
  root.dataset.theme = theme() === "dark" ? "light" : "dark";
  themeChanged();
});
night.addEventListener("change", themeChanged);
themeChanged();

/* ---- longer tables on demand ---- */
document.querySelectorAll("[data-more]").forEach((button) => {
  const label = button.textContent;
  button.addEventListener("click", () => {
    const open = byId(button.dataset.more).classList.toggle("open");
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "Show fewer" : label;
  });
});

/* ---- one row ---- */
function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
const share = (value) => (100 * value).toFixed(1) + "%";
function named(d) {
  const { short, full } = report.rows.names[d];
  const made = element("span", "name", short);
  if (short !== full) made.title = full;
  return made;
}
function termLine([d, value, text, length, contribution]) {
  const line = element("tr");
  const head = element("th");
  head.scope = "row";
  head.append(named(d));
  const cell = element("td", "bar-cell");
  cell.setAttribute("aria-hidden", "true");
  const bar = element("span", "bar");
  bar.style.width = share(length);
  const tick = element("span", "tick");
  tick.style.left = share(report.rows.marks[d]);
  cell.append(bar, tick);
  line.append(head, ...[value, contribution, text].map((shown) => element("td", "right", shown)), cell);
  return line;
}
function interval(shape) {
  const line = element("div", "axis");
  const span = (name, [from, to]) => {
    const made = element("span", name);
    made.style.left = share(from);
    made.style.width = share(to - from);
    return made;
  };
  const point = (name, at) => {
    const made = element("span", name);
    made.style.left = share(at);
    return made;
  };
  line.append(span("outer", shape.outer), span("inner", shape.inner), point("value", shape.value));
  if (shape.observed !== null) line.append(point("observed", shape.observed));
  const ends = element("div", "ends");
  const key = "line: prediction; shaded: 50 % and 90 % intervals" + (shape.observed === null ? "" : "; circle: observed");
  ends.append(element("span", "", shape.ends[0]), element("span", "key", key), element("span", "", shape.ends[1]));
  return [line, ends];
}
function classBar([label, text, length]) {
  const line = element("div", "class-bar");
  const track = element("span", "track");
  const bar = element("span", "bar");
  bar.style.width = share(length);
  track.append(bar);
  line.append(element("span", "", label), track, element("span", "", text));
  return line;
}
function shapeOf(shape) {
  if (shape === null) return [];
  return shape.kind === "interval" ? interval(shape) : shape.bars.map(classBar);
}
const select = byId("row-select");
const picks = document.querySelectorAll("[data-row]");
function show(position) {
  const row = report.rows.rows[position];
  select.value = String(position);
  byId("row-name").textContent = "Row " + row.label;
  byId("row-prediction").textContent = row.prediction;
  byId("row-sentence").textContent = row.sentence;
  byId("row-shape").replaceChildren(...shapeOf(row.shape));
  byId("row-terms").replaceChildren(...row.terms.map(termLine));
  byId("row-adds").textContent = row.adds;
  picks.forEach((pick) => pick.setAttribute("aria-pressed", String(Number(pick.dataset.row) === position)));
}
function step(by) {
  const count = report.rows.rows.length;
  show((Number(select.value) + by + count) % count);
}
select.addEventListener("change", () => show(Number(select.value)));
byId("row-previous").addEventListener("click", () => step(-1));
byId("row-next").addEventListener("click", () => step(1));
picks.forEach((pick) => pick.addEventListener("click", () => show(Number(pick.dataset.row))));
show(report.rows.start);

/* ---- where the reader is ---- */
const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
const sections = [...document.querySelectorAll("main > section")];
function mark() {
  const passed = sections.filter((section) => section.getBoundingClientRect().top < 0.4 * window.innerHeight);
  const current = (passed[passed.length - 1] || sections[0]).id;
  links.forEach((link, id) => (id === current ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
}
window.addEventListener("scroll", () => window.requestAnimationFrame(mark), { passive: true });
mark();
})();
