// SPDX-License-Identifier: MIT
// Loads a GLB file with three.js: GLTFLoader, from reading the file on. Textures stay encoded, as they do in lissom: node
// could not decode them. Called by loading.py with the folder of modules and the task; answers with the ends of clips and
// the number of vertices.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { serve } from "./_turns.mjs";

const three = `${pathToFileURL(process.argv[2])}/three`;
const THREE = await import(`${three}/build/three.module.js`);
const { GLTFLoader } = await import(`${three}/examples/jsm/loaders/GLTFLoader.js`);
globalThis.self = globalThis; // which the loader asks for URL
const { file } = JSON.parse(readFileSync(process.argv[3]));

function load() {
  const loader = new GLTFLoader().register((parser) => {
    parser.textureLoader = { load: (url, done) => done(new THREE.Texture()) };
    return { name: "encoded textures" };
  });
  const bytes = new Uint8Array(readFileSync(file));
  return loader.parseAsync(bytes.buffer, "");
}

const { animations, scene } = await load();
let vertices = 0;
const seen = new Set();
scene.traverse(({ geometry }) => {
  const positions = geometry?.attributes.position;
  if (positions && !seen.has(positions)) vertices += positions.count;
  seen.add(positions);
});
const clips = Object.fromEntries(animations.map(({ name, duration }) => [name, duration]));
await serve({ clips, vertices }, { "": load });
