// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lissom {

// A member of the objects of an array, as a column of integers.
struct JsonField {
  enum class Kind {
    kInteger,  // digits alone, within [least, most]
    kFlag,     // true or false: 1 or 0
    kWord,     // a string among `words`, as its number
    kPlace     // any value: two columns, where in the text it begins and ends
  };
  std::string name;  // "target/path" for a member of an object
  Kind kind = Kind::kInteger;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::vector<std::pair<std::string, std::int64_t>> words;
  std::int64_t absent = 0;  // stands for what is not there, of a place for both ends
  bool is_required = false;
};

// An array of objects in the root of a document, or in each object of an array of the root.
struct JsonTable {
  std::string owner;  // name of the array in the root; empty where the table itself is there
  std::string name;
  std::vector<JsonField> fields;
};

// The rows of all arrays of a table.
struct JsonRows {
  std::vector<std::vector<std::int64_t>> columns;  // of each field, of a place two
  std::vector<std::int64_t> row_count;             // of each owner; of the one array where it has none
};

// Reads the large arrays of a JSON document as columns, and leaves all else to a decoder: in `rest`, the document as it
// stands but with these arrays empty. Tables are read only where they are plain: JSON to the letter, no member twice, no
// escape in what is looked at, each value of its kind. What is not may be a fault, or not, and takes a decoder that
// knows all of JSON. Outside the tables brackets and strings are followed alone, since the decoder of `rest` sees them.
class JsonTables {
 public:
  explicit JsonTables(const std::vector<JsonTable>& tables);
  JsonTables(JsonTables&&) = default;  // members point to fields: moved, not copied

  // Fills the rows of each table, and the rest. Returns false, and leaves both undefined, where a table is not plain.
  bool read(std::string_view text, std::vector<JsonRows>& rows, std::string& rest) const;

  // A member that is looked at, with the members of its objects, if it is one of those.
  struct Member {
    std::string name;
    const JsonField* field = nullptr;  // none: an object
    std::size_t column = 0;
    std::size_t bit = 0;
    std::vector<Member> members;
  };
  struct Table {
    std::string owner, name;
    std::vector<JsonField> fields;
    std::vector<Member> members;
    std::vector<std::int64_t> absent;  // a row of which nothing is there
    std::uint64_t required = 0;        // bits of members
  };

 private:
  std::vector<Table> tables_;
};

}  // namespace lissom
