// SPDX-License-Identifier: MIT
// Puts poses onto another skeleton with three.js: SkeletonUtils.retarget for each pose, which retargetClip calls. Called
// by retarget.py with the path of three and of the task; prints its seconds, and the poses.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const main = pathToFileURL(process.argv[2]).href;
const THREE = await import(main);
const utilities = join(dirname(process.argv[2]), "../examples/jsm/utils/SkeletonUtils.js");
const { retarget } = await import(pathToFileURL(utilities));
const task = JSON.parse(readFileSync(process.argv[3]));

function figure(rest) {
  const bones = task.names.map((name) => Object.assign(new THREE.Bone(), { name }));
  const mesh = new THREE.SkinnedMesh();
  bones.forEach((bone, i) => (task.parents[i] < 0 ? mesh : bones[task.parents[i]]).add(bone));
  pose(bones, rest);
  mesh.updateMatrixWorld(true);
  mesh.bind(new THREE.Skeleton(bones));
  return mesh;
}

function pose(bones, numbers) {
  bones.forEach((bone, i) => {
    bone.position.fromArray(numbers, 10 * i);
    bone.quaternion.fromArray(numbers, 10 * i + 3);
    bone.scale.fromArray(numbers, 10 * i + 7);
  });
}

const source = figure(task.source), target = figure(task.target);
const options = { hip: task.names[0], names: Object.fromEntries(task.names.map((name) => [name, name])) };
const poses = [];
let seconds = 0;
for (const numbers of task.poses) {
  pose(source.skeleton.bones, numbers);
  source.updateMatrixWorld(true);
  const begin = process.hrtime.bigint();
  retarget(target, source, options);
  seconds += Number(process.hrtime.bigint() - begin) * 1e-9;
  for (const { position: p, quaternion: q, scale: s } of target.skeleton.bones) {
    poses.push(p.x, p.y, p.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z);
  }
}
console.log(JSON.stringify({ seconds, poses }));
