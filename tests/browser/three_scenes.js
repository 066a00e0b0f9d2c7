// SPDX-License-Identifier: MIT
// What the tests of lissom-three ask of a page: vertices read back from the GPU, pictures, rays, shadows, errors.
import * as THREE from "three";
import { BakedCrowd, loadBake } from "lissom-three";

let renderer;
const bakes = {};

function drawer(width = 0, height = 0) {
  renderer ??= new THREE.WebGLRenderer({ antialias: false, preserveDrawingBuffer: true });
  if (!width) return renderer;
  renderer.setPixelRatio(1);
  renderer.setSize(width, height);
  document.body.append(renderer.domElement);
  return renderer;
}

function asText(array) {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  let letters = "";
  for (let i = 0; i < bytes.length; i += 0x8000) letters += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(letters);
}

export const rendererName = () => {
  const gl = drawer().getContext();
  return gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info").UNMASKED_RENDERER_WEBGL);
};

export const bakeOf = async (file) => (bakes[file] ??= await loadBake(`/${file}`));

// {clip, time, next, nextTime, fade, matrix, color} of each instance.
export async function crowdOf(file, instances, { method, gpu = true, material, pixelError } = {}) {
  const bake = await bakeOf(file);
  const crowd = new BakedCrowd(bake, instances.length, { method, renderer: gpu ? drawer() : null, material, pixelError });
  instances.forEach(({ clip, time, next, nextTime, fade, matrix, color, speed }, i) => {
    if (clip !== undefined) crowd.setClipAt(i, clip, time);
    if (next !== undefined) crowd.fadeTo(i, next, 1, nextTime).setFadeAt(i, fade);
    if (matrix) crowd.setMatrixAt(i, new THREE.Matrix4().fromArray(matrix));
    if (color) crowd.setColorAt(i, new THREE.Color(...color));
    if (speed !== undefined) crowd.setSpeedAt(i, speed);
  });
  return crowd.update(0);
}

// Positions (or normals) of all vertices of all instances as the crowd's own vertex shader makes them, in the space of
// the crowd: its material writes them into a float texture, a point each.
export async function vertices(file, instances, options = {}) {
  const material = (part, parameters) => {
    const made = new THREE.MeshNormalMaterial({ name: parameters.name });
    made.onBeforeCompile = (shader) => {
      const width = 1024;
      const value = options.normals ? "objectNormal" : "(instanceMatrix * vec4(transformed, 1.0)).xyz";
      shader.vertexShader = shader.vertexShader
        .replace("void main() {", "varying vec3 vRead;\nuniform int vertexCount;\nuniform vec2 side;\nvoid main() {")
        .replace(
          "#include <project_vertex>",
          `#include <project_vertex>
          vRead = ${value};
          int place = gl_InstanceID * vertexCount + gl_VertexID;
          gl_PointSize = 1.0;
          gl_Position = vec4((vec2(place % ${width}, place / ${width}) + 0.5) / side * 2.0 - 1.0, 0.0, 1.0);`,
        );
      shader.fragmentShader = "varying vec3 vRead;\nvoid main() { gl_FragColor = vec4(vRead, 1.0); }";
      const count = crowd.bake.mesh.count;
      shader.uniforms.vertexCount = { value: count };
      shader.uniforms.side = { value: new THREE.Vector2(width, Math.ceil((count * instances.length) / width)) };
    };
    return made;
  };
  let crowd = null;
  crowd = await crowdOf(file, instances, { ...options, material });
  Object.assign(crowd, { isMesh: false, isPoints: true, frustumCulled: false, material: [crowd.material].flat()[0] });
  const count = crowd.bake.mesh.count * instances.length;
  crowd.geometry.setIndex(null);
  crowd.geometry.clearGroups();
  if (crowd.levels) {
    // All instances, in their order, with the whole mesh.
    const { choose } = crowd.levels;
    crowd.levels.choose = (...given) => choose.call(crowd.levels, ...given.slice(0, 3), false);
    Object.assign(crowd, { pixelError: 0, material: [crowd.material] });
    crowd.geometry.groups = [{ start: 0, count: crowd.bake.mesh.count, materialIndex: 0, level: 0 }];
  }
  const height = Math.ceil(count / 1024);
  const target = new THREE.WebGLRenderTarget(1024, height, { type: THREE.FloatType, depthBuffer: false });
  drawer().setRenderTarget(target);
  drawer().render(new THREE.Scene().add(crowd), new THREE.PerspectiveCamera());
  const read = new Float32Array(4 * 1024 * height);
  drawer().readRenderTargetPixels(target, 0, 0, 1024, height, read);
  drawer().setRenderTarget(null);
  crowd.dispose();
  target.dispose();
  return asText(read.subarray(0, 4 * count));
}

// The same by the CPU, a few vertices of one instance.
export async function verticesOnCpu(file, instances, index, numbers, options = {}) {
  const crowd = await crowdOf(file, instances, { ...options, gpu: false });
  const read = Float64Array.from(numbers.flatMap((v) => crowd.getVertexAt(index, v).toArray()));
  crowd.dispose();
  return Array.from(read);
}

export const moments = async (file, instances) => {
  const crowd = await crowdOf(file, instances, { gpu: false });
  return instances.map((_, i) => {
    const moment = new Float64Array(8);
    crowd.clock.writeMoment(i, moment, 0);
    return Array.from(moment);
  });
};

