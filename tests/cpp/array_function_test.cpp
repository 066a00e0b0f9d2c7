// SPDX-License-Identifier: MIT
#include "core/arrays/array_function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/math/trs.h"
#include "core/parallel/thread_pool.h"
#include "core/simd/isa.h"

// Every array function against itself: a row's bits depend neither on the instruction set nor on where the row stands.
// That the formulas are right is the business of the tests of quat.h and its siblings.

namespace lissom {
namespace {

constexpr std::ptrdiff_t kLength = 5;  // of an axis that the signature leaves open
constexpr std::ptrdiff_t kRows = 37;   // more than two blocks of the widest kernel

// What the signature says of one operand.
struct Operand {
  std::vector<std::ptrdiff_t> sides;
  bool is_truth;
  std::ptrdiff_t size() const {
    std::ptrdiff_t product = 1;
    for (const std::ptrdiff_t side : sides) product *= side;
    return product;
  }
};
struct Signature {
  std::vector<Operand> operands;
  std::vector<std::ptrdiff_t> dimensions;  // each name once, as NumPy hands them to a loop
};
Signature read(const ArrayFunction& function) {
  Signature result;
  std::vector<std::string> names;
  std::string name;
  for (const char* at = function.signature; *at; ++at) {
    if (*at == '(') result.operands.push_back({{}, function.is_truth[result.operands.size()]});
    if (std::isalnum(static_cast<unsigned char>(*at))) {
      name += *at;
    } else if (!name.empty()) {
      const std::ptrdiff_t side =
          std::isdigit(static_cast<unsigned char>(name[0])) ? std::stoi(name) : kLength;
      result.operands.back().sides.push_back(side);
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
        result.dimensions.push_back(side);
      }
      name.clear();
    }
  }
  return result;
}

template <class T>
const ArrayLoops<T>& loops(const ArrayFunction& function) {
  if constexpr (sizeof(T) == 4) {
    return function.floats;
  } else {
    return function.doubles;
  }
}

// An array of rows that is laid out in some way, with untouched bytes before, between and after.
class Rows {
 public:
  enum Layout { kPacked, kApart, kBackwards, kCoreApart, kCoreBackwards, kTransposed, kRepeated };
  static constexpr Layout kLayouts[] = {kPacked,        kApart,      kBackwards, kCoreApart,
                                        kCoreBackwards, kTransposed, kRepeated};

  Rows(const Operand& operand, std::size_t scalar, std::ptrdiff_t count, Layout layout)
      : sides_(operand.sides), scalar_(operand.is_truth ? 1 : static_cast<std::ptrdiff_t>(scalar)) {
    const std::ptrdiff_t step = layout == kCoreApart ? 2 * scalar_ : scalar_;
    std::ptrdiff_t stride = step;
    core_.resize(sides_.size());
    for (std::size_t axis = 0; axis < sides_.size(); ++axis) {  // the last axis is the fastest, or the first
      const std::size_t at = layout == kTransposed ? axis : sides_.size() - 1 - axis;
      core_[at] = stride;
      stride *= sides_[at];
    }
    if (layout == kApart || layout == kCoreApart) stride += 3 * scalar_;
    if (layout == kRepeated) count = std::min<std::ptrdiff_t>(count, 1);
    bytes_.assign(static_cast<std::size_t>(count * stride + 2 * kGuard), kUntouched);
    first_ = kGuard;
    stride_ = layout == kRepeated ? 0 : stride;
    if (layout == kBackwards && count > 0) {
      first_ += (count - 1) * stride;
      stride_ = -stride;
    }
    if (layout == kCoreBackwards) {
      for (std::size_t axis = 0; axis < sides_.size(); ++axis) {
        first_ += (sides_[axis] - 1) * core_[axis];
        core_[axis] = -core_[axis];
      }
    }
  }

  char* first() { return bytes_.data() + first_; }
  std::ptrdiff_t stride() const { return stride_; }
  const std::vector<std::ptrdiff_t>& core() const { return core_; }

