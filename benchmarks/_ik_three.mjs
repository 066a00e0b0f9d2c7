// SPDX-License-Identifier: MIT
// Solves chains with three.js: CCDIKSolver. Called by _ik_packages.py with the folder of three and the path of
// the task; prints its seconds at their best, and where the effectors came to be.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const three = pathToFileURL(process.argv[2]);
const THREE = await import(`${three}/build/three.module.js`);
const { CCDIKSolver } = await import(`${three}/examples/jsm/animation/CCDIKSolver.js`);
const task = JSON.parse(readFileSync(process.argv[3]));

const bones = Array.from({ length: task.joints + 1 }, () => new THREE.Bone()); // the last is the target
for (let i = 1; i < task.joints; ++i) {
  bones[i - 1].add(bones[i]);
  bones[i].position.fromArray(task.offsets[i - 1]);
}
const [root, effector, target] = [bones[0], bones[task.joints - 1], bones[task.joints]];
const mesh = new THREE.SkinnedMesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial());
mesh.add(root, target);
mesh.bind(new THREE.Skeleton(bones));
const links = Array.from({ length: task.joints - 1 }, (_, i) => ({ index: task.joints - 2 - i }));
// The solver knows no tolerance: a caller who wants to stop asks for one sweep at a time.
const sweeps = task.stop ? 1 : task.sweeps;
const solver = new CCDIKSolver(mesh, [
  { target: task.joints, effector: task.joints - 1, links, iteration: sweeps },
]);

const to = new THREE.Vector3();
const at = new THREE.Vector3();
function solve(pose, place) {
  for (let i = 0; i < links.length; ++i) bones[i].quaternion.fromArray(pose, 4 * i);
  target.position.fromArray(place);
  mesh.updateMatrixWorld(true);
  to.fromArray(place);
  for (let i = 0; i < task.sweeps; i += sweeps) {
    if (task.stop && at.setFromMatrixPosition(effector.matrixWorld).distanceTo(to) <= task.near) break;
    solver.update();
  }
  return at.setFromMatrixPosition(effector.matrixWorld);
}

// In short runs, of which a busy machine leaves some alone: the best of each.
const effectors = [];
const length = 50;
let seconds = 0;
for (let first = 0; first < task.targets.length; first += length) {
  const end = Math.min(first + length, task.targets.length);
  let best = Infinity;
  for (let run = 0; run < task.runs; ++run) {
    effectors.length = 3 * first;
    const begin = process.hrtime.bigint();
    for (let i = first; i < end; ++i) {
      const { x, y, z } = solve(task.rotations[i], task.targets[i]);
      effectors.push(x, y, z);
    }
    best = Math.min(best, Number(process.hrtime.bigint() - begin) * 1e-9);
  }
  seconds += best;
}
console.log(JSON.stringify({ seconds: seconds / task.targets.length, effectors }));
