// SPDX-License-Identifier: MIT
#include "core/animation/key_segment_kernels.h"

#include "core/math/quat.h"
#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

using D = Lanes<double>;
constexpr int kLanes = D::kCount;
static_assert(kLanes <= static_cast<int>(kMostSegmentLanes));

// sin(x) / x as a polynomial of x^2, by Taylor's series: to the last place for x up to pi/2, and with fewer terms up to
// kSmallArc, which most segments are below.
constexpr double kSinc[] = {1.0,
                            -1.0 / 6,
                            1.0 / 120,
                            -1.0 / 5040,
                            1.0 / 362880,
                            -1.0 / 39916800,
                            1.0 / 6227020800,
                            -1.0 / 1307674368000,
                            1.0 / 355687428096000,
                            -1.0 / 121645100408832000};
constexpr double kSincOfSmall[] = {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800};
constexpr double kSmallArc = 0.4;

LISSOM_INLINE D at(const double* numbers, std::size_t key) { return load_as<Double>(numbers + key); }

struct LerpSegment {
  Vec3<D> begin, step;

  LISSOM_INLINE LerpSegment(const SegmentKernelArgs& args, std::size_t first, std::size_t last) {
    begin = point(args, first);
    step = point(args, last) - begin;
  }
  static LISSOM_INLINE Vec3<D> point(const SegmentKernelArgs& args, std::size_t key) {
    return {at(args.values[0], key), at(args.values[1], key), at(args.values[2], key)};
  }
  LISSOM_INLINE D square_error(const SegmentKernelArgs& args, D share, std::size_t key) const {
    const Vec3<D> apart = (begin + share * step) - point(args, key);
    return dot(apart, apart);
  }
};

LISSOM_INLINE Quat<D> turn(const SegmentKernelArgs& args, std::size_t key) {
  return {at(args.values[0], key), at(args.values[1], key), at(args.values[2], key), at(args.values[3], key)};
}

// The slerp of Shoemake 1985, w_a a + w_b b with w_b = sin(s arc) / sin(arc), both sines by their quotients with the
// angle, which need no care where the arc is small.
template <bool kIsSmall>
struct SlerpSegment {
  Quat<D> begin, end;
  D square_arc, inverse;

  LISSOM_INLINE SlerpSegment(const Quat<D>& a, const Quat<D>& b, D arc)
      : begin(a), end(b), square_arc(arc * arc), inverse(1 / sinc(square_arc)) {}
  static LISSOM_INLINE D sinc(D square) {
    if constexpr (kIsSmall) return polynomial(kSincOfSmall, square);
    return polynomial(kSinc, square);
  }
  LISSOM_INLINE D square_error(const SegmentKernelArgs& args, D share, std::size_t key) const {
    const D rest = 1 - share;
    const D from_begin = rest * sinc(rest * rest * square_arc) * inverse;
    const D from_end = share * sinc(share * share * square_arc) * inverse;
    const Quat<D> apart = (from_begin * begin + from_end * end) - turn(args, key);
    const D chord = dot(apart, apart);  // squared; of -key it is 4 - chord
    return chord * (4 - chord);
  }
};

template <class Segment>
LISSOM_INLINE D largest_square(const SegmentKernelArgs& args, const Segment& segment, std::size_t first,
                               std::size_t length) {
  const D start = at(args.times, first), pace = 1 / (at(args.times, first + length) - start);
  D largest = 0.0;
  for (std::size_t key = first + 1; key < first + length; ++key) {
    const D share = (at(args.times, key) - start) * pace;
    largest = max(segment.square_error(args, share, key) * at(args.squares, key), largest);
  }
  return largest;
}

struct Lerps {
  static LISSOM_INLINE D largest(const SegmentKernelArgs& args, std::size_t first, std::size_t length) {
    return largest_square(args, LerpSegment(args, first, first + length), first, length);
  }
};

struct Slerps {
  static LISSOM_INLINE D largest(const SegmentKernelArgs& args, std::size_t first, std::size_t length) {
    const Quat<D> a = turn(args, first), b = aligned(turn(args, first + length), a);
    const Quat<D> difference = a - b, sum = a + b;
    // tan(arc / 2) = |a - b| / |a + b|: accurate for small arcs too.
    const D arc = 2 * atan2(sqrt(dot(difference, difference)), sqrt(dot(sum, sum)));
    if (any(arc > D(kSmallArc))) return largest_square(args, SlerpSegment<false>(a, b, arc), first, length);
    return largest_square(args, SlerpSegment<true>(a, b, arc), first, length);
  }
};

template <class Kind>
int measure(const SegmentKernelArgs& args) {
  const D limit = args.limit;
  D lane_keys, failures = 0.0;
  for (int lane = 0; lane < kLanes; ++lane)
    lane_keys.v[lane] = static_cast<double>(args.first + static_cast<std::size_t>(lane));
  const D last_key = static_cast<double>(args.key_count) - 1;
  float* errors = args.errors;
  int tried = 0;
  for (int length = 2; length <= kLongestSegment; length = next_length(length)) {
    const Mask<double> goes = (lane_keys + D(length) <= last_key) & (failures < D(kMostFailures));
    if (!any(goes)) break;
    const D error = sqrt(Kind::largest(args, args.first, static_cast<std::size_t>(length)));
    const Mask<double> fits = goes & (error <= limit);
    failures = select(fits, D(0), failures + 1);
    for (int lane = 0; lane < kLanes; ++lane) {
      // Rounded up, by two last places: it is no less than the error.
      const double value = error.v[lane] * (1 + 0x1p-23);
      errors[lane] = fits.bits[lane] ? static_cast<float>(value) : __builtin_inff();
    }
    errors += kLanes;
    ++tried;
  }
  return tried;
}

}  // namespace

extern const SegmentKernels segment_kernels;
const SegmentKernels segment_kernels = {&measure<Lerps>, &measure<Slerps>, kLanes};

}  // namespace lissom::LISSOM_ISA
