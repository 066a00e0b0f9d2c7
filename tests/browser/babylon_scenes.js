// SPDX-License-Identifier: MIT
// What tests ask of a page with Babylon.js: vertices read back from the GPU, as Babylon's own materials place them.
import { BakedCrowd, loadBake } from "lissom-babylon";

const B = globalThis.BABYLON;
const WIDTH = 1024;

let engine;

function newScene(isRightHanded = true, width = 320, height = 240) {
  if (!engine) {
    const canvas = document.createElement("canvas");
    document.body.append(canvas);
    engine = new B.Engine(canvas, false, { preserveDrawingBuffer: true });
  }
  engine.setSize(width, height);
  const scene = new B.Scene(engine);
  scene.useRightHandedSystem = isRightHanded;
  new B.FreeCamera("camera", new B.Vector3(0, 0, isRightHanded ? 5 : -5), scene).setTarget(B.Vector3.Zero());
  return scene;
}

function asText(array) {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  let letters = "";
  for (let i = 0; i < bytes.length; i += 0x8000) letters += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(letters);
}

// Draws each vertex as a point into a float texture, at the pixel of its number, with its place in the world as colour.
class Reader extends B.MaterialPluginBase {
  constructor(material, first, height, perInstance) {
    super(material, "Reader", 500, { READ_FIRST: -1, READ_HEIGHT: 0, READ_STRIDE: 0 });
    this.numbers = { READ_FIRST: first, READ_HEIGHT: height, READ_STRIDE: perInstance }; // programs differ by defines alone
    this._enable(true);
  }
  getClassName() {
    return "Reader";
  }
  isCompatible() {
    return true;
  }
  prepareDefines(defines) {
    Object.assign(defines, this.numbers);
  }
  getCustomCode(type) {
    if (type !== "vertex") {
      return { CUSTOM_FRAGMENT_DEFINITIONS: "varying vec3 vRead;", CUSTOM_FRAGMENT_MAIN_END: "gl_FragColor = vec4(vRead, 1.0);" };
    }
    return {
      CUSTOM_VERTEX_DEFINITIONS: "varying vec3 vRead;",
      CUSTOM_VERTEX_MAIN_END: `
        vRead = worldPos.xyz;
        int place = gl_InstanceID * READ_STRIDE + READ_FIRST + gl_VertexID;
        gl_PointSize = 1.0;
        gl_Position = vec4((vec2(place % ${WIDTH}, place / ${WIDTH}) + 0.5) / vec2(${WIDTH}, READ_HEIGHT) * 2.0 - 1.0, 0.0, 1.0);`,
    };
  }
}

const heightOf = (perInstance, count) => Math.ceil((perInstance * count) / WIDTH);

// Has meshes draw the places of their vertices.
function readable(meshes, count) {
  const perInstance = meshes.reduce((sum, mesh) => sum + mesh.getTotalVertices(), 0);
  let first = 0;
  for (const mesh of meshes) {
    mesh.material = mesh.material.clone();
    new Reader(mesh.material, first, heightOf(perInstance, count), perInstance);
    first += mesh.getTotalVertices();
  }
  return perInstance;
}

// The places of all vertices of meshes with `count` instances, after each of some steps.
async function placesOf(scene, meshes, perInstance, count, steps) {
  const height = heightOf(perInstance, count);
  for (const mesh of meshes) {
    for (const material of mesh.material.subMaterials ?? [mesh.material]) material.pointsCloud = true;
    mesh.alwaysSelectAsActiveMesh = true;
  }
  const target = new B.RenderTargetTexture("read", { width: WIDTH, height }, scene, {
    generateMipMaps: false, type: B.Constants.TEXTURETYPE_FLOAT, format: B.Constants.TEXTUREFORMAT_RGBA,
    samplingMode: B.Constants.TEXTURE_NEAREST_SAMPLINGMODE, generateDepthBuffer: false,
  });
  target.renderList = meshes;
  await scene.whenReadyAsync();
  while (!target.isReadyForRendering()) await new Promise((done) => setTimeout(done, 20));
  const read = [];
  for (const step of steps) {
    step();
    scene.updateTransformMatrix();
    target.render();
    read.push((await target.readPixels()).slice(0, 4 * perInstance * count));
  }
  const all = new Float32Array(read.reduce((sum, { length }) => sum + length, 0));
  read.reduce((at, one) => (all.set(one, at), at + one.length), 0);
  target.dispose();
  return all;
}

