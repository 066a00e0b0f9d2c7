// SPDX-License-Identifier: MIT
// Pose textures: texels run frame by frame, in a frame row by row, in a row POSE_TEXELS texels, paged (texel.glsl). The
// layout of a row is POSE_LAYOUT; pose_palette.glsl makes palette rows of it.
//   0 dual_quat   real, dual; then nothing, (offset, s) of A p = s p + offset, or A in three rows, A p = vec4(p, 1) * rows
//   1 matrix      the three rows of the 3x4 model_from_bind
//   2 quat_trans  rotation; translation, 0
//   3 trs         of a joint in model space: translation, 0; rotation; scale, 0
//   4 rotations   of a joint in its parent's space; one more row: translation, 0 of the joint that is translated
// A frame coordinate counts from the first frame of the texture and has a fraction; the CPU maps time to it
// (PoseTexture.frame_coordinate), in double. With POSE_BYTES numbers are low + step * byte, ranges holding low and step
// of each clip's rows, texel by texel. WITHOUT_FADES omits the next clip, WITHOUT_INTERPOLATION the frame after, where
// coordinates are whole: software, and hardware without branches, would fetch them anyway.
// With POSE_PAGED clips lie anywhere: a coordinate counts from the clip's own first frame, and PoseMoment.clips are the
// first blocks of both clips, of 32 texels each.
#ifndef LISSOM_POSE_TEXTURE
#define LISSOM_POSE_TEXTURE

#include "texel.glsl"

#ifndef POSE_LAYOUT
#define POSE_LAYOUT 0
#endif
#ifndef POSE_TEXELS
#define POSE_TEXELS 2
#endif
#ifdef WITHOUT_FADES
#define POSE_CLIPS 1
#else
#define POSE_CLIPS 2
#endif
#ifdef WITHOUT_INTERPOLATION
#define POSE_FRAMES 1
#else
#define POSE_FRAMES 2
#endif

struct PoseTexture {
  int row_count;
  int frame_count;
  int line_bits;  // lines of a page, as a power of two
};

// The state of an instance: a clip, and the cross-fade to another.
struct PoseMoment {
  float frame;
  float next_frame;
  float fade;   // 0 to 1
  ivec2 clips;  // both clips' indices, for POSE_BYTES; their first blocks with POSE_PAGED
};

// One row at a moment: a weighted sum of at most four stored ones.
struct PoseRow {
  ivec4 firsts;     // first texels of the row: in the clip before and after, in the next clip before and after
  vec4 weights;     // of these, negative where a quaternion has the other sign: q and -q are one rotation
  ivec2 ranges;     // first texels of the row's ranges: of the clip, of the next clip
  vec4 quaternion;  // the sum of the quaternion texel, not normalised
};

// Stored texel i, whose range begins at `range`.
vec4 pose_stored(highp sampler2DArray texels, highp sampler2D ranges, PoseTexture pose, int i, int range) {
  vec4 stored = texelFetch(texels, paged_texel(i, pose.line_bits), 0);
#ifdef POSE_BYTES
  // A fetch returns byte / 255, rounded.
  stored = texelFetch(ranges, folded_texel(range), 0) +
           texelFetch(ranges, folded_texel(range + 1), 0) * floor(255.0 * stored + 0.5);
#endif
  return stored;
}

// Both frames around a coordinate, interpolated on the shorter arc; weights are theirs, signed. On the last frame the
// fraction is 0, and both are that frame.
vec4 pose_quaternion(highp sampler2DArray texels, highp sampler2D ranges, PoseTexture pose, ivec2 firsts, int range,
                     float fraction, out vec2 weights) {
  weights = vec2(1.0 - fraction, fraction);
  vec4 before = pose_stored(texels, ranges, pose, firsts.x, range);
#ifdef WITHOUT_INTERPOLATION
  return before;
#endif
  vec4 after = pose_stored(texels, ranges, pose, firsts.y, range);
  if (dot(before, after) < 0.0) weights.y = -fraction;
  return weights.x * before + weights.y * after;
}

// The first texels of a row in the two frames around a coordinate.
ivec2 pose_firsts(PoseTexture pose, float frame, int clip, int row) {
  int before = int(frame);
#ifdef POSE_PAGED
  int after = fract(frame) > 0.0 ? before + 1 : before;  // never beyond the clip
  int begin = 32 * clip;
#else
  int after = min(before + 1, pose.frame_count - 1);
  int begin = 0;
#endif
  return begin + (ivec2(before, after) * pose.row_count + row) * POSE_TEXELS;
}

// A row whose texels have no sign.
PoseRow pose_plain_row(PoseTexture pose, PoseMoment moment, int row) {
  PoseRow result;
  float t = fract(moment.frame);
  float u = fract(moment.next_frame);
  result.firsts = ivec4(pose_firsts(pose, moment.frame, moment.clips.x, row),
                        pose_firsts(pose, moment.next_frame, moment.clips.y, row));
  result.weights = vec4((1.0 - moment.fade) * vec2(1.0 - t, t), moment.fade * vec2(1.0 - u, u));
  result.ranges = (moment.clips * pose.row_count + row) * (2 * POSE_TEXELS);
  result.quaternion = vec4(0.0, 0.0, 0.0, 1.0);
  return result;
}

// A row of which texel `at` holds a quaternion.
PoseRow pose_signed_row(highp sampler2DArray texels, highp sampler2D ranges, PoseTexture pose, PoseMoment moment, int row,
                        int at) {
  PoseRow result = pose_plain_row(pose, moment, row);
  vec2 first;
  result.quaternion = pose_quaternion(texels, ranges, pose, result.firsts.xy + at, result.ranges.x + 2 * at,
                                      fract(moment.frame), first);
  result.weights = vec4(first, 0.0, 0.0);
#ifndef WITHOUT_FADES
  vec2 second;
  vec4 next = pose_quaternion(texels, ranges, pose, result.firsts.zw + at, result.ranges.y + 2 * at,
                              fract(moment.next_frame), second);
  float towards = dot(result.quaternion, next) < 0.0 ? -moment.fade : moment.fade;
  result.quaternion = (1.0 - moment.fade) * result.quaternion + towards * next;
  result.weights = vec4((1.0 - moment.fade) * first, towards * second);
#endif
  return result;
}

// A texel of a row with given weights: those of the row change sign with its quaternion, their absolute values do not.
vec4 pose_sum(highp sampler2DArray texels, highp sampler2D ranges, PoseTexture pose, PoseRow row, vec4 weights, int texel) {
  vec4 sum = vec4(0.0);
  for (int clip = 0; clip < POSE_CLIPS; ++clip) {
    for (int i = 2 * clip; i < 2 * clip + POSE_FRAMES; ++i) {
      sum += weights[i] * pose_stored(texels, ranges, pose, row.firsts[i] + texel, row.ranges[clip] + 2 * texel);
    }
  }
  return sum;
}

vec4 pose_texel(highp sampler2DArray texels, highp sampler2D ranges, PoseTexture pose, PoseRow row, int texel) {
  return pose_sum(texels, ranges, pose, row, abs(row.weights), texel);
}

vec4 pose_turning_texel(highp sampler2DArray texels, highp sampler2D ranges, PoseTexture pose, PoseRow row, int texel) {
  return pose_sum(texels, ranges, pose, row, row.weights, texel);
}

#endif
