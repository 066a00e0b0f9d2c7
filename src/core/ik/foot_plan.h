// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/error.h"

namespace lissom {

inline constexpr std::size_t kMostLegs = 8;

// What foot placement knows of a character and of its options; python/lissom/ik/_feet says what each of them means. Legs
// have one knee, and feet that hang on them.
struct FootPlan {
  // Joints that are computed: parents come before children.
  struct Joint {
    std::int32_t joint = 0, parent = -1;  // in the skeleton; in this list
  };
  // A point of a sole moves with these: joints of the list, weights, and the point in their frames times the weight.
  struct Influence {
    std::int32_t joint = 0, frame = 0;  // the same joint among `frames`
    double weight = 0;
    double offset[3] = {};
  };
  struct Leg {
    std::int32_t hip = 0, ankle = 0;         // in the list
    std::int32_t toe = -1, toe_parent = -1;  // in the list; -1: none
    std::int32_t first_point = 0, point_count = 0;
    std::int32_t turns = 1, reserved = 0;
    double length = 0;
  };
  struct Ring {
    std::int32_t first = 0, second = 0;
    double sag = 0;
  };
  struct Options {
    double size, floor, mean_length;
    double max_angle, slope_cosine, slope_tangent, ray_height, body_time, lock, lock_radius;
    double lean_share, lean_is_long, lean_reach, lean_softness;
    double max_step_up, max_step_down, swing_rate, tilt_rate, blend_rate, body_rate, foot_speed, sink;
    double is_soft;
  };

  std::size_t joint_count = 0;  // of the skeleton
  std::vector<Joint> joints;
  std::vector<std::int32_t> bodies;  // in the list
  std::vector<std::int32_t> frames;  // joints of the list that move points
  std::vector<Leg> legs;
  std::vector<std::int32_t> first_influences;  // (P + 1)
  std::vector<Influence> influences;
  std::vector<double> shares;  // (P) of the toes
  std::vector<Ring> rings;     // sorted by leg
  Options options{};

  std::size_t point_count() const { return shares.size(); }
  Error check() const;  // first broken rule of these, or empty
};

// Heights on a grid as HeightField of lissom.ground has them, in cells of two triangles.
struct FootField {
  struct Axis {
    double first = 0, step = 1;  // places are first + step i
  };
  const double* heights = nullptr;  // (rows, columns)
  Axis x, z;
  std::int64_t rows = 0, columns = 0;
  double base = 0;  // added to the heights

  Error check(const char* name) const;
};

}  // namespace lissom
