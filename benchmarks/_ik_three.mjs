// SPDX-License-Identifier: MIT
// Solves chains with three.js: CCDIKSolver. Called by _ik_packages.py with the folder of modules and the task; answers
// with where the effectors came to be. The solver knows no tolerance: a caller who wants to stop asks for one sweep at a
// time.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { serve } from "./_turns.mjs";

const three = `${pathToFileURL(process.argv[2])}/three`;
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
const to = new THREE.Vector3();
const at = new THREE.Vector3();
function solves(sweeps, stop) {
  const step = stop ? 1 : sweeps;
  const parts = [{ target: task.joints, effector: task.joints - 1, links, iteration: step }];
  const solver = new CCDIKSolver(mesh, parts);
  return (pose, place) => {
    for (let i = 0; i < links.length; ++i) bones[i].quaternion.fromArray(pose, 4 * i);
    target.position.fromArray(place);
    mesh.updateMatrixWorld(true);
    to.fromArray(place);
    for (let i = 0; i < sweeps; i += step) {
      if (stop && at.setFromMatrixPosition(effector.matrixWorld).distanceTo(to) <= task.near) break;
      solver.update();
    }
    return at.setFromMatrixPosition(effector.matrixWorld);
  };
}

const kinds = { "15, stopped": solves(15, true), "15": solves(15, false), "100, stopped": solves(100, true) };
const answer = {};
const calls = {};
for (const [name, solve] of Object.entries(kinds)) {
  answer[name] = task.targets.flatMap((place, i) => solve(task.rotations[i], place).toArray());
  let next = 0;
  calls[name] = () => {
    solve(task.rotations[next], task.targets[next]);
    next = (next + 1) % task.targets.length;
  };
}
await serve(answer, calls);
