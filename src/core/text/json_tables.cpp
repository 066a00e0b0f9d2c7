// SPDX-License-Identifier: MIT
#include "core/text/json_tables.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace lissom {
namespace {

// What is nested deeper is not plain: readers of tables have no need of it, and it would take stack.
constexpr int kDeepest = 128;

// What strings of ASCII without escapes consist of.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t i = ' '; i < 128; ++i) plain[i] = i != '"' && i != '\\';
  return plain;
}();

// Follows a text. Each step returns false where it meets what is not plain.
class Reader {
 public:
  explicit Reader(std::string_view text) : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  std::size_t place() const { return static_cast<std::size_t>(at_ - begin_); }
  bool is_at_end() const { return at_ == end_; }

  void space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  // Takes a character, after space.
  bool take(char wanted) {
    if (at_ != end_ && *at_ == wanted) {  // mostly there is no space
      ++at_;
      return true;
    }
    space();
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }

  bool word(std::string_view wanted) {
    if (static_cast<std::size_t>(end_ - at_) < wanted.size()) return false;
    if (std::string_view(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  // A string of ASCII without escapes.
  bool ascii(std::string_view& value) {
    if (!take('"')) return false;
    const char* const start = at_;
    while (at_ != end_ && kPlain[static_cast<unsigned char>(*at_)]) ++at_;
    if (at_ == end_ || *at_ != '"') return false;
    value = {start, static_cast<std::size_t>(at_ - start)};
    ++at_;
    return true;
  }

  // Takes a string that is one name and no other.
  bool take_name(std::string_view wanted) {
    space();
    const auto left = static_cast<std::size_t>(end_ - at_);
    if (left < wanted.size() + 2 || *at_ != '"' || at_[wanted.size() + 1] != '"') return false;
    if (std::string_view(at_ + 1, wanted.size()) != wanted) return false;
    at_ += wanted.size() + 2;
    return true;
  }

  // Digits alone, of a number that doubles hold.
  bool integer(std::int64_t least, std::int64_t most, std::int64_t& value) {
    const char* const start = at_;
    std::int64_t number = 0;
    while (at_ != end_ && is_digit(*at_) && at_ - start < 17) number = 10 * number + (*at_++ - '0');
    const auto count = at_ - start;
    if (count == 0 || count > 16 || (count > 1 && *start == '0')) return false;
    if (at_ != end_ && (is_digit(*at_) || *at_ == '.' || *at_ == 'e' || *at_ == 'E')) return false;
    value = number;
    return number >= least && number <= most;
  }

  // Any value, checked to the letter.
  bool value(int depth = 0) {
    space();
    if (at_ == end_ || depth > kDeepest) return false;
    switch (*at_) {
      case '"': {
        std::string_view ignored;
        return ascii(ignored);
      }
      case '{':
        return items('}', [&] {
          std::string_view ignored;
          return ascii(ignored) && take(':') && value(depth + 1);
        });
      case '[':
        return items(']', [&] { return value(depth + 1); });
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  // The items of an array or of an object whose bracket comes next, up to the one that closes it.
  template <class Item>
  bool items(char closing, const Item& item) {
    ++at_;
    if (take(closing)) return true;
    do {
      if (!item()) return false;
    } while (take(','));
    return take(closing);
  }

  // Passes any value by its brackets and strings alone.
  bool pass() {
    space();
    std::size_t depth = 0;
    do {
      if (at_ == end_) return false;
      switch (*at_) {
        case '"':
          if (!pass_string()) return false;
          break;
        case '{':
        case '[':
          ++depth;
          ++at_;
          break;
        case '}':
        case ']':
          if (depth == 0) return false;  // no value at all
          --depth;
          ++at_;
          break;
        default:
          if (depth == 0) {
            pass_scalar();
            return true;
          }
          ++at_;
          break;
      }
    } while (depth > 0);
    return true;
  }

  char next() {
    space();
    return at_ == end_ ? '\0' : *at_;
  }

 private:
  static bool is_digit(char one) { return one >= '0' && one <= '9'; }

  bool digits() {
    const char* const start = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != start;
  }

  bool number() {
    if (*at_ == '-') ++at_;
    const char* const start = at_;
    if (!digits() || (*start == '0' && at_ - start > 1)) return false;
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      if (!digits()) return false;
    }
    if (at_ == end_ || (*at_ != 'e' && *at_ != 'E')) return true;
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    const char* const exponent = at_;
    return digits() && at_ - exponent <= 2;  // what no double holds is for the decoder to judge
  }

  bool pass_string() {
    for (++at_; at_ != end_; ++at_) {
      if (*at_ == '"') {
        ++at_;
        return true;
      }
      if (*at_ == '\\' && ++at_ == end_) return false;
    }
    return false;
  }

  void pass_scalar() {
    while (at_ != end_ && *at_ != ',' && *at_ != '}' && *at_ != ']' && *at_ != '"') ++at_;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
};

bool read_field(Reader& reader, const JsonField& field, std::int64_t* values) {
  reader.space();
  switch (field.kind) {
    case JsonField::Kind::kInteger:
      return reader.integer(field.least, field.most, *values);
    case JsonField::Kind::kFlag:
      *values = reader.word("true") ? 1 : 0;
      return *values == 1 || reader.word("false");
    case JsonField::Kind::kWord: {
      for (const auto& [word, number] : field.words) {
        if (!reader.take_name(word)) continue;
        *values = number;
        return true;
      }
      return false;
    }
    case JsonField::Kind::kPlace:
      values[0] = static_cast<std::int64_t>(reader.place());
      if (!reader.value()) return false;
      values[1] = static_cast<std::int64_t>(reader.place());
      return true;
  }
  return false;
}

bool read_object(Reader& reader, const std::vector<JsonTables::Member>& members, std::int64_t* row,
                 std::uint64_t& seen) {
  if (reader.next() != '{') return false;
  std::size_t next = 0;  // where to look first: objects of a tool have their members in one order
  return reader.items('}', [&] {
    for (std::size_t tried = 0; tried < members.size(); ++tried) {
      const JsonTables::Member& member = members[next];
      next = next + 1 == members.size() ? 0 : next + 1;
      if (!reader.take_name(member.name)) continue;
      if (!reader.take(':')) return false;
      const std::uint64_t bit = std::uint64_t{1} << member.bit;
      if ((seen & bit) != 0) return false;
      seen |= bit;
      return member.field != nullptr ? read_field(reader, *member.field, row + member.column)
                                     : read_object(reader, member.members, row, seen);
    }
    std::string_view ignored;
    return reader.ascii(ignored) && reader.take(':') && reader.value();
  });
}

bool read_rows(Reader& reader, const JsonTables::Table& table, JsonRows& rows) {
  if (reader.next() != '[') return false;
  std::int64_t& count = rows.row_count.back();
  std::vector<std::int64_t> row;
  return reader.items(']', [&] {
    row = table.absent;
    std::uint64_t seen = 0;
    if (!read_object(reader, table.members, row.data(), seen)) return false;
    for (std::size_t i = 0; i < row.size(); ++i) rows.columns[i].push_back(row[i]);
    ++count;
    return (seen & table.required) == table.required;
  });
}

// Reads the members of an object, of which some are tables, and appends to `rest` all else up to the end of the last.
class Document {
 public:
  Document(std::string_view text, const std::vector<JsonTables::Table>& tables, std::vector<JsonRows>& rows,
           std::string& rest)
      : text_(text), reader_(text), tables_(tables), rows_(rows), rest_(rest) {}

  bool read() {
    if (reader_.next() != '{' || !object("")) return false;
    rest_.append(text_.substr(kept_));
    return true;
  }

 private:
  // The root, or an object of the array `owner`.
  bool object(std::string_view owner) {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      if (tables_[i].owner == owner) rows_[i].row_count.push_back(0);
    }
    return reader_.items('}', [&] {
      std::string_view name;
      if (!reader_.ascii(name) || !reader_.take(':')) return false;
      bool is_owner = false;
      for (std::size_t i = 0; i < tables_.size(); ++i) {
        const JsonTables::Table& table = tables_[i];
        if (table.owner == owner && table.name == name) return once(seen, i) && cut(i);
        if (owner.empty() && table.owner == name) {
          is_owner = true;
          if (!once(seen, i)) return false;
        }
      }
      return is_owner ? owners(name) : reader_.pass();
    });
  }

  // The objects of an array of the root that have tables.
  bool owners(std::string_view name) {
    if (reader_.next() != '[') return false;
    return reader_.items(']', [&] { return reader_.next() == '{' && object(name); });
  }

  static bool once(std::uint64_t& seen, std::size_t table) {
    const std::uint64_t bit = std::uint64_t{1} << table;
    if ((seen & bit) != 0) return false;
    seen |= bit;
    return true;
  }

  bool cut(std::size_t table) {
    reader_.space();
    rest_.append(text_.substr(kept_, reader_.place() - kept_)).append("[]");
    if (!read_rows(reader_, tables_[table], rows_[table])) return false;
    kept_ = reader_.place();
    return true;
  }

  std::string_view text_;
  Reader reader_;
  const std::vector<JsonTables::Table>& tables_;
  std::vector<JsonRows>& rows_;
  std::string& rest_;
  std::size_t kept_ = 0;  // bytes of the text that `rest` has, or that tables have taken
};

}  // namespace

JsonTables::JsonTables(const std::vector<JsonTable>& tables) {
  assert(tables.size() <= 64);
  for (const JsonTable& from : tables) {
    Table table{from.owner, from.name, from.fields, {}, {}, 0};
    tables_.push_back(std::move(table));
  }
  for (Table& table : tables_) {
    std::size_t bits = 0;
    for (const JsonField& field : table.fields) {
      std::vector<Member>* members = &table.members;
      std::string_view name = field.name;
      for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/')) {
        const std::string_view outer = name.substr(0, slash);
        auto found = std::find_if(members->begin(), members->end(),
                                  [&](const Member& member) { return member.name == outer; });
        if (found == members->end()) {
          members->push_back({std::string(outer), nullptr, 0, bits++, {}});
          found = members->end() - 1;
        }
        members = &found->members;
        name.remove_prefix(slash + 1);
      }
      if (field.is_required) table.required |= std::uint64_t{1} << bits;
      members->push_back({std::string(name), &field, table.absent.size(), bits++, {}});
      table.absent.resize(table.absent.size() + (field.kind == JsonField::Kind::kPlace ? 2 : 1),
                          field.absent);
      assert(bits <= 64);
    }
  }
}

bool JsonTables::read(std::string_view text, std::vector<JsonRows>& rows, std::string& rest) const {
  rows.assign(tables_.size(), {});
  for (std::size_t i = 0; i < tables_.size(); ++i) rows[i].columns.resize(tables_[i].absent.size());
  rest.clear();
  return Document(text, tables_, rows, rest).read();
}

}  // namespace lissom
