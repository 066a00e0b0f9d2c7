// SPDX-License-Identifier: MIT
#include "core/compression/meshopt_stream.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "vendor/meshoptimizer/meshoptimizer.h"

namespace lissom {
namespace {

constexpr std::array<std::string_view, 3> kModes = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
constexpr std::array<std::string_view, 5> kFilters = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL",
                                                      "COLOR"};
// The upper four bits of the first byte; the lower four are the version, of which there are two in each mode.
constexpr std::array<std::uint8_t, 3> kHeaders = {0xa0, 0xe0, 0xd0};
constexpr int kVersions = 2;

// Counts beyond are refused before anything is computed of them: products below stay in 64 bits.
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 48;

std::string_view name(MeshoptMode mode) { return kModes[static_cast<std::size_t>(mode)]; }
std::string_view name(MeshoptFilter filter) { return kFilters[static_cast<std::size_t>(filter)]; }

std::string hex(std::uint8_t byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return std::string("0x") + kDigits[byte >> 4] + kDigits[byte & 15];
}

Error stride_error(const MeshoptStreamJob& job, std::string_view expected) {
  const std::string owner = job.filter == MeshoptFilter::kNone
                                ? "the mode " + std::string(name(job.mode))
                                : "the filter " + std::string(name(job.filter));
  return Error(owner + " must have a stride of " + std::string(expected) + " bytes, got " +
               std::to_string(job.stride));
}

Error check_layout(const MeshoptStreamJob& job) {
  const std::uint64_t stride = job.stride;
  if (job.count < 1 || job.count > kMostElements) {
    return Error("there must be from 1 to 2^48 elements, got " + std::to_string(job.count));
  }
  if (job.mode != MeshoptMode::kAttributes) {
    if (job.filter != MeshoptFilter::kNone) {
      return Error("the mode " + std::string(name(job.mode)) + " must have no filter, got " +
                   std::string(name(job.filter)));
    }
    if (stride != 2 && stride != 4) return stride_error(job, "2 or 4");
    if (job.mode == MeshoptMode::kTriangles && job.count % 3 != 0) {
      return Error("the mode TRIANGLES must have a count that is a multiple of 3, got " +
                   std::to_string(job.count));
    }
    return Error();
  }
  switch (job.filter) {
    case MeshoptFilter::kOctahedral:
    case MeshoptFilter::kColor:
      return stride == 4 || stride == 8 ? Error() : stride_error(job, "4 or 8");
    case MeshoptFilter::kQuaternion:
      return stride == 8 ? Error() : stride_error(job, "8");
    case MeshoptFilter::kNone:
    case MeshoptFilter::kExponential:
      break;
  }
  const bool fits = stride >= 4 && stride <= 256 && stride % 4 == 0;
  return fits ? Error() : stride_error(job, "4, 8, 12, ... or 256");
}

// The fewest bytes that a stream of the job's elements can have.
std::uint64_t least_bytes(const MeshoptStreamJob& job, int version) {
  switch (job.mode) {
    case MeshoptMode::kTriangles:
      return 1 + job.count / 3 + 16;  // header, a code for each triangle, table
    case MeshoptMode::kIndices:
      return 1 + job.count + 4;  // header, a byte for each index, tail
    case MeshoptMode::kAttributes:
      break;
  }
  // Elements come in blocks. Of each, version 0 has 2 bits for every 16 bytes that are the same byte of 16 elements;
  // version 1 can leave them out by 2 bits for each byte of an element.
  const std::uint64_t most = std::min<std::uint64_t>((8192 / job.stride) & ~std::uint64_t{15}, 256);
  const auto block_bytes = [&](std::uint64_t elements) {
    const std::uint64_t groups = (elements + 15) / 16;
    return version == 0 ? job.stride * ((groups + 3) / 4) : job.stride / 4;
  };
  const std::uint64_t rest = job.count % most;
  const std::uint64_t blocks = job.count / most * block_bytes(most) + (rest > 0 ? block_bytes(rest) : 0);
  const std::uint64_t tail = version == 0 ? std::max<std::uint64_t>(job.stride, 32)
                                          : std::max<std::uint64_t>(job.stride + job.stride / 4, 24);
  return 1 + blocks + tail;
}

Error check_stream(const MeshoptStreamJob& job) {
  const std::string mode(name(job.mode));
  if (job.stream.empty()) return Error("the stream must have a header, got no bytes");
  const std::uint8_t first = job.stream[0];
  const std::uint8_t expected = kHeaders[static_cast<std::size_t>(job.mode)];
  const int version = first & 0x0f;
  if ((first & 0xf0) != expected || version >= kVersions) {
    return Error("the first byte must be " + hex(expected) + " or " + hex(expected + 1) + " in the mode " +
                 mode + ", got " + hex(first) + "; the data is not such a stream");
  }
  const std::uint64_t least = least_bytes(job, version);
  if (job.stream.size() < least) {
    return Error("the stream must have at least " + std::to_string(least) + " bytes for " +
                 std::to_string(job.count) + " elements of " + std::to_string(job.stride) + " bytes, got " +
                 std::to_string(job.stream.size()) + "; it is cut off, or its count is wrong");
  }
  return Error();
}

int decode(const MeshoptStreamJob& job) {
  const auto count = static_cast<std::size_t>(job.count);
  const auto stride = static_cast<std::size_t>(job.stride);
  switch (job.mode) {
    case MeshoptMode::kTriangles:
      return meshopt_decodeIndexBuffer(job.out.data(), count, stride, job.stream.data(), job.stream.size());
    case MeshoptMode::kIndices:
      return meshopt_decodeIndexSequence(job.out.data(), count, stride, job.stream.data(), job.stream.size());
    case MeshoptMode::kAttributes:
      break;
  }
  return meshopt_decodeVertexBuffer(job.out.data(), count, stride, job.stream.data(), job.stream.size());
}

void apply_filter(const MeshoptStreamJob& job) {
  const auto count = static_cast<std::size_t>(job.count);
  const auto stride = static_cast<std::size_t>(job.stride);
  switch (job.filter) {
    case MeshoptFilter::kNone:
      return;
    case MeshoptFilter::kOctahedral:
      return meshopt_decodeFilterOct(job.out.data(), count, stride);
    case MeshoptFilter::kQuaternion:
      return meshopt_decodeFilterQuat(job.out.data(), count, stride);
    case MeshoptFilter::kExponential:
      return meshopt_decodeFilterExp(job.out.data(), count, stride);
    case MeshoptFilter::kColor:
      return meshopt_decodeFilterColor(job.out.data(), count, stride);
  }
}

}  // namespace

Error MeshoptStreamJob::validate() const {
  if (Error error = check_layout(*this)) return error;
  return check_stream(*this);
}

Error MeshoptStreamJob::run() const {
  if (Error error = validate()) return error;
  if (out.size() != count * stride) {
    return Error("out must have " + std::to_string(count * stride) + " bytes, got " +
                 std::to_string(out.size()));
  }
  if (reinterpret_cast<std::uintptr_t>(out.data()) % 4 != 0) {
    return Error("out must be at a multiple of 4 bytes");
  }
  const int fault = decode(*this);
  if (fault == -3) {
    return Error("the stream must end with element " + std::to_string(count) +
                 ", the last, got another end; it is "
                 "cut off or damaged, or its count is wrong");
  }
  if (fault != 0) {
    return Error("the stream breaks off before element " + std::to_string(count) +
                 ", the last; it is cut off or "
                 "damaged, or its count is wrong");
  }
  apply_filter(*this);
  return Error();
}

}  // namespace lissom
