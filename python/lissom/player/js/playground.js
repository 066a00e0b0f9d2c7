// SPDX-License-Identifier: MIT
// The front end of lissom.ik.Playground: drags are sent to the kernel, and its solutions are drawn.
// At most one request is in flight; a drag before its answer replaces the pending one, so that only the newest
// target waits.

const playgroundElement = (tag, className, text) => {
  const element = document.createElement(tag);
  element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};

const playgroundFloats = (view) =>
  new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));

// Jupyter's server leaves Nagle's algorithm on, and browsers acknowledge up to 40 ms late: an answer waits until the status
// message before it, that the kernel is busy, is acknowledged. Any message that the page sends carries the acknowledgement.
// Milliseconds after a request.
const NUDGES = [10, 20, 40];
// Milliseconds after which a handle follows the pointer without an answer, and after which a draft is redrawn in full.
const LATE = 60;
const SETTLED = 200;
// Milliseconds after which a kernel that does not answer is reported.
const SILENT = 3000;

const renderPlayground = async ({ model, el }) => {
  const root = playgroundElement("div", "lissom-playground");
  const picture = playgroundElement("div", "lissom-playground-picture");
  const tools = playgroundElement("div", "lissom-playground-tools");
  const label = playgroundElement("label", "", "Solver ");
  const solvers = playgroundElement("select", "lissom-playground-solver");
  const reset = playgroundElement("button", "lissom-playground-reset", "Reset pose");
  const copy = playgroundElement("button", "lissom-playground-copy", "Copy as code");
  const note = playgroundElement("span", "lissom-playground-note");
  const readout = playgroundElement("table", "lissom-playground-readout");
  const code = playgroundElement("textarea", "lissom-playground-code");
  for (const name of model.get("solvers")) solvers.add(new Option(name, name));
  code.readOnly = true;
  code.hidden = true;
  note.setAttribute("role", "status");
  label.append(solvers);
  tools.append(label, reset, copy, note);
  root.append(picture, tools, readout, code);
  el.append(root);

  const view = Math.random().toString(36).slice(2);
  // The request in flight: its number, the time of the event that caused it, and its timers.
  let sequence = 0, asked = 0, since = 0, waiting = [];
  // Timers of pictures that are drawn unless an answer comes first.
  let late = 0, settled = 0;
  // Pending requests by kind, in order; handles that are held; positions of handles not answered yet; the last frame.
  const pending = new Map(), held = new Set(), moved = new Map();
  let frame = null;
  // For tests and benchmarks: the number of frames drawn, milliseconds from each drag to its picture, and the request
  // in flight.
  const seen = { frames: 0, delays: [], player: null, asked: () => asked };
  root.playground = seen;

  const ask = () => {
    if (asked || !pending.size) return;
    const [kind, request] = pending.entries().next().value;
    pending.delete(kind);
    asked = ++sequence;
    since = request.since;
    waiting = NUDGES.map((delay) => setTimeout(() => send({ kind: "nudge" }), delay));
    waiting.push(setTimeout(giveUp, SILENT));
    send({ kind, view, sequence, ...request.content });
  };
  // After a restart of the kernel, sending fails, which counts as no answer.
  const send = (content) => {
    try {
      model.send(content);
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
  const enqueue = (kind, content) => {
    const before = pending.get(kind)?.content.moves;
    pending.set(kind, {
      content: before ? { moves: { ...before, ...content.moves } } : content, since: performance.now(),
    });
    ask();
  };
  const drawMarks = () => {
    if (!frame) return;
    const handles = frame.handles.map((handle) => ({
      ...handle, position: moved.get(handle.id) ?? handle.position,
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
      const row = playgroundElement("tr", alert ? "lissom-playground-alert" : "");
      row.append(playgroundElement("th", "", name), playgroundElement("td", "", text));
      return row;
    }));
    if (delay) readout.dataset.delay = delay.toFixed(1);
  };
  const draw = (content, buffers) => {
    const [linear, dual, lines, triangles] = buffers.map(playgroundFloats);
    frame = { handles: content.handles, lines, triangles };
    seen.player.pose({ linear, dual });
    drawMarks();
    drawPicture();
    seen.frames += 1;
    solvers.value = content.solver;
    seen.targets = content.targets;
  };
  const listen = (content, buffers) => {
    // Frames are for all views of the widget, other answers for the view that asked.
    if (content.kind !== "frame" && content.view !== view) return;
    // The answer to the last request, which may have timed out.
    const isOwn = content.view === view && content.sequence === sequence;
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
  for (const node of root.querySelectorAll("canvas, button, input, select, textarea"))
    node.dataset.lmSuppressShortcuts = "true";
  seen.player.onDrag((id, position, phase) => {
    if (phase === "end") held.delete(id);
    else held.add(id);
    moved.set(id, [...position]);
    code.hidden = true;
    late ||= setTimeout(() => { drawMarks(); drawPicture(); }, LATE);
    enqueue("drag", { moves: { [id]: [...position] } });
  });
  solvers.addEventListener("change", () => enqueue("solver", { name: solvers.value }));
  reset.addEventListener("click", () => enqueue("reset", {}));
  copy.addEventListener("click", () => enqueue("code", {}));
  model.on("msg:custom", listen);
  enqueue("hello", {});
  return () => {
    [late, settled, ...waiting].forEach(clearTimeout);
    model.off("msg:custom", listen);
    seen.player.destroy();
  };
};
