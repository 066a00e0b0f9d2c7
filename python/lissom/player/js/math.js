// SPDX-License-Identifier: MIT
// Vectors as arrays, and 4x4 matrices as 16 numbers, row by row: all in double.

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const length = (a) => Math.hypot(...a);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const radians = (degrees) => (degrees * Math.PI) / 180;

// a + t b
const plus = (a, b, t = 1) => a.map((x, i) => x + t * b[i]);
const unit = (a) => a.map((x) => x / length(a));

const rowsOf = (m) => [0, 4, 8, 12].map((i) => m.slice(i, i + 4));

// First b, then a.
const product = (a, b) =>
  rowsOf(a).flatMap((row) => [0, 1, 2, 3].map((k) => dot(row, [b[k], b[4 + k], b[8 + k], b[12 + k]])));

// A point (w = 1) transformed into four numbers.
const moved = (m, p) => rowsOf(m).map((row) => dot(row, [...p, 1]));

// The eight corners of a box [low, high].
const cornersOf = ([low, high]) =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [0, 1, 2].map((k) => ((i >> k) & 1 ? high : low)[k]));

// The box around points.
const boxAround = (points) =>
  ["min", "max"].map((most) =>
    [0, 1, 2].map((k) => points.reduce((found, p) => Math[most](found, p[k]), most === "min" ? Infinity : -Infinity)),
  );
