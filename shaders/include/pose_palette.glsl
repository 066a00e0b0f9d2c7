// SPDX-License-Identifier: MIT
// Palette rows made of the rows of a pose texture, by POSE_LAYOUT (pose_texture.glsl). Where texel rows are joints
// (trs, rotations), the texture `rig` holds what playback needs besides them, folded:
//   2 texels per joint                local translation, parent or -1; local scale, 1 where its translation is animated
//   5 texels per palette row, after   the rows of the 3x4 joint_from_bind; its rotation; (joint, 0, 0, 0)
#ifndef LISSOM_POSE_PALETTE
#define LISSOM_POSE_PALETTE

#include "affine.glsl"
#include "dual_quat.glsl"
#include "pose_texture.glsl"

// model_from_joint = T R S. Where scale is uniform, products of these have the same form.
struct PoseJoint {
  vec3 translation;
  vec4 rotation;  // unit
  vec3 scale;
};

vec4 pose_unit(vec4 q) {
  return q * inversesqrt(dot(q, q));
}

#if POSE_LAYOUT == 3
PoseJoint pose_joint(highp sampler2DArray poses, highp sampler2D ranges, highp sampler2D rig, PoseTexture pose,
                     PoseMoment moment, int joint) {
  PoseRow row = pose_signed_row(poses, ranges, pose, moment, joint, 1);
  return PoseJoint(pose_texel(poses, ranges, pose, row, 0).xyz, pose_unit(row.quaternion),
                   pose_texel(poses, ranges, pose, row, 2).xyz);
}
#elif POSE_LAYOUT == 4
// From the joint up to its root: ancestors are multiplied from the left.
PoseJoint pose_joint(highp sampler2DArray poses, highp sampler2D ranges, highp sampler2D rig, PoseTexture pose,
                     PoseMoment moment, int joint) {
  PoseJoint result = PoseJoint(vec3(0.0), vec4(0.0, 0.0, 0.0, 1.0), vec3(1.0));
  while (joint >= 0) {
    vec4 place = texelFetch(rig, folded_texel(2 * joint), 0);
    vec4 scale = texelFetch(rig, folded_texel(2 * joint + 1), 0);
    if (scale.w > 0.0) {
      PoseRow moving = pose_plain_row(pose, moment, pose.row_count - 1);
      place.xyz = pose_texel(poses, ranges, pose, moving, 0).xyz;
    }
    vec4 rotation = pose_unit(pose_signed_row(poses, ranges, pose, moment, joint, 0).quaternion);
    result.translation = place.xyz + quat_rotate(rotation, scale.xyz * result.translation);
    result.rotation = quat_mul(rotation, result.rotation);
    result.scale *= scale.xyz;
    joint = int(place.w);
  }
  return result;
}
#endif

#if POSE_LAYOUT >= 3
// The first texel in `rig` of a palette row.
int pose_bind(PoseTexture pose, int row) {
  int joint_count = POSE_LAYOUT == 4 ? pose.row_count - 1 : pose.row_count;
  return 2 * joint_count + 5 * row;
}

// The joint that a palette row follows, `bind` being the row's first texel in `rig`.
PoseJoint pose_joint_of(highp sampler2DArray poses, highp sampler2D ranges, highp sampler2D rig, PoseTexture pose,
                        PoseMoment moment, int bind) {
  return pose_joint(poses, ranges, rig, pose, moment, int(texelFetch(rig, folded_texel(bind + 4), 0).x));
}

mat3x4 pose_joint_from_bind(highp sampler2D rig, int bind) {
  return mat3x4(texelFetch(rig, folded_texel(bind), 0), texelFetch(rig, folded_texel(bind + 1), 0),
                texelFetch(rig, folded_texel(bind + 2), 0));
}

vec3 pose_joint_point(PoseJoint joint, vec3 point) {
  return joint.translation + quat_rotate(joint.rotation, joint.scale * point);
}
#endif

mat3x4 pose_no_scale() {
  return mat3x4(vec4(1.0, 0.0, 0.0, 0.0), vec4(0.0, 1.0, 0.0, 0.0), vec4(0.0, 0.0, 1.0, 0.0));
}

