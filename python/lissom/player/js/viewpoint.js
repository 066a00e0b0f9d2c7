// SPDX-License-Identifier: MIT
// Where one player's camera stands: framing by itself until somebody moves it.

// `cornersNow()` gives the points to frame.
function makeViewpoint(cornersNow) {
  let direction = { ...FRONT };
  // {target, distance} that was chosen, or null.
  let place = null;
  // What was framed, and the aspect it was framed for: seen from elsewhere, it stays.
  let framed = null;

  const viewpoint = {
    camera(aspect) {
      if (!place && framed?.aspect !== aspect) framed = { ...framing(cornersNow(), aspect, direction), aspect };
      const { target, distance } = place ?? framed;
      return { target, distance, ...direction };
    },

    showAll() {
      place = framed = null;
    },

    // As player.set() takes it: some of a camera's numbers, or null for what it is at first.
    set(wanted, aspect) {
      const { target, distance, ...turned } = wanted ?? FRONT;
      direction = { ...direction, ...turned };
      framed = null;
      place = target || distance ? { ...viewpoint.camera(aspect), ...wanted } : null;
    },

    orbit(x, y) {
      direction.azimuth += x;
      direction.elevation = clamp(direction.elevation + y, -89, 89);
    },

    // To the right and down, in heights of the view.
    pan(x, y, aspect) {
      const now = viewpoint.camera(aspect);
      const [right, up] = axesOf(now);
      const unitsHigh = 2 * now.distance * lensOf(now);
      place = { ...now, target: plus(plus(now.target, right, -x * unitsHigh), up, y * unitsHigh) };
    },

    zoom(factor, size, aspect) {
      const now = viewpoint.camera(aspect);
      place = { ...now, distance: clamp(now.distance * factor, 1e-2 * size, 1e3 * size) };
    },
  };
  return viewpoint;
}
