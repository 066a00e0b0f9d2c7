// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/volume/lattice.h"

namespace lissom {

// The places of P points in a lattice: the copy of a cube, and the position within it (Lattice::locate). On all
// threads.
struct LatticePlacesJob {
  Error validate() const;  // first broken rule below, or empty
  Error run() const;       // validates, then fills the outputs; writes nothing on error

  // Inputs.
  const Lattice* lattice = nullptr;
  std::span<const double> points;              // (P, 3) finite, model space
  std::span<const std::int32_t> known_copies;  // (P) each below C, or -1 where it is to be found; or none
  // Outputs.
  std::span<std::int32_t> copies;  // (P)
  std::span<double> within;        // (P, 3) position within the copy's cube, each 0 to 1
  std::span<bool> inside;  // (P) whether the winding number is above one half; false where a copy was known
  std::span<double> distances;  // (P) to the surface, model units; 0 inside and where a copy was known
};

}  // namespace lissom
