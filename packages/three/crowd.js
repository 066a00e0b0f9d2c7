// SPDX-License-Identifier: MIT
// A crowd: an InstancedMesh of which each instance plays clips of a bake. What methods do is said in index.d.ts.
import {
  Box3, BufferAttribute, BufferGeometry, InstancedMesh, Matrix4, Mesh, MeshDepthMaterial, MeshDistanceMaterial, Ray,
  RGBADepthPacking, Sphere, Vector3,
} from "three";
import { Bake } from "./bake.js";
import { Clock, NO_CLIP } from "./clock.js";
import { modelOf } from "./mesh.js";
import { mixPalette, Palettes, strideOf } from "./palettes.js";
import { skin, skinVertex } from "./skinning.js";

const matrix = new Matrix4();
const inverse = new Matrix4();
const ray = new Ray();
const sphere = new Sphere();

export class BakedCrowd extends InstancedMesh {
  constructor(bake, count, { method = bake?.method, renderer = null, material } = {}) {
    check(bake instanceof Bake, "", "bake", "what loadBake returns", bake);
    check(Number.isSafeInteger(count) && count > 0, "", "count", "a whole number from 1 on", count);
    check(["linear", "dual_quat"].includes(method), "", "method", "'linear' or 'dual_quat'", method);
    check(!renderer || renderer.isWebGLRenderer, "", "renderer", "a WebGLRenderer", renderer?.constructor.name);
    const model = modelOf(bake, material);
    super(model.geometry, model.material, count);
    this.type = "BakedCrowd";
    this.name = bake.name;
    this.bake = bake;
    this.method = method;
    this.clock = new Clock(bake, count);
    this.palettes = new Palettes(bake, method, count, renderer);
    this.customDepthMaterial = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
    this.customDistanceMaterial = new MeshDistanceMaterial();
    for (const one of [this.material, this.customDepthMaterial, this.customDistanceMaterial].flat()) skin(one, bake, this.palettes);
    this.bounds = bake.clips.map(({ bounds: [low, high] }) => new Box3(new Vector3(...low), new Vector3(...high)));
    geometryBounds(this.geometry, this.bounds);
    this.update(0);
  }

  setClipAt(index, clip, time) {
    const { i, at, start } = this._checked("setClipAt", index, clip, time);
    this.clock.play(i, at, start);
    this._forgetBounds();
    return this;
  }

  getClipAt(index) {
    return this.bake.clips[this.clock.clip[this._index("getClipAt", index)]].name;
  }

  setTimeAt(index, time) {
    this.clock.time[this._index("setTimeAt", index)] = finite("setTimeAt", "time", time);
    return this;
  }

  getTimeAt(index) {
    return this.clock.time[this._index("getTimeAt", index)];
  }

  setSpeedAt(index, speed) {
    this.clock.speed[this._index("setSpeedAt", index)] = finite("setSpeedAt", "speed", speed);
    return this;
  }

  getSpeedAt(index) {
    return this.clock.speed[this._index("getSpeedAt", index)];
  }

  fadeTo(index, clip, duration, time) {
    const { i, at, start } = this._checked("fadeTo", index, clip, time);
    check(finite("fadeTo", "duration", duration) >= 0, "fadeTo", "duration", "at least 0", duration);
    this.clock.fadeTo(i, at, duration, start);
    this._forgetBounds();
    return this;
  }

  getFadeAt(index) {
    return this.clock.fade[this._index("getFadeAt", index)];
  }

  setFadeAt(index, fade) {
    const i = this._index("setFadeAt", index);
    check(fade >= 0 && fade <= 1, "setFadeAt", "fade", "from 0 to 1", fade);
    check(this.clock.nextClip[i] !== NO_CLIP, "setFadeAt", "index", "that of an instance in a fade; call fadeTo first", i);
    this.clock.fade[i] = fade;
    return this;
  }

  update(seconds) {
    finite("update", "seconds", seconds);
    const { clock, palettes, count } = this;
    let ended = false;
    for (let i = 0; i < count; i++) {
      ended = clock.advance(i, seconds) || ended;
      clock.writeMoment(i, palettes.moments, 8 * i);
    }
    if (ended) this._forgetBounds();
    palettes.mix(count);
    return this;
  }

  getBoundsAt(index, target = new Box3()) {
    const i = this._index("getBoundsAt", index);
    target.copy(this.bounds[this.clock.clip[i]]);
    if (this.clock.nextClip[i] !== NO_CLIP) target.union(this.bounds[this.clock.nextClip[i]]);
    return target;
  }

  getVertexAt(index, vertex, target = new Vector3()) {
    const i = this._index("getVertexAt", index);
    const { mesh } = this.bake;
    checkIndex("getVertexAt", "vertex", vertex, mesh.count);
    const place = [0, 0, 0];
    skinVertex(mesh, this._paletteAt(i), this.palettes.stride, vertex, place);
    this.getMatrixAt(i, matrix);
    return target.set(...place).applyMatrix4(matrix);
  }

