// SPDX-License-Identifier: MIT
// The front end of lissom.ik.Playground: drags are sent to the kernel, and its solutions are drawn.
// At most one request is in flight; a drag before its answer replaces the pending one, so that only the newest
// target waits.

// Jupyter's server leaves Nagle's algorithm on, and browsers acknowledge up to 40 ms late: an answer waits until the status
// message before it, that the kernel is busy, is acknowledged. Any message that the page sends carries the acknowledgement, so
// the page sends one when it hears that status. That may wait in the same way, for one before it, and some pages are not told
// of it: milliseconds after a request, of which the first is left out where the page is told.
const NUDGES = [5, 15, 40];
// Milliseconds after which a handle follows the pointer without an answer, and after which a draft is redrawn in full.
const LATE = 60;
const SETTLED = 200;
// Milliseconds after which a kernel that does not answer is reported, and after which what it was asked by the line is
// asked by Jupyter's connection.
const SILENT = 3000;
const UNHEARD = 300;

// Keys that move the chosen handle: along the picture's right, up and towards the eye.
const STEPS = {
  ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0],
  PageUp: [0, 0, -1], PageDown: [0, 0, 1],
};
// Of the handle's radius: length of such a step.
const STEP = 0.4;
// How much larger the chosen handle is drawn.
const CHOSEN = 1.3;
const AXIS_NAMES = "xyz";

