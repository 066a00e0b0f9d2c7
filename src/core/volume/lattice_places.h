// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/volume/lattice.h"

namespace lissom {

// Where P points are in a lattice: in which copy of a cube, and where within it (Lattice::locate). On all threads.
struct LatticePlacesJob {
  Error validate() const;  // first broken rule below, or empty
  Error run() const;       // validates, then fills the outputs; writes nothing on error

  // Inputs.
  const Lattice* lattice = nullptr;
  std::span<const double> points;  // (P, 3) finite, model space
  std::span<const std::int32_t>
      known_copies;  // (P) each -1 or below C, or none: where a copy is known, it is taken
  // Outputs.
  std::span<std::int32_t> copies;  // (P)
  std::span<double> within;        // (P, 3) place within the copy's cube, each 0 to 1
  std::span<bool> inside;  // (P) whether the winding number is above one half; false where a copy was known
  std::span<double> distances;  // (P) to the surface, model units; 0 inside and where a copy was known
};

}  // namespace lissom
