// SPDX-License-Identifier: MIT
import type { Box3, InstancedMesh, Material, Matrix4, Texture, Vector3, WebGLRenderer } from "three";

/** A clip of a bake. */
export interface BakedClip {
  readonly name: string;
  readonly firstFrame: number;
  readonly frameCount: number;
  /** Frames per second. */
  readonly rate: number;
  readonly loop: boolean;
  /** Seconds. */
  readonly start: number;
  /** Seconds. */
  readonly duration: number;
  /** Corners of the box around all its vertices, in the space of the model. */
  readonly bounds: readonly [readonly number[], readonly number[]];
  /** What lissom measured: how far its vertices are from the source clip. */
  readonly error: Readonly<Record<string, unknown>>;
}

/** A part of the mesh, as the file has it; defaults are left out. */
export interface BakedPart {
  readonly name: string;
  /** Linear red, green, blue, alpha. */
  readonly base_color: readonly [number, number, number, number];
  /** Number of a texture, or -1. */
  readonly texture: number;
  readonly unlit?: boolean;
  readonly emissive?: readonly [number, number, number];
  readonly emissive_texture?: number;
  readonly alpha_mode?: "opaque" | "mask" | "blend";
  readonly alpha_cutoff?: number;
  readonly double_sided?: boolean;
}

export type SkinningMethod = "linear" | "dual_quat";

/** The content of a bake's file. */
export class Bake {
  /** @throws Error in one sentence where the bytes are no bake that can be played. */
  constructor(buffer: ArrayBuffer, name?: string);
  readonly name: string;
  /** The size of the character, by which errors are stated. */
  readonly size: number;
  /** The method that the bake was measured with. */
  readonly method: SkinningMethod;
  readonly clips: readonly BakedClip[];
  readonly parts: readonly BakedPart[];
  /** Of each palette row, the joint that it follows. */
  readonly joints: readonly string[];
  readonly frameCount: number;
  readonly rowCount: number;
  readonly textures: readonly (Texture | null)[];
  /** The index of a clip, by its name or index. */
  clipIndex(clip: string | number): number;
  /** Frees its pictures on the GPU. */
  dispose(): void;
}

/** Reads a bake that lissom's `PoseTexture.save` wrote, from an address or from bytes. */
export function loadBake(source: string | URL | ArrayBuffer | ArrayBufferView): Promise<Bake>;

export interface BakedCrowdOptions {
  /** How vertices are skinned; the method that the bake was measured with when omitted. */
  method?: SkinningMethod;
  /** Mixes palettes on the GPU, where it can write floats; the CPU does when omitted. */
  renderer?: WebGLRenderer | null;
  /** Makes the material of a part, from parameters of three's; MeshStandardMaterial or MeshBasicMaterial when omitted. */
  material?: (part: BakedPart, parameters: Record<string, unknown>) => Material;
}

/** An InstancedMesh of which each instance plays clips of a bake. Times are seconds on a clip's own line. */
export class BakedCrowd extends InstancedMesh {
  constructor(bake: Bake, count: number, options?: BakedCrowdOptions);
  readonly bake: Bake;
  readonly method: SkinningMethod;
  /** Has an instance play a clip, from a time on; from its start when omitted. */
  setClipAt(index: number, clip: string | number, time?: number): this;
  getClipAt(index: number): string;
  /** It wraps where the clip loops, else is held at its ends. */
  setTimeAt(index: number, time: number): this;
  getTimeAt(index: number): number;
  /** 1 is the clip's own speed, 0 stands still, negative plays backwards. */
  setSpeedAt(index: number, speed: number): this;
  getSpeedAt(index: number): number;
  /** Fades to another clip within `duration` seconds. In the midst of a fade, the clip of smaller weight is dropped. */
  fadeTo(index: number, clip: string | number, duration: number, time?: number): this;
  /** From 0 to 1; 0 where there is no fade. */
  getFadeAt(index: number): number;
  setFadeAt(index: number, fade: number): this;
  /** Lets `seconds` pass for all instances, and mixes their palettes. After changes by hand, `update(0)`. */
  update(seconds: number): this;
  /** The box of what an instance plays, in the space of the model. */
  getBoundsAt(index: number, target?: Box3): Box3;
  /** Where a vertex is, in the space of the crowd. */
  getVertexAt(index: number, vertex: number, target?: Vector3): Vector3;
  /** The place of a joint, in the space of the crowd: for what its hand holds. */
  getJointAt(index: number, joint: string, target?: Matrix4): Matrix4;
  /** Frees what the crowd has on the GPU; its bake stays. */
  dispose(): this;
}
