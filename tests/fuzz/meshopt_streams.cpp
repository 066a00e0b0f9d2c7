// SPDX-License-Identifier: MIT
// Mutated streams of meshopt through MeshoptStreamJob, in buffers of exactly their length, which sanitizers guard. It
// prints how many were decoded and how many refused; what sanitizers find ends it.
//   meshopt_streams [streams, 1 000 000] [first seed]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/compression/meshopt_stream.h"
#include "vendor/meshoptimizer/meshoptimizer.h"

namespace {

using Bytes = std::vector<std::uint8_t>;
using lissom::MeshoptFilter;
using lissom::MeshoptMode;

struct Random {  // splitmix64
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t end) { return next() % end; }
};

struct Base {
  MeshoptMode mode;
  std::uint64_t count, stride;
  Bytes stream;
};

Bytes vertices(Random& random, std::size_t count, std::size_t stride, int version) {
  Bytes data(count * stride);
  const std::uint64_t kind = random.below(4);  // zeros, small steps, steps of 16 bits, noise
  std::uint32_t walk = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (kind == 1) data[i] = static_cast<std::uint8_t>(i / stride + random.below(3));
    if (kind == 2 && i % 2 == 0) walk += static_cast<std::uint32_t>(random.below(500));
    if (kind == 2) data[i] = static_cast<std::uint8_t>(walk >> (8 * (i % 2)));
    if (kind == 3) data[i] = static_cast<std::uint8_t>(random.next());
  }
  Bytes stream(meshopt_encodeVertexBufferBound(count, stride));
  const int level = static_cast<int>(random.below(4));
  stream.resize(meshopt_encodeVertexBufferLevel(stream.data(), stream.size(), data.data(), count, stride,
                                                level, version));
  return stream;
}

std::vector<unsigned> corners(Random& random, std::size_t count) {
  std::vector<unsigned> indices(count);
  for (std::size_t i = 0; i < count; ++i) {
    indices[i] = static_cast<unsigned>(random.below(8) == 0 ? random.below(70000) : i / 3 + i % 3);
  }
  return indices;
}

Base base(Random& random) {
  static constexpr std::uint64_t kStrides[] = {4, 8, 12, 16, 20, 32, 64, 252, 256};
  switch (random.below(4)) {
    case 0: {
      const std::vector<unsigned> indices = corners(random, 3 * (1 + random.below(80)));
      Bytes stream(meshopt_encodeIndexBufferBound(indices.size(), 70000));
      stream.resize(meshopt_encodeIndexBuffer(stream.data(), stream.size(), indices.data(), indices.size()));
      return {MeshoptMode::kTriangles, indices.size(), 2 + 2 * random.below(2), stream};
    }
    case 1: {
      const std::vector<unsigned> indices = corners(random, 1 + random.below(200));
      Bytes stream(meshopt_encodeIndexSequenceBound(indices.size(), 70000));
      stream.resize(
          meshopt_encodeIndexSequence(stream.data(), stream.size(), indices.data(), indices.size()));
      return {MeshoptMode::kIndices, indices.size(), 2 + 2 * random.below(2), stream};
    }
    default: {
      const std::uint64_t stride = kStrides[random.below(std::size(kStrides))];
      const std::uint64_t count = 1 + random.below(random.below(4) == 0 ? 600 : 40);
      return {MeshoptMode::kAttributes, count, stride, vertices(random, count, stride, int(random.below(2)))};
    }
  }
}

void mutate(Random& random, Base& one) {
  Bytes& stream = one.stream;
  for (std::uint64_t n = random.below(6); n > 0 && !stream.empty(); --n) {
    const std::size_t at = random.below(stream.size());
    switch (random.below(8)) {
      case 0:
        stream.resize(at);
        break;
      case 1:
        stream.insert(stream.begin() + static_cast<std::ptrdiff_t>(at),
                      static_cast<std::uint8_t>(random.next()));
        break;
      case 2:
        stream.erase(stream.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 3:
        stream[at] = random.below(2) == 0 ? 0xff : 0;
        break;
      case 4:
        stream[at] ^= static_cast<std::uint8_t>(1u << random.below(8));
        break;
      case 5:
        stream[random.below(std::min<std::size_t>(stream.size(), 4))] =
            static_cast<std::uint8_t>(random.next());
        break;
      case 6:
        stream[stream.size() - 1 - random.below(std::min<std::size_t>(stream.size(), 32))] ^=
            static_cast<std::uint8_t>(random.next());
        break;
      default:
        stream[at] = static_cast<std::uint8_t>(random.next());
    }
  }
  if (random.below(8) == 0) one.count = 1 + random.below(2000);
  if (random.below(16) == 0) one.count = random.next();
  if (random.below(16) == 0) one.stride = random.below(300);
  if (random.below(32) == 0) one.mode = static_cast<MeshoptMode>(random.below(3));
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t streams = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  std::map<std::string, std::uint64_t> came;
  for (std::uint64_t seed = first; seed < first + streams; ++seed) {
    Random random{seed};
    Base one = base(random);
    mutate(random, one);
    lissom::MeshoptStreamJob job;
    job.mode = one.mode;
    job.filter = static_cast<MeshoptFilter>(random.below(3) == 0 ? random.below(5) : 0);
    job.count = one.count;
    job.stride = one.stride;
    // Not of a vector, whose capacity may be larger.
    const std::unique_ptr<std::uint8_t[]> in(new std::uint8_t[one.stream.size()]);
    std::copy(one.stream.begin(), one.stream.end(), in.get());
    job.stream = {in.get(), one.stream.size()};
    if (job.validate()) {
      ++came["refused before any memory is taken"];
      continue;
    }
    if (job.count * job.stride > 1024 * one.stream.size() + 256 * 256) {
      std::printf("seed %llu: %zu bytes may give %llu\n", static_cast<unsigned long long>(seed),
                  one.stream.size(), static_cast<unsigned long long>(job.count * job.stride));
      return 1;
    }
    const std::size_t size = job.count * job.stride;
    const std::unique_ptr<std::uint8_t[]> out(new std::uint8_t[size]);
    job.out = {out.get(), size};
    ++came[job.run() ? "refused while decoding" : "decoded"];
  }
  for (const auto& [how, number] : came) {
    std::printf("%s: %llu\n", how.c_str(), static_cast<unsigned long long>(number));
  }
}
