// SPDX-License-Identifier: MIT
#include "core/arrays/decomposition_functions.h"

#include <algorithm>
#include <cstring>

#include "core/arrays/decomposition_kernels.h"
#include "core/math/decompose.h"
#include "core/simd/isa.h"

namespace lissom {

LISSOM_EQUAL_KERNEL_TABLE(DecompositionKernels, decomposition_kernels)

namespace {

// Blocks of rows in double, which operands are copied into and out of.

constexpr int kBlock = 64;
constexpr std::ptrdiff_t kReal = sizeof(double);

template <class T>
void read_matrix(const char* from, const std::ptrdiff_t* strides, Mat4<double>& matrix) {
  constexpr std::ptrdiff_t kScalar = sizeof(T);
  if (strides[1] == kScalar && strides[0] == 4 * kScalar) {
    T numbers[kMatrixScalars];
    std::memcpy(numbers, from, sizeof numbers);
    for (int i = 0; i < kMatrixScalars; ++i) matrix.m[i / 4][i % 4] = numbers[i];
    return;
  }
  for (int i = 0; i < kMatrixScalars; ++i) {
    T number;
    std::memcpy(&number, from + i / 4 * strides[0] + i % 4 * strides[1], sizeof number);
    matrix.m[i / 4][i % 4] = number;
  }
}
template <class T>
void write(char* to, double number) {
  const T narrow = static_cast<T>(number);
  std::memcpy(to, &narrow, sizeof narrow);
}
template <class T>
void write_trs(char* to, std::ptrdiff_t stride, const Trs<double>& trs) {
  double numbers[kTrsScalars];
  std::memcpy(numbers, &trs, sizeof numbers);
  for (int i = 0; i < kTrsScalars; ++i) write<T>(to + i * stride, numbers[i]);
}

struct Block {
  Mat4<double> matrices[kBlock];
  Trs<double> trs[kBlock];
  double shears[kBlock];
  char is_irregular[kBlock];

  // False where a matrix is not finite or not affine: that is row `broken`.
  bool decompose_all(Isa isa, std::ptrdiff_t count, std::ptrdiff_t& broken) {
    char* const args[] = {reinterpret_cast<char*>(matrices), reinterpret_cast<char*>(trs),
                          reinterpret_cast<char*>(shears), is_irregular};
    constexpr std::ptrdiff_t kStrides[] = {
        sizeof(Mat4<double>), sizeof(Trs<double>), kReal, 1, 4 * kReal, kReal, kReal};
    decomposition_kernels(isa).regular(args, &count, kStrides);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      if (!is_irregular[i]) continue;
      const auto parts = decompose(matrices[i]);
      broken = i;
      if (!parts) return false;
      trs[i] = parts->trs;
      shears[i] = parts->shear;
    }
    return true;
  }
};

// Operands are the matrices, the trs and, with kWithShear, the shears.
template <Isa kIsa, class T, bool kWithShear>
std::ptrdiff_t run(char* const* args, const std::ptrdiff_t* counts, const std::ptrdiff_t* strides) {
  const std::ptrdiff_t* core =
      strides + (kWithShear ? 3 : 2);  // rows and columns of matrices, numbers of trs
  Block block;
  for (std::ptrdiff_t from = 0; from < counts[0]; from += kBlock) {
    const std::ptrdiff_t count = std::min<std::ptrdiff_t>(kBlock, counts[0] - from);
    for (std::ptrdiff_t i = 0; i < count; ++i)
      read_matrix<T>(args[0] + (from + i) * strides[0], core, block.matrices[i]);
    std::ptrdiff_t broken = 0;
    if (!block.decompose_all(kIsa, count, broken)) return from + broken;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      write_trs<T>(args[1] + (from + i) * strides[1], core[2], block.trs[i]);
      if constexpr (kWithShear) write<T>(args[2] + (from + i) * strides[2], block.shears[i]);
    }
  }
  return -1;
}

template <class T, bool kWithShear>
std::ptrdiff_t search(char* const* args, const std::ptrdiff_t* counts, const std::ptrdiff_t* strides) {
  for (std::ptrdiff_t i = 0; i < counts[0]; ++i) {
    Mat4<double> matrix;
    read_matrix<T>(args[0] + i * strides[0], strides + (kWithShear ? 3 : 2), matrix);
    if (!is_finite_and_affine(matrix)) return i;
  }
  return -1;
}

template <Isa kIsa>
constexpr ArrayFunction kFunctions[] = {
    {"trs_from_matrix",
     "(4,4)->(10)",
     1,
     1,
     {},
     {run<kIsa, float, false>, search<float, false>},
     {run<kIsa, double, false>, search<double, false>}},
    {"trs_from_matrix_with_shear",
     "(4,4)->(10),()",
     1,
     2,
     {},
     {run<kIsa, float, true>, search<float, true>},
     {run<kIsa, double, true>, search<double, true>}},
};

template <Isa kIsa>
ArrayFunctions functions() {
  return {kFunctions<kIsa>, sizeof kFunctions<kIsa> / sizeof *kFunctions<kIsa>};
}

}  // namespace

ArrayFunctions decomposition_functions(Isa isa) {
  switch (isa) {
    case Isa::kV4:
      return functions<Isa::kV4>();
    case Isa::kV3:
      return functions<Isa::kV3>();
    case Isa::kV2:
      return functions<Isa::kV2>();
    default:
      return functions<Isa::kPortable>();
  }
}

}  // namespace lissom
