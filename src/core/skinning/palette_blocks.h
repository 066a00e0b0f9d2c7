// SPDX-License-Identifier: MIT
#pragma once

// The rows of palettes in blocks of lanes. For *_kernels.cpp files only.

#include "core/math/conventions.h"
#include "core/simd/rows.h"
#include "core/skinning/palette_kernels.h"

namespace lissom::LISSOM_ISA {
namespace {

// kWidth rows of a skin in turn, from one frame on into the next.
struct Block {
  const float* model;
  const std::ptrdiff_t* places;  // (kWidth) of matrices in the model
  std::size_t phase;             // the row of the first lane

  LISSOM_INLINE const float* matrix(int lane) const { return model + places[lane]; }
};

// All blocks of frames, at least one; the last overlaps the one before where rows are no multiple of kWidth.
class BlockWalk {
 public:
  LISSOM_INLINE BlockWalk(const PaletteKernelSkin& skin, const PaletteFrames& frames)
      : skin_(skin),
        frames_(frames),
        last_row_(frames.count * skin.row_count > kWidth ? frames.count * skin.row_count - kWidth : 0),
        block_{frames.model, frames.places, 0} {}

  LISSOM_INLINE const Block& block() const { return block_; }
  LISSOM_INLINE std::size_t row() const { return row_; }  // of all, that of the first lane
  // False, and nothing changes, at the last one.
  LISSOM_INLINE bool advance() {
    const std::size_t step = last_row_ - row_ < kWidth ? last_row_ - row_ : kWidth;
    row_ += step;
    block_.phase += step;
    for (; block_.phase >= skin_.row_count; block_.phase -= skin_.row_count) block_.model += frames_.stride;
    block_.places = frames_.places + block_.phase;
    return step > 0;
  }

 private:
  const PaletteKernelSkin& skin_;
  const PaletteFrames& frames_;
  std::size_t last_row_, row_ = 0;
  Block block_;
};

constexpr float kLastRow = kAffineTolerance;

// Bits by which these parts of last rows differ from 0, 0, 0, 1.
LISSOM_INLINE Int off_last_row(Float rows) {
  Float last = {};
  for (int i = 3; i < kWidth; i += 4) last[i] = 1;
  return (Int)rows ^ (Int)last;
}

// The lanes of whose matrices the last row is 0, 0, 0, 1, up to rounding.
LISSOM_NOINLINE Mask<float> are_affine(const Block& block) {
  Int all = ~Int{};
  for (int lane = 0; lane < kWidth; ++lane) {
    const float* const last = block.matrix(lane) + 12;
    for (int j = 0; j < 4; ++j) {
      const float off = last[j] - float(j == 3);
      if (!(off <= kLastRow && off >= -kLastRow)) all[lane] = 0;
    }
  }
  return {all};
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
