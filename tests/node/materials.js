// SPDX-License-Identifier: MIT
// What three.js makes of the materials of GLB files, by GLTFLoader. Reads JSON from stdin: a list of files; prints file ->
// for each material how alpha is drawn.
import { readFileSync } from "node:fs";
import { DoubleSide } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const answers = {};
for (const file of JSON.parse(readFileSync(0, "utf8"))) {
  const gltf = await new GLTFLoader().parseAsync(new Uint8Array(readFileSync(file)).buffer, "");
  const materials = await Promise.all(
    (gltf.parser.json.materials ?? []).map((_, i) => gltf.parser.getDependency("material", i)),
  );
  answers[file] = materials.map(({ transparent, alphaTest, depthWrite, side, opacity, type }) => ({
    transparent, alphaTest, depthWrite, isDouble: side === DoubleSide, opacity, type,
  }));
}
console.log(JSON.stringify(answers));