// What a function of a page throws.
export async function said(text) {
  try {
    const bake = await bakeOf("hero.safetensors");
    const crowd = new BakedCrowd(bake, 1);
    const names = ["lissom", "bake", "crowd"];
    await new Function(...names, `return (async () => { ${text} })()`)(self.lissom, bake, crowd);
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
  return null;
}

function cameraOf(position, target, aspect) {
  const camera = new THREE.PerspectiveCamera(35, aspect, 0.05, 100);
  camera.position.fromArray(position);
  camera.lookAt(...target);
  return camera;
}

function litScene(background = 0x808890) {
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(background);
  scene.add(new THREE.HemisphereLight(0xffffff, 0x776655, 1.5));
  const sun = new THREE.DirectionalLight(0xffffff, 2);
  sun.position.set(2, 5, 4);
  scene.add(sun);
  return { scene, sun };
}

const picture = (width, height) => {
  const read = new Uint8Array(4 * width * height);
  const gl = renderer.getContext();
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, read);
  return [width, height, asText(read)];
};

// A picture of a crowd. `shadows`: "sun" or "lamp" casts them on a ground. `cpu`: palettes are mixed there.
export async function drawn(file, instances, { width = 320, height = 240, eye, target, shadows, casts = true, ...options }) {
  drawer(width, height);
  renderer.shadowMap.enabled = Boolean(shadows);
  const { scene, sun } = litScene();
  const crowd = await crowdOf(file, instances, options);
  scene.add(crowd);
  if (shadows) {
    crowd.castShadow = casts;
    for (const one of [crowd.material].flat()) one.colorWrite = one.depthWrite = false; // nothing hides the shadow
    const ground = new THREE.Mesh(new THREE.PlaneGeometry(20, 20), new THREE.MeshStandardMaterial({ color: 0xaaaaaa }));
    ground.rotation.x = -Math.PI / 2;
    ground.receiveShadow = true;
    scene.add(ground);
    const lamp = shadows === "sun" ? sun : new THREE.PointLight(0xffffff, 80);
    lamp.position.set(1.5, 4, 1.5);
    lamp.castShadow = true;
    if (shadows !== "sun") scene.remove(sun).add(lamp);
  }
  renderer.render(scene, cameraOf(eye, target, width / height));
  const result = picture(width, height);
  scene.traverse((object) => object.shadow?.dispose());
  crowd.dispose();
  return result;
}

// three's own way: the same character of a GLB file, moved by its mixer.
export async function drawnSkinned(file, clip, time, { width = 320, height = 240, eye, target, unlit }) {
  const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
  drawer(width, height);
  renderer.shadowMap.enabled = false;
  const { scene } = litScene();
  const gltf = await new GLTFLoader().loadAsync(`/${file}`);
  gltf.scene.traverse((object) => {
    if (!object.isMesh) return;
    object.frustumCulled = false;
    Object.assign(object.material, { roughness: 0.8, metalness: 0 });
  });
  const mixer = new THREE.AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations.find(({ name }) => name === clip)).play();
  mixer.setTime(time);
  scene.add(gltf.scene);
  renderer.render(scene, cameraOf(eye, target, width / height));
  return picture(width, height);
}

// What rays hit: [instance, distance, point] of the nearest, or null.
export async function hits(file, instances, rays, options = {}) {
  const crowd = await crowdOf(file, instances, { ...options, gpu: false });
  crowd.updateMatrixWorld();
  const result = rays.map(([origin, direction]) => {
    const caster = new THREE.Raycaster(new THREE.Vector3(...origin), new THREE.Vector3(...direction).normalize());
    const [hit] = caster.intersectObject(crowd);
    return hit ? [hit.instanceId, hit.distance, hit.point.toArray()] : null;
  });
  crowd.dispose();
  return result;
}

// What a picture drew: instances of each level of detail, the numbers of those that are seen, triangles, and the crowd's count.
export async function levelsDrawn(file, instances, { eye, target, fov = 35, orthographic, shadows, size = [320, 240], ...options }) {
  drawer(...size);
  renderer.shadowMap.enabled = Boolean(shadows);
  const { scene, sun } = litScene();
  const crowd = await crowdOf(file, instances, options);
  crowd.castShadow = Boolean(shadows);
  const casting = [];
  const { choose } = crowd.levels;
  crowd.levels.choose = function (...given) {
    choose.apply(this, given);
    if (!given[3]) casting.push(this.counts.reduce((sum, count) => sum + count, 0));
  };
  if (shadows) sun.castShadow = true;
  scene.add(crowd);
  const camera = cameraOf(eye, target, size[0] / size[1]);
  camera.fov = fov;
  if (orthographic) Object.assign(camera, { isPerspectiveCamera: false, isOrthographicCamera: true });
  camera.updateProjectionMatrix();
  if (orthographic) camera.projectionMatrix.makeOrthographic(...orthographic, 0.05, 100);
  renderer.render(scene, camera);
  const { counts, places } = crowd.levels;
  const seen = counts.reduce((sum, count) => sum + count, 0);
  const result = {
    counts,
    casting,
    seen: Array.from({ length: seen }, (_, i) => places.value.image.data[16 * i + 15]),
    triangles: renderer.info.render.triangles,
    count: crowd.count,
    distances: crowd.levels.distances,
    perUnit: camera.projectionMatrix.elements[5] * size[1] / 2,
    spheres: crowd.spheres.map(({ center, radius }) => [center.toArray(), radius]),
    view: camera.matrixWorldInverse.toArray(),
  };
  scene.traverse((object) => object.shadow?.dispose());
  crowd.dispose();
  return result;
}
