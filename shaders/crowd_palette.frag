// SPDX-License-Identifier: MIT
// Writes the palettes of a crowd, one after the other, each transformed to the world by its instance: frames and
// clips are blended once per instance and palette row instead of at every vertex.
// PALETTE_STRIDE 3: rows of the 3x4 matrix; 2: real, dual; 5: real, dual, rows of the scale.
#include "crowd.glsl"
#include "pose_palette.glsl"

#ifndef PALETTE_STRIDE
#define PALETTE_STRIDE 2
#endif

uniform highp sampler2DArray poses;
uniform highp sampler2D ranges;
uniform highp sampler2D rig;
uniform highp sampler2D instances;
uniform int row_count;       // of a palette
uniform int pose_row_count;  // of a frame
uniform int frame_count;
uniform int line_bits;
uniform int texel_count;     // of all palettes together

out vec4 texel;

void main() {
  int i = folded_index(ivec2(gl_FragCoord.xy));
  if (i >= texel_count) discard;
  int part = i % PALETTE_STRIDE;
  int row = (i / PALETTE_STRIDE) % row_count;
  CrowdInstance instance = crowd_instance(instances, i / (PALETTE_STRIDE * row_count));
  PoseTexture pose = PoseTexture(pose_row_count, frame_count, line_bits);
#if PALETTE_STRIDE == 3
  texel = crowd_affine_row(instance, pose_affine(poses, ranges, rig, pose, instance.moment, row), part);
#else
  if (part < 2) {
    texel = crowd_dual_quat(instance, pose_dual_quat(poses, ranges, rig, pose, instance.moment, row))[part];
  } else {
    texel = instance.scale * pose_scale(poses, ranges, pose, instance.moment, row)[part - 2];
  }
#endif
}
