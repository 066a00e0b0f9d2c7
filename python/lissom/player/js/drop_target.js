// SPDX-License-Identifier: MIT
// The front end of lissom.DropTarget: a file goes to the kernel in pieces, and what comes back is played.

// Bytes of a file that are sent at a time: Jupyter's server takes 10 MB.
const PIECE = 1 << 19;

function renderDrops({ model, el }) {
  const { height, most, suffixes, advice } = model.get("options");
  const note = make("span", {}, "Drop a file here, or open one.");
  note.setAttribute("role", "status");
  const picker = make("input", { type: "file", accept: suffixes.join(), hidden: true, onchange: () => take([...picker.files]) });
  const pick = make("button", { type: "button", onclick: () => picker.click() }, "Open\u2026");
  const stage = make("div", { className: "lissom-drop-stage" });
  stage.style.height = `${height}px`;
  const root = make("div", { className: "lissom-drop-target" }, make("div", {}, pick, picker, note), stage);
  el.append(root);
  // The file that is sent: {id, file}.
  let sent = null;
  let player = null;
  let turn = 0;

  const say = (sentence) => (note.textContent = sentence);

  function take(chosen) {
    picker.value = "";
    const fits = (file) => suffixes.some((suffix) => file.name.toLowerCase().endsWith(suffix));
    const file = chosen.find(fits) ?? chosen[0];
    if (!file) return;
    if (!fits(file)) return say(`${file.name}: cannot be shown; drop one of ${suffixes.join(", ")}.`);
    const [has, can] = [file.size, most].map((size) => Math.round(size / 1e6));
    if (file.size > most) return say(`${file.name}: has ${has} MB, and at most ${can} MB can be dropped; ${advice}.`);
    sent = { id: Math.random().toString(36).slice(2), file };
    say(`${file.name} is read\u2026`);
    send({ kind: "begin", id: sent.id, name: file.name, size: file.size });
  }

  // After a restart of the kernel, sending fails.
  function send(content, buffers) {
    try {
      model.send(content, undefined, buffers);
    } catch {
      say("The kernel does not answer: run the cell again.");
    }
  }

  async function put(view) {
    const mine = ++turn;
    const holder = make("div", { className: "lissom-drop-stage" });
    // A copy: arrays of a bundle begin at multiples of 8 bytes.
    const bytes = new Uint8Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
    stage.replaceChildren(holder);
    player?.destroy();
    player = null;
    const made = await createPlayer(holder, bytes, { height });
    if (mine === turn) root.player = player = made;
    else made.destroy();
  }

  async function listen(content, buffers) {
    const isMine = content.id === sent?.id;
    if (content.kind === "more" && isMine) {
      const { id, file } = sent;
      const piece = await file.slice(content.at, content.at + PIECE).arrayBuffer().catch(() => null);
      if (piece?.byteLength) send({ kind: "piece", id }, [piece]);
      else say(`${file.name}: changed while it was read; drop it again.`);
    } else if (content.kind === "error" && isMine) say(content.text);
    else if (content.kind === "bundle") {
      try {
        await put(buffers[0]);
        say(isMine ? sent.file.name : "");
      } catch (error) {
        say(`This cell could not show the file: ${error.message}`);
      }
    }
  }

  takeDrops(root, take);
  model.on("msg:custom", listen);
  send({ kind: "hello" });
  return () => {
    model.off("msg:custom", listen);
    turn += 1;
    player?.destroy();
  };
}
