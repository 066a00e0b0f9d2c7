// SPDX-License-Identifier: MIT
#include "core/bake/pose_texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/bake/texel_kernels.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(TexelKernels, texel_kernels)

namespace {

constexpr std::size_t kRowFloats = 8;     // a dual quaternion
constexpr std::size_t kScaleFloats = 12;  // a 3x4 matrix
constexpr std::size_t kRowGrain = 8;      // rows per chunk when writing: neighbours share cache lines

void convert(const float* in, std::size_t count, float* out) { std::copy_n(in, count, out); }
void convert(const float* in, std::size_t count, Half* out) {
  texel_kernels().half_from_float(in, count, out);
}
void convert(const Half* in, std::size_t count, float* out) {
  texel_kernels().float_from_half(in, count, out);
}

float dot4(const float* a, const float* b) {
  return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

Error length_error(const char* name, std::size_t expected, std::size_t got) {
  return Error(std::string(name) + " must hold " + std::to_string(expected) + " numbers, got " +
               std::to_string(got));
}

// The first number that is not finite or whose magnitude is above `limit`, or null.
const float* first_above(std::span<const float> values, float limit) {
  // By integers, since the bits of non-negative floats are ordered.
  const std::uint32_t largest = texel_kernels().largest_magnitude(values.data(), values.size());
  if (largest <= std::bit_cast<std::uint32_t>(limit)) return nullptr;
  return &*std::find_if(values.begin(), values.end(), [&](float v) { return !(std::abs(v) <= limit); });
}

Error range_error(std::span<const float> values, float limit, const char* name, std::size_t row_floats,
                  std::size_t row_count) {
  const float* bad = first_above(values, limit);
  if (!bad) return {};
  const std::size_t row = static_cast<std::size_t>(bad - values.data()) / row_floats;
  const std::string where =
      " at frame " + std::to_string(row / row_count) + ", row " + std::to_string(row % row_count);
  if (!std::isfinite(*bad))
    return Error(std::string(name) + " must be finite, got " + std::to_string(*bad) + where);
  return Error(std::string(name) + " must fit half precision (65504), got " + std::to_string(*bad) + where +
               "; bake with dtype=\"float32\"");
}

// The texels of A. The uniform form takes the mean of the diagonal.
void pack_scale(const float* a, ScaleTexels scale, float* out) {
  if (scale == ScaleTexels::kGeneral) {
    std::copy_n(a, kScaleFloats, out);
    return;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) out[axis] = a[4 * axis + 3];
  out[3] = (a[0] + a[5] + a[10]) * (1.0f / 3.0f);
}

void unpack_scale(const float* texels, ScaleTexels scale, float* out) {
  if (scale == ScaleTexels::kGeneral) {
    std::copy_n(texels, kScaleFloats, out);
    return;
  }
  std::fill_n(out, kScaleFloats, 0.0f);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    out[5 * axis] = texels[3];
    out[4 * axis + 3] = texels[axis];
  }
}

}  // namespace

template <class Texel>
Error WritePoseTextureJob<Texel>::validate() const {
  const std::size_t rows = frame_count * row_count;
  if (dual_quats.size() != rows * kRowFloats) {
    return length_error("dual_quats", rows * kRowFloats, dual_quats.size());
  }
  if (!scales.empty() && scales.size() != rows * kScaleFloats) {
    return length_error("scales", rows * kScaleFloats, scales.size());
  }
  if (!scales.empty() && scale == ScaleTexels::kNone) {
    return Error("scales are given, but the texels have no place for them; pass scale texels 1 or 3");
  }
  if (out.size() != rows * texel_count(scale) * 4) {
    return length_error("out", rows * texel_count(scale) * 4, out.size());
  }
  const float limit = std::is_same_v<Texel, Half> ? kHalfMax : std::numeric_limits<float>::max();
  if (Error error = range_error(dual_quats, limit, "dual_quats", kRowFloats, row_count)) return error;
  return range_error(scales, limit, "scales", kScaleFloats, row_count);
}

