// SPDX-License-Identifier: MIT
// What keys do in a player, and the list of keys as well.

const SWITCHES = { s: "skeleton", h: "helpers", w: "wireframe", g: "ground" };
// Right and up, and the keys that orbit with shift and move the picture.
const SIDES = [
  [-1, 0, "left", "\u2190", "j"], [1, 0, "right", "\u2192", "l"], [0, 1, "up", "\u2191", "i"], [0, -1, "down", "\u2193", "k"],
];
// What one press of a key does: degrees, a factor of the distance, and a share of the view's height.
const [ORBITED, ZOOMED, PANNED] = [10, 1.2, 0.1];

// [key, name, act, label of the key] of all that the player's functions offer.
function actionsOf(bundle, allowed, { state, set, step, frame, orbit, pan, zoom }) {
  const { info } = bundle;
  const { clips } = info;
  const moves = clips.some(({ duration }) => duration > 0);
  const switches = { ...SWITCHES, ...(info.bones.length ? {} : { s: null, h: null }) };
  if (bundle.bones.used === bundle.bones.all.length) switches.h = null;
  const cycled = (name) => () => {
    const names = allowed[name];
    set({ [name]: names[(names.indexOf(state()[name]) + 1) % names.length] });
  };
  return [
    ...(moves ? [
      [" ", "Play or pause", () => set({ playing: null })],
      [",", "Previous frame", () => step(-1), "\u2190 ,"],
      [".", "Next frame", () => step(1), "\u2192 ."],
    ] : []),
    ...(clips.length > 1 ? [["n", "Next clip", cycled("clip")]] : []),
    ["f", "Frame what plays", () => frame("clip")],
    ...(clips.length > 1 ? [["a", "Frame all clips", () => frame("all")]] : []),
    ["+", "Zoom in", () => zoom(1 / ZOOMED)],
    ["=", "", () => zoom(1 / ZOOMED)],
    ["-", "Zoom out", () => zoom(ZOOMED)],
    ...SIDES.map(([x, y, where, arrow]) => ["", `Orbit ${where}`, () => orbit(ORBITED * x, ORBITED * y), `Shift ${arrow}`]),
    ...SIDES.map(([x, y, where, , key]) => [key, `Move ${where}`, () => pan(PANNED * x, -PANNED * y)]),
    ...Object.entries(switches).filter(([, name]) => name).map(([key, name]) => [
      key, `${name[0].toUpperCase()}${name.slice(1)}`, () => set({ [name]: !state()[name] }),
    ]),
    ...allowed.method.map((method, i) => [String(i + 1), METHOD_NAMES[method], () => set({ method })]),
    ["c", "Next colours", cycled("color")],
  ];
}
