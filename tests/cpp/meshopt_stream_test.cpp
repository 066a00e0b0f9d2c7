// SPDX-License-Identifier: MIT
#include "core/compression/meshopt_stream.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "vendor/meshoptimizer/meshoptimizer.h"

namespace lissom {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes encoded_vertices(const Bytes& data, std::size_t count, std::size_t stride, int version = 1) {
  Bytes stream(meshopt_encodeVertexBufferBound(count, stride));
  stream.resize(
      meshopt_encodeVertexBufferLevel(stream.data(), stream.size(), data.data(), count, stride, 2, version));
  return stream;
}

Bytes encoded_triangles(const std::vector<unsigned>& indices) {
  Bytes stream(meshopt_encodeIndexBufferBound(indices.size(), 1u << 20));
  stream.resize(meshopt_encodeIndexBuffer(stream.data(), stream.size(), indices.data(), indices.size()));
  return stream;
}

Bytes noise(std::size_t size) {
  Bytes data(size);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : data)
    byte = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 27);
  return data;
}

std::string fault(const MeshoptStreamJob& job) { return job.validate().sentence(); }

TEST(MeshoptStream, GivesBackWhatWasEncoded) {
  for (const std::size_t stride : {4u, 8u, 12u, 64u, 256u}) {
    for (const std::size_t count : {1u, 15u, 16u, 17u, 256u, 1000u}) {
      for (const int version : {0, 1}) {
        const Bytes data = noise(count * stride);
        const Bytes stream = encoded_vertices(data, count, stride, version);
        Bytes out(data.size());
        MeshoptStreamJob job;
        job.count = count;
        job.stride = stride;
        job.stream = stream;
        job.out = out;
        ASSERT_EQ(job.run().sentence(), "");
        ASSERT_EQ(out, data) << count << " of " << stride;
      }
    }
  }
}

TEST(MeshoptStream, EveryShorterStreamIsRefused) {
  const std::size_t count = 300, stride = 16;
  const Bytes whole = encoded_vertices(noise(count * stride), count, stride);
  Bytes out(count * stride);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes stream(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    MeshoptStreamJob job;
    job.count = count;
    job.stride = stride;
    job.stream = stream;
    job.out = out;
    ASSERT_NE(job.run().sentence(), "") << size;
  }
  const Bytes triangles = encoded_triangles({0, 1, 2, 2, 1, 3, 9, 5, 7});
  for (std::size_t size = 0; size < triangles.size(); ++size) {
    const Bytes stream(triangles.begin(), triangles.begin() + static_cast<std::ptrdiff_t>(size));
    MeshoptStreamJob job;
    job.mode = MeshoptMode::kTriangles;
    job.count = 9;
    job.stride = 4;
    job.stream = stream;
    job.out = std::span(out).first(36);
    ASSERT_NE(job.run().sentence(), "") << size;
  }
}

TEST(MeshoptStream, BytesBeyondTheLastElementAreRefused) {
  Bytes stream = encoded_triangles({0, 1, 2, 2, 1, 3});
  stream.insert(stream.begin() + 4, 7);
  std::vector<std::uint8_t> out(24);
  MeshoptStreamJob job;
  job.mode = MeshoptMode::kTriangles;
  job.count = 6;
  job.stride = 4;
  job.stream = stream;
  job.out = out;
  EXPECT_NE(job.run().sentence(), "");
}

// No stream of fewer bytes than least_bytes is decoded by the decoder itself, and one of as many is: zeros.
TEST(MeshoptStream, TheFewestBytesAreThoseOfZeros) {
  for (const std::size_t stride : {4u, 16u, 32u, 252u}) {
    for (const std::size_t count : {1u, 16u, 65u, 256u, 257u, 5000u}) {
      for (const int version : {0, 1}) {
        const Bytes data(count * stride);
        Bytes stream = encoded_vertices(data, count, stride, version);
        Bytes out(data.size());
        MeshoptStreamJob job;
        job.count = count;
        job.stride = stride;
        job.stream = stream;
        job.out = out;
        ASSERT_EQ(job.run().sentence(), "");
        const Bytes shorter(stream.begin(), stream.end() - 1);
        job.stream = shorter;
        EXPECT_NE(fault(job).find("at least " + std::to_string(stream.size()) + " bytes"), std::string::npos)
            << fault(job);
      }
    }
  }
}

