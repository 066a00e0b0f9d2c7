// SPDX-License-Identifier: MIT
#include "core/players/players.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bindings/array_args.h"
#include "bindings/held_tracks.h"
#include "bindings/held_weights.h"
#include "bindings/module.h"
#include "core/players/player_clock.h"
#include "core/players/player_fade.h"
#include "core/players/player_rates.h"
#include "core/players/player_space.h"
#include "core/players/top_layer.h"

namespace lissom::bindings {
namespace {

// The clips of players, which it keeps alive, as the core takes them.
class PlayerClips {
 public:
  explicit PlayerClips(std::size_t morph_count) : morph_count_(morph_count) {}

  void add(const py::object& tracks, const py::object& weights, const py::object& rest_weights, int loop,
           double start, double duration) {
    ArrayArgs args("Players");
    PlayerClip clip;
    std::visit([&](const auto& set) { clip.tracks = &set; }, tracks.cast<const Tracks&>().set());
    if (!weights.is_none()) {
      std::visit([&](const auto& set) { clip.weights = &set; }, weights.cast<const Weights&>().set());
    }
    clip.rest_weights = args.in<double>(rest_weights, "rest_weights", {static_cast<int>(morph_count_)});
    clip.loop = static_cast<Loop>(loop);
    clip.start = start, clip.duration = duration;
    clips_.push_back(clip);
    held_.insert(held_.end(), {tracks, weights, rest_weights});
  }

  // A space of clips that were added before. Arrays of the other kind of space are empty.
  void add_space(const std::vector<std::int32_t>& clips, bool is_double, bool is_additive,
                 std::vector<double> morph_defaults, std::vector<double> rest_weights, int loop,
                 std::vector<double> values, std::vector<std::int32_t> order, std::vector<double> points,
                 std::vector<std::int32_t> triangles, std::vector<double> from_point,
                 std::vector<std::int32_t> boundary) {
    auto space = std::make_unique<PlayerSpace>();
    PlayerClip clip;
    for (const std::int32_t number : clips) {
      const PlayerClip& part = clips_.at(static_cast<std::size_t>(number));
      space->starts.push_back(part.start), space->durations.push_back(part.duration);
      clip.duration = std::max(clip.duration, part.duration);
    }
    space->clips = clips;
    space->is_double = is_double, space->is_additive = is_additive;
    space->morph_defaults = std::move(morph_defaults), space->rest_weights = std::move(rest_weights);
    space->values = std::move(values), space->order = std::move(order);
    space->points = std::move(points), space->triangles = std::move(triangles);
    space->from_point = std::move(from_point), space->boundary = std::move(boundary);
    clip.space = space.get();
    clip.loop = static_cast<Loop>(loop);
    clips_.push_back(clip);
    spaces_.push_back(std::move(space));
  }

  void set_loop(std::size_t index, int loop) { clips_.at(index).loop = static_cast<Loop>(loop); }
  std::size_t morph_count() const { return morph_count_; }
  std::span<const PlayerClip> clips() const { return clips_; }

