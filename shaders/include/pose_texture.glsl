// SPDX-License-Identifier: MIT
// Pose textures in the layout dual_quat. Texels run frame by frame, in a frame row by row, in a row
//   real, dual                    2 texels per row, a rigid palette
//   real, dual, (offset, s)       3: A p = s p + offset
//   real, dual, A in three rows   5: A p = vec4(p, 1) * rows
// folded (texel.glsl). A frame coordinate counts from the first frame of the texture and has a fraction; the CPU maps
// time to it (PoseTexture.frame_coordinate), in double.
#ifndef LISSOM_POSE_TEXTURE
#define LISSOM_POSE_TEXTURE

#include "dual_quat.glsl"
#include "texel.glsl"

struct PoseTexture {
  int row_count;
  int texels_per_row;
  int frame_count;
};

// The first texels of a palette row in the two frames around a coordinate, and the fraction between them. On the very
// last frame the fraction is 0, and both are that frame.
struct PoseRow {
  int before;
  int after;
  float fraction;
};

PoseRow pose_row(PoseTexture pose, float frame, int row) {
  float whole = floor(frame);
  int first = int(whole);
  int second = min(first + 1, pose.frame_count - 1);
  PoseRow result;
  result.before = (first * pose.row_count + row) * pose.texels_per_row;
  result.after = (second * pose.row_count + row) * pose.texels_per_row;
  result.fraction = frame - whole;
  return result;
}

// The skin dual quaternion of a row: the two frames mixed the short way round, not normalised.
mat2x4 pose_dual_quat(highp sampler2D texels, PoseRow row) {
  mat2x4 before = mat2x4(texelFetch(texels, folded_texel(row.before), 0),
                         texelFetch(texels, folded_texel(row.before + 1), 0));
  mat2x4 after = mat2x4(texelFetch(texels, folded_texel(row.after), 0),
                        texelFetch(texels, folded_texel(row.after + 1), 0));
  return dual_quat_mix(before, after, row.fraction);
}

vec4 pose_texel(highp sampler2D texels, PoseRow row, int texel) {
  return mix(texelFetch(texels, folded_texel(row.before + texel), 0),
             texelFetch(texels, folded_texel(row.after + texel), 0), row.fraction);
}

// The scale A of a row as the rows of its 3x4 matrix; the identity where the texture holds none.
mat3x4 pose_scale(highp sampler2D texels, PoseTexture pose, PoseRow row) {
  if (pose.texels_per_row == 3) {
    vec4 uniform_scale = pose_texel(texels, row, 2);
    vec3 offset = uniform_scale.xyz;
    float s = uniform_scale.w;
    return mat3x4(vec4(s, 0.0, 0.0, offset.x), vec4(0.0, s, 0.0, offset.y), vec4(0.0, 0.0, s, offset.z));
  }
  if (pose.texels_per_row == 5) {
    return mat3x4(pose_texel(texels, row, 2), pose_texel(texels, row, 3), pose_texel(texels, row, 4));
  }
  return mat3x4(vec4(1.0, 0.0, 0.0, 0.0), vec4(0.0, 1.0, 0.0, 0.0), vec4(0.0, 0.0, 1.0, 0.0));
}

#endif
