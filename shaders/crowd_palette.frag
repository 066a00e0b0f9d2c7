// SPDX-License-Identifier: MIT
// Writes the palettes of a crowd, one after the other: the two frames around each instance's frame coordinate mixed
// once per palette row, so that every vertex need not.
#include "affine.glsl"
#include "pose_texture.glsl"

uniform highp sampler2D poses;
uniform highp sampler2D frames;  // one frame coordinate per instance, folded
uniform int row_count;
uniform int texels_per_row;
uniform int frame_count;
uniform int palette_stride;  // 3: rows of the 3x4 matrix; 2: real, dual; 5: real, dual, rows of the scale
uniform int texel_count;     // of all palettes together

out vec4 texel;

void main() {
  int i = unfolded_texel(ivec2(gl_FragCoord.xy));
  if (i >= texel_count) discard;
  int row = (i / palette_stride) % row_count;
  int part = i % palette_stride;
  float frame = texelFetch(frames, folded_texel(i / (palette_stride * row_count)), 0).r;
  PoseTexture pose = PoseTexture(row_count, texels_per_row, frame_count);
  PoseRow where = pose_row(pose, frame, row);
  if (palette_stride == 3) {
    mat3x4 rigid = dual_quat_to_rows(dual_quat_normalize(pose_dual_quat(poses, where)));
    texel = affine_mul(rigid, pose_scale(poses, pose, where))[part];
  } else if (part < 2) {
    texel = pose_dual_quat(poses, where)[part];
  } else {
    texel = pose_scale(poses, pose, where)[part - 2];
  }
}