  std::string get(std::ptrdiff_t row) const {
    std::string numbers;
    visit(row,
          [&](std::ptrdiff_t at) { numbers.append(bytes_.data() + at, static_cast<std::size_t>(scalar_)); });
    return numbers;
  }
  void set(std::ptrdiff_t row, const std::string& numbers) {
    std::size_t from = 0;
    visit(row, [&](std::ptrdiff_t at) {
      std::memcpy(bytes_.data() + at, numbers.data() + from, static_cast<std::size_t>(scalar_));
      from += static_cast<std::size_t>(scalar_);
    });
  }
  // Whether nothing but the numbers of the first `count` rows was ever written.
  bool is_clean_around(std::ptrdiff_t count) const {
    std::vector<char> rest = bytes_;
    for (std::ptrdiff_t row = 0; row < count; ++row) {
      visit(row, [&](std::ptrdiff_t at) { std::fill_n(rest.begin() + at, scalar_, kUntouched); });
    }
    return std::all_of(rest.begin(), rest.end(), [](char byte) { return byte == kUntouched; });
  }

 private:
  static constexpr char kUntouched = 0x5b;
  static constexpr std::ptrdiff_t kGuard = 64;

  template <class Visitor>
  void visit(std::ptrdiff_t row, Visitor visitor) const {
    std::ptrdiff_t size = 1;
    for (const std::ptrdiff_t side : sides_) size *= side;
    for (std::ptrdiff_t i = 0; i < size; ++i) {
      std::ptrdiff_t at = first_ + row * stride_, rest = i;
      for (std::size_t axis = sides_.size(); axis-- > 0; rest /= sides_[axis])
        at += rest % sides_[axis] * core_[axis];
      visitor(at);
    }
  }