template <class Texel>
Error WritePoseTextureJob<Texel>::run() const {
  if (Error error = validate()) return error;
  const std::size_t row_floats = texel_count(scale) * 4;
  constexpr float kIdentity[kScaleFloats] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  // A row is an item of work, since its frames depend on one another: about 8 ns per frame.
  parallel_for(
      row_count, kRowGrain, 8.0 * static_cast<double>(frame_count), [&](std::size_t begin, std::size_t end) {
        std::vector<float> texels((end - begin) * row_floats);  // one frame of these rows, as written before
        for (std::size_t frame = 0; frame < frame_count; ++frame) {
          for (std::size_t row = begin; row < end; ++row) {
            const float* quat = &dual_quats[(frame * row_count + row) * kRowFloats];
            float* texel = &texels[(row - begin) * row_floats];
            const bool flip = frame == 0 ? quat[3] < 0.0f : dot4(quat, texel) < 0.0f;
            const float sign = flip ? -1.0f : 1.0f;
            for (std::size_t i = 0; i < kRowFloats; ++i) texel[i] = sign * quat[i];
            if (scale != ScaleTexels::kNone) {
              const float* a = scales.empty() ? kIdentity : &scales[(frame * row_count + row) * kScaleFloats];
              pack_scale(a, scale, texel + kRowFloats);
            }
          }
          convert(texels.data(), texels.size(), &out[(frame * row_count + begin) * row_floats]);
        }
      });
  return {};
}

template <class Texel>
Error SamplePoseTextureJob<Texel>::validate() const {
  const std::size_t count = frames.size();
  const std::size_t expected = frame_count * row_count * texel_count(scale) * 4;
  if (texels.size() != expected) return length_error("texels", expected, texels.size());
  if (nexts.size() != count) return length_error("nexts", count, nexts.size());
  if (fractions.size() != count) return length_error("fractions", count, fractions.size());
  if (dual_quats.size() != count * row_count * kRowFloats) {
    return length_error("dual_quats", count * row_count * kRowFloats, dual_quats.size());
  }
  const std::size_t scale_floats = scale == ScaleTexels::kNone ? 0 : count * row_count * kScaleFloats;
  if (scales.size() != scale_floats) return length_error("scales", scale_floats, scales.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto inside = [&](std::int32_t frame) {
      return frame >= 0 && static_cast<std::size_t>(frame) < frame_count;
    };
    if (!inside(frames[i]) || !inside(nexts[i])) {
      return Error("frames must be at least 0 and below " + std::to_string(frame_count) + ", got " +
                   std::to_string(inside(frames[i]) ? nexts[i] : frames[i]) + " at index " +
                   std::to_string(i));
    }
    if (!(fractions[i] >= 0.0f && fractions[i] <= 1.0f)) {
      return Error("fractions must lie in [0, 1], got " + std::to_string(fractions[i]) + " at index " +
                   std::to_string(i));
    }
  }
  return {};
}

template <class Texel>
Error SamplePoseTextureJob<Texel>::run() const {
  if (Error error = validate()) return error;
  const std::size_t row_floats = texel_count(scale) * 4;
  const std::size_t frame_floats = row_count * row_floats;
  parallel_for(frames.size(), 1, 10.0 * static_cast<double>(row_count),
               [&](std::size_t begin, std::size_t end) {
                 std::vector<float> first(frame_floats);
                 std::vector<float> second(frame_floats);
                 for (std::size_t i = begin; i < end; ++i) {
                   convert(texels.data() + static_cast<std::size_t>(frames[i]) * frame_floats, frame_floats,
                           first.data());
                   convert(texels.data() + static_cast<std::size_t>(nexts[i]) * frame_floats, frame_floats,
                           second.data());
                   const float fraction = fractions[i];
                   const float rest = 1.0f - fraction;
                   for (std::size_t row = 0; row < row_count; ++row) {
                     float* a = &first[row * row_floats];
                     const float* b = &second[row * row_floats];
                     // The safe path: stored signs agree along time, but a texture may come from elsewhere.
                     const float sign = dot4(a, b) < 0.0f ? -1.0f : 1.0f;
                     float* out = &dual_quats[(i * row_count + row) * kRowFloats];
                     for (std::size_t k = 0; k < kRowFloats; ++k)
                       out[k] = a[k] * rest + (sign * b[k]) * fraction;
                     if (scale == ScaleTexels::kNone) continue;
                     for (std::size_t k = kRowFloats; k < row_floats; ++k)
                       a[k] = a[k] * rest + b[k] * fraction;
                     unpack_scale(a + kRowFloats, scale, &scales[(i * row_count + row) * kScaleFloats]);
                   }
                 }
               });
  return {};
}

template struct WritePoseTextureJob<float>;
template struct WritePoseTextureJob<Half>;
template struct SamplePoseTextureJob<float>;
template struct SamplePoseTextureJob<Half>;

}  // namespace lissom
