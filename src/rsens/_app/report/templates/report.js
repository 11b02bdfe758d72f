(function () {
"use strict";
const root = document.documentElement;
const rows = JSON.parse(document.getElementById("report-data").textContent);
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
const select = byId("row-select");
function show(position) {
  select.value = String(position);
  byId("row-card").innerHTML = rows[position].html;
}
function step(by) {
  show((Number(select.value) + by + rows.length) % rows.length);
}
select.addEventListener("change", () => show(Number(select.value)));
byId("row-previous").addEventListener("click", () => step(-1));
byId("row-next").addEventListener("click", () => step(1));
show(0);

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
