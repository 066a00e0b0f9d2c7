// SPDX-License-Identifier: MIT
#include "core/linear_algebra/multigrid_kernels.h"

#include "core/simd/vector.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr int kDoubles = kWidth / 2, kSingles = kWidth < 8 ? 4 : 8;  // in a vector
template <class T>
struct VectorOf;
template <>
struct VectorOf<double> {
  using Type = double __attribute__((vector_size(8 * kDoubles)));
};
template <>
struct VectorOf<float> {
  using Type = float __attribute__((vector_size(4 * kSingles)));
};

// One entry of all lanes.
template <class T>
struct Lanes {
  using Vector = typename VectorOf<T>::Type;
  static constexpr std::size_t kInVector = sizeof(Vector) / sizeof(T), kParts = kSolveLanes / kInVector;
  Vector part[kParts] = {};

  friend LISSOM_INLINE Lanes operator*(const Lanes& a, const Lanes& b) {
    Lanes lanes;
    for (std::size_t p = 0; p < kParts; ++p) lanes.part[p] = a.part[p] * b.part[p];
    return lanes;
  }
  friend LISSOM_INLINE Lanes operator*(const Lanes& a, T b) {
    Lanes lanes;
    for (std::size_t p = 0; p < kParts; ++p) lanes.part[p] = a.part[p] * b;
    return lanes;
  }
  friend LISSOM_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
    Lanes lanes;
    for (std::size_t p = 0; p < kParts; ++p) lanes.part[p] = a.part[p] + b.part[p];
    return lanes;
  }
  friend LISSOM_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
    Lanes lanes;
    for (std::size_t p = 0; p < kParts; ++p) lanes.part[p] = a.part[p] - b.part[p];
    return lanes;
  }
  LISSOM_INLINE void add(T factor, const Lanes& value) {
    for (std::size_t p = 0; p < kParts; ++p) part[p] += factor * value.part[p];
  }
};

template <class T>
LISSOM_INLINE Lanes<T> load_all(const T* from) {
  Lanes<T> lanes;
  for (std::size_t p = 0; p < Lanes<T>::kParts; ++p)
    lanes.part[p] = load_as<typename Lanes<T>::Vector>(from + p * Lanes<T>::kInVector);
  return lanes;
}
template <class T>
LISSOM_INLINE Lanes<T> load_row(const T* from, std::size_t row) {
  return load_all(from + row * kSolveLanes);
}
template <class T>
LISSOM_INLINE void store_row(T* to, std::size_t row, const Lanes<T>& lanes) {
  for (std::size_t p = 0; p < Lanes<T>::kParts; ++p)
    store(to + row * kSolveLanes + p * Lanes<T>::kInVector, lanes.part[p]);
}
// A row of the other precision.
template <class T, class From>
LISSOM_INLINE Lanes<T> converted_row(const From* from, std::size_t row) {
  T numbers[kSolveLanes];
  for (std::size_t lane = 0; lane < kSolveLanes; ++lane)
    numbers[lane] = static_cast<T>(from[row * kSolveLanes + lane]);
  return load_all(numbers);
}

// The sum of values[e] x[columns[e]] for e in [begin, end). Four sums, so that no product waits for the one before.
template <class T>
LISSOM_INLINE Lanes<T> row_sum(const T* values, const std::int32_t* columns, std::size_t begin,
                               std::size_t end, const T* x) {
  Lanes<T> a, b, c, d;
  std::size_t e = begin;
  for (; e + 4 <= end; e += 4) {
    a.add(values[e], load_row(x, static_cast<std::size_t>(columns[e])));
    b.add(values[e + 1], load_row(x, static_cast<std::size_t>(columns[e + 1])));
    c.add(values[e + 2], load_row(x, static_cast<std::size_t>(columns[e + 2])));
    d.add(values[e + 3], load_row(x, static_cast<std::size_t>(columns[e + 3])));
  }
  for (; e < end; ++e) a.add(values[e], load_row(x, static_cast<std::size_t>(columns[e])));
  return (a + b) + (c + d);
}

void scale(const MatrixRows& rows, const double* r, float* scaled) {
  for (std::size_t k = 0; k < rows.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(rows.chosen[k]);
    const double factor = rows.scales[i] * kScaledUnit;
    for (std::size_t lane = i * kSolveLanes; lane < (i + 1) * kSolveLanes; ++lane)
      scaled[lane] = static_cast<float>(factor * r[lane]);
  }
}

void first_sweep(const MatrixRows& a, const float* mask, const float* r, float* z) {
  for (std::size_t k = 0; k < a.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(a.chosen[k]);
    const Lanes<float> before = row_sum(a.scaled_values, a.columns, a.starts[i], a.diagonals[i], z);
    store_row(z, i, load_row(mask, i) * (load_row(r, i) - before));
  }
}

