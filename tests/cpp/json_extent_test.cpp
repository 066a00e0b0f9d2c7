// SPDX-License-Identifier: MIT
#include "core/text/json_extent.h"

#include <gtest/gtest.h>

#include <string>

namespace lissom {
namespace {

TEST(JsonExtent, CountsWhatIsOutsideStrings) {
  const JsonExtent extent = json_extent(R"({"a": [1, 2, {"b": "x"}], "c": "y, z: [{"})");
  EXPECT_EQ(extent.depth, 3u);
  EXPECT_EQ(extent.containers, 3u);
  EXPECT_EQ(extent.commas, 3u);
  EXPECT_EQ(extent.keys, 3u);
  EXPECT_EQ(extent.strings, 2u);
  EXPECT_EQ(extent.crowded, 0u);
  EXPECT_EQ(extent.characters, 12u);  // a b c x and the eight of the last
  EXPECT_EQ(extent.longest, 8u);
}

TEST(JsonExtent, EscapedQuotesAndBackslashesEndNoString) {
  EXPECT_EQ(json_extent(R"(["\"[[", "\\", [], "\\\"[[["])").depth, 2u);
  EXPECT_EQ(json_extent(R"(["\\"[[]]])").depth, 3u);
}

// Python stores a character in as many bytes as the widest of its string needs.
TEST(JsonExtent, CharactersAreAsWideAsTheWidestOfTheirString) {
  EXPECT_EQ(json_extent("\"abc\"").characters, 3u);
  EXPECT_EQ(json_extent("\"ab\xC3\xA9\"").characters, 3u);      // U+00E9
  EXPECT_EQ(json_extent("\"ab\xC4\x80\"").characters, 6u);      // U+0100
  EXPECT_EQ(json_extent("\"ab\xE4\xB8\xAD\"").characters, 6u);  // U+4E2D
  EXPECT_EQ(json_extent("\"ab\xF0\x9F\xA6\xB4\", \"abc\"").characters,
            15u);  // U+1F9B4, which widens one string
  EXPECT_GE(json_extent(R"("ab\ud83e\uddb4")").characters, 12u);
  EXPECT_GE(json_extent(R"("ab\u4e2d")").characters, 6u);
  EXPECT_LE(json_extent(R"("ab\u00e9")").characters, 7u);
}

TEST(JsonExtent, KeysBeyondTheEighthOfAnObjectAreCrowded) {
  std::string text = "[{";
  for (int i = 0; i < 20; ++i) text += "\"k\":0,";
  text += "\"k\":{\"a\":1}},{\"a\":1}]";
  const JsonExtent extent = json_extent(text);
  EXPECT_EQ(extent.keys, 23u);
  EXPECT_EQ(extent.crowded, 13u);
}

TEST(JsonExtent, AnyBytesAreRead) {
  for (const char* text :
       {"", "\"", "\"\\", "\"\\u", "\"\\u12", "]]]]", ":::", "{\"", "\xFF\"\xFF", "\":\":"}) {
    EXPECT_LE(json_extent(text).depth, 1u) << text;
  }
  EXPECT_EQ(json_extent(std::string(1000, '[')).depth, 1000u);
  std::string nested;
  for (int i = 0; i < 1000; ++i) nested += "{\"a\":";
  EXPECT_EQ(json_extent(nested).keys, 1000u);
}

}  // namespace
}  // namespace lissom
