// SPDX-License-Identifier: MIT
// Samples a clip with three.js: AnimationMixer.setTime for each time. Called by _sampling_rivals.py with the
// path of three and of the task; prints its seconds at their best, and the first poses.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const THREE = await import(pathToFileURL(process.argv[2]));
const task = JSON.parse(readFileSync(process.argv[3]));

const root = new THREE.Object3D();
const joints = Array.from({ length: task.joints }, (_, i) => {
  const joint = new THREE.Object3D();
  joint.name = `joint${i}`;
  root.add(joint);
  return joint;
});
const properties = ["position", "quaternion", "scale"];
const tracks = task.tracks.map(({ joint, path, times, values }) => {
  const Track = path === 1 ? THREE.QuaternionKeyframeTrack : THREE.VectorKeyframeTrack;
  return new Track(`joint${joint}.${properties[path]}`, times, values);
});
const mixer = new THREE.AnimationMixer(root);
const action = mixer.clipAction(new THREE.AnimationClip("clip", -1, tracks));
action.setLoop(THREE.LoopOnce);
action.clampWhenFinished = true;
action.play();

const poses = [];
for (const time of task.seconds.slice(0, task.shown)) {
  mixer.setTime(time);
  for (const { position: p, quaternion: q, scale: s } of joints) {
    poses.push(p.x, p.y, p.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z);
  }
}

// In short runs, of which a busy machine leaves some alone.
let best = Infinity;
const length = 50;
for (let first = 0; first + length <= task.seconds.length; first += length) {
  const begin = process.hrtime.bigint();
  for (let i = first; i < first + length; ++i) mixer.setTime(task.seconds[i]);
  best = Math.min(best, Number(process.hrtime.bigint() - begin) * 1e-9);
}
console.log(JSON.stringify({ seconds: (best * task.seconds.length) / length, poses }));
