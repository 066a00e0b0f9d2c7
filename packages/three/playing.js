// SPDX-License-Identifier: MIT
// What instances play, for a crowd of any engine: its methods are said in playing.d.ts. Nothing of three here.
import { NO_CLIP } from "./clock.js";
import { mixPalette, strideOf } from "./moving.js";

/** A class of an engine, with the methods of a crowd that has `bake`, `count`, `method`, `clock`, `palettes`, `_forgetBounds`. */
export const Playing = (Base) => class extends Base {
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
    let ended = 0;
    for (let i = 0; i < count; i++) {
      ended += clock.advance(i, seconds);
      clock.writeMoment(i, palettes.moments, 8 * i);
    }
    if (ended) this._forgetBounds();
    palettes.mix(count);
    return this;
  }

  _index(caller, index) {
    return checkIndex(caller, "index", index, this.clock.clip.length);
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
};

export function check(isRight, caller, name, what, got) {
  if (!isRight) throw new RangeError(`BakedCrowd${caller && `.${caller}`}: ${name} must be ${what}, got ${got}`);
}

export function checkIndex(caller, name, index, count) {
  check(Number.isSafeInteger(index) && index >= 0 && index < count, caller, name, `a whole number below ${count}`, index);
  return index;
}

export function finite(caller, name, value) {
  check(Number.isFinite(value), caller, name, "a finite number", value);
  return value;
}
