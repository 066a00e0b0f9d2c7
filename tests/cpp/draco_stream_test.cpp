// SPDX-License-Identifier: MIT
#include "core/compression/draco_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/compression/draco_symbols.h"

namespace lissom {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes from_hex(std::string_view digits) {
  const auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  Bytes bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(16 * value(digits[i]) + value(digits[i + 1])));
  }
  return bytes;
}

// Four meshes as DracoPy 2.2 encodes them. Two triangles whose indices stand in the stream.
const Bytes kSquare = from_hex(
    "445241434f02020100000002040100010201030201010009030000020001010003030130011003002882881100000000"
    "0f0000000000000000000000000000000000803f04");
// Walked; the first face is an inner one.
const Bytes kTetrahedron = from_hex(
    "445241434f02020101000000040400030000012f01011001ff0000010009030000020101010003030110013003005082"
    "249104000000000f0000000000000000000000000000000000803f04");
// Of 4 by 3 squares: its handle is two splits.
const Bytes kTorus = from_hex(
    "445241434f020201010000000c18001704021508010d03077fd6678d4a510001011001ff000001000903000002010101"
    "00050b5525ad1a04b8e3fc827f06140f0cd6a006d8c5aba10350d601000000000f000000000080c0000080c0d7b35dbf"
    "0000004104");
// Each side has texture coordinates of its own.
const Bytes kCube = from_hex(
    "445241434f02020101000000080c010b0000035f4b150101105504d753f64602000100ff000001030902010000010009"
    "030001020000803f0000803f00000040000000400000803f00000040000000400000803f000040400000804000004040"
    "00004040000080400000804000008040000040400000a0400000a04000008040000080400000a0400000804000008040"
    "0000a04000004040000040400000004000000040000040400000004000000040000040400000c0400000c0400000a040"
    "0000a0400000c0400000a0400000a0400000c04000000000000000000000803f0000803f000000000000803f0000803f"
    "00000000010101000303012001200300b04231a2408400000000000f0000000000000000000000000000000000803f04");

DracoStreamWalk walk_over(const Bytes& stream) {
  DracoStreamWalk walk;
  walk.stream = stream;
  walk.most_bytes = 1 << 20;
  return walk;
}

std::string fault(const Bytes& stream) { return walk_over(stream).run().sentence(); }

