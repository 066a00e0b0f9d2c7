// SPDX-License-Identifier: MIT
// Shows files of the server that sent this page, one at a time, and again when they are written.

// Settings that go with the user from one file to the next, and those that belong to a file.
const OF_USER = ["playing", "speed", "method", "color", "skeleton", "helpers", "wireframe", "ground", "framing"];
const OF_FILE = [...OF_USER, "clip", "time", "row", "count", "camera", "morphs", "expressions"];
// A file whose size changes by more was written in another unit: a place chosen before would show a speck, or its inside.
const OTHER_UNIT = 3;
// Entries of the list that are shown at a time.
const MOST_LISTED = 300;
// Milliseconds until a page asks again that is not told of changes as they come, and how old its list may be then.
const [AGAIN, OLD] = [1000, 5000];
// Pages over whose picture the list lies, so that it begins closed.
const NARROW = "(max-width: 600px)";

// The camera of a player for one that replaces it: its angles, and its place if the user chose that.
function cameraFor(made, player) {
  const { target, distance, ...angles } = player.state.camera;
  const ratio = made.size / player.size;
  const keeps = player.isPlaced && ratio < OTHER_UNIT && ratio > 1 / OTHER_UNIT;
  return keeps ? { target, distance, ...angles } : angles;
}

// What loading mended in the file of a bundle: {count, sentences}.
function repairsOf(bytes) {
  const start = 8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const { repairs } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start))).__metadata__;
  return repairs ? JSON.parse(repairs) : { count: 0, sentences: [] };
}

