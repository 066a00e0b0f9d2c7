// SPDX-License-Identifier: MIT
// Palettes: the rows of the bake's frames, mixed for each instance, in one float texture that vertices read. The GPU
// mixes them where it can write floats, else the CPU.
import { Constants, EffectRenderer, EffectWrapper, RawTexture, RenderTargetTexture } from "@babylonjs/core";
import { FOLD, foldedHeight, MIX, mixPalettes, strideOf } from "./moving.js";
import { check } from "./playing.js";

const { TEXTURE_NEAREST_SAMPLINGMODE: NEAREST, TEXTURETYPE_FLOAT: FLOAT, TEXTURETYPE_HALF_FLOAT: HALF } = Constants;

const floatTexture = (scene, data, type = FLOAT) =>
  RawTexture.CreateRGBATexture(data, FOLD, data.length / (4 * FOLD), scene, false, false, NEAREST, type);

export class Palettes {
  constructor(bake, method, count, scene, gpu) {
    const stride = strideOf(bake, method);
    const texelCount = count * bake.rowCount * stride;
    const height = foldedHeight(texelCount);
    const { maxTextureSize: most, colorBufferFloat } = scene.getEngine().getCaps();
    check(height <= most, "", "count", `at most ${Math.floor((most * FOLD) / (bake.rowCount * stride))} here`, count);
    Object.assign(this, { bake, method, stride, texelCount, owned: [] });
    this.moments = new Float32Array(4 * FOLD * foldedHeight(2 * count));
    if (gpu && colorBufferFloat && foldedHeight(bake.texels.length / 4) <= most) this.prepare(scene, height);
    else {
      this.mixed = new Float32Array(4 * FOLD * height);
      this.texture = floatTexture(scene, this.mixed);
    }
  }

  prepare(scene, height) {
    const { bake } = this;
    const padded = new bake.texels.constructor(4 * FOLD * foldedHeight(bake.texels.length / 4));
    padded.set(bake.texels);
    const poses = floatTexture(scene, padded, bake.isHalf ? HALF : FLOAT);
    const moments = floatTexture(scene, this.moments);
    this.texture = new RenderTargetTexture("lissom palettes", { width: FOLD, height }, scene, {
      generateMipMaps: false, generateDepthBuffer: false, type: FLOAT, samplingMode: NEAREST,
    });
    const engine = scene.getEngine();
    const pass = new EffectWrapper({
      engine,
      name: "lissom palettes",
      fragmentShader: MIX,
      uniformNames: ["texel_count"],
      samplerNames: ["poses", "moments"],
      defines: `#define TEXELS ${bake.texelCount}\n#define ROWS ${bake.rowCount}\n#define STRIDE ${this.stride}`,
    });
    pass.onApplyObservable.add(() => {
      engine.setAlphaMode(Constants.ALPHA_DISABLE);
      pass.effect.setTexture("poses", poses);
      pass.effect.setTexture("moments", moments);
      pass.effect.setInt("texel_count", this.texelCount);
    });
    const screen = new EffectRenderer(engine);
    // What could not be drawn while its program was being compiled.
    const late = scene.onBeforeRenderObservable.add(() => this.waits && this.draw());
    Object.assign(this, { pass, screen, momentTexture: moments, owned: [screen, pass, poses, moments, { dispose: () => late.remove() }] });
  }

  /** Whether a frame can be drawn: the program that mixes is compiled. */
  get isReady() {
    return !this.pass || this.pass.effect.isReady();
  }

  /** Mixes the first `count` palettes by the moments. */
  mix(count) {
    const { bake, moments, pass, texture } = this;
    if (!pass) {
      mixPalettes(bake, this.method, moments, count, this.mixed);
      texture.update(this.mixed);
      return;
    }
    this.texelCount = count * bake.rowCount * this.stride;
    this.momentTexture.update(moments);
    this.draw();
  }

  draw() {
    this.waits = !this.isReady;
    if (!this.waits) this.screen.render(this.pass, this.texture);
  }

  dispose() {
    for (const one of [this.texture, ...this.owned]) one.dispose();
    this.owned = [];
  }
}
