// SPDX-License-Identifier: MIT
import type { Box3, InstancedMesh, Material, Matrix4, Texture, Vector3, WebGLRenderer } from "three";
import { Bake as Stored, type BakedPart, type BakeSource, type SkinningMethod } from "./bake.js";
import type { Playing } from "./playing.js";

export type { BakedClip, BakedPart, SkinningMethod } from "./bake.js";

/** The content of a bake's file, and its pictures. */
export class Bake extends Stored {
  readonly textures: readonly (Texture | null)[];
  /** Levels of detail that its file has, from the finest: most of the mesh is nearer to each than `distance`, model units. */
  readonly levels: readonly { readonly distance: number }[];
  /** Frees its pictures on the GPU. */
  dispose(): void;
}

/** Reads a bake that lissom's `PoseTexture.save` wrote, from an address or from bytes. */
export function loadBake(source: BakeSource): Promise<Bake>;

export interface BakedCrowdOptions {
  /** How vertices are skinned; the method that the bake was measured with when omitted. */
  method?: SkinningMethod;
  /** Mixes palettes on the GPU, where it can write floats; the CPU does when omitted. */
  renderer?: WebGLRenderer | null;
  /** Pixels that a level of detail may be off by, where the bake has any: 0.5 when omitted; 0 draws the whole mesh. */
  pixelError?: number;
  /** Makes the material of a part, from parameters of three's; MeshStandardMaterial or MeshBasicMaterial when omitted. */
  material?: (part: BakedPart, parameters: Record<string, unknown>) => Material;
}

/** An InstancedMesh of which each instance plays clips of a bake. Times are seconds on a clip's own line. */
export class BakedCrowd extends InstancedMesh {
  constructor(bake: Bake, count: number, options?: BakedCrowdOptions);
  readonly bake: Bake;
  readonly method: SkinningMethod;
  pixelError: number;
  /** The box of what an instance plays, in the space of the model. */
  getBoundsAt(index: number, target?: Box3): Box3;
  /** Where a vertex is, in the space of the crowd. */
  getVertexAt(index: number, vertex: number, target?: Vector3): Vector3;
  /** The place of a joint, in the space of the crowd: for what its hand holds. */
  getJointAt(index: number, joint: string, target?: Matrix4): Matrix4;
  /** Frees what the crowd has on the GPU; its bake stays. */
  dispose(): this;
}

export interface BakedCrowd extends Playing {}