// An export played as its README says. `settings` of each instance, `times` of the manager.
export async function exported(scene, name, settings) {
  const { meshes } = await B.ImportMeshAsync(`/${name}.glb`, scene);
  const parts = meshes.filter((mesh) => mesh.skeleton);
  const baked = await (await fetch(`/${name}.json`)).json();
  const baker = new B.VertexAnimationBaker(scene, parts[0]);
  const numbers =
    baked.lissom.dtype === "float16"
      ? new Uint16Array(B.DecodeBase64ToBinary(baked.vertexData))
      : baker.loadBakedVertexDataFromObject(baked);
  const manager = new B.BakedVertexAnimationManager(scene);
  manager.texture = baker.textureFromBakedVertexData(numbers);
  const matrices = new Float32Array(16 * settings.length);
  settings.forEach((_, i) => B.Matrix.Identity().copyToArray(matrices, 16 * i));
  for (const mesh of parts) {
    mesh.bakedVertexAnimationManager = manager;
    mesh.thinInstanceSetBuffer("matrix", matrices, 16);
    mesh.thinInstanceSetBuffer("bakedVertexAnimationSettingsInstanced", new Float32Array(settings.flat()), 4);
  }
  return { parts, manager };
}

export async function ownVertices(name, settings, times, isRightHanded = true) {
  const scene = newScene(isRightHanded);
  const { parts, manager } = await exported(scene, name, settings);
  const steps = times.map((time) => () => (manager.time = time));
  const perInstance = readable(parts, settings.length);
  const read = await placesOf(scene, parts, perInstance, settings.length, steps);
  scene.dispose();
  return asText(read);
}

const bakes = {};
export const bakeOf = async (file) => (bakes[file] ??= await loadBake(`/${file}`));

// {clip, time, next, nextTime, fade, matrix, color} of each instance.
export async function crowdOf(scene, file, instances, options = {}) {
  const crowd = new BakedCrowd(await bakeOf(file), instances.length, scene, options);
  instances.forEach(({ clip, time, next, nextTime, fade, matrix, color, speed }, i) => {
    if (clip !== undefined) crowd.setClipAt(i, clip, time);
    if (next !== undefined) crowd.fadeTo(i, next, 1, nextTime).setFadeAt(i, fade);
    if (matrix) crowd.setMatrixAt(i, B.Matrix.FromArray(matrix));
    if (color) crowd.setColorAt(i, new B.Color3(...color));
    if (speed !== undefined) crowd.setSpeedAt(i, speed);
  });
  return crowd.update(0);
}

// Places of all vertices of all instances, as the crowd's own vertex shader makes them.
export async function vertices(file, instances, { isRightHanded = true, ...options } = {}) {
  const scene = newScene(isRightHanded);
  const { count } = (await bakeOf(file)).mesh;
  const height = heightOf(count, instances.length);
  const material = (part, made) => (new Reader(made, 0, height, count), made);
  const crowd = await crowdOf(scene, file, instances, { ...options, material });
  crowd.subMeshes.length = 1; // Babylon draws points of the first alone rightly, and each has all vertices
  const read = await placesOf(scene, [crowd], count, instances.length, [() => crowd.update(0)]);
  scene.dispose();
  return asText(read);
}

// The same by the CPU, a few vertices of one instance.
export async function verticesOnCpu(file, instances, index, numbers, { isRightHanded = true, ...options } = {}) {
  const scene = newScene(isRightHanded);
  const crowd = await crowdOf(scene, file, instances, { ...options, gpu: false });
  const read = Float64Array.from(numbers.flatMap((v) => crowd.getVertexAt(index, v).asArray()));
  scene.dispose();
  return Array.from(read);
}

function look(scene, position, target, background = [0x80 / 255, 0x88 / 255, 0x90 / 255]) {
  scene.clearColor = new B.Color4(...background, 1);
  const camera = scene.activeCamera;
  Object.assign(camera, { fov: (35 / 180) * Math.PI, minZ: 0.05, maxZ: 100 });
  const mirror = scene.useRightHandedSystem ? 1 : -1;
  camera.position.set(mirror * position[0], position[1], position[2]);
  camera.setTarget(new B.Vector3(mirror * target[0], target[1], target[2]));
  const sky = new B.HemisphericLight("sky", B.Vector3.Up(), scene);
  sky.intensity = 0.7;
  const sun = new B.DirectionalLight("sun", new B.Vector3(-2 * mirror, -5, -4), scene);
  sun.position.set(2 * mirror, 5, 4);
  sun.intensity = 1.5;
  return sun;
}

