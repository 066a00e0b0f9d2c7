// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/error.h"
#include "core/volume/solid_surface.h"

namespace lissom {

// The winding number of a surface around each of P points (SolidSurface::winding_numbers). On all threads.
struct WindingNumbersJob {
  Error validate() const;  // first broken rule below, or empty
  Error run() const;       // validates, then fills `out`; writes nothing on error

  const SolidSurface* surface = nullptr;
  std::span<const double> points;  // (P, 3) finite, model space
  std::span<double> out;           // (P)
};

}  // namespace lissom
