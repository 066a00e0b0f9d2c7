// SPDX-License-Identifier: MIT
// The camera of one player: it frames the character until the user moves it.

// `cornersNow()` returns the points to frame, and `keyNow()` text that changes where they do; `azimuth` is from where the
// character is seen at first.
function makeViewpoint(cornersNow, keyNow, azimuth) {
  const front = { ...FRONT, azimuth: azimuth ?? FRONT.azimuth };
  let direction = { ...front };
  // {target, distance} chosen by the user, or null.
  let place = null;
  // {key, cameras}: the framing for each aspect; kept when the direction changes.
  let framed = null;

  function framingAt(aspect) {
    const key = keyNow();
    if (framed?.key !== key) framed = { key, cameras: {} };
    return (framed.cameras[aspect] ??= framing(cornersNow(), aspect, direction));
  }

  const viewpoint = {
    camera(aspect) {
      const { target, distance } = place ?? framingAt(aspect);
      return { target, distance, ...direction };
    },

    // Whether the user, or a program, chose where it stands.
    get isPlaced() {
      return place !== null;
    },

    // How large a unit of length is in an area of so many pixels, where all is framed.
    scaleIn: (width, height) => height / framingAt(width / height || 1).distance,

    // A place that was chosen for one aspect shows as much around its target in another.
    fit(before, aspect) {
      if (place) place = { ...place, distance: (place.distance * Math.min(before, 1)) / Math.min(aspect, 1) };
    },

    showAll() {
      place = framed = null;
    },

    // Sets some fields of the camera, or resets it with null, as in player.set().
    set(fields, aspect) {
      const { target, distance, ...angles } = fields ?? front;
      direction = { ...direction, ...angles };
      framed = null;
      place = target || distance ? { ...viewpoint.camera(aspect), ...fields } : null;
    },

    orbit(x, y) {
      direction.azimuth += x;
      direction.elevation = clamp(direction.elevation + y, -89, 89);
    },

    // Moves right and down, in heights of the view.
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