async function picture(scene) {
  await scene.whenReadyAsync();
  scene.render();
  scene.render(); // what waited for the first frame
  const [width, height] = [engine.getRenderWidth(), engine.getRenderHeight()];
  const read = await engine.readPixels(0, 0, width, height);
  const text = asText(new Uint8Array(read.buffer, read.byteOffset, read.byteLength));
  scene.dispose();
  return [width, height, text];
}

// A picture of a crowd. With `shadows`, they fall on a ground, and the crowd itself is not seen.
export async function drawn(file, instances, { width = 320, height = 240, eye, target, isRightHanded = true, shadows, casts = true, ...options }) {
  const scene = newScene(isRightHanded, width, height);
  const sun = look(scene, eye, target);
  const crowd = await crowdOf(scene, file, instances, options);
  if (shadows) {
    const ground = B.MeshBuilder.CreateGround("ground", { width: 20, height: 20 }, scene);
    ground.material = new B.StandardMaterial("ground", scene);
    ground.receiveShadows = true;
    const generator = new B.ShadowGenerator(1024, sun);
    if (casts) generator.addShadowCaster(crowd);
    scene.activeCamera.layerMask = 1;
    crowd.layerMask = 2; // nobody hides the shadow
  }
  return picture(scene);
}

// Babylon's own way: the same character of a GLB file, moved by its skeleton.
export async function drawnSkinned(file, clip, time, { width = 320, height = 240, eye, target, isRightHanded = true }) {
  const scene = newScene(isRightHanded, width, height);
  look(scene, eye, target);
  const { meshes, animationGroups } = await B.ImportMeshAsync(`/${file}`, scene);
  for (const mesh of meshes) {
    mesh.alwaysSelectAsActiveMesh = true;
    if (mesh.material) Object.assign(mesh.material, { roughness: 0.8, metallic: 0 });
  }
  for (const group of animationGroups) group.stop();
  const group = animationGroups.find(({ name }) => name === clip);
  group.start(true);
  group.pause();
  group.goToFrame(time * 60);
  return picture(scene);
}

export async function jointOf(file, instance, joint, isRightHanded) {
  const scene = newScene(isRightHanded);
  const crowd = await crowdOf(scene, file, [instance], { gpu: false });
  const matrix = Array.from(crowd.getJointAt(0, joint).asArray());
  scene.dispose();
  return matrix;
}

// Of an instance, of one that fades, and of the crowd, whose second instance is 7 to the right.
export async function boxesOf(file) {
  const scene = newScene();
  const matrix = B.Matrix.Translation(7, 0, 0).asArray();
  const crowd = await crowdOf(scene, file, [{ clip: "wave" }, { clip: "walk", matrix }], { gpu: false });
  const told = ({ minimum, maximum }) => [minimum.asArray(), maximum.asArray()];
  const own = told(crowd.getBoundsAt(0));
  const fading = told(crowd.fadeTo(0, "run", 1).getBoundsAt(0));
  const whole = told(crowd.getBoundingInfo());
  scene.dispose();
  return [own, fading, whole];
}

export async function passing(file) {
  const scene = newScene();
  const crowd = await crowdOf(scene, file, [{ clip: "walk", time: 0.25 }, {}], { gpu: false });
  const now = () => [crowd.getClipAt(0), crowd.getTimeAt(0)];
  crowd.update(0.25);
  const before = now();
  crowd.fadeTo(0, "run", 1).setSpeedAt(0, 0.5).update(0.5);
  const fade = crowd.getFadeAt(0);
  crowd.update(0.5);
  crowd.count = 1;
  const result = [before, fade, now(), crowd.getFadeAt(0), crowd.count];
  scene.dispose();
  return result;
}

// What a function of a page throws.
export async function said(text) {
  const scene = newScene();
  try {
    const bake = await bakeOf("hero.safetensors");
    const crowd = new BakedCrowd(bake, 1, scene, { gpu: false });
    const names = ["lissom", "bake", "crowd", "scene"];
    await new Function(...names, `return (async () => { ${text} })()`)(self.lissom, bake, crowd, scene);
  } catch (error) {
    return `${error.name}: ${error.message}`;
  } finally {
    scene.dispose();
  }
  return null;
}
