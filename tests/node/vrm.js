// SPDX-License-Identifier: MIT
// What three-vrm makes of VRM files. Reads JSON from stdin: a list of tasks, each with `file` and one of
// - looks: a list of {pose: 10 numbers for each node (translation, rotation, scale), target: 3 numbers};
//   answers {yaw, pitch, rotations: of all nodes, weights: of expressions by name} for each;
// - faces: a list of weights of expressions by name; answers the morph weights of each mesh, by node, for each;
// - views: true; answers the triangles that are seen from the character's own eyes, and by others, by node: a list for
//   each primitive;
// - play: {file: a .vrma, times}; answers {rotations: of all nodes, hips: position in the world, weights, yaw, pitch} for
//   each time.
import { readFileSync } from "node:fs";
import {
  VRMExpressionLoaderPlugin,
  VRMFirstPersonLoaderPlugin,
  VRMHumanoidLoaderPlugin,
  VRMLookAtLoaderPlugin,
} from "@pixiv/three-vrm-core";
import { createVRMAnimationClip, VRMAnimationLoaderPlugin } from "@pixiv/three-vrm-animation";
import { AnimationMixer, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

console.warn = () => {}; // of curves, and of what binds nothing

async function loaded(file, plugins) {
  const bytes = new Uint8Array(readFileSync(file));
  const gltf = await new GLTFLoader().parseAsync(bytes.buffer.slice(0, bytes.byteLength), "");
  gltf.scene.updateMatrixWorld(true);
  for (const Plugin of plugins) await new Plugin(gltf.parser).afterRoot(gltf); // in order: the later need the former
  return gltf;
}

async function opened(file) {
  const gltf = await loaded(file, [
    VRMHumanoidLoaderPlugin,
    VRMExpressionLoaderPlugin,
    VRMLookAtLoaderPlugin,
    VRMFirstPersonLoaderPlugin,
  ]);
  const count = gltf.parser.json.nodes.length;
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => gltf.parser.getDependency("node", i)));
  return { gltf, nodes, scene: gltf.scene, ...gltf.userData };
}

const rotations = (nodes) => nodes.flatMap((node) => node.quaternion.toArray());
const weights = (manager) =>
  Object.fromEntries((manager?.expressions ?? []).map((each) => [each.expressionName, each.weight]));

function looked({ nodes, gltf, vrmLookAt, vrmExpressionManager }, { pose, target }) {
  nodes.forEach((node, i) => {
    node.position.fromArray(pose, 10 * i);
    node.quaternion.fromArray(pose, 10 * i + 3);
    node.scale.fromArray(pose, 10 * i + 7);
  });
  gltf.scene.updateMatrixWorld(true);
  vrmLookAt.lookAt(new Vector3().fromArray(target));
  vrmLookAt.update(0);
  const { yaw, pitch } = vrmLookAt;
  return { yaw, pitch, rotations: rotations(nodes), weights: weights(vrmExpressionManager) };
}

function meshesOf(node) {
  return node.isMesh ? [node] : node.children.filter((child) => child.isMesh);
}

function faced({ nodes, gltf, vrmExpressionManager }, values) {
  vrmExpressionManager.resetValues();
  for (const [name, value] of Object.entries(values)) vrmExpressionManager.setValue(name, value);
  vrmExpressionManager.update();
  const result = {};
  gltf.parser.json.nodes.forEach((json, i) => {
    if (json.mesh === undefined) return;
    result[i] = Array.from(meshesOf(nodes[i])[0].morphTargetInfluences ?? []);
  });
  return result;
}

function seen({ nodes, gltf, vrmFirstPerson }) {
  const primitives = gltf.parser.json.nodes.map((json, i) => (json.mesh === undefined ? [] : meshesOf(nodes[i])));
  vrmFirstPerson.setup();
  const parents = primitives.map((meshes) => meshes.map((mesh) => [mesh, mesh.parent]));
  const triangles = (layer) =>
    Object.fromEntries(
      parents.map((meshes, i) => [
        i,
        meshes.map(([mesh, parent]) => {
          const erased = parent.children.filter((child) => child.name === `${mesh.name}(erase)`);
          const shown = [mesh, ...erased].filter((each) => each.layers.isEnabled(layer) || each.layers.isEnabled(0));
          return shown.flatMap((each) => Array.from(each.geometry.index.array));
        }),
      ]).filter(([, lists]) => lists.length),
    );
  return {
    first: triangles(vrmFirstPerson.firstPersonOnlyLayer),
    third: triangles(vrmFirstPerson.thirdPersonOnlyLayer),
  };
}

async function played(vrm, { file, times }) {
  const motion = await loaded(file, [VRMAnimationLoaderPlugin]);
  const { vrmHumanoid, vrmExpressionManager, vrmLookAt, gltf, nodes } = vrm;
  const metaVersion = gltf.parser.json.extensions.VRMC_vrm === undefined ? "0" : "1";
  const clip = createVRMAnimationClip(motion.userData.vrmAnimations[0], {
    humanoid: vrmHumanoid,
    expressionManager: vrmExpressionManager,
    lookAt: vrmLookAt,
    meta: { metaVersion },
    scene: gltf.scene,
  });
  const mixer = new AnimationMixer(gltf.scene);
  mixer.clipAction(clip).play();
  return times.map((time) => {
    mixer.setTime(time);
    vrmHumanoid.update();
    vrmLookAt?.update(0);
    gltf.scene.updateMatrixWorld(true);
    return {
      rotations: rotations(nodes),
      hips: vrmHumanoid.getRawBoneNode("hips").getWorldPosition(new Vector3()).toArray(),
      weights: weights(vrmExpressionManager),
      yaw: vrmLookAt?.yaw,
      pitch: vrmLookAt?.pitch,
    };
  });
}

const answers = [];
for (const { file, looks, faces, views, play } of JSON.parse(readFileSync(0, "utf8"))) {
  const vrm = await opened(file);
  if (looks) answers.push(looks.map((each) => looked(vrm, each)));
  else if (faces) answers.push(faces.map((each) => faced(vrm, each)));
  else if (views) answers.push(seen(vrm));
  else answers.push(await played(vrm, play));
}
console.log(JSON.stringify(answers));
