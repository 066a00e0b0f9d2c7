// SPDX-License-Identifier: MIT
// The controls below the picture, and the text over it.

const METHOD_NAMES = { linear: "Linear (LBS)", dual_quat: "Dual quaternion (DQS)", side_by_side: "Side by side" };
const SPEEDS = [0.1, 0.25, 0.5, 1, 2];
const MOST_INSTANCES = 1000;
// Names beyond which they can be searched for.
const MANY_NAMES = 12;
// Fraction of the size from which errors of a bake are shown.
const SEEN_ERROR = 0.01;

function make(tag, properties = {}, ...children) {
  const { label, ...rest } = properties;
  const node = Object.assign(document.createElement(tag), rest);
  if (label) node.setAttribute("aria-label", label);
  node.append(...children);
  return node;
}

const optionsOf = (pairs) => pairs.map(([value, text]) => make("option", { value }, text));

// Sets only properties that change, so that an open list stays open.
const put = (node, values) => {
  for (const [name, value] of Object.entries(values)) if (node[name] !== value) node[name] = value;
};

// Has a slider say its value in words.
const saying = (slider, text) => {
  if (slider.getAttribute("aria-valuetext") !== text) slider.setAttribute("aria-valuetext", text);
};

// A search field that leaves in a chooser the names with the text and the chosen one; Enter takes the first with it.
function makeFilter(chooser, names, label, set) {
  const matching = () => names.filter((name) => name.toLowerCase().includes(node.value.trim().toLowerCase()));
  const node = make("input", {
    type: "search", label, placeholder: `Search ${names.length}`, className: "lissom-filter", hidden: names.length <= MANY_NAMES,
    oninput() {
      const shown = chooser.value;
      const found = new Set(matching());
      chooser.replaceChildren(...optionsOf(names.filter((name) => found.has(name) || name === shown).map((name) => [name, name])));
      chooser.value = shown;
      node.setAttribute("aria-description", `${found.size} of ${names.length}`);
    },
    onkeydown(event) {
      if (event.key === "Enter" && matching().length) set(matching()[0]);
    },
  });
  return node;
}