TEST(DracoStream, CountsWhatMeshesHave) {
  struct Expected {
    const Bytes* stream;
    std::uint32_t faces, points, vertices, borders;
    std::vector<std::uint32_t> values;  // of attributes
  };
  for (const auto& [stream, faces, points, vertices, borders, values] :
       {Expected{&kSquare, 2, 4, 4, 0, {4}}, Expected{&kTetrahedron, 4, 4, 4, 0, {4}},
        Expected{&kTorus, 24, 12, 12, 0, {12}}, Expected{&kCube, 12, 24, 8, 0, {24, 8}}}) {
    DracoStreamWalk walk = walk_over(*stream);
    ASSERT_EQ(walk.run().sentence(), "");
    EXPECT_TRUE(walk.is_whole);
    EXPECT_EQ(walk.surface.faces, faces);
    EXPECT_EQ(walk.surface.points, points);
    EXPECT_EQ(walk.surface.vertices, vertices);
    EXPECT_EQ(walk.surface.borders, borders);
    EXPECT_EQ(walk.left, 0u);
    ASSERT_EQ(walk.attributes.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(walk.attributes[i].values, values[i]);
  }
  DracoStreamWalk walk = walk_over(kCube);
  ASSERT_FALSE(walk.run());
  ASSERT_EQ(walk.surface.seamed.size(), 1u);
  EXPECT_EQ(walk.surface.seamed[0].seams, 12u);  // all edges but the diagonals of six sides
  walk = walk_over(kTorus);
  ASSERT_FALSE(walk.run());
  EXPECT_EQ(walk.surface.most_vertices, 12u + 4u);
}

TEST(DracoStream, BytesBehindTheLastAreCounted) {
  Bytes stream = kTorus;
  stream.insert(stream.end(), 3, 0);
  DracoStreamWalk walk = walk_over(stream);
  ASSERT_FALSE(walk.run());
  EXPECT_EQ(walk.left, 3u);
}

TEST(DracoStream, EveryShorterStreamIsCutOff) {
  for (const Bytes* whole : {&kSquare, &kTetrahedron, &kTorus, &kCube}) {
    for (std::size_t size = 5; size < whole->size(); ++size) {
      const Bytes stream(whole->begin(), whole->begin() + static_cast<std::ptrdiff_t>(size));
      const std::string sentence = fault(stream);
      EXPECT_TRUE(sentence.find("cut off") != std::string::npos ||
                  sentence.find("must have bytes for its indices") != std::string::npos)
          << size << ": " << sentence;
    }
  }
}

// What sanitizers would find, they find here: each byte of each stream, changed to some others.
TEST(DracoStream, ChangedStreamsAreWalkedOrRefused) {
  std::size_t walked = 0, refused = 0;
  for (const Bytes* whole : {&kSquare, &kTetrahedron, &kTorus, &kCube}) {
    for (std::size_t at = 11; at < whole->size(); ++at) {
      for (int change = 1; change < 256; change += change < 8 ? 1 : 31) {
        Bytes stream = *whole;
        stream[at] = static_cast<std::uint8_t>(stream[at] ^ change);
        DracoStreamWalk walk = walk_over(stream);
        if (walk.run()) {
          ++refused;
        } else {
          ++walked;
          EXPECT_LE(walk.surface.points, 3 * std::uint64_t{walk.surface.faces} + 256) << at;
        }
      }
    }
  }
  EXPECT_GT(walked, 1000u);
  EXPECT_GT(refused, 1000u);
}

TEST(DracoStream, WhatTakesTooMuchIsNotReadToItsEnd) {
  DracoStreamWalk walk = walk_over(kCube);
  walk.most_bytes = 12 * (kDracoBytesPerFace + kDracoBytesPerSeamedFace) - 1;
  ASSERT_EQ(walk.run().sentence(), "");
  EXPECT_FALSE(walk.is_whole);
  EXPECT_EQ(walk.surface.faces, 12u);
  EXPECT_EQ(walk.surface.seamed.size(), 1u);
  EXPECT_TRUE(walk.attributes.empty());

  Bytes stream = kSquare;  // with 200 points
  stream[12] = 0xc8;
  stream.insert(stream.begin() + 13, 1);
  walk = walk_over(stream);
  walk.most_bytes = 2 * kDracoBytesPerFace + 100;
  ASSERT_EQ(walk.run().sentence(), "");
  EXPECT_FALSE(walk.is_whole);
  EXPECT_EQ(walk.surface.points, 200u);
  EXPECT_EQ(walk.attributes.size(), 1u);
}

// The table of symbols of the positions, made larger than any encoder makes one.
TEST(DracoStream, TablesOfTooManySymbolsAreRefused) {
  const std::size_t at = 28;  // prediction, transform, 1 compressed, 1 raw, bits, symbols
  Bytes stream(kSquare.begin(), kSquare.begin() + at);
  const Bytes table = {1, 1, 1, 1, 18, 0x81, 0x80, 0x10};  // 2^18 + 1
  stream.insert(stream.end(), table.begin(), table.end());
  stream.insert(stream.end(), 1 << 16, 0xff);
  EXPECT_EQ(fault(stream),
            "the Draco stream must have 1 to 262144 different symbols, got 262145; it is damaged");
}

TEST(DracoSymbols, TaggedValuesAreAsLongAsTheirTagsSay) {
  // Of three tags, the last always: each takes no bits.
  const Bytes coded = {0, 3, 1 << 2 | 3, 1, 64, 1, 0, 0 | 2 << 2 | 3 << 4};
  DracoBytes bytes(coded);
  EXPECT_EQ(read_draco_symbols(bytes, 3), (Bytes{0, 2, 3}));
  EXPECT_EQ(bytes.left(), 0u);
  DracoBytes again(coded);
  pass_draco_symbols(again, 1, 3);
  EXPECT_FALSE(again.failed());
  EXPECT_EQ(again.left(), 0u);
  DracoBytes longer(coded);
  pass_draco_symbols(longer, 5, 1);
  EXPECT_EQ(longer.error().sentence(),
            "the Draco stream must be whole, got its end at byte 8; it is cut off");
}

TEST(DracoSymbols, BitsAreThoseOfTheSpecification) {
  // One half each: the state loses a bit for each of the bits coded, the remainder below 128 is a one.
  const Bytes coded = {128, 2, 0x80, 0x40 | 0x12};
  DracoBytes bytes(coded);
  DracoBits bits(bytes);
  ASSERT_FALSE(bytes.failed());
  std::uint32_t state = 4096 + 0x1280;
  for (int i = 0; i < 4; ++i) {
    const bool is_one = state % 256 < 128;
    EXPECT_EQ(bits.next(), is_one) << i;
    state = state / 256 * 128 + state % 256 - (is_one ? 0 : 128);
    if (state < 4096) break;  // nothing is left to go on with
  }
}

}  // namespace
}  // namespace lissom