async function startViewer({ mostUpload, suffixes }) {
  const stage = document.getElementById("lissom");
  let files = [];
  let note = "";
  let current = null;
  // Key and stamp of what the picture shows.
  let shown = { key: null, stamp: null };
  let player = null;
  let settings = {};
  let asking = null;
  let stream = null;
  // Stamp of the current file that was read last, what was told of it last, and when the list is old.
  let read = "";
  let told = "same";
  let oldAt = 0;

  const button = (text, label, onclick) => make("button", { type: "button", label, title: label, onclick }, text);
  const search = make("input", { type: "search", placeholder: "Search", label: "Search files", oninput: list, onkeydown: searched });
  const items = make("ul");
  const rest = make("p", { className: "view-note" });
  const shelf = make("nav", { id: "files", label: "Files" }, search, items, rest);
  const isNarrow = () => matchMedia(NARROW).matches;
  const toggle = button("\u2630", "Show or hide the list of files", () => close(!document.body.matches(".view-closed")));
  const close = (isClosed) => {
    document.body.classList.toggle("view-closed", isClosed);
    toggle.ariaExpanded = !isClosed;
  };
  toggle.setAttribute("aria-controls", "files");
  close(isNarrow());
  const before = button("\u2039", "Previous file (Page Up)", () => leaf(-1));
  const after = button("\u203a", "Next file (Page Down)", () => leaf(1));
  const name = make("h1");
  const picker = make("input", { type: "file", accept: suffixes.join(), hidden: true, onchange: () => upload([...picker.files]) });
  const pick = button("Open\u2026", "Open\u2026 another file: it can be dropped here as well", () => picker.click());
  const busy = make("span", { className: "view-busy" });
  busy.setAttribute("role", "status");
  const says = make("p", { className: "view-says", hidden: true });
  says.setAttribute("role", "alert");
  const picture = make("div", { className: "view-picture" });
  const mended = make("details", { className: "view-mended", hidden: true });
  const bar = make("header", {}, toggle, before, after, name, busy, picker, pick);
  stage.replaceChildren(shelf, make("div", { className: "view-main" }, bar, says, mended, picture));

  const nameOf = (key) => files.find(([known]) => known === key)?.[1] ?? "the file";
  const say = (sentence) => {
    says.textContent = sentence;
    says.hidden = !sentence;
  };
  const named = (key) => {
    try {
      return decodeURIComponent(key);
    } catch {
      return key;
    }
  };
  const onlyEnd = (sentence) => sentence.replace(/[.;]?$/, "");

  function list() {
    const wanted = search.value.toLowerCase();
    const found = files.filter(([, name]) => name.toLowerCase().includes(wanted));
    items.replaceChildren(
      ...found.slice(0, MOST_LISTED).map(([key, name]) => {
        const cut = name.lastIndexOf("/") + 1;
        const folder = make("span", {}, name.slice(0, cut));
        const one = make("button", { type: "button", onclick: () => pickFrom(key) }, folder, name.slice(cut));
        if (key === current) one.setAttribute("aria-current", "true");
        return make("li", {}, one);
      }),
    );
    const more = found.length - MOST_LISTED;
    rest.textContent = [more > 0 ? `${more} more: search for them` : "", found.length ? "" : "no such file", note]
      .filter(Boolean).join("; ");
    before.disabled = after.disabled = files.length < 2;
  }

  function pickFrom(key) {
    if (isNarrow()) {
      close(true);
      toggle.focus();
    }
    show(key);
  }

  function searched({ key }) {
    if (key === "Enter") items.querySelector("button")?.click();
    if (key === "Escape" && isNarrow()) close(true);
    if (key === "Enter" || key === "Escape") picture.querySelector("canvas")?.focus();
  }

  // One quiet line, whose sentences are opened on demand; text alone, as they quote the file.
  function tell({ count, sentences }) {
    mended.hidden = !count;
    mended.open = false;
    const more = count - sentences.length;
    const lines = [...sentences, ...(more > 0 ? [`and ${more} more: lissom info lists all`] : [])];
    mended.replaceChildren(
      make("summary", {}, `Loading mended or left out ${count} ${count === 1 ? "thing" : "things"}`),
      make("ul", { tabIndex: 0, label: "Repairs" }, ...lines.map((line) => make("li", {}, line))),
    );
  }

  async function refresh() {
    const since = performance.now();
    const answer = await (await fetch("files")).json();
    [files, note] = [answer.files, answer.note];
    const isMany = answer.isFolder || files.length > 1;
    document.body.classList.toggle("view-one", !isMany);
    list();
    const now = performance.now();
    oldAt = now + Math.max(OLD, 20 * (now - since));
  }

  function leaf(step) {
    const found = files.filter(([, name]) => name.toLowerCase().includes(search.value.toLowerCase()));
    if (!found.length) return;
    const at = found.findIndex(([key]) => key === current);
    show(found[at < 0 ? 0 : (at + step + found.length) % found.length][0]);
  }

  function clear() {
    player?.destroy();
    self.player = player = null;
    picture.replaceChildren();
    tell({ count: 0, sentences: [] });
    shown = { key: null, stamp: null };
  }

  // Names what a setting may not be in another file: those are left out one by one.
  function restore(target, names) {
    for (const name of names) {
      if (settings[name] === undefined || settings[name] === null) continue;
      try {
        target.set({ [name]: settings[name] });
      } catch {
        // This file has no such clip, joint, method or morph target.
      }
    }
  }

  async function show(key) {
    asking?.abort();
    const mine = (asking = new AbortController());
    const isOther = key !== current;
    if (isOther) {
      current = key;
      history.replaceState(null, "", `#${key}`);
      stream?.close();
      stream = null;
      told = "same";
      say("");
    }
    name.textContent = document.title = nameOf(key);
    busy.textContent = "reading\u2026";
    list();
    items.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    let answer;
    let isBundle;
    let bytes;
    try {
      answer = await fetch(`bundle/${key}`, { signal: mine.signal });
      isBundle = answer.headers.get("Content-Type") === "application/octet-stream";
      bytes = isBundle ? new Uint8Array(await answer.arrayBuffer()) : (await answer.json()).sentence;
    } catch (error) {
      if (mine.signal.aborted) return;
      busy.textContent = "";
      say("The viewer has ended: run lissom view again, and open the address that it prints.");
      return;
    }
    const stamp = answer.headers.get("X-Lissom-Stamp") ?? "";
    let fault = isBundle ? "" : bytes;
    if (isBundle) {
      try {
        await put(key, bytes, mine);
      } catch (error) {
        fault = `This page could not show the file: ${error.message}`;
      }
    }
    if (mine.signal.aborted) return;
    busy.textContent = "";
    if (!fault) {
      shown = { key, stamp };
      say("");
    } else if (shown.key === key) say(`${onlyEnd(fault)}; the picture is of what was there before.`);
    else {
      clear();
      say(fault);
    }
    document.body.dataset.answered = `${key} ${stamp}`;
    read = stamp;
    if (!stream) watch(key);
    ahead(key);
  }

  // Puts a new player over the old one once it has drawn.
  async function put(key, bytes, mine) {
    if (player) settings = { ...settings, ...player.state };
    const holder = make("div", { className: "view-holder" });
    holder.style.visibility = "hidden";
    picture.append(holder);
    let made;
    try {
      made = await createPlayer(holder, bytes, { ownsWheel: true });
    } catch (error) {
      holder.remove();
      throw error;
    }
    if (mine.signal.aborted) {
      made.destroy();
      holder.remove();
      return;
    }
    const isAgain = player && key === shown.key;
    if (isAgain) settings.camera = cameraFor(made, player);
    restore(made, isAgain ? OF_FILE : OF_USER);
    made.draw();
    tell(repairsOf(bytes));
    player?.destroy();
    self.player = player = made;
    picture.replaceChildren(holder);
    holder.style.visibility = "";
    if (!performance.getEntriesByName("lissom-picture").length)
      requestAnimationFrame(() => performance.mark("lissom-picture"));
  }

  // Is told what becomes of a file; without a key, of the list alone. Hidden pages leave the few answers that last to others:
  // they are told once, and ask again.
  function watch(key, isAgain = false) {
    stream?.close();
    const brief = document.hidden ? "&brief=1" : "";
    const source = (stream = new EventSource(`changes/${key}?stamp=${encodeURIComponent(read)}${brief}`));
    const of = (event, act) => source.addEventListener(event, ({ data }) => source === stream && act(data));
    const look = async () => {
      await refresh();
      if (current === null && files.length) await show(files[0][0]);
    };
    of("watching", () => {
      document.body.dataset.watched = key;
      if (!isAgain || performance.now() > oldAt) look().catch(() => {});
    });
    of("writing", () => {
      told = "writing";
      busy.textContent = "is being written\u2026";
    });
    of("same", () => {
      if (told === "same") return;
      told = "same";
      busy.textContent = "";
      say("");
    });
    of("gone", () => {
      if (told === "gone") return;
      told = "gone";
      busy.textContent = "";
      say(`${nameOf(key)}: there is no such file any more${player ? "; the picture is of what was there before" : ""}.`);
    });
    of("changed", (stamp) => {
      told = "same";
      if (stamp === read) busy.textContent = "";
      else show(key);
    });
    of("files", () => look().catch(() => {}));
    of("again", () => {
      source.close();
      setTimeout(() => source === stream && watch(key, true), AGAIN);
    });
  }

  // Has the server read the next file while this one is looked at.
  function ahead(key) {
    const at = files.findIndex(([known]) => known === key);
    if (at >= 0 && files.length > 1)
      fetch(`bundle/${files[(at + 1) % files.length][0]}`, { signal: asking.signal }).catch(() => {});
  }

  async function upload(chosen) {
    picker.value = "";
    const fits = (file) => suffixes.some((suffix) => file.name.toLowerCase().endsWith(suffix));
    const file = chosen.find(fits) ?? chosen[0];
    if (!file) return;
    if (!fits(file)) return say(`${file.name}: cannot be shown; drop one of ${suffixes.join(", ")}.`);
    if (file.size > mostUpload)
      return say(
        `${file.name}: has ${Math.round(file.size / 1e6)} MB, and at most ${Math.round(mostUpload / 1e6)} MB can be dropped; ` +
          "lissom view opens it from its place.",
      );
    asking?.abort();
    const mine = (asking = new AbortController());
    busy.textContent = `reading ${file.name}\u2026`;
    try {
      const answer = await fetch(`drop/${encodeURIComponent(file.name)}`, { method: "POST", body: file, signal: mine.signal });
      const told = await answer.json();
      busy.textContent = "";
      if (told.sentence) return say(told.sentence);
      await refresh();
      await show(told.key);
    } catch (error) {
      if (mine.signal.aborted) return;
      busy.textContent = "";
      say(`${file.name}: could not be sent to the viewer; has it ended?`);
    }
  }

  function toSearch() {
    close(false);
    search.focus();
  }

  takeDrops(document.body, upload);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input, select, textarea")) return;
    const act = { PageDown: () => leaf(1), PageUp: () => leaf(-1), "/": toSearch }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  document.addEventListener("visibilitychange", () => stream && watch(current ?? ""));

  await refresh();
  const asked = location.hash.slice(1);
  const first = files.find(([key]) => key === asked) ?? files[0];
  if (first) await show(first[0]);
  if (first && asked && asked !== first[0]) say(`There is no file ${named(asked)} here: this is the first one.`);
  if (!first) say(`There is no file to show here: drop one onto the page, or put one of ${suffixes.join(", ")} into the folder.`);
  if (!stream) watch("");
}
