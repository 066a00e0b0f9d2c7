// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace lissom {

// Rows are padded to the widest vector of any instruction set, and so are the two parts of each.
constexpr std::size_t kFramePadding = 16;

// A time between two frames.
template <class T>
struct FramePoint {
  const T* frame;  // the frame at that time or before it; the next one follows it
  T fraction;      // of the interval to the next frame, in [0, 1]
};

// The memory layout of one frame: the pose, 10 numbers for each joint and padding, then for each joint the squared
// distance |a - b|^2 between its rotation and that of the next frame, and padding.
struct FrameShape {
  std::size_t joint_count;
  std::size_t distances;  // elements from a frame to its distances
  std::size_t stride;     // elements from a frame to the next
};

// The inner loop of sampling uniform clips in float32: fills one pose per point. Resulting rotations are unit
// within 3e-7. With fraction 0, and wherever two frames agree, results are the numbers of the frame.
struct UniformKernels {
  void (*sample)(const FrameShape& shape, const FramePoint<float>* points, std::size_t count, float* poses);
};

}  // namespace lissom
