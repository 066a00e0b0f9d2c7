// SPDX-License-Identifier: MIT
// Morphs and skins vertices with three.js on the CPU: SkinnedMesh.getVertexPosition of each, which raycasts and bounds
// use. Called by morphs.py with the path of three and of the task; prints the least seconds of a round, without and with
// the weights, and the positions with them.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const THREE = await import(pathToFileURL(process.argv[2]).href);
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
function least(weights) {
  let seconds = Infinity;
  weights.forEach((weight, i) => (mesh.morphTargetInfluences[i] = weight));
  for (let round = 0; round < 12; round++) {
    const begin = process.hrtime.bigint();
    for (let i = 0; i < count; i++) mesh.getVertexPosition(i, vertex).toArray(out, 3 * i);
    seconds = Math.min(seconds, Number(process.hrtime.bigint() - begin) * 1e-9);
  }
  return seconds;
}
const plain = least(task.morphs.map(() => 0));
const morphed = least(task.morphs);
console.log(JSON.stringify({ plain, morphed, positions: [...out] }));
