// SPDX-License-Identifier: MIT
#include "core/linear_algebra/multigrid_kernels.h"

#include "core/simd/vector.h"

namespace lissom::LISSOM_ISA {
namespace {

constexpr int kDoubles = kWidth / 2;  // doubles in a vector
using Double = double __attribute__((vector_size(8 * kDoubles)));
constexpr std::size_t kParts = kSolveLanes / kDoubles;  // vectors that hold one entry of all lanes

struct Lanes {
  Double part[kParts] = {};
};

LISSOM_INLINE Lanes load_all(const double* from) {
  Lanes lanes;
  for (std::size_t p = 0; p < kParts; ++p) lanes.part[p] = load_as<Double>(from + p * kDoubles);
  return lanes;
}
LISSOM_INLINE Lanes load_row(const double* from, std::size_t row) {
  return load_all(from + row * kSolveLanes);
}
LISSOM_INLINE void store_row(double* to, std::size_t row, const Lanes& lanes) {
  for (std::size_t p = 0; p < kParts; ++p) store(to + row * kSolveLanes + p * kDoubles, lanes.part[p]);
}
LISSOM_INLINE Lanes operator*(const Lanes& a, const Lanes& b) {
  Lanes lanes;
  for (std::size_t p = 0; p < kParts; ++p) lanes.part[p] = a.part[p] * b.part[p];
  return lanes;
}
LISSOM_INLINE Lanes operator*(const Lanes& a, double b) {
  Lanes lanes;
  for (std::size_t p = 0; p < kParts; ++p) lanes.part[p] = a.part[p] * b;
  return lanes;
}
LISSOM_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
  Lanes lanes;
  for (std::size_t p = 0; p < kParts; ++p) lanes.part[p] = a.part[p] + b.part[p];
  return lanes;
}
LISSOM_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
  Lanes lanes;
  for (std::size_t p = 0; p < kParts; ++p) lanes.part[p] = a.part[p] - b.part[p];
  return lanes;
}
LISSOM_INLINE void add(Lanes& to, double factor, const Lanes& value) {
  for (std::size_t p = 0; p < kParts; ++p) to.part[p] += factor * value.part[p];
}

// The sum of values[e] x[columns[e]] for e in [begin, end). Four sums, so that no product waits for the one before.
LISSOM_INLINE Lanes row_sum(const double* values, const std::int32_t* columns, std::size_t begin,
                            std::size_t end, const double* x) {
  Lanes a, b, c, d;
  std::size_t e = begin;
  for (; e + 4 <= end; e += 4) {
    add(a, values[e], load_row(x, static_cast<std::size_t>(columns[e])));
    add(b, values[e + 1], load_row(x, static_cast<std::size_t>(columns[e + 1])));
    add(c, values[e + 2], load_row(x, static_cast<std::size_t>(columns[e + 2])));
    add(d, values[e + 3], load_row(x, static_cast<std::size_t>(columns[e + 3])));
  }
  for (; e < end; ++e) add(a, values[e], load_row(x, static_cast<std::size_t>(columns[e])));
  return (a + b) + (c + d);
}

void first_sweep(const MatrixRows& a, const double* mask, const double* r, double* z) {
  for (std::size_t k = 0; k < a.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(a.chosen[k]);
    const Lanes before = row_sum(a.values, a.columns, a.starts[i], a.diagonals[i], z);
    store_row(z, i, load_row(mask, i) * ((load_row(r, i) - before) * a.inverses[i]));
  }
}

void restrict_rest(const MatrixRows& a, const InterpolationRows& p, const double* mask, const double* z,
                   double* coarse) {
  for (std::size_t k = 0; k < a.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(a.chosen[k]);
    // Rows up to the diagonal cancel r: the sweep solved them.
    const Lanes after = row_sum(a.values, a.columns, a.diagonals[i] + 1, a.starts[i + 1], z);
    const Lanes rest = load_row(mask, i) * after;
    for (std::size_t e = p.starts[i]; e < p.starts[i + 1]; ++e) {
      const auto column = static_cast<std::size_t>(p.columns[e]);
      store_row(coarse, column, load_row(coarse, column) - rest * p.values[e]);
    }
  }
}

void prolong(const MatrixRows& rows, const InterpolationRows& p, const double* mask, const double* coarse,
             double* z) {
  for (std::size_t k = 0; k < rows.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(rows.chosen[k]);
    const Lanes value = row_sum(p.values, p.columns, p.starts[i], p.starts[i + 1], coarse);
    store_row(z, i, load_row(z, i) + load_row(mask, i) * value);
  }
}

LISSOM_INLINE void relax(const MatrixRows& a, const double* mask, const double* r, double* z, std::size_t i) {
  const Lanes all = row_sum(a.values, a.columns, a.starts[i], a.starts[i + 1], z);
  store_row(z, i, load_row(z, i) + load_row(mask, i) * ((load_row(r, i) - all) * a.inverses[i]));
}

void sweep(const MatrixRows& a, const double* mask, const double* r, double* z, bool descending) {
  if (descending) {
    for (std::size_t k = a.chosen_count; k-- > 0;)
      relax(a, mask, r, z, static_cast<std::size_t>(a.chosen[k]));
  } else {
    for (std::size_t k = 0; k < a.chosen_count; ++k)
      relax(a, mask, r, z, static_cast<std::size_t>(a.chosen[k]));
  }
}

void multiply(const MatrixRows& a, const double* p, double* q, double* sums) {
  Lanes total;
  for (std::size_t k = 0; k < a.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(a.chosen[k]);
    const Lanes value = row_sum(a.values, a.columns, a.starts[i], a.starts[i + 1], p);
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

void dot(const MatrixRows& rows, const double* a, const double* b, double* sums) {
  Lanes total;
  for (std::size_t k = 0; k < rows.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(rows.chosen[k]);
    total = total + load_row(a, i) * load_row(b, i);
  }
  store_row(sums, 0, total);
}

void direct(const MatrixRows& rows, const double* z, const double* factor, double* p) {
  const Lanes factors = load_all(factor);
  for (std::size_t k = 0; k < rows.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(rows.chosen[k]);
    store_row(p, i, load_row(z, i) + factors * load_row(p, i));
  }
}

void advance(const MatrixRows& rows, const double* factor, const double* p, const double* q, double* x,
             double* r, double* largest) {
  const Lanes factors = load_all(factor);
  Lanes most;
  for (std::size_t k = 0; k < rows.chosen_count; ++k) {
    const auto i = static_cast<std::size_t>(rows.chosen[k]);
    const Lanes step = factors * load_row(p, i);
    store_row(x, i, load_row(x, i) + step);
    store_row(r, i, load_row(r, i) - factors * load_row(q, i));
    for (std::size_t part = 0; part < kParts; ++part) {
      const Double size = step.part[part] < 0 ? -step.part[part] : step.part[part];
      most.part[part] = size > most.part[part] ? size : most.part[part];
    }
  }
  store_row(largest, 0, most);
}

}  // namespace

extern const MultigridKernels multigrid_kernels;
const MultigridKernels multigrid_kernels = {&first_sweep, &restrict_rest, &prolong, &sweep,  &multiply,
                                            &subtract,    &dot,           &direct,  &advance};

}  // namespace lissom::LISSOM_ISA
