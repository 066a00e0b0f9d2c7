// SPDX-License-Identifier: MIT
// Palettes: the rows of the bake's frames, mixed for each instance, in one float texture that vertices read. The GPU
// mixes them where it can write floats and has been given, else the CPU.
import {
  Camera, DataTexture, FloatType, GLSL3, HalfFloatType, Mesh, BufferGeometry, BufferAttribute, NearestFilter,
  NoBlending, RawShaderMaterial, RGBAFormat, Scene, WebGLRenderTarget,
} from "three";
import { FOLD, foldedHeight, MIX, mixPalettes, strideOf } from "./moving.js";

/** A texture of numbers in lines of FOLD texels; its filter is the nearest. */
export function floatTexture(data, type = FloatType) {
  const texture = new DataTexture(data, FOLD, data.length / (4 * FOLD), RGBAFormat, type);
  texture.needsUpdate = true;
  return texture;
}

const SCREEN = `
in vec3 position;
void main() { gl_Position = vec4(position, 1.0); }`;

/** The palettes of a crowd as a texture: `value` of the uniform `texture`. */
export class Palettes {
  constructor(bake, method, count, renderer) {
    this.bake = bake;
    this.method = method;
    this.stride = strideOf(bake, method);
    this.moments = new Float32Array(4 * FOLD * foldedHeight(2 * count));
    this.texelCount = count * bake.rowCount * this.stride;
    this.texture = { value: null };
    const lines = Math.max(foldedHeight(this.texelCount), foldedHeight(bake.texels.length / 4));
    const most = renderer?.capabilities.maxTextureSize ?? 16384;
    if (foldedHeight(this.texelCount) > most) {
      throw new RangeError(`BakedCrowd: count must be at most ${Math.floor((most * FOLD) / (bake.rowCount * this.stride))} here, got ${count}`);
    }
    const canMix = lines <= most && renderer?.extensions.has("EXT_color_buffer_float");
    if (canMix) this.prepare(renderer);
    else {
      this.mixed = new Float32Array(4 * FOLD * foldedHeight(this.texelCount));
      this.texture.value = floatTexture(this.mixed);
    }
  }

  prepare(renderer) {
    const { bake } = this;
    const padded = new bake.texels.constructor(4 * FOLD * foldedHeight(bake.texels.length / 4));
    padded.set(bake.texels);
    this.poses = floatTexture(padded, bake.isHalf ? HalfFloatType : FloatType);
    this.momentTexture = floatTexture(this.moments);
    const material = new RawShaderMaterial({
      name: "lissom palettes",
      glslVersion: GLSL3,
      defines: { TEXELS: bake.texelCount, ROWS: bake.rowCount, STRIDE: this.stride },
      uniforms: { poses: { value: this.poses }, moments: { value: this.momentTexture }, texel_count: { value: 0 } },
      vertexShader: SCREEN,
      fragmentShader: MIX,
      depthTest: false,
      depthWrite: false,
      blending: NoBlending,
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    const screen = new Mesh(geometry, material);
    screen.frustumCulled = false;
    this.pass = { renderer, screen, scene: new Scene().add(screen), camera: new Camera() };
    this.target = new WebGLRenderTarget(FOLD, foldedHeight(this.texelCount), {
      type: FloatType, minFilter: NearestFilter, magFilter: NearestFilter, depthBuffer: false,
    });
    this.texture.value = this.target.texture;
  }

  /** Mixes the first `count` palettes by the moments. */
  mix(count) {
    const { bake, moments, stride, texture } = this;
    if (!this.pass) {
      mixPalettes(bake, this.method, moments, count, this.mixed);
      texture.value.needsUpdate = true;
      return;
    }
    const { renderer, screen, scene, camera } = this.pass;
    this.momentTexture.needsUpdate = true;
    screen.material.uniforms.texel_count.value = count * bake.rowCount * stride;
    const [target, face, level] = [renderer.getRenderTarget(), renderer.getActiveCubeFace(), renderer.getActiveMipmapLevel()];
    const [xr, clears] = [renderer.xr.enabled, renderer.autoClear];
    renderer.xr.enabled = renderer.autoClear = false;
    renderer.setRenderTarget(this.target);
    renderer.render(scene, camera);
    renderer.setRenderTarget(target, face, level);
    [renderer.xr.enabled, renderer.autoClear] = [xr, clears];
  }

  dispose() {
    this.texture.value.dispose();
    if (!this.pass) return;
    const { geometry, material } = this.pass.screen;
    for (const one of [this.target, this.poses, this.momentTexture, geometry, material]) one.dispose();
  }
}
