// SPDX-License-Identifier: MIT
// Picking: the handle, bone or vertex under the pointer. Vertices are skinned linearly on the CPU.

function skinnedPositions(bundle, texels, positions) {
  const result = new Float32Array(positions.length);
  const sources = influencesOf(bundle);
  for (let v = 0; v < positions.length / 3; v++)
    for (const [rows, weights] of sources)
      for (let i = 4 * v; i < 4 * v + 4; i++) {
        const weight = bundle[weights][i];
        if (!weight) continue;
        for (let k = 0; k < 3; k++) {
          const at = 12 * bundle[rows][i] + 4 * k;
          let sum = texels[at + 3];
          for (let c = 0; c < 3; c++) sum += texels[at + c] * positions[3 * v + c];
          result[3 * v + k] += weight * sum;
        }
      }
  return result;
}

// The palette row with the largest weight at the first point where a ray meets the surface, or -1. `positions` are those in
// bind space.
function pickRow(bundle, texels, positions, origin, direction) {
  const placed = skinnedPositions(bundle, texels, positions);
  const { triangles } = bundle;
  const at = (i) => Array.from(placed.subarray(3 * triangles[i], 3 * triangles[i] + 3));
  let [nearestHit, vertex] = [Infinity, -1];
  for (let i = 0; i < triangles.length; i += 3) {
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