  getJointAt(index, joint, target = new Matrix4()) {
    const i = this._index("getJointAt", index);
    const { joints, jointFromBind } = this.bake;
    const row = joints.indexOf(joint);
    check(row >= 0, "getJointAt", "joint", `one of ${joints.slice(0, 4).join(", ")}, ...`, joint);
    const palette = this._paletteAt(i, "linear");
    target.set(...palette.subarray(12 * row, 12 * row + 12), 0, 0, 0, 1);
    if (jointFromBind) target.multiply(matrix.set(...jointFromBind.subarray(16 * row, 16 * row + 16)).invert());
    this.getMatrixAt(i, matrix);
    return target.premultiply(matrix);
  }

  computeBoundingBox() {
    this.boundingBox ??= new Box3();
    this.boundingBox.makeEmpty();
    this._eachBox((box) => this.boundingBox.union(box));
  }

  computeBoundingSphere() {
    this.boundingSphere ??= new Sphere();
    this.boundingSphere.makeEmpty();
    this._eachBox((box) => this.boundingSphere.union(box.getBoundingSphere(sphere)));
  }

  raycast(raycaster, intersects) {
    if (this.boundingSphere === null) this.computeBoundingSphere();
    if (!raycaster.ray.intersectsSphere(sphere.copy(this.boundingSphere).applyMatrix4(this.matrixWorld))) return;
    const { mesh } = this.bake;
    const box = new Box3();
    for (let i = 0; i < this.count; i++) {
      this.getMatrixAt(i, matrix);
      matrix.premultiply(this.matrixWorld);
      if (matrix.determinant() === 0) continue;
      this.getBoundsAt(i, box);
      ray.copy(raycaster.ray).applyMatrix4(inverse.copy(matrix).invert());
      if (!ray.intersectsBox(box)) continue;
      const moved = this._moved();
      const palette = this._paletteAt(i);
      const { array } = moved.geometry.attributes.position;
      for (let v = 0; v < mesh.count; v++) skinVertex(mesh, palette, this.palettes.stride, v, array, 3 * v);
      moved.geometry.computeBoundingSphere();
      moved.matrixWorld.copy(matrix);
      const hits = [];
      moved.raycast(raycaster, hits);
      for (const hit of hits) intersects.push(Object.assign(hit, { instanceId: i, object: this }));
    }
  }

  // Parts of one crowd share the material of its shadows: three asks anew whether that has a picture.
  onBeforeShadow(renderer, scene, camera, shadowCamera, geometry, depthMaterial) {
    const needs = depthMaterial.map !== null && depthMaterial.alphaTest > 0;
    if (depthMaterial.userData.isMasked !== needs) depthMaterial.needsUpdate = true;
    depthMaterial.userData.isMasked = needs;
  }

  dispose() {
    super.dispose();
    this.palettes.dispose();
    this.geometry.dispose();
    for (const one of [this.material, this.customDepthMaterial, this.customDistanceMaterial].flat()) one.dispose();
    return this;
  }

  _index(caller, index) {
    return checkIndex(caller, "index", index, this.instanceMatrix.count);
  }

  _checked(caller, index, clip, time) {
    const i = this._index(caller, index);
    const at = this.bake.clipIndex(clip, `BakedCrowd.${caller}`);
    return { i, at, start: time === undefined ? this.bake.clips[at].start : finite(caller, "time", time) };
  }

  _paletteAt(i, method = this.method) {
    const moment = new Float64Array(8);
    this.clock.writeMoment(i, moment, 0);
    const palette = new Float64Array(4 * strideOf(this.bake, method) * this.bake.rowCount);
    mixPalette(this.bake, method, moment, palette);
    return palette;
  }

  _eachBox(use) {
    const box = new Box3();
    for (let i = 0; i < this.count; i++) {
      this.getMatrixAt(i, matrix);
      use(this.getBoundsAt(i, box).applyMatrix4(matrix));
    }
  }

  // three computes them when it needs them, as for an InstancedMesh of which matrices have changed.
  _forgetBounds() {
    this.boundingBox = this.boundingSphere = null;
  }

  // A mesh of one instance's moved vertices.
  _moved() {
    if (!this.moved) {
      const geometry = new BufferGeometry();
      const { index, groups, attributes } = this.geometry;
      geometry.setIndex(index).setAttribute("position", new BufferAttribute(new Float32Array(attributes.position.array.length), 3));
      if (attributes.uv) geometry.setAttribute("uv", attributes.uv);
      geometry.groups = groups;
      this.moved = new Mesh(geometry);
    }
    this.moved.material = this.material;
    return this.moved;
  }
}

function check(isRight, caller, name, what, got) {
  if (!isRight) throw new RangeError(`BakedCrowd${caller && `.${caller}`}: ${name} must be ${what}, got ${got}`);
}

function checkIndex(caller, name, index, count) {
  check(Number.isSafeInteger(index) && index >= 0 && index < count, caller, name, `a whole number below ${count}`, index);
  return index;
}

function finite(caller, name, value) {
  check(Number.isFinite(value), caller, name, "a finite number", value);
  return value;
}

// For code that asks the geometry: around all clips.
function geometryBounds(geometry, boxes) {
  geometry.boundingBox = boxes.reduce((sum, box) => sum.union(box), new Box3());
  geometry.boundingSphere = geometry.boundingBox.getBoundingSphere(new Sphere());
}
