// SPDX-License-Identifier: MIT
// Samples a clip with three.js: AnimationMixer.setTime for each time. Called by _sampling_rivals.py with the
// folder of modules and the task; answers with the first poses.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { serve } from "./_turns.mjs";

const THREE = await import(`${pathToFileURL(process.argv[2])}/three/build/three.module.js`);
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

let next = 0;
await serve(poses, { "": () => mixer.setTime(task.seconds[next++ % task.seconds.length]) });
