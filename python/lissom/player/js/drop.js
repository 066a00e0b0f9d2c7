// SPDX-License-Identifier: MIT
// Files that are dropped onto an element.

// Calls `take` with the files; the browser would leave the page and open them itself. The element is marked while files
// are over it.
function takeDrops(element, take) {
  let depth = 0;
  const mark = (change) => {
    depth = change ? depth + change : 0;
    element.classList.toggle("lissom-drop", depth > 0);
  };
  const on = (name, act) =>
    element.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      act(event);
    });
  on("dragenter", () => mark(1));
  on("dragleave", () => mark(-1));
  on("dragover", (event) => (event.dataTransfer.dropEffect = "copy"));
  on("drop", (event) => {
    mark(0);
    take([...event.dataTransfer.files]);
  });
}
