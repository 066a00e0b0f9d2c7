// SPDX-License-Identifier: MIT
// The camera of _view/camera.py and the view of gpu/_stage.py: {target, distance, azimuth, elevation, field_of_view},
// degrees; azimuth about y from +z towards +x.

// Where the front is +z.
const FRONT = { azimuth: 35, elevation: 15, field_of_view: 30 };
// Share of the picture that framing leaves empty.
const MARGIN = 0.14;

// Unit directions to the right, upwards and towards the eye.
function axesOf({ azimuth, elevation }) {
  const [a, e] = [radians(azimuth), radians(elevation)];
  const right = [Math.cos(a), 0, -Math.sin(a)];
  const back = [Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e)];
  return [right, cross(back, right), back];
}

const eyeOf = (camera) => plus(camera.target, axesOf(camera)[2], camera.distance);
const lensOf = (camera) => Math.tan(radians(camera.field_of_view) / 2);

// The nearest z of an eye whose half opening `slope` covers all points [v, z], and its place along v.
function nearest(points, slope) {
  const above = Math.max(...points.map(([v, z]) => z * slope + v));
  const below = Math.max(...points.map(([v, z]) => z * slope - v));
  return [(above + below) / (2 * slope), (above - below) / 2];
}

// The place along v of an eye at `eyeZ` that centres the points, by bisection.
function centre(points, eyeZ, slope) {
  let [low, high] = [0, slope];
  for (let i = 0; i < 50; i++) {
    const opening = (low + high) / 2;
    if (nearest(points, opening)[0] > eyeZ) low = opening;
    else high = opening;
  }
  return nearest(points, high)[1];
}

// The nearest camera of a direction that covers all points.
function framing(points, aspect, direction) {
  const axes = axesOf(direction);
  const seen = points.map((p) => axes.map((axis) => dot(axis, p)));
  const [xs, ys] = [0, 1].map((k) => seen.map((p) => [p[k], p[2]]));
  const depths = seen.map((p) => p[2]);
  const [low, high] = [Math.min(...depths), Math.max(...depths)];
  const slopeY = lensOf(direction) * (1 - MARGIN);
  const slopeX = slopeY * aspect;
  const [corner, opposite] = boxAround(points);
  const extent = Math.max(...plus(opposite, corner, -1));
  const eyeZ = Math.max(nearest(xs, slopeX)[0], nearest(ys, slopeY)[0], high + 1e-3 * extent);
  const middle = (low + high) / 2;
  const at = [centre(xs, eyeZ, slopeX), centre(ys, eyeZ, slopeY), middle];
  const target = axes.reduce((sum, axis, k) => plus(sum, axis, at[k]), [0, 0, 0]);
  return { target, distance: eyeZ - middle > 0 ? eyeZ - middle : 1, ...direction };
}

function clipFromWorld(camera, aspect, near, far) {
  const f = 1 / lensOf(camera);
  const eye = eyeOf(camera);
  const view = [...axesOf(camera).flatMap((axis) => [...axis, -dot(axis, eye)]), 0, 0, 0, 1];
  const depth = [0, 0, (far + near) / (near - far), (2 * far * near) / (near - far)];
  return product([f / aspect, 0, 0, 0, 0, f, 0, 0, ...depth, 0, 0, -1, 0], view);
}

// The depths of a box's corners: distances from the eye along its direction.
const depthsOf = (camera, box) => cornersOf(box).map((p) => dot(plus(eyeOf(camera), p, -1), axesOf(camera)[2]));

// World units per pixel at the nearest depth of the box; 0 for an eye inside.
const unitsPerPixel = (camera, height, box) => Math.max((2 * lensOf(camera) * Math.min(...depthsOf(camera, box))) / height, 0);

// The uniforms that all programs of one view share; `box` bounds everything drawn, `size` is the character's.
function viewOf(camera, [width, height], box, ground, size) {
  const [right, , back] = axesOf(camera);
  const eye = eyeOf(camera);
  const depths = depthsOf(camera, box);
  const radius = length(plus(box[1], box[0], -1)) / 2 || 1;
  const near = Math.max(0.5 * Math.min(...depths), 2e-3 * camera.distance);
  const far = Math.max(...depths, camera.distance) + 12 * radius;
  const key = plus(plus([0, 1, 0], right, -0.55), [back[0], 0, back[2]], 0.7);
  return {
    clip_from_world: clipFromWorld(camera, width / height, near, far),
    eye,
    viewport: [width, height],
    to_key: unit(key),
    ground_height: ground,
    ground_reach: 0.5 * size || 1,
  };
}

// The direction from the eye through a place of the view, x and y from -1 to 1.
function rayThrough(camera, aspect, [x, y]) {
  const [right, up, back] = axesOf(camera);
  const lens = lensOf(camera);
  return unit(plus(plus(right.map((v) => v * x * lens * aspect), up, y * lens), back, -1));
}