// The controls of a player; `set` changes its state.
function makePanel(info, bones, set) {
  const changes = (name, read) => (event) => set({ [name]: read(event.target) });
  const chooser = (name, label, pairs, read = (node) => node.value) => {
    const node = make("select", { label, title: label, onchange: changes(name, read) }, ...optionsOf(pairs));
    node.hidden = pairs.length < 2;
    return node;
  };
  const tick = (name, text) => {
    const box = make("input", { type: "checkbox", onchange: changes(name, (node) => node.checked) });
    return [box, make("label", {}, box, text)];
  };

  const play = make("button", { type: "button", className: "lissom-play", onclick: () => set({ playing: null }) });
  const scrub = make("input", {
    type: "range", min: 0, step: "any", label: "Time", className: "lissom-scrub",
    oninput: () => set({ time: Number(scrub.dataset.start) + Number(scrub.value), playing: false }),
  });
  const time = make("span", { className: "lissom-time" });
  const error = make("span", { className: "lissom-error" });
  const clip = chooser("clip", "Clip", info.clips.map(({ name }) => [name, name]));
  const search = makeFilter(clip, info.clips.map(({ name }) => name), "Search clips", (name) => set({ clip: name }));
  const speed = chooser("speed", "Speed", SPEEDS.map((v) => [v, `${v} x`]), (node) => Number(node.value));
  const both = info.methods.length > 1;
  const methods = [...info.methods, ...(both ? ["side_by_side"] : [])];
  const method = chooser("method", "Skinning", methods.map((name) => [name, METHOD_NAMES[name]]));
  const color = chooser("color", "Colour", [
    ["surface", "Surface"], ...(both ? [["difference", "Difference"]] : []), ["weights", "Weights"],
  ]);
  const row = chooser("row", "Joint", info.rows.map((name) => [name, name]));
  const [skeleton, skeletonLabel] = tick("skeleton", "Skeleton");
  const [helpers, helpersLabel] = tick("helpers", "Helpers");
  const [wireframe, wireframeLabel] = tick("wireframe", "Wireframe");
  const hasHelpers = bones.used < bones.all.length;
  const [ground, groundLabel] = tick("ground", "Ground");
  // A logarithmic slider.
  const count = make("input", {
    type: "range", min: 0, max: 1, step: 0.01, label: "Instances",
    oninput: () => set({ count: Math.round(MOST_INSTANCES ** count.value) }),
  });
  const counted = make("output");
  const countLabel = make("label", { className: "lissom-count" }, "Instances", count, counted);
  helpersLabel.title = "Joints that move nothing, such as controls of inverse kinematics (H)";
  skeletonLabel.hidden = !info.bones.length;
  const clock = make("div", { className: "lissom-row" }, play, scrub, time, error, search, clip, speed);
  clock.hidden = info.clips.length < 2 && !info.clips[0]?.duration && !(info.clips[0]?.error > SEEN_ERROR);
  countLabel.hidden = !info.clips.length;
  const node = make(
    "div", { className: "lissom-panel" },
    clock,
    make(
      "div", { className: "lissom-row" },
      method, color, row, skeletonLabel, helpersLabel, wireframeLabel, groundLabel, countLabel,
    ),
  );

  return {
    node,

    update(state, playingClip) {
      put(play, { textContent: state.playing ? "\u275a\u275a" : "\u25b6", ariaLabel: state.playing ? "Pause" : "Play" });
      for (const [name, control] of Object.entries({ clip, speed, method, color, row }))
        put(control, { value: String(state[name]) });
      // A clip that the search has left out.
      if (playingClip && clip.value !== state.clip) clip.append(...optionsOf([[state.clip, state.clip]])), put(clip, { value: state.clip });
      for (const [name, box] of Object.entries({ skeleton, helpers, wireframe, ground })) put(box, { checked: state[name] });
      put(row, { hidden: state.color !== "weights" });
      put(helpersLabel, { hidden: !state.skeleton || !hasHelpers });
      put(color, { disabled: state.method === "side_by_side" });
      put(count, { value: String(Math.log(state.count) / Math.log(MOST_INSTANCES)) });
      saying(count, `${state.count} instance${state.count > 1 ? "s" : ""}`);
      put(counted, { textContent: String(state.count) });
      if (!playingClip) return;
      const { start, duration } = playingClip;
      const elapsed = state.time - start;
      scrub.dataset.start = start;
      put(scrub, { max: String(duration), value: String(elapsed), disabled: !duration });
      const off = `off by ${Number((100 * playingClip.error).toPrecision(2))} %`;
      const why = "Largest distance of a vertex of this bake from its place in the clip, in percent of the character's size";
      put(error, { textContent: off, title: why, hidden: !(playingClip.error > SEEN_ERROR) });
      saying(scrub, `${elapsed.toFixed(2)} of ${duration.toFixed(2)} seconds`);
      put(time, { textContent: `${elapsed.toFixed(2)} / ${duration.toFixed(2)} s` });
    },
  };
}

// The text over the picture: names of views, the colour bar, a kernel's text, a message instead of the picture.
function makeWords() {
  const names = make("div", { className: "lissom-names" });
  const text = make("div", { className: "lissom-text" });
  const colors = VIRIDIS.map((c) => `#${c}`).join();
  const ends = make("div", { className: "lissom-ends" });
  const band = make("div", { className: "lissom-band" });
  band.style.background = `linear-gradient(to right, ${colors})`;
  const title = make("div");
  const bar = make("div", { className: "lissom-bar" }, title, band, ends);
  const message = make("div", { className: "lissom-message", hidden: true });
  let shown = "";
  message.setAttribute("role", "status");
  return {
    nodes: [names, text, bar, message],

    // Views as {name, left, top}, in fractions of the picture; the colour bar as {title, most} or null.
    update(views, scale) {
      const now = JSON.stringify([views, scale]);
      if (now === shown) return;
      shown = now;
      names.replaceChildren(
        ...views.filter(({ name }) => name).map(({ name, left, top }) => {
          const node = make("span", {}, name);
          Object.assign(node.style, { left: `${100 * left}%`, top: `${100 * top}%` });
          return node;
        }),
      );
      bar.hidden = !scale;
      if (!scale) return;
      title.textContent = scale.title;
      ends.replaceChildren(make("span", {}, "0"), make("span", {}, scale.most));
    },

    say(sentence) {
      text.textContent = sentence;
    },

    // Shows a sentence, and the still if any, in place of the picture.
    instead(sentence, still) {
      message.hidden = !sentence;
      message.replaceChildren();
      if (!sentence) return;
      if (still) message.append(make("img", { src: still, alt: "A still picture of the character" }));
      message.append(make("p", {}, sentence));
    },
  };
}
