// SPDX-License-Identifier: MIT
// What bakes hold, in packages for any engine.

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
  /** Corners of the box around all its vertices, in the bake's axes. */
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
  /** The index of a clip, by its name or index. "Idle" finds "Armature|Idle", too, where no other clip may be meant. */
  clipIndex(clip: string | number): number;
}

/** What a bake is read from: an address, or bytes. */
export type BakeSource = string | URL | ArrayBuffer | ArrayBufferView;
