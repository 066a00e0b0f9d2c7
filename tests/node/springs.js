// SPDX-License-Identifier: MIT
// How three-vrm turns the joints that spring in a VRM file, in steps of 1/60 s. Reads JSON from stdin: a list of {file,
// frames: for each a list of numbers, 10 for each node (translation, rotation, scale), worlds: as many lists of 7,
// where the scene stands}; prints for each task, for each frame after the first, the rotations of all nodes. All rest
// in the first frame.
import { readFileSync } from "node:fs";
import { VRMSpringBoneLoaderPlugin } from "@pixiv/three-vrm-springbone";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const answers = [];
for (const { file, frames, worlds } of JSON.parse(readFileSync(0, "utf8"))) {
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMSpringBoneLoaderPlugin(parser));
  const bytes = new Uint8Array(readFileSync(file));
  const gltf = await loader.parseAsync(bytes.buffer, "");
  const count = gltf.parser.json.nodes.length;
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => gltf.parser.getDependency("node", i)));
  const springs = gltf.userData.vrmSpringBoneManager;
  const place = (frame) => {
    nodes.forEach((node, i) => {
      node.position.fromArray(frames[frame], 10 * i);
      node.quaternion.fromArray(frames[frame], 10 * i + 3);
      node.scale.fromArray(frames[frame], 10 * i + 7);
    });
    gltf.scene.position.fromArray(worlds[frame], 0);
    gltf.scene.quaternion.fromArray(worlds[frame], 3);
    gltf.scene.updateMatrixWorld(true);
  };
  // Lengths of bones are then taken from their own matrices. Else they are measured to where their ends were before the
  // joints above turned, and chains stretch while they move (version 3.5.5); VRMC_springBone 1.0 has them constant.
  for (const joint of springs.joints) joint.child = null;
  place(0);
  springs.reset();
  answers.push(frames.slice(1).map((_, i) => {
    place(i + 1);
    springs.update(1 / 60);
    return nodes.flatMap((node) => node.quaternion.toArray());
  }));
}
console.log(JSON.stringify(answers));
