// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/players/player_clip.h"
#include "core/players/player_state.h"

namespace lissom {

// What an ease makes of the share of its seconds that has passed; `given`, where its number is another.
double eased(PlayerEase ease, double u, double given);

// The times and weights of players: what CrossFade of lissom does with its play heads and layers, in the same order of
// operations, so that all numbers are the same to the last bit.

// Advances the fades and play heads of a player by `dt` seconds, after covered layers were dropped. `given` has the
// weight of each layer whose ease is kGiven. With dt 0 the moment before stays as it is.
void advance_player(Player& player, PlayerLayer* layers, std::span<const PlayerClip> clips, double dt,
                    const double* given);

// Refuses a row that cannot be stepped by `dt`, or that could not be afterwards, as its times would be too large.
Error check_step(const PlayerRows& rows, std::size_t row, std::span<const PlayerClip> clips, bool has_frozen,
                 double dt);

// Whether it does surely not refuse.
bool steps_well(const PlayerRows& rows, std::size_t row, std::span<const PlayerClip> clips, bool has_frozen,
                double dt);

// Drops the covered layers of a player; `covered` stays, for the arrays of its fades to follow, until it is cleared.
void drop_covered_layers(Player& player, PlayerLayer* layers);

// Counts those that the topmost ended fade covers.
void cover_layers(Player& player, const PlayerLayer* layers);

// Whether a difference of an inertialization is left.
bool is_decaying(const Player& player);

// The layer that owns the head of a clip that is all a player shows, or null where it shows anything else.
const PlayerLayer* only_head(const Player& player, const PlayerLayer* layers);

// What a pose of the present state shows.
PosedPlayer posed_now(const PlayerRows& rows, std::size_t row, std::span<const PlayerClip> clips);

// Whether the layer is the first, of those not covered, that shows its head.
bool shows_first(const Player& player, const PlayerLayer* layers, std::int32_t index);

}  // namespace lissom
