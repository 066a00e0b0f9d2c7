// SPDX-License-Identifier: MIT
// What users of lissom-babylon write, for the compiler of TypeScript; lines below @ts-expect-error must be refused.
import { Color3, Color4, Engine, Matrix, Scene, ShadowGenerator, DirectionalLight, Vector3 } from "@babylonjs/core";
import { BakedCrowd, loadBake, type Bake, type BakedClip } from "lissom-babylon";

const bake: Bake = await loadBake("hero.safetensors");
await loadBake(new URL("http://lissom.test/hero.safetensors"));
await loadBake(new Uint8Array(8));
const clip: BakedClip | undefined = bake.clips[0];
const scene = new Scene(new Engine(null));
const crowd = new BakedCrowd(bake, 10, scene, {
  method: "linear",
  shadows: true,
  material: (part, made) => Object.assign(made, { roughness: part.unlit ? 1 : 0.5 }),
});
crowd.setClipAt(0, "walk").setTimeAt(0, clip?.start ?? 0).setSpeedAt(0, 2).fadeTo(0, 1, 0.3).setFadeAt(0, 0.5);
crowd.setMatrixAt(0, Matrix.Identity()).setColorAt(0, new Color3(1, 0, 0)).setColorAt(1, new Color4(1, 0, 0, 1));
crowd.count = 5;
new ShadowGenerator(1024, new DirectionalLight("sun", Vector3.Down(), scene)).addShadowCaster(crowd.update(1 / 60));
const height: number = crowd.getVertexAt(0, 7).y + crowd.getBoundsAt(0).maximum.y + crowd.getJointAt(0, "Head").m[13]!;
console.log(height);

// @ts-expect-error
new BakedCrowd(bake, 10, scene, { method: "cor" });
// @ts-expect-error
crowd.fadeTo(0, "run");
// @ts-expect-error
bake.rowCount = 7;
