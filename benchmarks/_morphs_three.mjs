// SPDX-License-Identifier: MIT
// Morphs and skins vertices with three.js on the CPU: SkinnedMesh.getVertexPosition of each, which raycasts and bounds
// use. Called by morphs.py with the folder of modules and the task; answers with the positions under all weights.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { serve } from "./_turns.mjs";

const THREE = await import(`${pathToFileURL(process.argv[2])}/three/build/three.module.js`);
const task = JSON.parse(readFileSync(process.argv[3]));
const count = task.positions.length / 3;
const geometry = new THREE.BufferGeometry();
const floats = (values, width) => new THREE.BufferAttribute(new Float32Array(values), width);
geometry.setAttribute("position", floats(task.positions, 3));
geometry.setAttribute("skinIndex", new THREE.BufferAttribute(new Uint16Array(task.indices), 4));
geometry.setAttribute("skinWeight", floats(task.weights, 4));
geometry.morphTargetsRelative = true;
geometry.morphAttributes.position = task.targets.map(({ vertices, rows }) => {
  const dense = new Float32Array(3 * count);
  vertices.forEach((vertex, i) => dense.set(rows.slice(3 * i, 3 * i + 3), 3 * vertex));
  return new THREE.BufferAttribute(dense, 3);
});
const mesh = new THREE.SkinnedMesh(geometry);
const bones = task.matrices.map((matrix) => {
  const bone = new THREE.Bone();
  bone.matrixWorld.fromArray(matrix).transpose();
  return bone;
});
mesh.bind(new THREE.Skeleton(bones, bones.map(() => new THREE.Matrix4())), new THREE.Matrix4());

const out = new Float64Array(3 * count);
const vertex = new THREE.Vector3();
function all(weights) {
  weights.forEach((weight, i) => (mesh.morphTargetInfluences[i] = weight));
  for (let i = 0; i < count; i++) mesh.getVertexPosition(i, vertex).toArray(out, 3 * i);
}
all(task.morphs);
const none = task.morphs.map(() => 0);
await serve([...out], { morphed: () => all(task.morphs), plain: () => all(none) });
