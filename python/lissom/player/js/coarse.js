// SPDX-License-Identifier: MIT
// Fewer triangles of the same vertices, for figures that are small in the picture: vertex clustering (Rossignac and
// Borrel 1993). One vertex stands for all that lie in one cell of a grid and follow the same joint, so that legs
// that nearly touch do not grow together; that face the same way, so that thin legs do not shrink to a line; that have the
// same colour, and, in a part with a picture, that lie in the same piece of it: a triangle between two pieces would show
// what lies between them in the picture.

// Triangles by parts, as the bundle has them, with cells of `cell` units of the model in bind space.
function coarseTriangles(bundle, cell) {
  const { triangles, info } = bundle;
  const corners = [];
  const coarse = info.parts.map(({ first, count, ...part }) => {
    const start = corners.length;
    const own = triangles.subarray(first, first + count);
    const pieceOf = bundle[`image.${part.image}`] ? piecesOf(bundle, own) : (v) => colorOf(bundle, v);
    const standIn = standIns(bundle, own, cell, pieceOf);
    const kept = new Set();
    for (let i = 0; i < own.length; i += 3) {
      const corner = [0, 1, 2].map((k) => standIn.get(own[i + k]));
      if (new Set(corner).size < 3) continue;
      // The same but for where it begins; both sides of what has become flat are needed.
      const least = corner.indexOf(Math.min(...corner));
      const name = [...corner.slice(least), ...corner.slice(0, least)].join();
      if (!kept.has(name)) corners.push(...corner);
      kept.add(name);
    }
    return { ...part, first: start, count: corners.length - start };
  });
  return { triangles: Uint32Array.from(corners), parts: coarse };
}

// Parts of all colours are drawn together.
const colorOf = ({ colors }, v) => colors.subarray(4 * v, 4 * v + 4).join();
const placeOf = ({ positions }, v) => [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]];

// The first of `items` for which `value` is least.
function leastOf(items, value) {
  const values = items.map(value);
  return items[values.indexOf(values.reduce((a, b) => Math.min(a, b)))];
}

// The vertex that stands for each of `vertices`: of those in a cell and of one piece, the nearest to where the most
// pieces meet, so that they do not part; of such places, to the one nearest to the middle.
function standIns(bundle, vertices, cell, pieceOf) {
  const cells = new Map();
  const facing = facesOf(bundle, vertices);
  for (const v of new Set(vertices)) {
    const name = [bundle.rows[4 * v], facing(v), ...placeOf(bundle, v).map((x) => Math.floor(x / cell))].join();
    if (cells.has(name)) cells.get(name).push(v);
    else cells.set(name, [v]);
  }
  const found = new Map();
  for (const together of cells.values()) {
    const middle = together.reduce((sum, v) => plus(sum, placeOf(bundle, v), 1 / together.length), [0, 0, 0]);
    const away = (v, place) => length(plus(placeOf(bundle, v), place, -1));
    const pieces = new Map();
    const meeting = new Map();
    for (const v of together) {
      const [piece, name] = [pieceOf(v), placeOf(bundle, v).join()];
      if (!pieces.has(piece)) pieces.set(piece, []);
      pieces.get(piece).push(v);
      if (!meeting.has(name)) meeting.set(name, new Set());
      meeting.get(name).add(piece);
    }
    const meets = (v) => meeting.get(placeOf(bundle, v).join()).size;
    const most = together.reduce((count, v) => Math.max(count, meets(v)), 0);
    const place = placeOf(bundle, leastOf(together.filter((v) => meets(v) === most), (v) => away(v, middle)));
    for (const piece of pieces.values()) {
      const nearest = leastOf(piece, (v) => away(v, place));
      for (const v of piece) found.set(v, nearest);
    }
  }
  return found;
}

// Which of the six faces of a cell the surface at a vertex looks through: by all vertices of its place, so that edges
// do not part.
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

// A name for the piece of the picture in which a vertex lies: what hangs together by edges in it.
function piecesOf(bundle, corners) {
  const parents = new Map();
  const root = (v) => {
    while (parents.get(v) !== v) {
      parents.set(v, parents.get(parents.get(v)));
      v = parents.get(v);
    }
    return v;
  };
  // Vertices that differ in their normals alone are one place.
  const places = new Map();
  for (const v of new Set(corners)) {
    const name = [...placeOf(bundle, v), colorOf(bundle, v), bundle.uvs[2 * v], bundle.uvs[2 * v + 1]].join();
    if (!places.has(name)) places.set(name, v);
    parents.set(v, places.get(name));
  }
  for (let i = 0; i < corners.length; i += 3)
    for (const k of [1, 2]) parents.set(root(corners[i + k]), root(corners[i]));
  return root;
}
