// SPDX-License-Identifier: MIT
// Mutated streams of Draco through DracoStreamWalk, in buffers of exactly their length, which sanitizers guard. It prints
// how many were walked and how many refused; what sanitizers find ends it, and counts that no surface has.
//   draco_walks STREAMS FIRST_SEED FILE...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/compression/draco_stream.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

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

// Up to six changes, of which half are among the first bytes, where the counts are.
void mutate(Random& random, Bytes& stream) {
  for (std::uint64_t n = random.below(7); n > 0 && stream.size() > 12; --n) {
    const std::uint64_t end = random.below(2) == 0 ? stream.size() : std::min<std::size_t>(stream.size(), 60);
    const std::size_t at = 11 + random.below(end - 11);
    const auto place = stream.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random.below(8)) {
      case 0:
        stream.resize(at);
        break;
      case 1:
        stream.insert(place, static_cast<std::uint8_t>(random.next()));
        break;
      case 2:
        stream.erase(place);
        break;
      case 3:
        stream[at] = random.below(2) == 0 ? 0xff : 0;
        break;
      case 4:
      case 5:
        stream[at] ^= static_cast<std::uint8_t>(1u << random.below(8));
        break;
      default:
        stream[at] = static_cast<std::uint8_t>(random.next());
    }
  }
}

bool is_possible(const lissom::DracoStreamWalk& walk) {
  const lissom::DracoSurface& surface = walk.surface;
  if (!walk.is_walked) return surface.points == surface.vertices;
  bool possible = surface.vertices <= surface.points && surface.vertices <= surface.most_vertices &&
                  surface.points <= std::uint64_t{3} * surface.faces;
  for (const auto& one : surface.seamed) {
    possible = possible && surface.vertices <= one.values && one.values <= surface.points;
  }
  return possible;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::uint64_t streams = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t first = std::strtoull(argv[2], nullptr, 10);
  std::vector<Bytes> bases;
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    bases.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::map<std::string, std::uint64_t> came;
  for (std::uint64_t seed = first; seed < first + streams; ++seed) {
    Random random{seed};
    Bytes stream = bases[random.below(bases.size())];
    mutate(random, stream);
    // Not of a vector, whose capacity may be larger.
    const std::unique_ptr<std::uint8_t[]> in(new std::uint8_t[stream.size()]);
    std::copy(stream.begin(), stream.end(), in.get());
    lissom::DracoStreamWalk walk;
    walk.stream = {in.get(), stream.size()};
    walk.most_bytes = 1 << 24;
    if (walk.run()) {
      ++came["refused"];
    } else if (!walk.is_whole) {
      ++came["too much"];
    } else if (is_possible(walk)) {
      ++came["walked"];
    } else {
      std::printf("seed %llu: counts that no surface has\n", static_cast<unsigned long long>(seed));
      return 1;
    }
  }
  for (const auto& [how, number] : came) {
    std::printf("%s: %llu\n", how.c_str(), static_cast<unsigned long long>(number));
  }
}
