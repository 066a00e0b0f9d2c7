// SPDX-License-Identifier: MIT
// Picking: the handle, bone or vertex under the pointer. Vertices are skinned linearly on the CPU.

function skinnedPositions(bundle, texels, positions) {
  const result = new Float64Array(positions.length);
  for (const [rows, weights] of influencesOf(bundle).map((names) => names.map((name) => bundle[name])))
    for (let i = 0; i < rows.length; i++) {
      const weight = weights[i];
      if (!weight) continue;
      const v = 3 * (i >> 2);
      for (let k = 0; k < 3; k++) {
        const at = 12 * rows[i] + 4 * k;
        const [x, y, z] = [positions[v], positions[v + 1], positions[v + 2]];
        result[v + k] += weight * (texels[at] * x + texels[at + 1] * y + texels[at + 2] * z + texels[at + 3]);
      }
    }
  return result;
}

// The palette row with the largest weight at the first point where a ray meets the surface, or -1. `positions` are those in
// bind space.
function pickRow(bundle, texels, positions, origin, direction) {
  const placed = skinnedPositions(bundle, texels, positions);
  const { triangles } = bundle;
  const at = (i) => [placed[3 * triangles[i]], placed[3 * triangles[i] + 1], placed[3 * triangles[i] + 2]];
  // Places across the ray, along two axes: a triangle to one side of it is none that it meets.
  const right = unit(cross(direction, Math.abs(direction[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]));
  const across = [right, cross(right, direction)].map(([x, y, z]) => {
    const start = dot([x, y, z], origin);
    const places = new Float64Array(placed.length / 3);
    for (let v = 0; v < places.length; v++) places[v] = x * placed[3 * v] + y * placed[3 * v + 1] + z * placed[3 * v + 2] - start;
    return places;
  });
  const isAside = (i) => {
    for (const places of across) {
      const [a, b, c] = [places[triangles[i]], places[triangles[i + 1]], places[triangles[i + 2]]];
      if ((a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0)) return true;
    }
    return false;
  };
  let [nearestHit, vertex] = [Infinity, -1];
  for (let i = 0; i < triangles.length; i += 3) {
    if (isAside(i)) continue;
    // Moller and Trumbore 1997
    const [a, b, c] = [at(i), at(i + 1), at(i + 2)];
    const [ab, ac] = [plus(b, a, -1), plus(c, a, -1)];
    const p = cross(direction, ac);
    const scale = 1 / dot(ab, p);
    const from = plus(origin, a, -1);
    const u = dot(from, p) * scale;
    const q = cross(from, ab);
    const v = dot(direction, q) * scale;
    const t = dot(ac, q) * scale;
    if (!(u >= 0 && v >= 0 && u + v <= 1 && t > 0 && t < nearestHit)) continue;
    nearestHit = t;
    vertex = triangles[i + (u > 0.5 ? 1 : v > 0.5 ? 2 : 0)];
  }
  return vertex < 0 ? -1 : bundle.rows[4 * vertex];
}

// A world point in pixels from the upper left corner of the view, and its depth.
function pixelOf(clip, [width, height], point) {
  const [x, y, , w] = moved(clip, point);
  return w > 0 ? [(0.5 + (0.5 * x) / w) * width, (0.5 - (0.5 * y) / w) * height, w] : [Infinity, Infinity, w];
}

// The palette row of the bone nearest to a place of the view, or -1 where none is within `maxPixels`.
function pickBone(bones, texels, clip, viewport, place, maxPixels) {
  let [best, row] = [maxPixels, -1];
  for (const bone of bones) {
    const [a, b] = [0, 4].map((i) =>
      pixelOf(clip, viewport, movedByRow(texels, bone[i], bone.slice(i + 1, i + 4))).slice(0, 2),
    );
    const ab = plus(b, a, -1);
    const t = clamp(dot(plus(place, a, -1), ab) / (dot(ab, ab) || 1), 0, 1);
    const distance = length(plus(plus(a, ab, t), place, -1));
    if (distance < best) [best, row] = [distance, bone[0]];
  }
  return row;
}

// The nearest handle under a place of the view, or undefined.
const pickHandle = (handles, clip, viewport, place, least) =>
  handles
    .map((handle) => {
      const [x, y, depth] = pixelOf(clip, viewport, handle.position);
      const up = plus(handle.position, clip.slice(4, 7).map((v) => v / length(clip.slice(4, 7))), handle.radius);
      const radius = Math.max(least, Math.abs(pixelOf(clip, viewport, up)[1] - y));
      return { handle, depth, distance: Math.hypot(x - place[0], y - place[1]) / radius };
    })
    .filter(({ distance }) => distance <= 1)
    .sort((a, b) => a.depth - b.depth)[0]?.handle;
