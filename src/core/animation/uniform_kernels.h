// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

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

// The memory layout of a frame of a clip of which hardly anything but rotations moves: these alone, 4 numbers for each joint and
// padding; then the squared distances as above; then what else moves, 3 numbers each and padding. Half as many bytes are read.
struct PackedShape {
  std::size_t joint_count;
  std::size_t distances;
  std::size_t others;
  std::size_t stride;
  const float* still;                 // the pose of all frames, and padding, where it is the same
  const std::uint8_t* moves;          // of each kFramePadding joints: whether any of them rotates
  const std::uint32_t* other_places;  // of the numbers that are not of rotations, in the pose
  std::size_t other_count;
};

// The inner loop of sampling uniform clips in float32: fills one pose per point. Resulting rotations are unit
// within 3e-7. With fraction 0, and wherever two frames agree, results are the numbers of the frame.
struct UniformKernels {
  void (*sample)(const FrameShape& shape, const FramePoint<float>* points, std::size_t count, float* poses);
  // The same numbers.
  void (*sample_packed)(const PackedShape& shape, const FramePoint<float>* points, std::size_t count,
                        float* poses);
};

}  // namespace lissom