TEST(MeshoptStream, CountsThatFewBytesCannotHoldAreRefusedBeforeMemoryIsTaken) {
  const Bytes stream = encoded_vertices(Bytes(64), 4, 16);
  MeshoptStreamJob job;
  job.stride = 256;
  job.stream = stream;
  for (const std::uint64_t count :
       {std::uint64_t{1} << 20, std::uint64_t{1} << 48, ~std::uint64_t{0}, std::uint64_t{0}}) {
    job.count = count;
    EXPECT_NE(fault(job), "");
  }
  for (const MeshoptMode mode : {MeshoptMode::kTriangles, MeshoptMode::kIndices}) {
    job.mode = mode;
    job.stride = 4;
    const Bytes indices = {static_cast<std::uint8_t>(mode == MeshoptMode::kTriangles ? 0xe1 : 0xd1), 0, 0, 0};
    job.stream = indices;
    job.count = 3'000'000'000'000;
    EXPECT_NE(fault(job).find("cut off, or its count is wrong"), std::string::npos) << fault(job);
  }
}

TEST(MeshoptStream, HeadersOfAnotherModeAreNamed) {
  const Bytes stream = encoded_triangles({0, 1, 2});
  MeshoptStreamJob job;
  job.count = 3;
  job.stride = 4;
  job.stream = stream;
  EXPECT_EQ(fault(job),
            "the first byte must be 0xa0 or 0xa1 in the mode ATTRIBUTES, got 0xe1; the data is not such a "
            "stream");
  job.stream = {};
  EXPECT_EQ(fault(job), "the stream must have a header, got no bytes");
  const Bytes newer = {0xa2, 0, 0, 0};
  job.stream = newer;
  EXPECT_NE(fault(job).find("got 0xa2"), std::string::npos);
}

TEST(MeshoptStream, LayoutsThatDoNotFitAreRefused) {
  const Bytes stream(100, 0xa0);
  const auto says = [&](MeshoptMode mode, MeshoptFilter filter, std::uint64_t count, std::uint64_t stride) {
    MeshoptStreamJob job;
    job.mode = mode;
    job.filter = filter;
    job.count = count;
    job.stride = stride;
    job.stream = stream;
    return fault(job);
  };
  using enum MeshoptMode;
  using enum MeshoptFilter;
  EXPECT_EQ(says(kTriangles, kNone, 3, 8), "the mode TRIANGLES must have a stride of 2 or 4 bytes, got 8");
  EXPECT_EQ(says(kIndices, kNone, 3, 1), "the mode INDICES must have a stride of 2 or 4 bytes, got 1");
  EXPECT_EQ(says(kTriangles, kNone, 4, 2),
            "the mode TRIANGLES must have a count that is a multiple of 3, got 4");
  EXPECT_EQ(says(kIndices, kColor, 3, 4), "the mode INDICES must have no filter, got COLOR");
  EXPECT_EQ(says(kAttributes, kOctahedral, 3, 12),
            "the filter OCTAHEDRAL must have a stride of 4 or 8 bytes, got 12");
  EXPECT_EQ(says(kAttributes, kColor, 3, 16), "the filter COLOR must have a stride of 4 or 8 bytes, got 16");
  EXPECT_EQ(says(kAttributes, kQuaternion, 3, 4),
            "the filter QUATERNION must have a stride of 8 bytes, got 4");
  EXPECT_EQ(says(kAttributes, kExponential, 3, 6),
            "the filter EXPONENTIAL must have a stride of 4, 8, 12, ... or 256 bytes, got 6");
  EXPECT_EQ(says(kAttributes, kNone, 3, 260),
            "the mode ATTRIBUTES must have a stride of 4, 8, 12, ... or 256 bytes, got 260");
  EXPECT_EQ(says(kAttributes, kNone, 3, 0),
            "the mode ATTRIBUTES must have a stride of 4, 8, 12, ... or 256 bytes, got 0");
}

TEST(MeshoptStream, OutMustBeAsLongAsWhatIsDecoded) {
  const Bytes stream = encoded_vertices(Bytes(64), 4, 16);
  Bytes out(63);
  MeshoptStreamJob job;
  job.count = 4;
  job.stride = 16;
  job.stream = stream;
  job.out = out;
  EXPECT_EQ(job.run().sentence(), "out must have 64 bytes, got 63");
}

// Unit vectors come back to a step of their bits, and their fourth component as it was.
TEST(MeshoptStream, FiltersGiveValuesToTheirPrecision) {
  const std::vector<float> unit = {0.6f, 0, -0.8f, 1, 0, 1, 0, -1, -0.48f, 0.6f, 0.64f, 1, 0, 0, -1, -1};
  Bytes packed(4 * 8);
  meshopt_encodeFilterOct(packed.data(), 4, 8, 16, unit.data());
  const Bytes stream = encoded_vertices(packed, 4, 8);
  Bytes out(packed.size());
  MeshoptStreamJob job;
  job.filter = MeshoptFilter::kOctahedral;
  job.count = 4;
  job.stride = 8;
  job.stream = stream;
  job.out = out;
  ASSERT_EQ(job.run().sentence(), "");
  std::vector<std::int16_t> values(16);
  std::memcpy(values.data(), out.data(), out.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i] / 32767.0f, unit[i], 1e-4f);
}

}  // namespace
}  // namespace lissom