  std::vector<std::ptrdiff_t> sides_, core_;
  std::ptrdiff_t scalar_, stride_, first_;
  std::vector<char> bytes_;
};

template <class T>
std::string bytes_of(const std::vector<double>& numbers) {
  std::string bytes;
  for (const double number : numbers) {
    const T narrow = static_cast<T>(number);
    bytes.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  }
  return bytes;
}

// Numbers for one operand: mostly what its shape stands for (unit quaternions, rotations, rigid transforms), so that
// functions that check have something to say yes to; else anything, with zeros of both signs.
std::vector<double> random_numbers(const Operand& operand, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const auto any_vec = [&] { return Vec3<double>{normal(random), normal(random), normal(random)}; };
  const auto any_quat = [&] {
    return normalized(Quat<double>{normal(random), normal(random), normal(random), normal(random)});
  };
  const bool is_proper = random() % 4 != 0;
  const std::ptrdiff_t last = operand.sides.empty() ? 1 : operand.sides.back();
  std::vector<double> numbers;
  while (static_cast<std::ptrdiff_t>(numbers.size()) < operand.size()) {
    const Quat<double> q = any_quat();
    const Vec3<double> v = any_vec();
    const Quat<double> d = quat_from(0.5 * v, 0.0) * q;
    const Mat3<double> m = mat3_from(q);
    const bool is_square = operand.sides.size() == 2 && operand.sides[0] == last;
    if (!is_proper) {
      numbers.push_back(random() % 8 ? v.x : random() % 2 ? 0.0 : -0.0);
    } else if (is_square) {
      for (int i = 0; i < last; ++i) {
        for (int j = 0; j < last; ++j) {
          const double translation[] = {v.x, v.y, v.z};
          numbers.push_back(i < 3 && j < 3 ? m.m[i][j] : i < 3 ? translation[i] : i == j);
        }
      }
    } else if (last == 4) {
      numbers.insert(numbers.end(), {q.x, q.y, q.z, q.w});
    } else if (last == 8) {
      numbers.insert(numbers.end(), {q.x, q.y, q.z, q.w, d.x, d.y, d.z, d.w});
    } else if (last == 10) {
      numbers.insert(numbers.end(), {v.x, v.y, v.z, q.x, q.y, q.z, q.w, 1, 1, 1});
    } else {
      numbers.push_back(std::abs(v.x));  // weights, parts of a way, angles, vectors
    }
  }
  return numbers;
}

// Both NaN, or the same bits: which NaN it is, processors decide.
template <class T>
bool is_same(const std::string& a, const std::string& b, bool is_truth) {
  if (a == b) return true;
  if (is_truth || a.size() != b.size()) return false;
  for (std::size_t at = 0; at < a.size(); at += sizeof(T)) {
    T x, y;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    if (std::memcmp(&x, &y, sizeof x) != 0 && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return true;
}

std::ptrdiff_t call(ArrayLoop loop, const Signature& signature, std::vector<Rows*> rows,
                    std::ptrdiff_t count) {
  std::vector<char*> args;
  std::vector<std::ptrdiff_t> counts{count}, strides, core;
  counts.insert(counts.end(), signature.dimensions.begin(), signature.dimensions.end());
  for (Rows* operand : rows) {
    args.push_back(operand->first());
    strides.push_back(operand->stride());
    core.insert(core.end(), operand->core().begin(), operand->core().end());
  }
  strides.insert(strides.end(), core.begin(), core.end());
  return loop(args.data(), counts.data(), strides.data());
}

// A row's numbers: of each input, and of each output by the narrowest instruction set from that row alone.
struct Case {
  std::vector<std::string> inputs, outputs;
};

// The functions of one instruction set beside cases that another one answered.
template <class T>
class Trial {
 public:
  Trial(const ArrayFunction& function) : function_(function), signature_(read(function)) {}

  // -1, or 0 where the row has no answer.
  std::ptrdiff_t answer(Case& row) const {
    std::vector<Rows> rows = make(1, Rows::kPacked);
    for (int i = 0; i < function_.input_count; ++i) rows[i].set(0, row.inputs[i]);
    const std::ptrdiff_t broken = call(loops<T>(function_).run, signature_, pointers(rows), 1);
    row.outputs.clear();
    for (int i = function_.input_count; i < operand_count(); ++i) row.outputs.push_back(rows[i].get(0));
    return broken;
  }
  Case random_case(std::mt19937& random) const {
    Case row;
    for (int i = 0; i < function_.input_count; ++i)
      row.inputs.push_back(bytes_of<T>(random_numbers(signature_.operands[i], random)));
    return row;
  }

  // The first `count` cases at once.
  void expect_answers(const std::vector<Case>& cases, std::ptrdiff_t count, Rows::Layout layout) const {
    std::vector<Rows> rows = make(count, layout);
    // One input that is the same for all rows is set by the first.
    std::vector<Case> wanted(cases.begin(), cases.begin() + count);
    if (layout == Rows::kRepeated) {
      for (Case& row : wanted) {
        row.inputs[0] = cases[0].inputs[0];
        if (answer(row) >= 0) return;  // these rows do not go together
      }
    }
    fill(rows, wanted);
    if (loops<T>(function_).search) {
      EXPECT_EQ(call(loops<T>(function_).search, signature_, pointers(rows), count), -1);
    }
    EXPECT_EQ(call(loops<T>(function_).run, signature_, pointers(rows), count), -1);
    expect_outputs(rows, wanted);
    for (int i = 0; i < operand_count(); ++i) {
      if (layout == Rows::kRepeated && i == 0) continue;
      EXPECT_TRUE(rows[i].is_clean_around(count)) << "operand " << i;
    }
  }
  // The output is the input `index`, where it has its shape.
  void expect_answers_in_place(const std::vector<Case>& cases, int index) const {
    const int output = function_.input_count;
    if (signature_.operands[index].sides != signature_.operands[output].sides || function_.is_truth[output])
      return;
    const auto count = static_cast<std::ptrdiff_t>(cases.size());
    for (const Rows::Layout layout : {Rows::kPacked, Rows::kApart, Rows::kBackwards, Rows::kCoreApart}) {
      std::vector<Rows> rows = make(count, layout);
      fill(rows, cases);
      std::vector<Rows*> operands = pointers(rows);
      operands[output] = operands[index];
      EXPECT_EQ(call(loops<T>(function_).run, signature_, operands, count), -1);
      for (std::ptrdiff_t row = 0; row < count; ++row)
        EXPECT_TRUE(is_same<T>(rows[index].get(row), cases[row].outputs[0], false)) << "row " << row;
    }
  }
  // A row that has no answer at `place` among those that have one.
  void expect_broken_row(std::vector<Case> cases, const Case& broken, std::ptrdiff_t place) const {
    cases[place] = broken;
    const auto count = static_cast<std::ptrdiff_t>(cases.size());
    std::vector<Rows> rows = make(count, Rows::kApart);
    fill(rows, cases);
    EXPECT_EQ(call(loops<T>(function_).search, signature_, pointers(rows), count), place);
    for (int i = function_.input_count; i < operand_count(); ++i) EXPECT_TRUE(rows[i].is_clean_around(0));
    EXPECT_EQ(call(loops<T>(function_).run, signature_, pointers(rows), count), place);
  }

  int operand_count() const { return function_.input_count + function_.output_count; }

 private:
  std::vector<Rows> make(std::ptrdiff_t count, Rows::Layout layout) const {
    std::vector<Rows> rows;
    for (int i = 0; i < operand_count(); ++i) {
      const bool is_repeated = layout == Rows::kRepeated;
      rows.emplace_back(signature_.operands[i], sizeof(T), count,
                        is_repeated && i > 0 ? Rows::kPacked : layout);
    }
    return rows;
  }
  static std::vector<Rows*> pointers(std::vector<Rows>& rows) {
    std::vector<Rows*> result;
    for (Rows& operand : rows) result.push_back(&operand);
    return result;
  }
  void fill(std::vector<Rows>& rows, const std::vector<Case>& cases) const {
    for (std::size_t row = 0; row < cases.size(); ++row) {
      for (int i = 0; i < function_.input_count; ++i)
        rows[i].set(static_cast<std::ptrdiff_t>(row), cases[row].inputs[i]);
    }
  }
  void expect_outputs(const std::vector<Rows>& rows, const std::vector<Case>& cases) const {
    for (std::size_t row = 0; row < cases.size(); ++row) {
      for (int i = 0; i < function_.output_count; ++i) {
        const int operand = function_.input_count + i;
        EXPECT_TRUE(is_same<T>(rows[operand].get(static_cast<std::ptrdiff_t>(row)), cases[row].outputs[i],
                               function_.is_truth[operand]))
            << "row " << row << " of " << cases.size() << ", output " << i;
      }
    }
  }

  const ArrayFunction& function_;
  Signature signature_;
};

template <class T>
void expect_same_bits_everywhere() {
  const std::vector<Isa> isas = runnable_isas();
  const std::vector<ArrayFunction> narrowest = array_functions(isas.front());
  ASSERT_FALSE(narrowest.empty());
  for (std::size_t index = 0; index < narrowest.size(); ++index) {
    const Trial<T> first(narrowest[index]);
    std::mt19937 random(static_cast<unsigned>(index));
    std::vector<Case> cases, broken;
    for (int tries = 0; tries < 100 * kRows && static_cast<std::ptrdiff_t>(cases.size()) < kRows; ++tries) {
      Case row = first.random_case(random);
      (first.answer(row) < 0 ? cases : broken).push_back(row);
    }
    SCOPED_TRACE(narrowest[index].name);
    ASSERT_EQ(static_cast<std::ptrdiff_t>(cases.size()), kRows) << "too few random rows have an answer";
    for (const Isa isa : isas) {
      SCOPED_TRACE(isa_name(isa));
      const ArrayFunction function = array_functions(isa)[index];
      ASSERT_STREQ(function.name, narrowest[index].name);
      const Trial<T> trial(function);
      for (const Rows::Layout layout : Rows::kLayouts) {
        SCOPED_TRACE("layout " + std::to_string(layout));
        const std::ptrdiff_t lanes = isa_width(isa) * 4 / static_cast<std::ptrdiff_t>(sizeof(T));
        for (const std::ptrdiff_t count :
             {std::ptrdiff_t{0}, std::ptrdiff_t{1}, lanes - 1, lanes, lanes + 1, kRows})
          trial.expect_answers(cases, count, layout);
      }
      for (int input = 0; input < function.input_count; ++input) trial.expect_answers_in_place(cases, input);
      if (loops<T>(function).search && !broken.empty()) {
        for (const std::ptrdiff_t place : {std::ptrdiff_t{0}, std::ptrdiff_t{7}, kRows - 1})
          trial.expect_broken_row(cases, broken.front(), place);
      }
    }
  }
}

TEST(ArrayFunctions, GiveTheSameBitsInFloatOnEveryInstructionSetAndInEveryPlace) {
  expect_same_bits_everywhere<float>();
}
TEST(ArrayFunctions, GiveTheSameBitsInDoubleOnEveryInstructionSetAndInEveryPlace) {
  expect_same_bits_everywhere<double>();
}

TEST(ArrayFunctions, HaveNamesOfTheirOwn) {
  std::vector<std::string> names;
  for (const ArrayFunction& function : array_functions(chosen_isa())) names.push_back(function.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

// One row by hand, so that all the above is not agreement about nothing.
TEST(ArrayFunctions, MultiplyQuaternionsAsTheFormulaDoes) {
  const std::vector<ArrayFunction> all = array_functions(chosen_isa());
  const auto multiply = std::find_if(all.begin(), all.end(), [](const ArrayFunction& function) {
    return std::string(function.name) == "quat_multiply";
  });
  ASSERT_NE(multiply, all.end());
  const Quat<double> a{1, 2, 3, 4}, b{5, 6, 7, 8}, wanted = a * b;
  Case row{{bytes_of<double>({a.x, a.y, a.z, a.w}), bytes_of<double>({b.x, b.y, b.z, b.w})}, {}};
  EXPECT_EQ(Trial<double>(*multiply).answer(row), -1);
  EXPECT_EQ(row.outputs[0], bytes_of<double>({wanted.x, wanted.y, wanted.z, wanted.w}));
}

TEST(ArrayFunctions, SeveralThreadsGetTheBitsOfOne) {
  const std::vector<ArrayFunction> all = array_functions(runnable_isas().back());
  const auto multiply = std::find_if(all.begin(), all.end(), [](const ArrayFunction& function) {
    return std::string(function.name) == "quat_multiply";
  });
  ASSERT_NE(multiply, all.end());
  constexpr std::ptrdiff_t kMany = 100003;
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> a(4 * kMany), b(4), one(4 * kMany), several(4 * kMany, 7.0f);
  for (float& number : a) number = normal(random);
  for (float& number : b) number = normal(random);
  const std::ptrdiff_t counts[] = {kMany, 4};
  const std::ptrdiff_t strides[] = {16, 0, 16, 4, 4, 4};  // the second operand is a single row
  const auto run = [&](std::vector<float>& out, int threads) {
    char* const args[] = {reinterpret_cast<char*>(a.data()), reinterpret_cast<char*>(b.data()),
                          reinterpret_cast<char*>(out.data())};
    EXPECT_FALSE(set_thread_count(threads));
    return run_rows(multiply->floats.run, 3, 1e3, args, counts, strides);
  };
  EXPECT_EQ(run(one, 1), -1);
  EXPECT_EQ(run(several, 3), -1);
  EXPECT_FALSE(set_thread_count(0));
  EXPECT_EQ(std::memcmp(one.data(), several.data(), one.size() * sizeof(float)), 0);
}

}  // namespace
}  // namespace lissom
