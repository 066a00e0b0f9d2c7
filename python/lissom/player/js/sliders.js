// SPDX-License-Identifier: MIT
// Sliders for morph targets, in groups that unfold; they follow the clip until they are moved.

// Targets beyond which groups start folded and names can be searched for.
const FEW_TARGETS = 12;

// The controls; `set` changes the player's state.
function makeSliders({ morphs }, set) {
  if (!morphs) return null;
  const many = morphs.names.length > FEW_TARGETS;
  let chosen = {};
  const sliders = morphs.names.map((name, m) => {
    const label = name.slice(name.lastIndexOf("/") + 1);
    const range = make("input", {
      type: "range", min: morphs.lowest[m], max: morphs.highest[m], step: "any", label: name, title: name,
      oninput: () => set({ morphs: { ...chosen, [name]: Number(range.value) } }),
    });
    const number = make("output");
    return { name, range, number, node: make("label", { className: "lissom-morph" }, make("span", {}, label), range, number) };
  });
  const groups = morphs.groups.map(({ name, targets }) => {
    const rows = make("div", { className: "lissom-morph-rows" }, ...targets.map((m) => sliders[m].node));
    const title = make("summary", {}, `${name || "Targets"} (${targets.length})`);
    return { targets, node: make("details", { open: !many }, title, rows) };
  });
  const search = make("input", { type: "search", label: "Search morph targets", placeholder: "Search", hidden: !many, oninput: find });
  const reset = make("button", { type: "button", title: "Follow the clip again", onclick: () => set({ morphs: {} }) }, "Reset to the clip");
  const body = make(
    "div", { className: "lissom-morph-groups" },
    make("div", { className: "lissom-row" }, search, reset), ...groups.map(({ node }) => node),
  );
  const node = make("details", { className: "lissom-morphs" }, make("summary", {}, `Morph targets (${morphs.names.length})`), body);

  function find() {
    const word = search.value.trim().toLowerCase();
    for (const { targets, node } of groups) {
      let found = 0;
      for (const m of targets) {
        const hidden = !morphs.names[m].toLowerCase().includes(word);
        put(sliders[m].node, { hidden });
        found += hidden ? 0 : 1;
      }
      put(node, { hidden: !found, open: word ? !!found : !many });
    }
  }

  return {
    node,

    // Shows the weights that are drawn, while anyone sees them.
    update(set, weights) {
      chosen = set;
      put(reset, { disabled: !Object.keys(chosen).length });
      if (!node.open) return;
      sliders.forEach(({ name, range, number, node }, m) => {
        node.classList.toggle("lissom-set", Object.hasOwn(chosen, name));
        const weight = weights[m];
        // A weight beyond the ends, as state may set it, widens the slider.
        put(range, { min: String(Math.min(weight, morphs.lowest[m])), max: String(Math.max(weight, morphs.highest[m])) });
        put(range, { value: String(weight) });
        put(number, { textContent: weight.toFixed(2) });
      });
    },
    ontoggle: (callback) => node.addEventListener("toggle", callback),
  };
}
