// SPDX-License-Identifier: MIT
// What palette rows move: which of them is worth a look, and which only help to animate.

// The sum of the weights of each palette row.
function loadsOf(bundle) {
  const loads = new Float64Array(bundle.info.palette_rows);
  for (const [rows, weights] of influencesOf(bundle)) bundle[rows].forEach((row, i) => { loads[row] += bundle[weights][i]; });
  return loads;
}

// The bones, those of helpers last, and the number of the others. Controls of inverse kinematics, slots and other helpers move
// no vertex, nor do their children; the end of a limb shows the limb. Without any weights, all are shown.
function bonesByUse(bones, loads) {
  const parents = new Map(bones.map(([tail, , , , head]) => [head, tail]));
  const moving = new Set();
  loads.forEach((load, row) => {
    for (let at = row; load > 0 && at !== undefined && !moving.has(at); at = parents.get(at)) moving.add(at);
  });
  const isLimb = new Set(bones.filter((bone) => moving.has(bone[4])).map(([tail]) => tail));
  const isUsed = ([tail, , , , head]) => moving.has(head) || (loads[tail] > 0 && !isLimb.has(tail));
  const used = bones.filter(isUsed);
  return used.length ? { all: [...used, ...bones.filter((bone) => !isUsed(bone))], used: used.length } : { all: bones, used: bones.length };
}
