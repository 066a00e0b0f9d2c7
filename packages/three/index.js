// SPDX-License-Identifier: MIT
// Plays bakes of lissom in three.js: one texture of poses, one mesh, as many characters as you like.
export { Bake } from "./bake.js";
export { loadBake } from "./textures.js";
export { BakedCrowd } from "./crowd.js";
