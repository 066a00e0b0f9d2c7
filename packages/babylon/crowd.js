// SPDX-License-Identifier: MIT
// A crowd: a mesh with thin instances, each of which plays clips of a bake. What methods do is said in index.d.ts.
import {
  BoundingInfo, Matrix, Mesh, MultiMaterial, ShadowDepthWrapper, SubMesh, Vector3, VertexBuffer,
} from "@babylonjs/core";
import { Bake } from "./bake.js";
import { Clock, NO_CLIP } from "./clock.js";
import { materialOf, texturesOf } from "./materials.js";
import { skinVertex } from "./moving.js";
import { Palettes } from "./palettes.js";
import { check, checkIndex, Playing } from "./playing.js";
import { Skinning } from "./skinning.js";

const around = (a, b) => new BoundingInfo(Vector3.Minimize(a.minimum, b.minimum), Vector3.Maximize(a.maximum, b.maximum));

export class BakedCrowd extends Playing(Mesh) {
  constructor(bake, count, scene, { method = bake?.method, gpu = true, shadows = true, material } = {}) {
    check(bake instanceof Bake, "", "bake", "what loadBake returns", bake);
    check(Number.isSafeInteger(count) && count > 0, "", "count", "a whole number from 1 on", count);
    check(["linear", "dual_quat"].includes(method), "", "method", "'linear' or 'dual_quat'", method);
    check(scene?.getEngine?.().version > 1, "", "scene", "a Scene that WebGL 2 draws", scene);
    const palettes = new Palettes(bake, method, count, scene, gpu);
    super(bake.name, scene);
    Object.assign(this, { bake, method, palettes, clock: new Clock(bake, count), mirrors: !scene.useRightHandedSystem, dressed: [] });
    this.bounds = bake.clips.map(({ bounds }) => this._boundsOf(...bounds));
    try {
      this._dress(scene, shadows, material);
    } catch (error) {
      this.dispose();
      throw error;
    }
    this.matrices = new Float32Array(16 * count);
    for (let i = 0; i < count; i++) Matrix.IdentityReadOnly.copyToArray(this.matrices, 16 * i);
    this._surround(); // before Babylon asks for the box of the mesh
    this.thinInstanceSetBuffer("matrix", this.matrices, 16, false);
    this.update(0);
  }

  get count() {
    return this.thinInstanceCount;
  }

  set count(count) {
    this.thinInstanceCount = checkIndex("count", "count", count, this.clock.clip.length + 1);
  }

  setMatrixAt(index, matrix) {
    matrix.copyToArray(this.matrices, 16 * this._index("setMatrixAt", index));
    this.hasMoved = true;
    return this;
  }

  getMatrixAt(index, target = new Matrix()) {
    return Matrix.FromArrayToRef(this.matrices, 16 * this._index("getMatrixAt", index), target);
  }

  setColorAt(index, color) {
    const i = this._index("setColorAt", index);
    if (!this.colors) {
      this.colors = new Float32Array(this.matrices.length / 4).fill(1);
      this.thinInstanceSetBuffer("color", this.colors, 4, false);
    }
    this.colors.set([color.r, color.g, color.b, color.a ?? 1], 4 * i);
    this.hasColors = true;
    return this;
  }

  update(seconds) {
    if (this.hasMoved) {
      this.thinInstanceBufferUpdated("matrix");
      this.thinInstanceRefreshBoundingInfo(false);
    }
    if (this.hasColors) this.thinInstanceBufferUpdated("color");
    this.hasMoved = this.hasColors = false;
    return super.update(seconds);
  }

  getBoundsAt(index) {
    const i = this._index("getBoundsAt", index);
    const { clip, nextClip } = this.clock;
    return around(this.bounds[clip[i]], this.bounds[nextClip[i] === NO_CLIP ? clip[i] : nextClip[i]]);
  }

