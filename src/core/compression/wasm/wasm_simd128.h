// SPDX-License-Identifier: MIT
// The 128-bit operations of WebAssembly that meshoptimizer's filters are made of, on the vector extensions of GCC and
// Clang. Its filters for SSE and NEON take reciprocal square roots that each machine rounds in its own way; those for
// WebAssembly are of exact operations alone, so that by this header every machine gives the bytes that browsers give.
// Source of the meanings: WebAssembly core specification 2.0, vector instructions.
#pragma once

#include <cstdint>
#include <cstring>

using v128_t = std::int32_t __attribute__((vector_size(16)));

namespace lissom_wasm {

using Floats = float __attribute__((vector_size(16)));
using Words = std::uint32_t __attribute__((vector_size(16)));
using Halves = std::int16_t __attribute__((vector_size(16)));
using Longs = std::int64_t __attribute__((vector_size(16)));

// Of another element, the same bits.
template <class To, class From>
inline To as(From value) {
  return reinterpret_cast<To>(value);
}
inline Floats floats(v128_t value) { return as<Floats>(value); }
inline Words words(v128_t value) { return as<Words>(value); }  // whose sums and shifts wrap around

}  // namespace lissom_wasm

inline v128_t wasm_v128_load(const void* from) {
  v128_t value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}
inline void wasm_v128_store(void* to, v128_t value) { std::memcpy(to, &value, sizeof(value)); }

inline v128_t wasm_v128_and(v128_t a, v128_t b) { return a & b; }
inline v128_t wasm_v128_or(v128_t a, v128_t b) { return a | b; }
inline v128_t wasm_v128_xor(v128_t a, v128_t b) { return a ^ b; }

inline v128_t wasm_i32x4_splat(std::uint32_t x) {
  const auto same = static_cast<std::int32_t>(x);
  return v128_t{same, same, same, same};
}
inline v128_t wasm_i64x2_splat(std::uint64_t x) {
  const auto same = static_cast<std::int64_t>(x);
  return lissom_wasm::as<v128_t>(lissom_wasm::Longs{same, same});
}
inline v128_t wasm_i32x4_add(v128_t a, v128_t b) {
  return lissom_wasm::as<v128_t>(lissom_wasm::words(a) + lissom_wasm::words(b));
}
inline v128_t wasm_i32x4_sub(v128_t a, v128_t b) {
  return lissom_wasm::as<v128_t>(lissom_wasm::words(a) - lissom_wasm::words(b));
}
inline v128_t wasm_i32x4_min(v128_t a, v128_t b) { return a < b ? a : b; }
inline v128_t wasm_i32x4_max(v128_t a, v128_t b) { return a > b ? a : b; }
inline v128_t wasm_i32x4_shl(v128_t a, int bits) {
  return lissom_wasm::as<v128_t>(lissom_wasm::words(a) << (bits & 31));
}
inline v128_t wasm_i32x4_shr(v128_t a, int bits) { return a >> (bits & 31); }
inline v128_t wasm_u32x4_shr(v128_t a, int bits) {
  return lissom_wasm::as<v128_t>(lissom_wasm::words(a) >> (bits & 31));
}
#define wasm_i32x4_extract_lane(a, lane) ((a)[lane])
#define wasm_i64x2_extract_lane(a, lane) (lissom_wasm::as<lissom_wasm::Longs>(a)[lane])

inline v128_t wasm_f32x4_splat(float x) { return lissom_wasm::as<v128_t>(lissom_wasm::Floats{x, x, x, x}); }
inline v128_t wasm_f32x4_convert_i32x4(v128_t a) {
  return lissom_wasm::as<v128_t>(__builtin_convertvector(a, lissom_wasm::Floats));
}
inline v128_t wasm_f32x4_add(v128_t a, v128_t b) {
  return lissom_wasm::as<v128_t>(lissom_wasm::floats(a) + lissom_wasm::floats(b));
}
inline v128_t wasm_f32x4_sub(v128_t a, v128_t b) {
  return lissom_wasm::as<v128_t>(lissom_wasm::floats(a) - lissom_wasm::floats(b));
}
inline v128_t wasm_f32x4_mul(v128_t a, v128_t b) {
  return lissom_wasm::as<v128_t>(lissom_wasm::floats(a) * lissom_wasm::floats(b));
}
inline v128_t wasm_f32x4_div(v128_t a, v128_t b) {
  return lissom_wasm::as<v128_t>(lissom_wasm::floats(a) / lissom_wasm::floats(b));
}
inline v128_t wasm_f32x4_abs(v128_t a) { return a & 0x7fffffff; }
inline v128_t wasm_f32x4_sqrt(v128_t a) {
  const lissom_wasm::Floats x = lissom_wasm::floats(a);
  return lissom_wasm::as<v128_t>(lissom_wasm::Floats{__builtin_sqrtf(x[0]), __builtin_sqrtf(x[1]),
                                                     __builtin_sqrtf(x[2]), __builtin_sqrtf(x[3])});
}

#define wasm_v32x4_shuffle(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define wasm_v16x8_shuffle(a, b, ...)                                                      \
  lissom_wasm::as<v128_t>(__builtin_shufflevector(lissom_wasm::as<lissom_wasm::Halves>(a), \
                                                  lissom_wasm::as<lissom_wasm::Halves>(b), __VA_ARGS__))
