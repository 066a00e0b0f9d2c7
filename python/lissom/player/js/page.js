// SPDX-License-Identifier: MIT
// Starts the player of a page when it is first visible; where that fails, the page keeps its still and says why.

// Frames of a notebook that are never scrolled to cost nothing.
const firstSight = (element) =>
  new Promise((done) => {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.at(-1).isIntersecting) return;
      observer.disconnect();
      done();
    });
    observer.observe(element);
  });

async function startPage() {
  const stage = document.getElementById("lissom");
  takeDrops(document.body, () => {
    const sentence = make("p", { className: "lissom-refused" }, "This page was saved, and cannot read files: run lissom view and the file's name, or in a notebook lissom.DropTarget().");
    sentence.setAttribute("role", "alert");
    document.querySelector(".lissom-refused")?.remove();
    document.body.append(sentence);
    sentence.addEventListener("click", () => sentence.remove());
  });
  const say = (why) => {
    const sentence = document.createElement("p");
    sentence.textContent = why;
    document.body.classList.add("still");
    stage.replaceChildren(...stage.querySelectorAll("h1, img"), sentence);
  };
  const tried = document.createElement("canvas").getContext("webgl2");
  if (!tried)
    return say("This page plays in 3D with WebGL 2, which this browser lacks or has switched off.");
  // Release the context: browsers allow about 16 for all frames of a page.
  tried.getExtension("WEBGL_lose_context")?.loseContext();
  if (!("DecompressionStream" in self))
    return say("This page needs a browser of 2023 or later: this one has no DecompressionStream.");
  try {
    await firstSight(stage);
    const bytes = await unpack(document.getElementById("bundle").textContent);
    const options = JSON.parse(document.getElementById("options").textContent);
    const still = stage.querySelector("img")?.src;
    stage.replaceChildren(stage.querySelector("h1"));
    self.player = await createPlayer(stage, bytes, { still, ownsWheel: self === parent, ...options });
  } catch (error) {
    say(`This page could not start its player: ${error.message}`);
    throw error;
  }
}
