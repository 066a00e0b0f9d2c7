// SPDX-License-Identifier: MIT
// Fewer triangles of the same vertices, for figures that are small in the picture: vertex clustering (Rossignac and
// Borrel 1993). One vertex stands for all that lie in one cell of a grid and follow the same joint, so that legs
// that nearly touch do not grow together.

// Triangles by parts, as the bundle has them, with cells of `cell` units of the model in bind space.
function coarseTriangles({ positions, rows, triangles, info: { parts } }, cell) {
  const corners = [];
  const coarse = parts.map(({ first, count, ...part }) => {
    const start = corners.length;
    const own = triangles.subarray(first, first + count);
    const standIn = standIns(positions, rows, own, cell);
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

// The vertex that stands for each of `vertices`: of those in a cell, the nearest to their middle.
function standIns(positions, rows, vertices, cell) {
  const at = (v) => [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]];
  const cells = new Map();
  for (const v of new Set(vertices)) {
    const name = [rows[4 * v], ...at(v).map((x) => Math.floor(x / cell))].join();
    if (cells.has(name)) cells.get(name).push(v);
    else cells.set(name, [v]);
  }
  const found = new Map();
  for (const together of cells.values()) {
    const middle = together.reduce((sum, v) => plus(sum, at(v), 1 / together.length), [0, 0, 0]);
    const away = (v) => length(plus(at(v), middle, -1));
    const nearest = together.reduce((best, v) => (away(v) < away(best) ? v : best));
    for (const v of together) found.set(v, nearest);
  }
  return found;
}
