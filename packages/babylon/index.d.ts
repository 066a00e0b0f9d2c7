// SPDX-License-Identifier: MIT
import type { BoundingInfo, Color3, Color4, Material, Matrix, Mesh, PBRMaterial, Scene, Vector3 } from "@babylonjs/core";
import { Bake, type BakedPart, type BakeSource, type SkinningMethod } from "./bake.js";
import type { Playing } from "./playing.js";

export { Bake, type BakedClip, type BakedPart, type SkinningMethod } from "./bake.js";

/** Reads a bake that lissom's `PoseTexture.save` wrote, from an address or from bytes. */
export function loadBake(source: BakeSource): Promise<Bake>;

export interface BakedCrowdOptions {
  /** How vertices are skinned; the method that the bake was measured with when omitted. */
  method?: SkinningMethod;
  /** Whether the GPU mixes palettes, where it can write floats; true when omitted. */
  gpu?: boolean;
  /** Whether the crowd casts moving shadows in a ShadowGenerator; true when omitted. */
  shadows?: boolean;
  /** Changes the material of a part, or returns another one, which takes plugins; it serves this crowd alone. */
  material?: (part: BakedPart, made: PBRMaterial) => Material;
}

/**
 * A mesh of which each thin instance plays clips of a bake. Times are seconds on a clip's own line. What is changed by
 * hand is seen after the next `update`.
 */
export class BakedCrowd extends Mesh {
  constructor(bake: Bake, count: number, scene: Scene, options?: BakedCrowdOptions);
  readonly bake: Bake;
  readonly method: SkinningMethod;
  /** How many are drawn, the first of those that there are. */
  count: number;
  setMatrixAt(index: number, matrix: Matrix): this;
  getMatrixAt(index: number, target?: Matrix): Matrix;
  /** Multiplies the colours of the parts, in linear light. */
  setColorAt(index: number, color: Color3 | Color4): this;
  /** The box of what an instance plays, in the space of the instance. */
  getBoundsAt(index: number): BoundingInfo;
  /** Where a vertex is, in the space of the crowd. */
  getVertexAt(index: number, vertex: number, target?: Vector3): Vector3;
  /** The place of a joint, in the space of the crowd: for what its hand holds. */
  getJointAt(index: number, joint: string, target?: Matrix): Matrix;
}

export interface BakedCrowd extends Playing {}
