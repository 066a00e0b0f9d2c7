// SPDX-License-Identifier: MIT
#include "core/text/json_tables.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lissom {
namespace {

using Kind = JsonField::Kind;
using Column = std::vector<std::int64_t>;

JsonTables tables() {
  const JsonField count{"count", Kind::kInteger, 1, 1000, {}, 0, true};
  const JsonField flag{"flag", Kind::kFlag, 0, 0, {}, 0, false};
  const JsonField word{"word", Kind::kWord, 0, 0, {{"A", 4}, {"BC", 5}}, -7, false};
  const JsonField place{"place", Kind::kPlace, 0, 0, {}, -1, false};
  const JsonField inner{"outer/inner", Kind::kInteger, 0, 9, {}, 0, true};
  return JsonTables({{"", "rows", {count, flag, word, place}}, {"owners", "parts", {inner}}});
}

struct Read {
  bool is_plain;
  std::vector<JsonRows> rows;
  std::string rest;
};

Read read(const std::string& text) {
  Read read;
  read.is_plain = tables().read(text, read.rows, read.rest);
  return read;
}

TEST(JsonTables, ReadsColumnsAndLeavesTheRest) {
  const std::string text =
      R"({"a": [1, {"rows": "]"}], "rows" : [{"count":12,"word":"BC","x":[{"y":-1.5e-3},null,"q"]},)"
      R"( {"flag":true, "place": {"z": [] }, "count":7}], "owners":[{"n":"\"","parts":[]},{},)"
      R"({"parts":[{"outer":{"inner":3}},{"other":0,"outer":{"k":true,"inner":0}}]}]} )";
  const Read found = read(text);
  ASSERT_TRUE(found.is_plain);
  EXPECT_EQ(found.rest,
            R"({"a": [1, {"rows": "]"}], "rows" : [], "owners":[{"n":"\"","parts":[]},{},{"parts":[]}]} )");
  const auto& rows = found.rows[0];
  EXPECT_EQ(rows.row_count, Column({2}));
  EXPECT_EQ(rows.columns[0], Column({12, 7}));
  EXPECT_EQ(rows.columns[1], Column({0, 1}));
  EXPECT_EQ(rows.columns[2], Column({5, -7}));
  EXPECT_EQ(rows.columns[3][0], -1);
  const auto begin = static_cast<std::size_t>(rows.columns[3][1]);
  EXPECT_EQ(text.substr(begin, static_cast<std::size_t>(rows.columns[4][1]) - begin), R"({"z": [] })");
  EXPECT_EQ(found.rows[1].row_count, Column({0, 0, 2}));
  EXPECT_EQ(found.rows[1].columns[0], Column({3, 0}));
}

TEST(JsonTables, ADocumentWithoutTablesIsItsOwnRest) {
  const Read found = read(R"({"asset": {"version": "2.0"}})");
  ASSERT_TRUE(found.is_plain);
  EXPECT_EQ(found.rest, R"({"asset": {"version": "2.0"}})");
  EXPECT_EQ(found.rows[0].row_count, Column({0}));
  EXPECT_TRUE(found.rows[1].row_count.empty());
}

TEST(JsonTables, WhatIsNotPlainIsLeftToTheDecoder) {
  const auto row = [](const std::string& members) { return R"({"rows":[{)" + members + "}]}"; };
  ASSERT_TRUE(read(row(R"("count":1)")).is_plain);
  for (const char* members : {"",
                              R"("count":0)",
                              R"("count":1001)",
                              R"("count":1.0)",
                              R"("count":1e0)",
                              R"("count":01)",
                              R"("count":-1)",
                              R"("count":"1")",
                              R"("count":null)",
                              R"("count":1,"count":1)",
                              R"("count":99999999999999999999)",
                              R"("count":1,)",
                              R"("c\u006funt":1)",
                              R"("count":1,"flag":1)",
                              R"("count":1,"flag":truex)",
                              R"("count":1,"word":"D")",
                              R"("count":1,"word":"A\u0020")",
                              R"("count":1,"x":01)",
                              R"("count":1,"x":1.)",
                              R"("count":1,"x":.5)",
                              R"("count":1,"x":+1)",
                              R"("count":1,"x":1e)",
                              R"("count":1,"x":1e999)",
                              R"("count":1,"x":nul)",
                              R"("count":1,"x":[1,])",
                              R"("count":1,"x":{"y"})",
                              R"("count":1,"x":"\n")",
                              "\"count\":1,\"x\":\"\n\"",
                              "\"count\":1,\"x\":\"\xC3\xA9\"",
                              R"("count":1,"place":)",
                              R"("count":1,"place":{])"}) {
    EXPECT_FALSE(read(row(members)).is_plain) << members;
  }
  for (const char* text :
       {"", "[]", "null", R"({"rows":null})", R"({"rows":{}})", R"({"rows":[1]})", R"({"rows":[],"rows":[]})",
        R"({"owners":[],"owners":[]})", R"({"owners":[1]})", R"({"owners":{}})",
        R"({"owners":[{"parts":[],"parts":[]}]})", R"({"owners":[{"parts":[{"outer":{}}]}]})",
        R"({"owners":[{"parts":[{"outer":{"inner":1},"outer":{}}]}]})",
        R"({"owners":[{"parts":[{"outer":1}]}]})"}) {
    EXPECT_FALSE(read(text).is_plain) << text;
  }
  std::string deep = R"("count":1,"x":)" + std::string(1000, '[') + std::string(1000, ']');
  EXPECT_FALSE(read(row(deep)).is_plain);
}

// A text that ends anywhere is not read beyond its end; sanitizers watch.
TEST(JsonTables, ATextThatIsCutOffIsNotPlain) {
  const std::string text =
      R"({"q":"\\","rows":[{"count":12,"flag":false,"word":"BC","place":[1.5e3]}],"owners":[{"parts":[{"outer":{"inner":3}}]}]})";
  ASSERT_TRUE(read(text).is_plain);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::vector<char> cut(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size));
    std::vector<JsonRows> rows;
    std::string rest;
    EXPECT_FALSE(tables().read({cut.data(), cut.size()}, rows, rest)) << size;
  }
}

}  // namespace
}  // namespace lissom