  getVertexAt(index, vertex, target = new Vector3()) {
    const i = this._index("getVertexAt", index);
    const { mesh } = this.bake;
    checkIndex("getVertexAt", "vertex", vertex, mesh.count);
    const place = [];
    skinVertex(mesh, this._paletteAt(i), this.palettes.stride, vertex, place);
    const [x, y, z] = place;
    return Vector3.TransformCoordinatesFromFloatsToRef(this.mirrors ? -x : x, y, z, this.getMatrixAt(i), target);
  }

  getJointAt(index, joint, target = new Matrix()) {
    const i = this._index("getJointAt", index);
    const { joints, jointFromBind } = this.bake;
    const row = joints.indexOf(joint);
    check(row >= 0, "getJointAt", "joint", `one of ${joints.slice(0, 4).join(", ")}, ...`, joint);
    const palette = this._paletteAt(i, "linear").subarray(12 * row, 12 * row + 12);
    const mirror = Matrix.Scaling(this.mirrors ? -1 : 1, 1, 1);
    const steps = [Matrix.FromArray([...palette, 0, 0, 0, 1]).transpose(), mirror, this.getMatrixAt(i)];
    if (jointFromBind) steps.unshift(Matrix.FromArray(jointFromBind, 16 * row).transpose().invert());
    return target.copyFrom(steps.reduce((all, one) => all.multiply(one), mirror));
  }

  dispose(doNotRecurse, disposeMaterialAndTextures = true) {
    this.palettes.dispose();
    for (const material of this.dressed) {
      material.shadowDepthWrapper?.dispose();
      material.dispose(false, disposeMaterialAndTextures);
    }
    if (this.dressed.length > 1) this.material?.dispose();
    super.dispose(doNotRecurse, false);
  }

  // Vertices and materials.
  _dress(scene, shadows, change = (part, material) => material) {
    const { bake } = this;
    const { mesh } = bake;
    const looks = bake.looks();
    const indices = looks.flatMap(({ corners }) => corners);
    const arrays = { position: [mesh.positions, 3], normal: [mesh.normals, 3], uv: [mesh.uvs, 2], color: [mesh.colors, 4] };
    mesh.groups.forEach(({ rows, weights }, i) => {
      arrays[`lissomRows${i}`] = [Float32Array.from(rows), 4];
      arrays[`lissomWeights${i}`] = [weights, 4];
    });
    for (const [kind, [array, width]] of Object.entries(arrays)) {
      if (array) this.setVerticesBuffer(new VertexBuffer(scene.getEngine(), array, kind, false, false, width));
    }
    this.setIndices(indices, mesh.count);
    this.sideOrientation = 1; // counter-clockwise, as glTF's, also in the mirror
    const textureOf = texturesOf(bake, scene);
    for (const { look } of looks) {
      const material = change(look, materialOf(look, bake, scene, textureOf));
      check(!material.pluginManager?.getPlugin("LissomSkinning"), "", "material", "that of this crowd alone; clone it", material.name);
      new Skinning(material, bake, this.palettes, this.mirrors);
      if (shadows) material.shadowDepthWrapper = new ShadowDepthWrapper(material, scene);
      this.dressed.push(material);
    }
    if (looks.length === 1) [this.material] = this.dressed;
    else {
      this.material = new MultiMaterial(bake.name, scene);
      this.material.subMaterials.push(...this.dressed);
      this.subMeshes = [];
      let first = 0;
      looks.forEach(({ corners }, i) => {
        new SubMesh(i, 0, mesh.count, first, corners.length, this);
        first += corners.length;
      });
    }
  }

  _boundsOf([x, y, z], [right, top, front]) {
    const [low, high] = this.mirrors ? [-right, -x] : [x, right];
    return new BoundingInfo(new Vector3(low, y, z), new Vector3(high, top, front));
  }

  // Around all clips, whatever instances play: so that it need not change with them.
  _surround() {
    this.rawBoundingInfo = this.bounds.reduce(around);
    this.setBoundingInfo(this.bounds.reduce(around, this.bounds[0]));
  }

  _forgetBounds() {}
}