void restrict_rest(const MatrixRows& a, const InterpolationRows& p, const float* mask, const float* z,
                   float* coarse) {
  for (std::size_t k = 0; k < a.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(a.chosen[k]);
    // Rows up to the diagonal cancel r: the sweep solved them.
    const Lanes<float> after = row_sum(a.scaled_values, a.columns, a.diagonals[i] + 1, a.starts[i + 1], z);
    const Lanes<float> rest = load_row(mask, i) * after;
    for (std::size_t e = p.starts[i]; e < p.starts[i + 1]; ++e) {
      const auto column = static_cast<std::size_t>(p.columns[e]);
      store_row(coarse, column, load_row(coarse, column) - rest * p.scaled_values[e]);
    }
  }
}

void prolong(const MatrixRows& rows, const InterpolationRows& p, const float* mask, const float* coarse,
             float* z) {
  for (std::size_t k = 0; k < rows.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(rows.chosen[k]);
    const Lanes<float> value = row_sum(p.scaled_values, p.columns, p.starts[i], p.starts[i + 1], coarse);
    store_row(z, i, load_row(z, i) + load_row(mask, i) * value);
  }
}

LISSOM_INLINE void relax(const MatrixRows& a, const float* mask, const float* r, float* z, std::size_t i) {
  const Lanes<float> all = row_sum(a.scaled_values, a.columns, a.starts[i], a.starts[i + 1], z);
  store_row(z, i, load_row(z, i) + load_row(mask, i) * (load_row(r, i) - all));
}

void sweep(const MatrixRows& a, const float* mask, const float* r, float* z, bool descending) {
  if (descending) {
    for (std::size_t k = a.chosen_count; k-- > 0;)
      relax(a, mask, r, z, static_cast<std::size_t>(a.chosen[k]));
  } else {
    for (std::size_t k = 0; k < a.chosen_count; ++k)
      relax(a, mask, r, z, static_cast<std::size_t>(a.chosen[k]));
  }
}

void multiply(const MatrixRows& a, const double* p, double* q, double* sums) {
  Lanes<double> total;
  for (std::size_t k = 0; k < a.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(a.chosen[k]);
    const Lanes<double> value = row_sum(a.values, a.columns, a.starts[i], a.starts[i + 1], p);
    store_row(q, i, value);
    total = total + value * load_row(p, i);
  }
  store_row(sums, 0, total);
}

void subtract(const MatrixRows& a, const double* b, const double* x, double* r) {
  for (std::size_t k = 0; k < a.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(a.chosen[k]);
    store_row(r, i, load_row(b, i) - row_sum(a.values, a.columns, a.starts[i], a.starts[i + 1], x));
  }
}

void dot(const MatrixRows& rows, const float* z, const double* r, double* sums) {
  Lanes<double> total;
  for (std::size_t k = 0; k < rows.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(rows.chosen[k]);
    total = total + converted_row<double>(z, i) * rows.scales[i] * load_row(r, i);
  }
  store_row(sums, 0, total * (1 / kScaledUnit));
}

void direct(const MatrixRows& rows, const float* z, const double* factor, double* p) {
  const Lanes<double> factors = load_all(factor);
  for (std::size_t k = 0; k < rows.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(rows.chosen[k]);
    store_row(p, i, converted_row<double>(z, i) * (rows.scales[i] / kScaledUnit) + factors * load_row(p, i));
  }
}

void advance(const MatrixRows& rows, const double* factor, const double* p, const double* q, double* x,
             double* r, double* largest) {
  const Lanes<double> factors = load_all(factor);
  Lanes<double> most;
  for (std::size_t k = 0; k < rows.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(rows.chosen[k]);
    const Lanes<double> step = factors * load_row(p, i);
    store_row(x, i, load_row(x, i) + step);
    store_row(r, i, load_row(r, i) - factors * load_row(q, i));
    for (std::size_t part = 0; part < Lanes<double>::kParts; ++part) {
      const Lanes<double>::Vector size = step.part[part] < 0 ? -step.part[part] : step.part[part];
      most.part[part] = size > most.part[part] ? size : most.part[part];
    }
  }
  store_row(largest, 0, most);
}

}  // namespace

extern const MultigridKernels multigrid_kernels;
const MultigridKernels multigrid_kernels = {&scale,    &first_sweep, &restrict_rest, &prolong, &sweep,
                                            &multiply, &subtract,    &dot,           &direct,  &advance};

}  // namespace lissom::LISSOM_ISA
