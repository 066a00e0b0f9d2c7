// SPDX-License-Identifier: MIT
// Where three.js puts the nodes of GLB files while their clips play. Reads JSON from stdin: a list of
// {file, count, times: {clip: [seconds, ...]}}; prints file -> clip -> for each time the world matrices, column-major,
// of nodes 0 .. count - 1.
import { readFileSync } from "node:fs";
import { AnimationMixer, LoopOnce } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const answers = {};
for (const { file, count, times } of JSON.parse(readFileSync(0, "utf8"))) {
  const bytes = new Uint8Array(readFileSync(file));
  const gltf = await new GLTFLoader().parseAsync(bytes.buffer, "");
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => gltf.parser.getDependency("node", i)));
  answers[file] = {};
  for (const clip of gltf.animations.filter((clip) => clip.name in times)) {
    const mixer = new AnimationMixer(gltf.scene);
    const action = mixer.clipAction(clip).setLoop(LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    answers[file][clip.name] = times[clip.name].map((seconds) => {
      mixer.setTime(seconds);
      gltf.scene.updateMatrixWorld(true);
      return nodes.flatMap((node) => node.matrixWorld.elements);
    });
    mixer.stopAllAction();
  }
}
console.log(JSON.stringify(answers));