 private:
  std::size_t morph_count_;
  std::vector<PlayerClip> clips_;
  std::vector<std::unique_ptr<PlayerSpace>> spaces_;
  std::vector<py::object> held_;
};

// The rows of a state (N, bytes).
PlayerRows rows_of(ArrayArgs& args, const py::object& array) {
  const auto state = args.out<std::uint8_t>(array, "state", {"player", "byte"});
  const std::size_t count = args.length("player"), bytes = args.length("byte");
  const std::size_t capacity = (bytes - sizeof(Player)) / sizeof(PlayerLayer);
  if (bytes != PlayerRows::bytes(capacity) || capacity == 0)
    args.value_error("state", "must hold rows of players");
  return {reinterpret_cast<std::byte*>(state.data()), count, capacity};
}

void check(const PlayerClips& clips, const char* function, const py::object& arrays_given,
           const py::object& chosen, double dt) {
  const py::tuple arrays = arrays_given;
  ArrayArgs args(function);
  const auto indices = args.in<std::int64_t>(chosen, "rows", {"row"});
  const PlayerRows rows = rows_of(args, arrays[0]);
  const bool has_frozen = !py::object(arrays[6]).is_none();
  for (const std::int64_t row : indices) {
    if (row < 0 || static_cast<std::size_t>(row) >= rows.size()) args.value_error("rows", "must be rows");
    raise_if(function, check_step(rows, static_cast<std::size_t>(row), clips.clips(), has_frozen, dt));
  }
}

// The arrays beside the rows: state (N, bytes), points, held, differences, curves, weight curves, frozen poses and
// weights; the last four may be None.
template <class T, class Job>
void take_state(ArrayArgs& args, const py::tuple& arrays, std::size_t joint_count, std::size_t morph_count,
                Job& job) {
  job.rows = rows_of(args, arrays[0]);
  job.joint_count = joint_count;
  const auto fades = static_cast<int>(job.rows.layer_capacity() - 1), joints = static_cast<int>(joint_count),
             stride = static_cast<int>(fade_stride(joint_count)), morphs = static_cast<int>(morph_count);
  job.memory.points = args.out<T>(arrays[1], "points", {"player", fades, 2, 4, stride}).data();
  job.memory.held = args.out<std::uint8_t>(arrays[2], "held", {"player", fades, stride}).data();
  job.memory.differences = args.out<T>(arrays[3], "differences", {"player", fades, 4, stride}).data();
  const auto optional = [&](std::size_t index, const char* name,
                            std::initializer_list<Axis> shape) -> const double* {
    const py::object array = arrays[index];
    return array.is_none() ? nullptr : args.in<double>(array, name, shape).data();
  };
  job.memory.curves = optional(
      4, "curves", {"player", static_cast<int>(kCurveRows), static_cast<int>(curve_stride(joint_count))});
  job.memory.weight_curves =
      optional(5, "weight_curves", {"player", static_cast<int>(kWeightCurveRows), morphs});
  if (!py::object(arrays[6]).is_none()) {
    job.memory.frozen = args.in<T>(arrays[6], "frozen", {"player", joints, 10}).data();
  }
  job.memory.frozen_weights = optional(7, "frozen_weights", {"player", morphs});
}

// What plays on top: its clips and arrays as those of the players, weights that were given, its title, the fades of its
// weights (N, bytes), the weights as they are stepped, masks of joints and of morph targets (may be None), and whether it
// is additive.
template <class T>
TopLayer<T> top_layer(const py::tuple& given, std::size_t joint_count) {
  ArrayArgs args("Players.step");
  TopLayer<T> layer;
  const auto& clips = given[0].cast<const PlayerClips&>();
  layer.clips = clips.clips();
  layer.morph_count = clips.morph_count();
  take_state<T>(args, given[1], joint_count, clips.morph_count(), layer);
  const auto capacity = static_cast<int>(layer.rows.layer_capacity()),
             morphs = static_cast<int>(clips.morph_count());
  const py::object weights = given[2], mask = given[6], morph_mask = given[7];
  if (!weights.is_none()) layer.given = args.in<double>(weights, "given", {"player", capacity});
  layer.title = given[3].cast<std::string>();
  const auto fades = args.out<std::uint8_t>(given[4], "fades", {"player", static_cast<int>(kTopWeightBytes)});
  layer.weights = reinterpret_cast<std::byte*>(fades.data());
  layer.stepped = args.out<double>(given[5], "stepped", {"player"});
  if (!mask.is_none()) layer.mask = args.in<T>(mask, "mask", {static_cast<int>(joint_count)});
  if (!morph_mask.is_none()) layer.morph_mask = args.in<T>(morph_mask, "morph_mask", {morphs});
  layer.is_additive = given[8].cast<bool>();
  return layer;
}

template <class T>
void step(const PlayerClips& clips, const py::tuple& arrays, double dt, const py::object& given,
          const py::object& rest, const py::object& rest_weights, const py::object& tops,
          const py::object& due, const py::object& posed, const py::object& out,
          const py::object& out_weights) {
  ArrayArgs args("Players.step");
  PlayersJob<T> job;
  job.clips = clips.clips();
  job.morph_count = clips.morph_count();
  const auto morphs = static_cast<int>(job.morph_count);
  job.rest = args.in<T>(rest, "rest", {"joint", 10});
  job.rest_weights = args.in<T>(rest_weights, "rest_weights", {morphs});
  take_state<T>(args, arrays, args.length("joint"), clips.morph_count(), job);
  if (!given.is_none()) {
    job.given = args.in<double>(given, "given", {"player", static_cast<int>(job.rows.layer_capacity())});
  }
  std::vector<TopLayer<T>> layers;
  for (const py::handle& top : tops.cast<py::list>()) {
    layers.push_back(top_layer<T>(top.cast<py::tuple>(), job.joint_count));
  }
  job.top_layers = layers;
  if (!due.is_none()) {
    job.due = args.in<std::uint8_t>(due, "due", {"player"});
    const auto bytes =
        args.out<std::uint8_t>(posed, "posed", {"player", static_cast<int>(sizeof(PosedPlayer))});
    job.posed = {reinterpret_cast<PosedPlayer*>(bytes.data()), job.rows.size()};
  }
  job.dt = dt;
  job.out = args.out<T>(out, "out", {"player", "joint", 10});
  job.out_weights = args.out<T>(out_weights, "out_weights", {"player", morphs});
  Error error;
  {
    // A signal is handled after the step: in its midst, some players would have been stepped and others not.
    const GilRelease nogil;
    const SliceHook hook = set_slice_hook(nullptr);
    error = job.run();
    set_slice_hook(hook);
  }
  raise_if("Players.step", error);
}

template <class T>
void show(const char* function, const PlayerClips& clips, const py::tuple& arrays, const py::object& chosen,
          bool before, int layer_limit, const py::object& out, const py::object& out_weights) {
  ArrayArgs args(function);
  ShownPlayersJob<T> job;
  job.clips = clips.clips();
  job.morph_count = clips.morph_count();
  job.chosen = args.in<std::int64_t>(chosen, "rows", {"row"});
  job.out = args.out<T>(out, "out", {"row", "joint", 10});
  job.out_weights = args.out<double>(out_weights, "out_weights", {"row", static_cast<int>(job.morph_count)});
  take_state<T>(args, arrays, args.length("joint"), clips.morph_count(), job);
  job.moment = before ? FadeMoment::kBefore : FadeMoment::kNow;
  job.layer_limit = layer_limit;
  run(function, job);
}

// `transition` holds curves, weight curves, past poses and weights; they may be None where `method` is to blend.
template <class T>
void fade(const char* function, const PlayerClips& clips, const py::tuple& arrays,
          const py::tuple& transition, const py::object& chosen, std::int32_t clip, std::int32_t ease,
          int method, bool sync, const py::object& durations, const py::object& at, const py::object& speeds,
          const py::object& parameters) {
  ArrayArgs args(function);
  FadePlayersJob<T> job;
  job.clips = clips.clips();
  job.morph_count = clips.morph_count();
  job.chosen = args.in<std::int64_t>(chosen, "rows", {"row"});
  job.durations = args.in<double>(durations, "duration", {"row"});
  if (!at.is_none()) job.at = args.in<double>(at, "at", {"row"});
  if (!speeds.is_none()) job.speeds = args.in<double>(speeds, "speed", {"row"});
  if (!parameters.is_none()) job.parameters = args.in<double>(parameters, "parameter", {"row", 2});
  const py::object past = transition[2];
  const auto joint_count = static_cast<std::size_t>(py::cast<py::ssize_t>(transition[4]));
  take_state<T>(args, arrays, joint_count, clips.morph_count(), job);
  job.clip = clip, job.ease = ease, job.has_sync = sync;
  job.method = static_cast<FadeMethod>(method);
  if (job.method != FadeMethod::kBlend) {
    // The curves are those of `arrays`, which are read before they are written.
    ArrayArgs outputs(function);
    const auto stride = static_cast<int>(curve_stride(joint_count)), joints = static_cast<int>(joint_count),
               morphs = static_cast<int>(job.morph_count);
    const std::initializer_list<Axis> curves = {"player", static_cast<int>(kCurveRows), stride},
                                      weight_curves = {"player", static_cast<int>(kWeightCurveRows), morphs};
    if (outputs.out<std::uint8_t>(arrays[0], "state", {"player", "byte"}).empty()) return;
    job.curves = outputs.out<double>(transition[0], "curves", curves).data();
    job.weight_curves = outputs.out<double>(transition[1], "weight_curves", weight_curves).data();
    job.past = outputs.out<T>(past, "past", {"player", joints, 10}).data();
    job.past_weights = outputs.out<double>(transition[3], "past_weights", {"player", morphs}).data();
  }
  run(function, job);
}

template <class T>
void freeze(const PlayerClips& clips, const py::tuple& arrays, const py::object& chosen,
            std::size_t joint_count) {
  ArrayArgs args("Players.fade_to");
  FreezePlayersJob<T> job;
  job.clip_count = clips.clips().size();
  job.chosen = args.in<std::int64_t>(chosen, "rows", {"row"});
  take_state<T>(args, arrays, joint_count, clips.morph_count(), job);
  run("Players.fade_to", job);
}

// The clips of a space that have a share at some parameters (n, 2), by their numbers, and seconds of a cycle.
void find_shares(const PlayerClips& clips, std::size_t number, const py::object& parameters,
                 const py::object& parts, const py::object& weights, const py::object& seconds) {
  ArrayArgs args("Players");
  const auto places = args.in<double>(parameters, "parameters", {"row", 2});
  const auto part_rows = args.out<std::int32_t>(parts, "parts", {"row", 3});
  const auto weight_rows = args.out<double>(weights, "weights", {"row", 3});
  const auto cycles = args.out<double>(seconds, "seconds", {"row"});
  const PlayerClip& clip = clips.clips()[number];
  for (std::size_t row = 0; row < cycles.size(); ++row) {
    const SpaceShares shares = shares_at(*clip.space, &places[2 * row]);
    cycles[row] = cycle_seconds(*clip.space, shares);
    for (std::size_t i = 0; i < 3; ++i) {
      const bool has_part = static_cast<int>(i) < shares.count;
      part_rows[3 * row + i] =
          has_part ? clip.space->clips[static_cast<std::size_t>(shares.indices[i])] : kNoClip;
      weight_rows[3 * row + i] = has_part ? shares.weights[i] : 0.0;
    }
  }
}

// How far vertices move while poses are held, by the numbers of clips; it keeps the arrays alive.
class PlayerMoves {
 public:
  // Of a clip, or of a blend between some clips of a space. `moves` is (steps, lags).
  void add(std::size_t number, std::vector<std::int32_t> clips, const py::object& moves, double start,
           double cell, bool wraps, double change) {
    ArrayArgs args("UpdateRates");
    HeldMoves held;
    held.moves = args.in<float>(moves, "moves", {"step", "lag"});
    held.clips = std::move(clips);
    held.lags = args.length("lag");
    held.start = start, held.cell = cell, held.wraps = wraps, held.change = change;
    if (number >= moves_.size()) moves_.resize(number + 1);
    moves_[number].push_back(std::move(held));
    held_.push_back(moves);
  }
  std::span<const std::vector<HeldMoves>> moves() const { return moves_; }

