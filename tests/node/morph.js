// SPDX-License-Identifier: MIT
// Where three.js puts the vertices of GLB files with morph targets. Reads JSON from stdin: a list of
// {file, weights: {node: [weight, ...]}, clip, time}; prints file -> node -> x, y, z of every vertex in the world, morphed
// and skinned. Nodes by number.
import { readFileSync } from "node:fs";
import { AnimationMixer, LoopOnce, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const answers = {};
for (const { file, weights, clip, time } of JSON.parse(readFileSync(0, "utf8"))) {
  const gltf = await new GLTFLoader().parseAsync(new Uint8Array(readFileSync(file)).buffer, "");
  const played = gltf.animations.find((each) => each.name === clip);
  if (played) {
    const mixer = new AnimationMixer(gltf.scene);
    const action = mixer.clipAction(played).setLoop(LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    mixer.setTime(time);
  }
  answers[file] = {};
  for (const number of gltf.parser.json.nodes.keys()) {
    if (gltf.parser.json.nodes[number].mesh === undefined) continue;
    const mesh = await gltf.parser.getDependency("node", number);
    (weights[number] ?? []).forEach((weight, i) => (mesh.morphTargetInfluences[i] = weight));
    gltf.scene.updateMatrixWorld(true);
    const vertex = new Vector3();
    answers[file][number] = Array.from({ length: mesh.geometry.attributes.position.count }, (_, i) =>
      mesh.getVertexPosition(i, vertex).applyMatrix4(mesh.matrixWorld).toArray(),
    ).flat();
  }
}
console.log(JSON.stringify(answers));
