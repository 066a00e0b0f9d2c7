// SPDX-License-Identifier: MIT
// Plays bakes of lissom in Babylon.js: one texture of poses, one mesh, as many characters as you like.
export { readBake as loadBake, Bake } from "./bake.js";
export { BakedCrowd } from "./crowd.js";