 private:
  std::vector<std::vector<HeldMoves>> moves_;
  std::vector<py::object> held_;
};

void find_held_moves(const PlayerClips& clips, const PlayerMoves& moves, const py::object& state,
                     const py::object& posed, double dt, const py::object& out) {
  ArrayArgs args("UpdateRates.due");
  HeldMovesJob job;
  job.clips = clips.clips();
  job.moves = moves.moves();
  job.rows = rows_of(args, state);
  const auto bytes = args.in<std::uint8_t>(posed, "posed", {"player", static_cast<int>(sizeof(PosedPlayer))});
  job.posed = {reinterpret_cast<const PosedPlayer*>(bytes.data()), job.rows.size()};
  job.dt = dt;
  job.out = args.out<double>(out, "out", {"player"});
  run("UpdateRates.due", job);
}

py::object points_of(const py::tuple& arrays) { return arrays[1]; }

}  // namespace

void bind_players(py::module_& module) {
  module.attr("FADE_JOINTS") = kFadeJoints;
  module.attr("CURVE_JOINTS") = kCurveJoints;
  py::class_<PlayerMoves>(module, "PlayerMoves",
                          "How far vertices move while poses are held, by the numbers of clips.")
      .def(py::init<>())
      .def("add", &PlayerMoves::add, "Append what is known of a clip, or of some clips of a space.",
           py::arg("number"), py::arg("clips"), py::arg("moves"), py::arg("start"), py::arg("cell"),
           py::arg("wraps"), py::arg("change"));
  py::class_<PlayerClips>(module, "PlayerClips", "The clips that players play, by number.")
      .def(py::init<std::size_t>(), py::arg("morph_count"))
      .def("add", &PlayerClips::add, "Append a clip.", py::arg("tracks"), py::arg("weights"),
           py::arg("rest_weights"), py::arg("loop"), py::arg("start"), py::arg("duration"))
      .def("add_space", &PlayerClips::add_space, "Append a blend space of clips.", py::arg("clips"),
           py::arg("is_double"), py::arg("is_additive"), py::arg("morph_defaults"), py::arg("rest_weights"),
           py::arg("loop"), py::arg("values"), py::arg("order"), py::arg("points"), py::arg("triangles"),
           py::arg("from_point"), py::arg("boundary"))
      .def("shares", &find_shares, "Write which clips have a share in a space, and seconds of a cycle.",
           py::arg("number"), py::arg("parameters"), py::arg("parts"), py::arg("weights"), py::arg("seconds"))
      .def("held_moves", &find_held_moves,
           "Write how far vertices move from the poses that were written to those of a further step.",
           py::arg("moves"), py::arg("state"), py::arg("posed"), py::arg("dt"), py::arg("out"))
      .def("set_loop", &PlayerClips::set_loop, "Set the loop mode of a clip.", py::arg("index"),
           py::arg("loop"))
      .def("check", &check, "Refuse a state that cannot be stepped by some time, of chosen rows.",
           py::arg("function"), py::arg("arrays"), py::arg("rows"), py::arg("dt") = 0.0)
      .def(
          "step",
          [](const PlayerClips& clips, const py::object& arrays, double dt, const py::object& given,
             const py::object& rest, const py::object& rest_weights, const py::object& tops,
             const py::object& due, const py::object& posed, const py::object& out,
             const py::object& out_weights) {
            const bool is_double = ArrayArgs("Players.step").is_double(rest, "rest");
            (is_double ? step<double> : step<float>)(clips, arrays, dt, given, rest, rest_weights, tops, due,
                                                     posed, out, out_weights);
          },
          "Step players and what plays on top; write the poses and weights of those due, and what they show.",
          py::arg("arrays"), py::arg("dt"), py::arg("given"), py::arg("rest"), py::arg("rest_weights"),
          py::arg("tops"), py::arg("due"), py::arg("posed"), py::arg("out"), py::arg("out_weights"))
      .def(
          "show",
          [](const PlayerClips& clips, const char* function, const py::object& arrays, const py::object& rows,
             bool before, int layer_limit, const py::object& out, const py::object& out_weights) {
            const bool is_double = ArrayArgs(function).is_double(points_of(arrays), "points");
            (is_double ? show<double> : show<float>)(function, clips, arrays, rows, before, layer_limit, out,
                                                     out_weights);
          },
          "Write what players show, or showed before their last step.", py::arg("function"),
          py::arg("arrays"), py::arg("rows"), py::arg("before"), py::arg("layer_limit"), py::arg("out"),
          py::arg("out_weights"))
      .def(
          "fade",
          [](const PlayerClips& clips, const char* function, const py::object& arrays,
             const py::object& transition, const py::object& rows, std::int32_t clip, std::int32_t ease,
             int method, bool sync, const py::object& durations, const py::object& at,
             const py::object& speeds, const py::object& parameters) {
            const bool is_double = ArrayArgs(function).is_double(points_of(arrays), "points");
            (is_double ? fade<double> : fade<float>)(function, clips, arrays, transition, rows, clip, ease,
                                                     method, sync, durations, at, speeds, parameters);
          },
          "Start fades of players to a clip or space.", py::arg("function"), py::arg("arrays"),
          py::arg("transition"), py::arg("rows"), py::arg("clip"), py::arg("ease"), py::arg("method"),
          py::arg("sync"), py::arg("durations"), py::arg("at"), py::arg("speeds"), py::arg("parameters"))
      .def(
          "freeze",
          [](const PlayerClips& clips, const py::object& arrays, const py::object& rows,
             std::size_t joint_count) {
            const bool is_double = ArrayArgs("Players.fade_to").is_double(points_of(arrays), "points");
            (is_double ? freeze<double> : freeze<float>)(clips, arrays, rows, joint_count);
          },
          "Make one still layer of the lowest two of players.", py::arg("arrays"), py::arg("rows"),
          py::arg("joint_count"));
}

}  // namespace lissom::bindings
