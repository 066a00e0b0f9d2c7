// SPDX-License-Identifier: MIT
// Levels of detail: each instance is drawn with the coarsest mesh that is off by less than a share of a pixel there, and
// not at all where the camera does not see it.
import { Frustum, Matrix4, Sphere } from "three";
import { FOLD, foldedHeight } from "./moving.js";
import { floatTexture } from "./palettes.js";

const matrix = new Matrix4();
const viewed = new Matrix4();
const sphere = new Sphere();
const frustum = new Frustum();

/** Which instances are drawn with which level: `places` holds those that are, level after level. */
export class Levels {
  constructor({ bake, instanceMatrix }) {
    this.distances = [0, ...bake.levels.map(({ distance }) => distance)];
    this.starts = { value: this.distances.map(() => 0) };
    this.places = { value: floatTexture(new Float32Array(4 * FOLD * foldedHeight(4 * instanceMatrix.count))) };
  }

  /** Once for all draws of a picture, or of its shadows, which those cast too that the camera does not see. */
  choose(crowd, renderer, camera, culls) {
    const { frame } = renderer.info.render;
    if (this.frame === frame && this.camera === camera && this.culls === culls) return;
    Object.assign(this, { frame, camera, culls });
    const { width, height } = (culls && renderer.getRenderTarget()) || renderer.domElement; // not of a shadow map
    const [x, , , , , y, , , , , , perspective, , , , rest] = camera.projectionMatrix.elements;
    const allowed = (2 * crowd.pixelError) / Math.max(Math.abs(x) * width, Math.abs(y) * height);
    const sides = frustum.setFromProjectionMatrix(camera.projectionMatrix).planes.slice(0, 4);
    viewed.multiplyMatrices(camera.matrixWorldInverse, crowd.matrixWorld);
    const lists = this.distances.map(() => []);
    for (let i = 0; i < crowd.count; i++) {
      const { radius } = crowd._sphereAt(i, sphere);
      crowd.getMatrixAt(i, matrix);
      const { center, radius: seen } = sphere.applyMatrix4(matrix.premultiply(viewed));
      if (culls && sides.some((side) => side.distanceToPoint(center) < -seen)) continue;
      // By the nearest depth of the sphere, and how much longer lengths are there than in the model.
      const most = (allowed * (perspective * (center.z + seen) + rest) * radius) / seen;
      lists[this.distances.findLastIndex((distance) => distance < most || !distance)].push(i);
    }
    const { array } = crowd.instanceMatrix;
    const { data } = this.places.value.image;
    let at = 0;
    this.counts = lists.map(({ length }, k) => {
      this.starts.value[k] = at / 16;
      for (const i of lists[k]) {
        data.set(array.subarray(16 * i, 16 * i + 16), at);
        for (let k = 0; k < 3; k++) data[at + 4 * k + 3] = crowd.instanceColor?.array[3 * i + k] ?? 1;
        data[at + 15] = i;
        at += 16;
      }
      return length;
    });
    this.places.value.needsUpdate = true;
  }

  /** A vertex shader with its instances found. */
  found(shader) {
    return PLACE + shader.replace("lissomBlend();", "lissomFind();\n  lissomBlend();");
  }
}

// Where an instance is, by its place in its level. The last row of the matrix, which says nothing, has the colour and the number of the instance.
const PLACE = `
uniform highp sampler2D lissomPlaces;
uniform int lissomStarts[LISSOM_LEVELS];
attribute float lissomLevel;
mat4 lissomMatrix;
vec4 lissomLast;
vec4 lissomPlace(int i) { return texelFetch(lissomPlaces, ivec2(i & 2047, i >> 11), 0); }
void lissomFind() {
  int i = 4 * (lissomStarts[int(lissomLevel)] + gl_InstanceID);
  lissomMatrix = transpose(mat4(lissomPlace(i), lissomPlace(i + 1), lissomPlace(i + 2), lissomPlace(i + 3)));
  lissomLast = lissomMatrix[3];
  lissomMatrix[3] = vec4(0.0, 0.0, 0.0, 1.0);
  lissomMatrix = transpose(lissomMatrix);
}
#define instanceMatrix lissomMatrix
#define instanceColor lissomLast
#define LISSOM_INSTANCE int(lissomLast.w)
`;
