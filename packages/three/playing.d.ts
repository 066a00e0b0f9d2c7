// SPDX-License-Identifier: MIT
// The methods of crowds in any engine.

/** A crowd of which each instance plays clips of a bake. Times are seconds on a clip's own line. */
export interface Playing {
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
}
