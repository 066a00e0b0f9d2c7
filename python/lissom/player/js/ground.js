// SPDX-License-Identifier: MIT
// The ground and the shadows on it, as gpu/_ground.py and gpu/_plane_shadows.py draw them: the casters of shadows,
// projected onto the plane and drawn from the picture's own camera.

const BACKGROUND = [0.8, 0.83, 0.87];
const FADE_RADII = 9;
// Standard deviations of the blur of shadows by the key light and by contact, in multiples of ground_reach.
const DEVIATIONS = [0.016, 0.05];
// Pixels: the shadow texture covers whole tiles of this side, so that shadows do not shimmer.
const TILE = 32;
// Texels of the shadow texture, unless they would be smaller than half pixels.
const MOST_TEXELS = 1 << 16;

const encodedOf = (linear) => (linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055);

// The largest of 1, 2, 5 times a power of ten that is at most `length`.
function roundStep(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return power * [5, 2, 1].find((step) => step * power <= length * (1 + 1e-9));
}

// The projection of world points onto the plane, along a directional light.
function flatAlong(light, height) {
  const [x, , z] = light.map((v) => v / light[1]);
  return [1, -x, 0, height * x, 0, 0, 0, height, 0, -z, 1, height * z, 0, 0, 0, 1];
}

// The corners, in pixels, of the part of the view that shadows can cover.
function shadowRectangle(flattened, box, reach, clip, viewport) {
  const blurred = [1, 1, 1].map(() => 3 * DEVIATIONS[1] * reach);
  const corners = cornersOf([plus(box[0], blurred, -1), plus(box[1], blurred)]);
  const placed = flattened.flatMap((matrix) => corners.map((corner) => moved(matrix, corner)));
  const least = 1e-6 * Math.max(...clip.slice(12).map(Math.abs));
  if (placed.some((p) => p[3] <= least)) return [[-TILE, -TILE], viewport.map((side) => side + TILE)];
  const sides = viewport.map((size, k) => {
    const pixels = placed.map((p) => 0.5 * size * (p[k] / p[3] + 1));
    const low = clamp(Math.floor(Math.min(...pixels) / TILE) * TILE, -TILE, size);
    return [low, clamp(Math.ceil(Math.max(...pixels) / TILE) * TILE, low + TILE, size + TILE)];
  });
  return [0, 1].map((end) => sides.map((side) => side[end]));
}

function makeGround(gl, programs) {
  let size = [0, 0];
  let targets = [];
  let uniforms = {};
  let lastProjection = "";

  // Identifies the projection of a view, without its depth range.
  const projectionKey = ({ viewport, clip_from_world: clip }) => [...viewport, ...clip.slice(0, 8), ...clip.slice(12)].join();

  function resize(newSize) {
    if (size[0] === newSize[0] && size[1] === newSize[1]) return;
    for (const { target, texture } of targets) {
      gl.deleteFramebuffer(target);
      gl.deleteTexture(texture);
    }
    size = newSize;
    targets = [0, 1].map(() => {
      const texture = makeTexture(gl, "source", gl.RG8, ...size, gl.LINEAR);
      return { texture, target: targetOf(gl, texture) };
    });
  }

  // Blurs along two horizontal directions, with the deviations projected at each pixel.
  function soften(clip, height, reach, [x, , z]) {
    // `lines` maps x, z, 1 on the plane to x, y, w of clip space; 1 / w is linear in the picture, by a row of the inverse.
    const lines = [0, 4, 12].map((i) => [clip[i], clip[i + 2], clip[i + 3] + height * clip[i + 1]]);
    const [first, second, third] = [0, 1, 2].map((k) => lines.map((line) => line[k]));
    const inverse = cross(first, second);
    const nearness = inverse.map((v) => v / dot(inverse, third));
    [[x, z, 0], [-z, x, 0]].forEach((direction, i) => {
      bindTexture(gl, "source", targets[i].texture);
      gl.bindFramebuffer(gl.FRAMEBUFFER, targets[1 - i].target);
      programs.use("screen.vert", "plane_blur.frag", {}, {
        nearness,
        deviations: DEVIATIONS.map((share) => share * reach),
        direction: lines.map((line) => dot(line, direction)),
      });
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    });
  }

  return {
    // Whether the last shadows were drawn with the projection of this view.
    holds: (view) => projectionKey(view) === lastProjection,

    // Draws the shadows of what `drawCasters(fragment, uniforms)` draws into textures: the ground is centred on `box`;
    // `casting` bounds all casters.
    prepare(drawCasters, box, casting, view, right) {
      lastProjection = projectionKey(view);
      const { ground_height: height, ground_reach: reach, clip_from_world: clip, viewport, to_key } = view;
      const middle = plus(box[0], box[1]).map((v) => v / 2);
      const radius = length(plus(box[1], box[0], -1)) / 2 || 1;
      const flattened = [to_key, [0, 1, 0]].map((light) => product(clip, flatAlong(light, height)));
      const [low, high] = shadowRectangle(flattened, casting, reach, clip, viewport);
      const pixels = plus(high, low, -1);
      const coarse = Math.max(0.5, Math.sqrt((pixels[0] * pixels[1]) / MOST_TEXELS));
      resize(pixels.map((side) => Math.max(1, Math.ceil(side / coarse))));
      uniforms = {
        center: [middle[0], height, middle[2]],
        half_width: FADE_RADII * radius,
        fade_radius: FADE_RADII * radius,
        grid_step: roundStep(radius / 2),
        background: BACKGROUND,
        shadow_low: low,
        shadow_size: pixels,
      };
      // Clip space of the part: pixel p of the view is at 2 (p - low) / (high - low) - 1.
      const [x, y] = [0, 1].map((k) => (viewport[k] - 2 * low[k]) / pixels[k] - 1);
      const part = [viewport[0] / pixels[0], 0, 0, x, 0, viewport[1] / pixels[1], 0, y, 0, 0, 1, 0, 0, 0, 0, 1];
      gl.bindFramebuffer(gl.FRAMEBUFFER, targets[0].target);
      gl.viewport(0, 0, ...size);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.disable(gl.DEPTH_TEST);
      gl.enable(gl.BLEND);
      gl.blendEquation(gl.MAX);
      ["key_shadow.frag", "contact_shadow.frag"].forEach((fragment, i) =>
        drawCasters(fragment, { ...view, clip_from_world: product(part, flattened[i]) }),
      );
      gl.blendEquation(gl.FUNC_ADD);
      gl.disable(gl.BLEND);
      soften(product(part, clip), height, reach, right);
    },

    // Draws the plane behind what is drawn already; the view begins at pixel `corner` of the picture, which has this part of
    // the pixels that the shadows were prepared for, along each side.
    draw(view, corner, part) {
      bindTexture(gl, "shadow", targets[0].texture);
      const shadow_low = plus(corner, uniforms.shadow_low, part);
      const shadow_size = uniforms.shadow_size.map((side) => part * side);
      programs.use("plane.vert", "ground.frag", {}, { ...view, ...uniforms, shadow_low, shadow_size });
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(1, 4);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      gl.disable(gl.POLYGON_OFFSET_FILL);
    },
  };
}
