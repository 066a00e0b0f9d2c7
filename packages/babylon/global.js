// SPDX-License-Identifier: MIT
// For pages that load babylon.js with a script tag: map "@babylonjs/core" to this file.
export const {
  BoundingInfo, Color3, Constants, EffectRenderer, EffectWrapper, MaterialPluginBase, Matrix, Mesh, MultiMaterial,
  PBRMaterial, RawTexture, RenderTargetTexture, ShadowDepthWrapper, SubMesh, Texture, Vector3, VertexBuffer,
} = globalThis.BABYLON;
