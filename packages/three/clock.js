// SPDX-License-Identifier: MIT
// From time to frames, in double: the rule of PoseTexture.frame_coordinate, and that of Crowd.update.

export const NO_CLIP = -1;

/** A time on a clip's own line, from its start on: wrapped where it loops (its end is its start), else held at its ends. */
function localTime({ start, duration, loop }, time) {
  const local = time - start;
  if (!loop || duration <= 0) return Math.min(Math.max(local, 0), duration);
  let inside = local % duration;
  if (inside < 0) inside += duration;
  return inside >= duration ? 0 : inside;
}

/** The two frames around a time, and the fraction of the interval from the first: [before, after, fraction]. */
export function framesAround(clip, time) {
  const last = clip.firstFrame + clip.frameCount - 1;
  const coordinate = clip.firstFrame + Math.min(localTime(clip, time) * clip.rate, clip.frameCount - 1);
  const before = Math.min(Math.floor(coordinate), Math.max(last - 1, clip.firstFrame));
  return [before, Math.min(before + 1, last), Math.min(coordinate - before, 1)];
}

/** What each instance plays: a clip and a time on it, and in a fade the next clip, a time on that and how far the fade is. */
export class Clock {
  constructor(bake, count) {
    this.clips = bake.clips;
    this.clip = new Int32Array(count);
    this.time = new Float64Array(count).fill(bake.clips[0].start);
    this.speed = new Float64Array(count).fill(1);
    this.nextClip = new Int32Array(count).fill(NO_CLIP);
    this.nextTime = new Float64Array(count);
    this.fade = new Float64Array(count);
    this.fadeDuration = new Float64Array(count);
  }

  play(i, clip, time) {
    this.clip[i] = clip;
    this.time[i] = time;
    this.nextClip[i] = NO_CLIP;
    this.fade[i] = 0;
  }

  /** Fades to a clip; in the midst of a fade, the clip of smaller weight is dropped. */
  fadeTo(i, clip, duration, time) {
    if (this.nextClip[i] !== NO_CLIP && this.fade[i] >= 0.5) this.play(i, this.nextClip[i], this.nextTime[i]);
    this.nextClip[i] = clip;
    this.nextTime[i] = time;
    this.fade[i] = 0;
    this.fadeDuration[i] = duration;
  }

  /** Lets time pass; negative plays backwards, but fades still grow. Whether a fade ended. */
  advance(i, seconds) {
    const step = this.speed[i] * seconds;
    const { clips } = this;
    const moved = (clip, time) => clips[clip].start + localTime(clips[clip], time + step);
    this.time[i] = moved(this.clip[i], this.time[i]);
    if (this.nextClip[i] === NO_CLIP) return false;
    this.nextTime[i] = moved(this.nextClip[i], this.nextTime[i]);
    this.fade[i] = this.fadeDuration[i] > 0 ? this.fade[i] + Math.abs(seconds) / this.fadeDuration[i] : 1;
    if (this.fade[i] < 1) return false;
    this.play(i, this.nextClip[i], this.nextTime[i]);
    return true;
  }

  /** Eight numbers: frame, the one after, fraction, fade; the same of the next clip, and 0. */
  writeMoment(i, target, at) {
    const now = framesAround(this.clips[this.clip[i]], this.time[i]);
    const isFading = this.nextClip[i] !== NO_CLIP && this.fade[i] > 0;
    const next = isFading ? framesAround(this.clips[this.nextClip[i]], this.nextTime[i]) : now;
    target.set([...now, isFading ? this.fade[i] : 0, ...next, 0], at);
  }
}
