// SPDX-License-Identifier: MIT
// A crowd: an InstancedMesh of which each instance plays clips of a bake. What methods do is said in index.d.ts.
import {
  Box3, BufferAttribute, BufferGeometry, InstancedMesh, Matrix4, Mesh, MeshDepthMaterial, MeshDistanceMaterial, Ray,
  RGBADepthPacking, Sphere, Vector3,
} from "three";
import { Bake } from "./bake.js";
import { Clock, NO_CLIP } from "./clock.js";
import { modelOf } from "./mesh.js";
import { Palettes } from "./palettes.js";
import { check, checkIndex, Playing } from "./playing.js";
import { skin } from "./skinning.js";
import { skinVertex } from "./moving.js";

const matrix = new Matrix4();
const inverse = new Matrix4();
const ray = new Ray();
const sphere = new Sphere();

export class BakedCrowd extends Playing(InstancedMesh) {
  constructor(bake, count, { method = bake?.method, renderer = null, material, pixelError = 0.5 } = {}) {
    check(bake instanceof Bake, "", "bake", "what loadBake returns", bake);
    check(Number.isSafeInteger(count) && count > 0, "", "count", "a whole number from 1 on", count);
    check(["linear", "dual_quat"].includes(method), "", "method", "'linear' or 'dual_quat'", method);
    check(pixelError >= 0, "", "pixelError", "a number from 0 on", pixelError);
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
    this.levels = bake.Levels ? new bake.Levels(this) : null;
    this.pixelError = pixelError;
    for (const one of this._materials()) skin(one, this);
    this.bounds = bake.clips.map(({ bounds: [low, high] }) => new Box3(new Vector3(...low), new Vector3(...high)));
    this.spheres = this.bounds.map((box) => box.getBoundingSphere(new Sphere()));
    // For code that asks the geometry: around all clips.
    this.geometry.boundingBox = this.bounds.reduce((sum, box) => sum.union(box), new Box3());
    this.geometry.boundingSphere = this.geometry.boundingBox.getBoundingSphere(new Sphere());
    this.update(0);
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
  onBeforeShadow(renderer, scene, camera, shadowCamera, geometry, depthMaterial, group) {
    this._draw(renderer, camera, group, false);
    const needs = depthMaterial.map !== null && depthMaterial.alphaTest > 0;
    if (depthMaterial.userData.isMasked !== needs) depthMaterial.needsUpdate = true;
    depthMaterial.userData.isMasked = needs;
  }

  onBeforeRender(renderer, scene, camera, geometry, material, group) {
    this._draw(renderer, camera, group, true);
  }

  // three draws as many instances as `count` says: for the draw of one level, those of that.
  _draw(renderer, camera, group, isPicture) {
    if (!this.levels || !group) return;
    this.levels.choose(this, renderer, camera, isPicture);
    this.all = this.count;
    this.count = this.levels.counts[group.level];
  }

  onAfterRender() {
    this.count = this.all ?? this.count;
  }

  onAfterShadow() {
    this.onAfterRender();
  }

  dispose() {
    super.dispose();
    this.levels?.places.value.dispose();
    this.palettes.dispose();
    this.geometry.dispose();
    for (const one of this._materials()) one.dispose();
    return this;
  }

  _materials() {
    return [this.material, this.customDepthMaterial, this.customDistanceMaterial].flat();
  }

  _sphereAt(i, target) {
    const { clip, nextClip } = this.clock;
    target.copy(this.spheres[clip[i]]);
    return nextClip[i] === NO_CLIP ? target : target.union(this.spheres[nextClip[i]]);
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
      geometry.setIndex(index).setAttribute("position", new BufferAttribute(new Float32Array(3 * this.bake.mesh.count), 3));
      if (attributes.uv) geometry.setAttribute("uv", attributes.uv);
      geometry.groups = groups.filter(({ level }) => !level);
      this.moved = new Mesh(geometry);
    }
    this.moved.material = this.material;
    return this.moved;
  }
}