// The scale A of a row as the rows of its 3x4 matrix; the identity where the texture holds none.
mat3x4 pose_scale_of(highp sampler2DArray poses, highp sampler2D ranges, PoseTexture pose, PoseRow row) {
#if POSE_LAYOUT == 0 && POSE_TEXELS == 3
  vec4 even = pose_texel(poses, ranges, pose, row, 2);
  vec3 offset = even.xyz;
  float s = even.w;
  return mat3x4(vec4(s, 0.0, 0.0, offset.x), vec4(0.0, s, 0.0, offset.y), vec4(0.0, 0.0, s, offset.z));
#elif POSE_LAYOUT == 0 && POSE_TEXELS == 5
  return mat3x4(pose_texel(poses, ranges, pose, row, 2), pose_texel(poses, ranges, pose, row, 3),
                pose_texel(poses, ranges, pose, row, 4));
#else
  return pose_no_scale();
#endif
}

mat3x4 pose_scale(highp sampler2DArray poses, highp sampler2D ranges, PoseTexture pose, PoseMoment moment, int row) {
#if POSE_LAYOUT == 0 && POSE_TEXELS > 2
  return pose_scale_of(poses, ranges, pose, pose_signed_row(poses, ranges, pose, moment, row, 0));
#else
  return pose_no_scale();
#endif
}

// The dual quaternion of a palette row, of any length. Layouts of joints have it where palettes are rigid.
mat2x4 pose_dual_quat(highp sampler2DArray poses, highp sampler2D ranges, highp sampler2D rig, PoseTexture pose,
                      PoseMoment moment, int row) {
#if POSE_LAYOUT == 0
  PoseRow at = pose_signed_row(poses, ranges, pose, moment, row, 0);
  return mat2x4(at.quaternion, pose_turning_texel(poses, ranges, pose, at, 1));
#elif POSE_LAYOUT == 2
  PoseRow at = pose_signed_row(poses, ranges, pose, moment, row, 0);
  return dual_quat_from_parts(at.quaternion, pose_texel(poses, ranges, pose, at, 1).xyz);
#elif POSE_LAYOUT >= 3
  int bind = pose_bind(pose, row);
  PoseJoint joint = pose_joint_of(poses, ranges, rig, pose, moment, bind);
  vec4 rotation = quat_mul(joint.rotation, texelFetch(rig, folded_texel(bind + 3), 0));
  vec3 origin = affine_point(pose_joint_from_bind(rig, bind), vec3(0.0));
  return dual_quat_from_parts(rotation, pose_joint_point(joint, origin));
#else
  return mat2x4(0.0);
#endif
}

// The rows of the 3x4 model_from_bind of a palette row.
mat3x4 pose_affine(highp sampler2DArray poses, highp sampler2D ranges, highp sampler2D rig, PoseTexture pose,
                   PoseMoment moment, int row) {
#if POSE_LAYOUT == 0
  PoseRow at = pose_signed_row(poses, ranges, pose, moment, row, 0);
  mat2x4 moved = mat2x4(at.quaternion, pose_turning_texel(poses, ranges, pose, at, 1));
  mat3x4 rigid = dual_quat_to_rows(dual_quat_normalize(moved));
  return POSE_TEXELS == 2 ? rigid : affine_mul(rigid, pose_scale_of(poses, ranges, pose, at));
#elif POSE_LAYOUT == 1
  PoseRow at = pose_plain_row(pose, moment, row);
  return mat3x4(pose_texel(poses, ranges, pose, at, 0), pose_texel(poses, ranges, pose, at, 1),
                pose_texel(poses, ranges, pose, at, 2));
#elif POSE_LAYOUT == 2
  PoseRow at = pose_signed_row(poses, ranges, pose, moment, row, 0);
  return affine_from_parts(quat_to_matrix(pose_unit(at.quaternion)), pose_texel(poses, ranges, pose, at, 1).xyz);
#else
  int bind = pose_bind(pose, row);
  PoseJoint joint = pose_joint_of(poses, ranges, rig, pose, moment, bind);
  mat3 linear = quat_to_matrix(joint.rotation);
  for (int i = 0; i < 3; ++i) linear[i] *= joint.scale[i];
  return affine_mul(affine_from_parts(linear, joint.translation), pose_joint_from_bind(rig, bind));
#endif
}

#endif
