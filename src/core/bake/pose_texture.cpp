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

constexpr std::size_t kRowGrain = 16;       // rows per chunk when writing: those of the widest kernel
constexpr std::size_t kRangeFloats = 8;     // of a texel: low x y z w, step x y z w
constexpr double kNanosecondsPerTexel = 1;  // of writing one
constexpr double kNanosecondsPerRead = 4;   // of reading or mixing one

void write_rows(const TexelRows& rows, std::size_t begin, std::size_t end, float* out) {
  texel_kernels().write_floats(rows, begin, end, out);
}
void write_rows(const TexelRows& rows, std::size_t begin, std::size_t end, Half* out) {
  texel_kernels().write_halves(rows, begin, end, out);
}

void decode(const float* in, std::size_t count, const float*, float* out) { std::copy_n(in, count, out); }
void decode(const Half* in, std::size_t count, const float*, float* out) {
  texel_kernels().float_from_half(in, count, out);
}
void decode(const std::uint8_t* in, std::size_t count, const float* ranges, float* out) {
  for (std::size_t i = 0; i < count; i += 4, ranges += kRangeFloats) {
    for (std::size_t k = 0; k < 4; ++k)
      out[i + k] = ranges[k] + ranges[4 + k] * static_cast<float>(in[i + k]);
  }
}

float dot4(const float* a, const float* b) {
  return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

// One row: b signed to a by their quaternions, then a (1 - t) + b t.
void mix_row(const TexelForm& form, std::size_t row, const float* a, const float* b, float t, float* out) {
  const float rest = 1.0f - t;
  const std::size_t floats = form.row_floats();
  // Stored signs are coherent in time, but a texture may come from elsewhere.
  const auto quat = static_cast<std::size_t>(4 * std::max(form.quat, 0));
  if (!form.is_signed(row) || !(dot4(a + quat, b + quat) < 0.0f)) {
    for (std::size_t k = 0; k < floats; ++k) out[k] = a[k] * rest + b[k] * t;
    return;
  }
  const std::size_t end = quat + 4 * static_cast<std::size_t>(form.flipped);
  for (std::size_t k = 0; k < quat; ++k) out[k] = a[k] * rest + b[k] * t;
  for (std::size_t k = quat; k < end; ++k) out[k] = a[k] * rest + (-b[k]) * t;
  for (std::size_t k = end; k < floats; ++k) out[k] = a[k] * rest + b[k] * t;
}

Error length_error(const char* name, std::size_t expected, std::size_t got) {
  if (expected == got) return {};
  return Error(std::string(name) + " must hold " + std::to_string(expected) + " numbers, got " +
               std::to_string(got));
}

Error outside_error(const char* name, std::span<const std::int32_t> values, std::size_t end) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0 || static_cast<std::size_t>(values[i]) >= end) {
      return Error(std::string(name) + " must be at least 0 and below " + std::to_string(end) + ", got " +
                   std::to_string(values[i]) + " at index " + std::to_string(i));
    }
  }
  return {};
}

Error share_error(const char* name, std::span<const float> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= 0.0f && values[i] <= 1.0f)) {
      return Error(std::string(name) + " must lie in [0, 1], got " + std::to_string(values[i]) +
                   " at index " + std::to_string(i));
    }
  }
  return {};
}

// The first number that is not finite or whose magnitude is above `limit`, or null.
const float* first_above(std::span<const float> values, float limit) {
  // By integers, since the bits of non-negative floats are ordered.
  const std::uint32_t largest = texel_kernels().largest_magnitude(values.data(), values.size());
  if (largest <= std::bit_cast<std::uint32_t>(limit)) return nullptr;
  return &*std::find_if(values.begin(), values.end(), [&](float v) { return !(std::abs(v) <= limit); });
}

}  // namespace

Error TexelForm::validate() const {
  const bool inside = quat >= 0 && flipped >= 1 && static_cast<std::size_t>(quat + flipped) <= texels;
  if (texels < 1 || !(inside || (quat == -1 && flipped == 0))) {
    return Error("form must have its quaternion and what flips with it among " + std::to_string(texels) +
                 " texels, got " + std::to_string(flipped) + " texels from " + std::to_string(quat));
  }
  return {};
}

template <class Texel>
Error WriteTexelsJob<Texel>::validate() const {
  if (Error error = form.validate()) return error;
  const std::size_t row_floats = form.row_floats();
  const std::size_t numbers = frame_count * row_count * row_floats;
  if (Error error = length_error("rows", numbers, rows.size())) return error;
  if (Error error = length_error("out", numbers, out.size())) return error;
  const float* bad =
      first_above(rows, std::is_same_v<Texel, Half> ? kHalfMax : std::numeric_limits<float>::max());
  if (!bad) return {};
  const std::size_t row = static_cast<std::size_t>(bad - rows.data()) / row_floats;
  const std::string where =
      " at frame " + std::to_string(row / row_count) + ", row " + std::to_string(row % row_count);
  if (!std::isfinite(*bad)) return Error("rows must be finite, got " + std::to_string(*bad) + where);
  return Error("rows must fit half precision (65504), got " + std::to_string(*bad) + where +
               "; bake with dtype=\"float32\"");
}

