// SPDX-License-Identifier: MIT
// What users of lissom-three write, for the compiler of TypeScript; lines below @ts-expect-error must be refused.
import { Box3, Color, Matrix4, MeshLambertMaterial, Raycaster, Scene, WebGLRenderer } from "three";
import { BakedCrowd, loadBake, type Bake, type BakedClip } from "lissom-three";

const bake: Bake = await loadBake("hero.safetensors");
await loadBake(new URL("http://lissom.test/hero.safetensors"));
await loadBake(new Uint8Array(8));
const clip: BakedClip | undefined = bake.clips[0];
const renderer = new WebGLRenderer();
const crowd = new BakedCrowd(bake, 10, {
  renderer,
  method: "linear",
  material: (part, parameters) => new MeshLambertMaterial({ ...parameters, name: part.name }),
});
crowd.setClipAt(0, "walk").setTimeAt(0, clip?.start ?? 0).setSpeedAt(0, 2).fadeTo(0, 1, 0.3).setFadeAt(0, 0.5);
crowd.setMatrixAt(0, new Matrix4());
crowd.setColorAt(0, new Color());
new Scene().add(crowd.update(1 / 60));
const box: Box3 = crowd.getBoundsAt(0);
const height: number = crowd.getVertexAt(0, 7).y + box.max.y + crowd.getJointAt(0, "Head").elements[13]!;
for (const hit of new Raycaster().intersectObject(crowd)) console.log(hit.instanceId, height);

// @ts-expect-error
new BakedCrowd(bake, 10, { method: "cor" });
// @ts-expect-error
crowd.fadeTo(0, "run");
// @ts-expect-error
bake.rowCount = 7;
