// SPDX-License-Identifier: MIT
#include "core/simd/isa.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>

#include "core/simd/x86_levels.h"

namespace lissom {
namespace {

struct Choice {
  Isa isa;
  Error error;
};

const Choice& choice() {
  static const Choice made = [] {
    Choice result{Isa::kPortable, {}};
    result.error = choose_isa(std::getenv("LISSOM_ISA"), runnable_isas(), &result.isa);
    return result;
  }();
  return made;
}

struct Mode {
  std::atomic<bool> is_deterministic = false;
  Error error;

  Mode() {
    bool on = false;
    error = read_deterministic(std::getenv("LISSOM_DETERMINISTIC"), &on);
    is_deterministic = on;
  }
};

Mode& mode() {
  static Mode made;
  return made;
}

std::string names(const std::vector<Isa>& isas) {
  std::string text;
  for (const Isa isa : isas) text += (text.empty() ? "" : ", ") + std::string(isa_name(isa));
  return text;
}

}  // namespace

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::kExact:
      return "exact";
    case Isa::kV2:
      return "v2";
    case Isa::kV3:
      return "v3";
    case Isa::kV4:
      return "v4";
    case Isa::kPortable:
      break;
  }
  return "portable";
}

int isa_width(Isa isa) {
  if (isa == Isa::kV4) return 16;
  return isa == Isa::kV3 ? 8 : 4;
}

std::vector<Isa> runnable_isas() {
#ifdef LISSOM_X86
  std::vector<Isa> isas{Isa::kV2, Isa::kV3, Isa::kV4};
  isas.resize(static_cast<std::size_t>(x86_level()) - 1);
  return isas;
#else
  return {Isa::kPortable};
#endif
}

Isa chosen_isa() { return choice().isa; }
const Error& isa_error() { return choice().error; }

Error choose_isa(const char* requested, const std::vector<Isa>& runnable, Isa* chosen) {
  if (runnable.empty()) {
    return Error(
        "this machine runs none of the instruction sets that lissom is built for, got a processor without "
        "SSE4.2; build lissom from source on a newer one");
  }
  *chosen = runnable.back();
  if (!requested || !*requested) return {};
#ifdef LISSOM_X86
  const std::vector<Isa> known{Isa::kV2, Isa::kV3, Isa::kV4};
#else
  const std::vector<Isa> known{Isa::kPortable};
#endif
  const auto is_requested = [&](Isa isa) { return std::string_view(isa_name(isa)) == requested; };
  const auto found = std::find_if(runnable.begin(), runnable.end(), is_requested);
  if (found != runnable.end()) {
    *chosen = *found;
    return {};
  }
  return Error("LISSOM_ISA must be one of " + names(known) + ", of which this machine runs " +
               names(runnable) + ", got '" + requested + "'; leave it unset to take the fastest");
}

bool is_deterministic() { return mode().is_deterministic.load(std::memory_order_relaxed); }
void set_deterministic(bool on) { mode().is_deterministic.store(on, std::memory_order_relaxed); }
const Error& deterministic_error() { return mode().error; }

Error read_deterministic(const char* value, bool* on) {
  const std::string_view text = value ? value : "";
  *on = text == "1";
  if (*on || text.empty() || text == "0") return {};
  return Error("LISSOM_DETERMINISTIC must be 0 or 1, got '" + std::string(text) +
               "'; leave it unset for the fastest kernels");
}

Isa kernel_isa() { return is_deterministic() ? exact_isa() : chosen_isa(); }

}  // namespace lissom
