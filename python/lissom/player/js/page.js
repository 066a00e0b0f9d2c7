// SPDX-License-Identifier: MIT
// Starts the player of a page of its own when it is first seen; where it cannot, the page keeps its still and says why.

// Many frames of a notebook are never looked at: they cost nothing.
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
  const say = (why) => {
    const sentence = document.createElement("p");
    sentence.textContent = why;
    document.body.classList.add("still");
    stage.replaceChildren(...stage.querySelectorAll("img"), sentence);
  };
  const tried = document.createElement("canvas").getContext("webgl2");
  if (!tried)
    return say("This page plays in 3D where the browser has WebGL 2; this one has not, or it is switched off.");
  // Browsers have 16 contexts or so for all frames of a page together: this one is given back.
  tried.getExtension("WEBGL_lose_context")?.loseContext();
  if (!("DecompressionStream" in self))
    return say("This page needs a browser of 2023 or later: this one has no DecompressionStream.");
  try {
    await firstSight(stage);
    const bytes = await unpack(document.getElementById("bundle").textContent);
    const options = JSON.parse(document.getElementById("options").textContent);
    const still = stage.querySelector("img")?.src;
    stage.replaceChildren();
    self.player = await createPlayer(stage, bytes, { still, ownsWheel: self === parent, ...options });
  } catch (error) {
    say(`This page could not start its player: ${error.message}`);
    throw error;
  }
}