const renderPlayground = async ({ model, el }) => {
  const root = playgroundElement("div", "");
  root.className = "lissom-playground";
  const picture = playgroundElement("div", "picture");
  const tag = playgroundElement("div", "tag");
  const tools = playgroundElement("div", "tools");
  const more = playgroundElement("div", "tools");
  const solvers = playgroundElement("select", "solver");
  const undo = playgroundElement("button", "undo", "Undo");
  const redo = playgroundElement("button", "redo", "Redo");
  const reset = playgroundElement("button", "reset", "Reset pose");
  const copy = playgroundElement("button", "copy", "Copy as code");
  const note = playgroundElement("span", "note");
  const chosen = playgroundElement("select", "handle");
  const turns = playgroundElement("input", "turns");
  const edits = playgroundElement("input", "edits");
  const below = playgroundElement("div", "below");
  const readout = playgroundElement("table", "readout");
  const code = playgroundElement("textarea", "code");
  for (const name of model.get("solvers")) solvers.add(new Option(name, name));
  turns.type = edits.type = "checkbox";
  code.readOnly = true;
  code.setAttribute("aria-label", "Code");
  code.hidden = tag.hidden = true;
  note.setAttribute("role", "status");
  const residuals = makeResiduals();
  const limits = makeLimits(
    (joint, name) => enqueue("limit", { joint, name }, `limit ${joint}`),
    (joint, name, degrees) => enqueue("bound", { joint, name, degrees }, `bound ${joint} ${name}`),
  );
  limits.node.hidden = true;
  const recorder = makeRecorder((kind, content) => enqueue(kind, content));
  tools.append(playgroundField("Solver ", solvers), undo, redo, reset, copy, note);
  more.append(
    playgroundField("Handle ", chosen), playgroundField("Orientation", turns), playgroundField("Edit limits", edits),
    recorder.node,
  );
  below.append(readout, residuals.node);
  root.append(picture, tools, more, limits.node, below, code);
  el.append(root);

  const view = Math.random().toString(36).slice(2);
  // The request in flight: its number, the time of the event that caused it, and its timers.
  let sequence = 0, asked = 0, since = 0, waiting = [];
  // Whether the page is told that the kernel is busy with its request.
  let isTold = false;
  // Timers of pictures that are drawn unless an answer comes first.
  let late = 0, settled = 0;
  // Pending requests by kind, in order; handles that are held; positions of handles not answered yet; the last frame.
  const pending = new Map(), held = new Set(), moved = new Map();
  let frame = null;
  // Shapes of limits, of which each frame says where they are: their number, corners of lines and of triangles.
  let shapes = { number: 0, lines: [], triangles: [] };
  // Number of the drag, or of the key held, which is undone at once; the handle that keys move; names of effectors.
  let gesture = 0, choice = "target:0", names = [];
  // For tests and benchmarks: the number of frames drawn, milliseconds from each drag to its picture, and the request
  // in flight.
  const seen = { frames: 0, delays: [], player: null, asked: () => asked, line: null };
  root.playground = seen;

  const ask = () => {
    if (asked || !pending.size) return;
    const [key, { kind, content, since: begun }] = pending.entries().next().value;
    pending.delete(key);
    asked = ++sequence;
    since = begun;
    const number = asked;
    const nudge = () => send({ kind: "nudge" });
    const hear = (status) => {
      if (status.content?.execution_state !== "busy" || asked !== number) return;
      isTold = true;
      timers.forEach(clearTimeout);
      nudge();
    };
    const request = () => ({ kind, view, sequence, age: performance.now() - since, ...content });
    let timers = [];
    const askJupyter = () => {
      timers = NUDGES.slice(isTold ? 1 : 0).map((delay) => setTimeout(nudge, delay));
      waiting.push(...timers);
      send(request(), { iopub: { status: hear } });
    };
    waiting = [setTimeout(giveUp, SILENT)];
    if (kind === "drag" && seen.line?.send(request())) waiting.push(setTimeout(askJupyter, UNHEARD));
    else askJupyter();
  };
  // After a restart of the kernel, sending fails, which counts as no answer.
  const send = (content, callbacks) => {
    try {
      model.send(content, callbacks);
    } catch (error) {
      console.warn(error);
    }
  };
  // A lost answer does not block later requests; a late one is drawn.
  const giveUp = () => {
    note.textContent = "The kernel does not answer: is it busy, or gone?";
    asked = 0;
    ask();
  };
  const enqueue = (kind, content, key = kind) => {
    const before = pending.get(key)?.content.moves;
    const moves = before && { moves: { ...before, ...content.moves } };
    pending.set(key, { kind, content: { ...content, ...moves }, since: performance.now() });
    ask();
  };
  const move = (id, position) => {
    moved.set(id, [...position]);
    code.hidden = true;
    recorder.rest();
    enqueue("drag", { moves: { [id]: [...position] }, gesture: `${view} ${gesture}` });
  };
  const drawMarks = () => {
    if (!frame) return;
    // Bounds and axes are where the kernel says, on their circles, however far the pointer is from them.
    const isFree = (id) => !/^(limit|turn)/.test(id);
    const handles = frame.handles.map((handle) => ({
      ...handle,
      position: (isFree(handle.id) && moved.get(handle.id)) || handle.position,
      radius: handle.radius * (handle.id === choice ? CHOSEN : 1),
    }));
    seen.player.overlay({ lines: frame.lines, triangles: frame.triangles, handles, text: "" });
  };
  const drawPicture = () => {
    [late, settled].forEach(clearTimeout);
    late = 0;
    seen.player.draw({ isDraft: held.size > 0 });
    if (held.size) settled = setTimeout(() => seen.player.draw(), SETTLED);
  };
  const say = (rows, delay) => {
    readout.replaceChildren(...rows.map(([name, text, alert]) => {
      const row = playgroundElement("tr", alert ? "alert" : "");
      row.append(playgroundElement("th", "", name), playgroundElement("td", "", text));
      return row;
    }));
    if (delay) readout.dataset.delay = delay.toFixed(1);
  };
  const draw = (content, buffers) => {
    const [linear, dual, places, marks, lines, triangles] = buffers.map(playgroundFloats);
    if (lines) shapes = { number: content.shapes, lines, triangles };
    else if (shapes.number !== content.shapes && frame) hail(); // which is answered with them
    const known = shapes.number === content.shapes ? shapes : { lines: [], triangles: [] };
    frame = {
      handles: content.handles,
      lines: playgroundJoined(playgroundPlaced(known.lines, places), marks),
      triangles: playgroundPlaced(known.triangles, places),
    };
    seen.player.pose({ linear, dual });
    drawMarks();
    drawPicture();
  };
  // All of a frame but its picture.
  const tell = (content) => {
    seen.frames += 1;
    solvers.value = content.solver;
    seen.targets = content.targets;
    names = content.effectors ?? names;
    undo.disabled = !content.undo;
    redo.disabled = !content.redo;
    edits.checked = !!content.limits;
    residuals.add(content);
    recorder.show(content.recording);
    limits.show(content);
    frame.oriented = content.oriented;
    frame.limits = content.limits;
    listHandles();
    point();
  };
  // What a handle is called, by its id.
  const nameOf = (id) => {
    const [which, index, part] = id.split(":");
    if (which === "body") return "body";
    if (which === "limit") {
      const [, joint, , bounds] = frame.limits?.find((row) => row[0] === Number(index)) ?? [0, index, "", []];
      return `${joint}, ${bounds.find(([name]) => name === part)?.[1] ?? part}`;
    }
    return { target: names[index], pole: `${names[index]}, pole`, turn: `${names[index]}, ${AXIS_NAMES[part]} axis` }[which];
  };
  const listHandles = () => {
    const ids = frame.handles.map(({ id }) => id);
    if (!ids.includes(choice)) choice = ids[0];
    const texts = ids.map(nameOf);
    if (JSON.stringify([...chosen.options].map(({ text }) => text)) !== JSON.stringify(texts)) {
      chosen.replaceChildren(...ids.map((id, i) => new Option(texts[i], id)));
    }
    chosen.value = choice;
    const words = "arrow keys and page up and down move it, N is the next, control Z undoes, shift and arrow keys orbit";
    picture.querySelector("canvas").setAttribute("aria-label", `${nameOf(choice)}: ${words}`);
    const index = targetOf(choice);
    turns.disabled = index === null;
    turns.checked = index !== null && frame.oriented[index];
  };
  const targetOf = (id) => (/^(target|pole|turn)/.test(id) ? Number(id.split(":")[1]) : null);
  // The angle of the bound that is dragged, beside the pointer.
  const point = () => {
    const [which, index, part] = [...held][0]?.split(":") ?? [];
    const degrees = which === "limit"
      ? frame.limits?.find((row) => row[0] === Number(index))?.[3].find(([name]) => name === part)?.[2] : undefined;
    tag.hidden = degrees === undefined || degrees === null;
    if (!tag.hidden) tag.textContent = `${degrees.toFixed(1)}°`;
  };
  const choose = (id) => {
    choice = id;
    listHandles();
    drawMarks();
  };
  const listen = (content, buffers) => {
    // Frames are for all views of the widget, other answers for the view that asked; what the line has replied is for others.
    if (content.view === view ? content.replied : content.kind !== "frame") return;
    // The answer to the last request, which may have timed out.
    const isOwn = content.view === view && content.sequence === sequence;
    if (content.view === view && content.line) {
      seen.line?.close();
      seen.line = makeLine(content.line, listen, hail);
    }
    if (isOwn) {
      waiting.forEach(clearTimeout);
      note.textContent = "";
      asked = 0;
      if (!pending.has("drag")) {
        for (const id of [...moved.keys()]) if (!held.has(id)) moved.delete(id);
      }
    }
    if (content.kind === "frame") {
      draw(content, buffers);
      const delay = isOwn && content.asked === "drag" ? performance.now() - since : 0;
      if (delay) seen.delays.push(delay);
      tell(content);
      say(content.readout, delay);
    } else if (content.kind === "code") {
      code.value = content.text;
      code.hidden = false;
      code.rows = Math.min(24, content.text.split("\n").length + 1);
      code.select();
      const done = () => (note.textContent = "Copied.");
      const failed = () => (note.textContent = "Copy it from below.");
      if (navigator.clipboard) navigator.clipboard.writeText(content.text).then(done, failed);
      else failed();
    } else if (content.kind === "error") {
      note.textContent = content.text;
      drawMarks();
    }
    ask();
  };

  const bytes = model.get("bundle");
  seen.player = await lissom.createPlayer(
    picture,
    new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    model.get("options"),
  );
  // Keys go to the focused element, not to JupyterLab's shortcuts.
  root.dataset.lmSuppressShortcuts = "true";
  for (const node of root.querySelectorAll("canvas, button, input, select, textarea"))
    node.dataset.lmSuppressShortcuts = "true";
  picture.append(tag);
  seen.player.onDrag((id, position, phase) => {
    if (phase === "start") {
      gesture += 1;
      choose(id);
    }
    if (phase === "end") held.delete(id);
    else held.add(id);
    late ||= setTimeout(() => { drawMarks(); drawPicture(); }, LATE);
    move(id, position);
    if (phase === "end") point();
  });
  picture.addEventListener("pointermove", (event) => {
    const bounds = picture.getBoundingClientRect();
    Object.assign(tag.style, { left: `${event.clientX - bounds.left}px`, top: `${event.clientY - bounds.top}px` });
  });
  // Before the player, which steps through clips by the same keys.
  picture.addEventListener("keydown", (event) => {
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || !frame) return;
    const ids = frame.handles.map(({ id }) => id);
    const step = STEPS[event.key];
    if (step) {
      const { position, radius } = frame.handles.find(({ id }) => id === choice);
      const { azimuth, elevation } = seen.player.state.camera;
      const [a, e] = [azimuth, elevation].map((degrees) => (degrees * Math.PI) / 180);
      const [sa, ca, se, ce] = [Math.sin(a), Math.cos(a), Math.sin(e), Math.cos(e)];
      const axes = [[ca, 0, -sa], [-sa * se, ce, -ca * se], [sa * ce, se, ca * ce]];
      const from = moved.get(choice) ?? position;
      if (!event.repeat) gesture += 1;
      move(choice, from.map((x, k) => x + STEP * radius * axes.reduce((sum, axis, i) => sum + step[i] * axis[k], 0)));
    } else if (event.key.toLowerCase() === "n") choose(ids[(ids.indexOf(choice) + 1) % ids.length]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
  root.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || !["z", "y"].includes(key) || event.target.type === "number") return;
    enqueue(key === "y" || event.shiftKey ? "redo" : "undo", {});
    event.preventDefault();
    event.stopPropagation();
  });
  solvers.addEventListener("change", () => enqueue("solver", { name: solvers.value }));
  undo.addEventListener("click", () => enqueue("undo", {}));
  redo.addEventListener("click", () => enqueue("redo", {}));
  reset.addEventListener("click", () => enqueue("reset", {}));
  copy.addEventListener("click", () => enqueue("code", {}));
  chosen.addEventListener("change", () => choose(chosen.value));
  turns.addEventListener("change", () => enqueue("orient", { index: targetOf(choice), on: turns.checked }));
  edits.addEventListener("change", () => enqueue("edit", { on: edits.checked }));
  const hail = () => enqueue("hello", { origin: location.origin });
  model.on("msg:custom", listen);
  hail();
  return () => {
    [late, settled, ...waiting].forEach(clearTimeout);
    recorder.rest();
    model.off("msg:custom", listen);
    seen.line?.close();
    seen.player.destroy();
  };
};
