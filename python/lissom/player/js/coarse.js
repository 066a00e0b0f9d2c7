// SPDX-License-Identifier: MIT
// Fewer triangles of the same vertices, for characters that are small in the picture: vertex clustering (Rossignac and
// Borrel 1993). One vertex represents all that share a cell of a grid and
// - the joint, so that legs that nearly touch are not joined,
// - the face of the cell that the normal points to, so that thin legs do not collapse to a line,
// - the colour or, in a part with a texture or whose colours run into one another, the island: a triangle between two
//   islands would show the texture or the colours between them.

// Triangles by parts, as in the bundle, for cells of side `cell` in bind space.
function coarseTriangles(bundle, cell) {
  const { triangles, info } = bundle;
  const corners = [];
  const coarse = info.parts.map(({ first, count, ...part }) => {
    const start = corners.length;
    const own = triangles.subarray(first, first + count);
    const isPictured = bundle[`image.${part.image ?? part.emissive_image}`];
    const hasIslands = isPictured || hasGradients(bundle, own);
    const islandOf = hasIslands ? islandsOf(bundle, own) : (v) => colorOf(bundle, v);
    const standIn = standIns(bundle, own, cell, islandOf);
    const kept = new Set();
    for (let i = 0; i < own.length; i += 3) {
      const corner = [0, 1, 2].map((k) => standIn.get(own[i + k]));
      if (new Set(corner).size < 3) continue;
      // Triangles with the same corners in the same cyclic order are drawn once; flattened parts keep both sides.
      const first = corner.indexOf(Math.min(...corner));
      const name = [...corner.slice(first), ...corner.slice(0, first)].join();
      if (!kept.has(name)) corners.push(...corner);
      kept.add(name);
    }
    return { ...part, first: start, count: corners.length - start };
  });
  return { triangles: Uint32Array.from(corners), parts: coarse };
}

// Parts without texture are drawn together, whatever their colours.
const colorOf = ({ colors }, v) => colors.subarray(4 * v, 4 * v + 4).join();
const placeOf = ({ positions }, v) => [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]];

// Whether most triangles have corners of different colours: kept apart by colour, hardly any could go.
function hasGradients(bundle, corners) {
  const colors = new Uint32Array(bundle.colors.buffer, bundle.colors.byteOffset, bundle.colors.length / 4);
  let mixed = 0;
  for (let i = 0; i < corners.length; i += 3)
    mixed += [1, 2].some((k) => colors[corners[i]] !== colors[corners[i + k]]) ? 1 : 0;
  return 6 * mixed > corners.length;
}

// The first of `items` for which `value` is least.
function leastOf(items, value) {
  const values = items.map(value);
  return items[values.indexOf(values.reduce((a, b) => Math.min(a, b)))];
}

// The vertex that represents each of `vertices`: of one cell and island, the nearest to the place where most islands meet,
// so that they stay joined; of several such places, to the one nearest to the cell's mean.
function standIns(bundle, vertices, cell, islandOf) {
  const cells = new Map();
  const facing = facesOf(bundle, vertices);
  for (const v of new Set(vertices)) {
    const name = [bundle.rows[4 * v], facing(v), ...placeOf(bundle, v).map((x) => Math.floor(x / cell))].join();
    if (cells.has(name)) cells.get(name).push(v);
    else cells.set(name, [v]);
  }
  const standInOf = new Map();
  for (const members of cells.values()) {
    const mean = members.reduce((sum, v) => plus(sum, placeOf(bundle, v), 1 / members.length), [0, 0, 0]);
    const distance = (v, place) => length(plus(placeOf(bundle, v), place, -1));
    const islands = new Map();
    const meeting = new Map();
    for (const v of members) {
      const [island, name] = [islandOf(v), placeOf(bundle, v).join()];
      if (!islands.has(island)) islands.set(island, []);
      islands.get(island).push(v);
      if (!meeting.has(name)) meeting.set(name, new Set());
      meeting.get(name).add(island);
    }
    const islandCount = (v) => meeting.get(placeOf(bundle, v).join()).size;
    const most = members.reduce((count, v) => Math.max(count, islandCount(v)), 0);
    const place = placeOf(bundle, leastOf(members.filter((v) => islandCount(v) === most), (v) => distance(v, mean)));
    for (const island of islands.values()) {
      const nearest = leastOf(island, (v) => distance(v, place));
      for (const v of island) standInOf.set(v, nearest);
    }
  }
  return standInOf;
}

// Which of the six faces of a cell the normal at a vertex points to: summed over all vertices of its place, so that hard
// edges stay joined.
function facesOf(bundle, vertices) {
  const sums = new Map();
  for (const v of new Set(vertices)) {
    const name = placeOf(bundle, v).join();
    sums.set(name, plus(sums.get(name) ?? [0, 0, 0], bundle.normals.subarray(4 * v, 4 * v + 3)));
  }
  return (v) => {
    const sum = sums.get(placeOf(bundle, v).join());
    const k = leastOf([0, 1, 2], (axis) => -Math.abs(sum[axis]));
    return `${k}${sum[k] < 0}`;
  };
}

// The island of a vertex: a representative of all vertices connected by edges (union-find).
function islandsOf(bundle, corners) {
  const parents = new Map();
  const root = (v) => {
    while (parents.get(v) !== v) {
      parents.set(v, parents.get(parents.get(v)));
      v = parents.get(v);
    }
    return v;
  };
  // Weld vertices that differ only in their normals.
  const places = new Map();
  for (const v of new Set(corners)) {
    const name = [...placeOf(bundle, v), colorOf(bundle, v), bundle.uvs?.[2 * v], bundle.uvs?.[2 * v + 1]].join();
    if (!places.has(name)) places.set(name, v);
    parents.set(v, places.get(name));
  }
  for (let i = 0; i < corners.length; i += 3)
    for (const k of [1, 2]) parents.set(root(corners[i + k]), root(corners[i]));
  return root;
}
