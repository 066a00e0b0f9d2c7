// SPDX-License-Identifier: MIT
// The page's side of lissom.ik.Playground: what is dragged goes to the kernel, what it solved is drawn.
// Only the newest place of a target is ever waiting: there is one question under way at most, and what is
// dragged until its answer comes replaces what was to be asked next.

const playgroundElement = (tag, className, text) => {
  const element = document.createElement(tag);
  element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};

const playgroundFloats = (view) =>
  new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));

// Jupyter's server leaves Nagle's algorithm on, and browsers acknowledge up to 40 ms late: an answer waits until what came
// before it, that the kernel is busy, is acknowledged. Whatever the page sends meanwhile carries that along. Milliseconds
// after a question.
const NUDGES = [10, 20, 40];
// Milliseconds after which a target follows the pointer by itself, and what is held still is drawn in full.
const LATE = 60;
const SETTLED = 200;
// Milliseconds after which a kernel that has not answered is said to be silent.
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
  // Of the question under way: its number, when it was wanted, and the timers that wait for its answer.
  let sequence = 0, asked = 0, since = 0, waiting = [];
  // Timers of pictures that are due when no answer draws one before.
  let late = 0, settled = 0;
  // What is to be asked next, by kind and in that order; which handles are held, and where those are that the
  // kernel has not answered for yet; and its last frame.
  const pending = new Map(), held = new Set(), moved = new Map();
  let frame = null;
  // What tests and benchmarks read: frames that were drawn, how long drags took to their picture, in ms, and
  // which question is under way.
  const seen = { frames: 0, delays: [], player: null, asked: () => asked };
  root.playground = seen;

  const ask = () => {
    if (asked || !pending.size) return;
    const [kind, want] = pending.entries().next().value;
    pending.delete(kind);
    asked = ++sequence;
    since = want.since;
    waiting = NUDGES.map((delay) => setTimeout(() => send({ kind: "nudge" }), delay));
    waiting.push(setTimeout(giveUp, SILENT));
    send({ kind, view, sequence, ...want.content });
  };
  // Where a kernel was restarted there is nothing to send to, which counts as no answer.
  const send = (content) => {
    try {
      model.send(content);
    } catch (error) {
      console.warn(error);
    }
  };
  // A lost answer holds up no other question; one that comes late is drawn.
  const giveUp = () => {
    note.textContent = "The kernel does not answer: is it busy, or gone?";
    asked = 0;
    ask();
  };
  const want = (kind, content) => {
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
    // Frames are for all views of the widget; what only one asked for is not.
    if (content.kind !== "frame" && content.view !== view) return;
    // The answer to the last question, which may come after it was given up.
    const mine = content.view === view && content.sequence === sequence;
    if (mine) {
      waiting.forEach(clearTimeout);
      note.textContent = "";
      asked = 0;
      if (!pending.has("drag")) {
        for (const id of [...moved.keys()]) if (!held.has(id)) moved.delete(id);
      }
    }
    if (content.kind === "frame") {
      draw(content, buffers);
      const delay = mine && content.asked === "drag" ? performance.now() - since : 0;
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
  // Keys are for what has the focus, not for JupyterLab, which would edit cells.
  for (const node of root.querySelectorAll("canvas, button, input, select, textarea"))
    node.dataset.lmSuppressShortcuts = "true";
  seen.player.onDrag((id, position, phase) => {
    if (phase === "end") held.delete(id);
    else held.add(id);
    moved.set(id, [...position]);
    code.hidden = true;
    late ||= setTimeout(() => { drawMarks(); drawPicture(); }, LATE);
    want("drag", { moves: { [id]: [...position] } });
  });
  solvers.addEventListener("change", () => want("solver", { name: solvers.value }));
  reset.addEventListener("click", () => want("reset", {}));
  copy.addEventListener("click", () => want("code", {}));
  model.on("msg:custom", listen);
  want("hello", {});
  return () => {
    [late, settled, ...waiting].forEach(clearTimeout);
    model.off("msg:custom", listen);
    seen.player.destroy();
  };
};
