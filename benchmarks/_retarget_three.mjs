// SPDX-License-Identifier: MIT
// Puts poses onto another skeleton with three.js: SkeletonUtils.retarget for each pose, which retargetClip calls. Called
// by retarget.py with the folder of modules and the task; answers with the poses.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { serve } from "./_turns.mjs";

const three = `${pathToFileURL(process.argv[2])}/three`;
const THREE = await import(`${three}/build/three.module.js`);
const { retarget } = await import(`${three}/examples/jsm/utils/SkeletonUtils.js`);
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
const put = (numbers) => {
  pose(source.skeleton.bones, numbers);
  source.updateMatrixWorld(true);
  retarget(target, source, options);
};
const poses = [];
for (const numbers of task.poses) {
  put(numbers);
  for (const { position: p, quaternion: q, scale: s } of target.skeleton.bones) {
    poses.push(p.x, p.y, p.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z);
  }
}
let next = 0;
await serve(poses, { "": () => put(task.poses[next++ % task.poses.length]) });
