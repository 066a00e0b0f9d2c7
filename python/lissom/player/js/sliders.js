// SPDX-License-Identifier: MIT
// Sliders for morph targets, in groups that unfold; they follow the clip until they are moved.

// What tells the targets of a group apart: their names without the node, and without what all begin with up to a dot, a
// colon, a space, a dash or an underscore.
function labelsOf(names) {
  const labels = names.map((name) => name.slice(name.lastIndexOf("/") + 1));
  let shared = labels.length > 1 ? labels[0] : "";
  for (const label of labels) {
    while (!label.startsWith(shared)) shared = shared.slice(0, -1);
  }
  const cut = shared.search(/[.:\s_-][^.:\s_-]*$/) + 1;
  return labels.map((label) => label.slice(cut) || label);
}

// The controls; `set` changes the player's state.
function makeSliders({ morphs }, set) {
  if (!morphs) return null;
  // Then groups start folded, and names can be searched for.
  const many = morphs.names.length > MANY_NAMES;
  let chosen = { morphs: {}, expressions: {} };
  const faces = morphs.expressions.map(({ name }) => {
    const range = make("input", {
      type: "range", min: 0, max: 1, step: "any", label: name, title: name,
      oninput: () => set({ expressions: { ...chosen.expressions, [name]: Number(range.value) } }),
    });
    const number = make("output");
    return { name, range, number, node: make("label", { className: "lissom-morph" }, make("span", {}, name), range, number) };
  });
  const labels = [];
  for (const { targets } of morphs.groups) {
    labelsOf(targets.map((m) => morphs.names[m])).forEach((label, i) => { labels[targets[i]] = label; });
  }
  const sliders = morphs.names.map((name, m) => {
    const range = make("input", {
      type: "range", min: morphs.lowest[m], max: morphs.highest[m], step: "any", label: name, title: name,
      oninput: () => set({ morphs: { ...chosen.morphs, [name]: Number(range.value) } }),
    });
    const number = make("output");
    return { name, range, number, node: make("label", { className: "lissom-morph" }, make("span", { title: name }, labels[m]), range, number) };
  });
  const groups = morphs.groups.map(({ name, targets }) => {
    const rows = make("div", { className: "lissom-morph-rows" }, ...targets.map((m) => sliders[m].node));
    const title = make("summary", {}, `${name || "Targets"} (${targets.length})`);
    return { members: targets.map((m) => sliders[m]), opens: !many, node: make("details", { open: !many }, title, rows) };
  });
  if (faces.length) {
    const rows = make("div", { className: "lissom-morph-rows" }, ...faces.map(({ node }) => node));
    const title = make("summary", {}, `Expressions (${faces.length})`);
    groups.unshift({ members: faces, opens: true, node: make("details", { open: true }, title, rows) });
  }
  const search = make("input", { type: "search", label: "Search morph targets", placeholder: "Search", hidden: !many, oninput: find });
  const reset = make("button", { type: "button", title: "Follow the clip again", onclick: () => set({ morphs: {}, expressions: {} }) }, "Reset to the clip");
  const body = make(
    "div", { className: "lissom-morph-groups" },
    make("div", { className: "lissom-row" }, search, reset), ...groups.map(({ node }) => node),
  );
  const node = make("details", { className: "lissom-morphs" }, make("summary", {}, `Morph targets (${morphs.names.length})`), body);

  function find() {
    const word = search.value.trim().toLowerCase();
    for (const { members, opens, node } of groups) {
      let found = 0;
      for (const { name, node } of members) {
        const hidden = !name.toLowerCase().includes(word);
        put(node, { hidden });
        found += hidden ? 0 : 1;
      }
      put(node, { hidden: !found, open: word ? !!found : opens });
    }
  }

  return {
    node,

    // Shows the weights that are drawn, while anyone sees them.
    update({ morphs: set, expressions }, weights) {
      chosen = { morphs: set, expressions };
      put(reset, { disabled: !Object.keys({ ...set, ...expressions }).length });
      if (!node.open) return;
      for (const { name, range, number, node } of faces) {
        const weight = expressions[name] ?? 0;
        node.classList.toggle("lissom-set", Object.hasOwn(expressions, name));
        put(range, { value: String(weight) });
        put(number, { textContent: weight.toFixed(2) });
        saying(range, weight.toFixed(2));
      }
      sliders.forEach(({ name, range, number, node }, m) => {
        node.classList.toggle("lissom-set", Object.hasOwn(set, name));
        const weight = weights[m];
        // A weight beyond the ends, as state may set it, widens the slider.
        put(range, { min: String(Math.min(weight, morphs.lowest[m])), max: String(Math.max(weight, morphs.highest[m])) });
        put(range, { value: String(weight) });
        put(number, { textContent: weight.toFixed(2) });
        saying(range, weight.toFixed(2));
      });
    },
    ontoggle: (callback) => node.addEventListener("toggle", callback),
  };
}
