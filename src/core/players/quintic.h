// SPDX-License-Identifier: MIT
#pragma once

namespace lissom {

// The quintic by which a difference of length x0 decays, in units of the time it takes, with velocity v0 at the start:
// A t^5 + B t^4 + C t^3 + a0 t^2 / 2 + v0 t + x0, class Quintic of lissom. `a0` is quintic_wanted(x0, v0), at least 0.
template <class D>
[[gnu::always_inline]] inline D quintic_wanted(const D& x0, const D& v0) {
  return D(-8) * v0 - D(20) * x0;
}
template <class D>
[[gnu::always_inline]] inline D quintic_at(const D& x0, const D& v0, const D& a0, const D& t) {
  const D coefficients[] = {-(a0 + D(6) * v0 + D(12) * x0) / D(2),
                            (D(3) * a0 + D(16) * v0 + D(30) * x0) / D(2),
                            -(D(3) * a0 + D(12) * v0 + D(20) * x0) / D(2),
                            a0 / D(2),
                            v0,
                            x0};
  D x = D(0);
  for (const D& coefficient : coefficients) x = x * t + coefficient;
  return x;
}

}  // namespace lissom
