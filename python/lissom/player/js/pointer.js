// SPDX-License-Identifier: MIT
// Mouse, touch and keys on the picture, translated into actions: orbit(x, y) in degrees, pan(x, y) in fractions of the view's
// height, zoom(factor), press(event) that may take the drag, hover(event), click(event), key(event), frame(). `ownsWheel`:
// nothing around the picture scrolls.

const DRAG_PIXELS = 4;
const ORBIT_DEGREES = 220;

function listen(canvas, actions, ownsWheel) {
  const held = new Map();
  // The result of press(), and the pointer that drags it; other pointers are ignored.
  let taken = null;
  let taker = null;
  let moves = false;
  const height = () => canvas.clientHeight || 1;
  const middle = () => {
    const all = [...held.values()];
    const [x, y] = [0, 1].map((k) => all.reduce((sum, p) => sum + p[k], 0) / all.length);
    return [x, y, all.length > 1 ? Math.hypot(all[0][0] - all[1][0], all[0][1] - all[1][1]) : 0];
  };

  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    held.set(event.pointerId, [event.clientX, event.clientY]);
    moves = held.size > 1;
    if (held.size === 1 && event.button === 0 && !event.shiftKey) [taken, taker] = [actions.press(event), event.pointerId];
  };
  canvas.onpointermove = (event) => {
    if (!held.has(event.pointerId)) {
      actions.hover(event);
      return;
    }
    const [x0, y0, oldSpacing] = middle();
    const start = held.get(event.pointerId);
    if (!moves && Math.hypot(event.clientX - start[0], event.clientY - start[1]) < DRAG_PIXELS) return;
    moves = true;
    held.set(event.pointerId, [event.clientX, event.clientY]);
    const [x1, y1, spacing] = middle();
    const [dx, dy] = [(x1 - x0) / height(), (y1 - y0) / height()];
    if (taken) {
      if (event.pointerId === taker) taken.move(event);
    } else if (held.size > 1) {
      actions.pan(dx, dy);
      if (oldSpacing && spacing) actions.zoom(oldSpacing / spacing);
    } else if (event.buttons & 2 || event.shiftKey) actions.pan(dx, dy);
    else actions.orbit(-dx * ORBIT_DEGREES, dy * ORBIT_DEGREES);
  };
  canvas.onpointerleave = () => actions.hover(null);
  canvas.onpointerup = canvas.onpointercancel = (event) => {
    if (!held.delete(event.pointerId)) return;
    if (!taken) {
      if (!moves && event.type === "pointerup" && event.button === 0) actions.click(event);
    } else if (event.pointerId === taker) {
      taken.end(event);
      taken = null;
    }
  };
  // The right button pans, so keep the menus of browser and JupyterLab closed.
  canvas.oncontextmenu = (event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  canvas.ondblclick = () => actions.frame();
  canvas.addEventListener("wheel", (event) => {
    // The wheel scrolls the page around a picture, until the picture has been clicked.
    if (!ownsWheel && !(document.hasFocus() && canvas.getRootNode().activeElement === canvas)) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 33 : 1;
    actions.zoom(1.0015 ** (clamp(event.deltaY, -200, 200) * lines));
  }, { passive: false });
  canvas.onkeydown = (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey && actions.key(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
}
