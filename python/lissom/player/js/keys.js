// SPDX-License-Identifier: MIT
// What keys do, and buttons do as well: a list that unfolds over the picture, and the most used of it as a column beside it.

// The direction of an arrow key, [right, up], or null.
const arrowOf = ({ key }) =>
  ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] })[key] ?? null;

// Pictures of buttons whose names do not fit, in a square of 16 units.
const ICONS = {
  f: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4",
  a: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4M5.5 5.5h1v1h-1zM9.5 5.5h1v1h-1zM5.5 9.5h1v1h-1zM9.5 9.5h1v1h-1z",
};

function iconOf(key) {
  if (!ICONS[key]) return key === "-" ? "\u2212" : key;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[key]);
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return svg;
}

// `actions` are [key, name, act, label of the key]; without a name it is a second key for the one before. `column` names
// the keys that get a button beside the picture, `focus` is where keys are heard.
function makeKeys(actions, column, focus) {
  const button = (properties, act, ...children) => make("button", { type: "button", onclick: act, ...properties }, ...children);
  const rows = actions.filter(([, name]) => name).map(([key, name, act, shown]) =>
    button({ className: "lissom-key" }, act, make("span", {}, name), make("kbd", {}, shown ?? (key === " " ? "Space" : key.toUpperCase()))));
  const list = make("div", { className: "lissom-keys", label: "Keys", hidden: true, id: `lissom-keys-${++keyLists}` }, ...rows);
  list.setAttribute("role", "group");
  list.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    toggle();
  };
  const help = button({ label: "Keys", title: "Keys (?)" }, toggle, "?");
  help.setAttribute("aria-controls", list.id);
  help.setAttribute("aria-expanded", "false");
  const sides = column.map((key) => {
    const [, name, act] = actions.find(([own]) => own === key);
    return button({ label: name, title: `${name} (${key.toUpperCase()})` }, act, iconOf(key));
  });

  function toggle() {
    list.hidden = !list.hidden;
    help.setAttribute("aria-expanded", String(!list.hidden));
    if (list.hidden) focus.focus({ preventScroll: true });
    else rows[0].focus({ preventScroll: true });
  }

  return {
    nodes: [make("div", { className: "lissom-column" }, ...sides, help), list],

    // Does what a key stands for; false where it stands for nothing.
    press(event) {
      const pressed = event.key.toLowerCase();
      if (pressed === "?") return toggle(), true;
      const found = actions.find(([key]) => key === pressed);
      found?.[2]();
      return !!found;
    },
  };
}

let keyLists = 0;