template <class Texel>
Error WriteTexelsJob<Texel>::run() const {
  if (Error error = validate()) return error;
  const auto quat = static_cast<std::size_t>(4 * std::max(form.quat, 0));
  const TexelRows texels = {rows.data(),
                            frame_count,
                            row_count,
                            form.row_floats(),
                            quat,
                            quat + 4 * static_cast<std::size_t>(form.flipped),
                            form.quat < 0 ? 0 : form.signed_rows};
  // A row is an item of work, since its frames depend on one another.
  const double cost = kNanosecondsPerTexel * static_cast<double>(frame_count * form.texels);
  parallel_for(row_count, kRowGrain, cost,
               [&](std::size_t begin, std::size_t end) { write_rows(texels, begin, end, out.data()); });
  return {};
}

template <class Texel>
Error SampleTexelsJob<Texel>::validate() const {
  if (Error error = form.validate()) return error;
  constexpr bool kRanged = std::is_same_v<Texel, std::uint8_t>;
  const std::size_t count = frames.size();
  const std::size_t frame_floats = row_count * form.row_floats();
  const std::size_t clip_floats = row_count * form.texels * kRangeFloats;
  if (Error error = length_error("texels", frame_count * frame_floats, texels.size())) return error;
  if (Error error = length_error("nexts", count, nexts.size())) return error;
  if (Error error = length_error("fractions", count, fractions.size())) return error;
  if (Error error = length_error("rows", count * frame_floats, rows.size())) return error;
  if (Error error = length_error("clips", kRanged ? count : 0, clips.size())) return error;
  const std::size_t clip_count = kRanged && clip_floats > 0 ? ranges.size() / clip_floats : 0;
  if (Error error = length_error("ranges", clip_count * clip_floats, ranges.size())) return error;
  if (kRanged && clip_floats > 0) {
    if (Error error = outside_error("clips", clips, clip_count)) return error;
  }
  if (Error error = outside_error("frames", frames, frame_count)) return error;
  if (Error error = outside_error("nexts", nexts, frame_count)) return error;
  return share_error("fractions", fractions);
}

template <class Texel>
Error SampleTexelsJob<Texel>::run() const {
  if (Error error = validate()) return error;
  const std::size_t row_floats = form.row_floats();
  const std::size_t frame_floats = row_count * row_floats;
  const double cost = kNanosecondsPerRead * static_cast<double>(row_count * form.texels);
  parallel_for(frames.size(), 1, cost, [&](std::size_t begin, std::size_t end) {
    std::vector<float> first(frame_floats);
    std::vector<float> second(frame_floats);
    for (std::size_t i = begin; i < end; ++i) {
      const float* range =
          clips.empty() ? nullptr : ranges.data() + static_cast<std::size_t>(clips[i]) * 2 * frame_floats;
      const auto read = [&](std::int32_t frame, std::vector<float>& out) {
        decode(texels.data() + static_cast<std::size_t>(frame) * frame_floats, frame_floats, range,
               out.data());
      };
      read(frames[i], first);
      read(nexts[i], second);
      for (std::size_t row = 0; row < row_count; ++row) {
        const std::size_t at = row * row_floats;
        mix_row(form, row, &first[at], &second[at], fractions[i], &rows[i * frame_floats + at]);
      }
    }
  });
  return {};
}

Error MixRowsJob::validate() const {
  if (Error error = form.validate()) return error;
  const std::size_t numbers = weights.size() * row_count * form.row_floats();
  if (Error error = length_error("first", numbers, first.size())) return error;
  if (Error error = length_error("second", numbers, second.size())) return error;
  if (Error error = length_error("rows", numbers, rows.size())) return error;
  return share_error("weights", weights);
}

Error MixRowsJob::run() const {
  if (Error error = validate()) return error;
  const std::size_t row_floats = form.row_floats();
  const double cost = kNanosecondsPerRead * static_cast<double>(row_count * form.texels);
  parallel_for(weights.size(), 1, cost, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * row_count; i < end * row_count; ++i) {
      const std::size_t at = i * row_floats;
      mix_row(form, i % row_count, &first[at], &second[at], weights[i / row_count], &rows[at]);
    }
  });
  return {};
}

template struct WriteTexelsJob<float>;
template struct WriteTexelsJob<Half>;
template struct SampleTexelsJob<float>;
template struct SampleTexelsJob<Half>;
template struct SampleTexelsJob<std::uint8_t>;

}  // namespace lissom
