// SPDX-License-Identifier: MIT
#include "bindings/plain_arrays.h"
// Must come after the one above.
#include "bindings/array_args.h"
#include "bindings/held_parents.h"
#include "bindings/held_tracks.h"
#include "bindings/module.h"
#include "core/bake/error_metric.h"
#include "core/bake/pose_texture.h"
#include "core/bake/rigid_texels.h"
#include "core/bake/rotation_jumps.h"

namespace lissom::bindings {
namespace {

using namespace py::literals;

// T of a row is the length of an axis of the arrays.
TexelForm form_of(const ArrayArgs& args, int quat, int flipped, int signed_rows) {
  if (signed_rows < 0)
    args.value_error("signed_rows", "must not be negative, got " + std::to_string(signed_rows));
  return {args.length("numbers") / 4, quat, flipped, static_cast<std::size_t>(signed_rows)};
}

// Whether the texels were written; clips in float64, or of uniform frames, have no such job.
template <class Texel, class Bits>
bool write_rigid(const Tracks& tracks, const HeldParents& parents, const SkinBind& skin,
                 const py::object& times, float least_cosine, const py::object& out) {
  constexpr const char* kName = "rigid_texels";
  const auto* const set = std::get_if<TrackSet<float>>(&tracks.set());
  if (set == nullptr) return false;
  ArrayArgs args(kName);
  RigidTexelsJob<Texel> job;
  job.tracks = set;
  job.parents = parents.parents;
  job.skin = &skin;
  job.times = args.in<double>(times, "times", {"frames"});
  job.least_cosine = least_cosine;
  const auto texels = args.out<Bits>(out, "out", {"frames", static_cast<int>(skin.rows().size()), 8});
  job.out = {reinterpret_cast<Texel*>(texels.data()), texels.size()};
  run(kName, job);
  return job.is_done;
}

// float16 arrays are passed as their bits, viewed as uint16 by the Python layer.
template <class Texel, class Bits>
void write(const py::object& rows, int quat, int flipped, int signed_rows, const py::object& out) {
  constexpr const char* kName = "write_texels";
  ArrayArgs args(kName);
  WriteTexelsJob<Texel> job;
  job.rows = args.in<float>(rows, "rows", {"frames", "rows", "numbers"});
  const auto texels = args.out<Bits>(out, "out", {"frames", "rows", "numbers"});
  job.frame_count = args.length("frames");
  job.row_count = args.length("rows");
  job.form = form_of(args, quat, flipped, signed_rows);
  job.out = {reinterpret_cast<Texel*>(texels.data()), texels.size()};
  run(kName, job);
}

template <class Texel, class Bits>
void sample(const py::object& texels, const py::object& ranges, const py::object& clips, int quat,
            int flipped, int signed_rows, const py::object& frames, const py::object& nexts,
            const py::object& fractions, const py::object& rows) {
  constexpr const char* kName = "sample_texels";
  ArrayArgs args(kName);
  SampleTexelsJob<Texel> job;
  const auto bits = args.in<Bits>(texels, "texels", {"stored frames", "rows", "numbers"});
  job.texels = {reinterpret_cast<const Texel*>(bits.data()), bits.size()};
  job.frame_count = args.length("stored frames");
  job.row_count = args.length("rows");
  job.form = form_of(args, quat, flipped, signed_rows);
  if (!ranges.is_none()) {
    job.ranges =
        args.in<float>(ranges, "ranges", {"clips", "rows", static_cast<py::ssize_t>(job.form.texels), 2, 4});
    job.clips = args.in<std::int32_t>(clips, "clips", {"samples"});
  }
  job.frames = args.in<std::int32_t>(frames, "frames", {"samples"});
  job.nexts = args.in<std::int32_t>(nexts, "nexts", {"samples"});
  job.fractions = args.in<float>(fractions, "fractions", {"samples"});
  job.rows = args.out<float>(rows, "rows", {"samples", "rows", "numbers"});
  run(kName, job);
}

// The plain function of a bake, for one sample; see plain_arrays.h. (texels (F, R, T, 4), ranges or None, quat, flipped,
// signed_rows, clip, frame, next, fraction)
template <class Texel>
PyObject* sample_one(PyArrayObject* texels, PyObject* ranges, const long (&whole)[6], float fraction) {
  SampleTexelsJob<Texel> job;
  const npy_intp rows = PyArray_DIM(texels, 1), floats = 4 * PyArray_DIM(texels, 2);
  job.texels = {static_cast<const Texel*>(PyArray_DATA(texels)),
                static_cast<std::size_t>(PyArray_SIZE(texels))};
  job.frame_count = static_cast<std::size_t>(PyArray_DIM(texels, 0));
  job.row_count = static_cast<std::size_t>(rows);
  job.form = {static_cast<std::size_t>(floats / 4), static_cast<int>(whole[0]), static_cast<int>(whole[1]),
              static_cast<std::size_t>(whole[2])};
  const std::int32_t clip = static_cast<std::int32_t>(whole[3]), frame = static_cast<std::int32_t>(whole[4]),
                     next = static_cast<std::int32_t>(whole[5]);
  if (ranges != Py_None) {
    if (!is_plain(ranges, NPY_FLOAT)) return not_plain();
    auto* const array = reinterpret_cast<PyArrayObject*>(ranges);
    job.ranges = {static_cast<const float*>(PyArray_DATA(array)),
                  static_cast<std::size_t>(PyArray_SIZE(array))};
    job.clips = {&clip, 1};
  }
  job.frames = {&frame, 1};
  job.nexts = {&next, 1};
  job.fractions = {&fraction, 1};
  py::object out = PlainArrays<float>().result(Py_None, {rows, floats}, &job.rows);
  if (!out) return not_plain();
  const double nanoseconds = 2.0 * static_cast<double>(rows * floats);
  return unless(run_plain(nanoseconds, [&] { return job.run(); }), std::move(out));
}

PyObject* plain_sample_texels(PyObject* const* args) {
  long whole[6];
  for (int i = 0; i < 6; ++i) {
    if (!PyLong_CheckExact(args[2 + i])) return not_plain();
    int is_beyond = 0;
    whole[i] = PyLong_AsLongAndOverflow(args[2 + i], &is_beyond);
    constexpr long kMost = 0x7fffffff;
    if (is_beyond != 0 || whole[i] < -1 || whole[i] > kMost || (i == 2 && whole[i] < 0)) return not_plain();
  }
  double fraction;
  if (!PyArray_CheckExact(args[0]) || !take_number(args[8], &fraction)) return not_plain();
  auto* const texels = reinterpret_cast<PyArrayObject*>(args[0]);
  if (PyArray_NDIM(texels) != 4 || PyArray_DIM(texels, 3) != 4) return not_plain();
  const auto narrow = static_cast<float>(fraction);
  if (is_plain(args[0], NPY_FLOAT)) return sample_one<float>(texels, args[1], whole, narrow);
  if (is_plain(args[0], NPY_HALF)) return sample_one<Half>(texels, args[1], whole, narrow);
  if (is_plain(args[0], NPY_UBYTE)) return sample_one<std::uint8_t>(texels, args[1], whole, narrow);
  return not_plain();
}

void mix(const py::object& first, const py::object& second, int quat, int flipped, int signed_rows,
         const py::object& weights, const py::object& rows) {
  constexpr const char* kName = "mix_rows";
  ArrayArgs args(kName);
  MixRowsJob job;
  job.first = args.in<float>(first, "first", {"samples", "rows", "numbers"});
  job.second = args.in<float>(second, "second", {"samples", "rows", "numbers"});
  job.weights = args.in<float>(weights, "weights", {"samples"});
  job.row_count = args.length("rows");
  job.form = form_of(args, quat, flipped, signed_rows);
  job.rows = args.out<float>(rows, "rows", {"samples", "rows", "numbers"});
  run(kName, job);
}

void find_jumps(const py::object& rows, float limit, const py::object& jumps) {
  constexpr const char* kName = "rotation_jumps";
  ArrayArgs args(kName);
  RotationJumpsJob job;
  job.rows = args.in<float>(rows, "rows", {"frames", "rows", "numbers"});
  job.jumps = args.out<std::uint8_t>(jumps, "jumps", {"rows"});
  job.frame_count = args.length("frames");
  job.row_count = args.length("rows");
  job.row_floats = args.length("numbers");
  job.limit = limit;
  run(kName, job);
}

void measure(const py::object& expected, const py::object& actual, const py::object& groups,
             const py::object& copies, const py::object& maxima, const py::object& vertex_sums,
             const py::object& vertex_squares, const py::object& histogram, const py::object& bounds) {
  constexpr const char* kName = "measure_error";
  ArrayArgs args(kName);
  ErrorMetricJob job;
  job.expected = args.in<float>(expected, "expected", {"samples", "vertices", 3});
  job.actual = args.in<float>(actual, "actual", {"samples", "vertices", 3});
  job.groups = args.in<std::int32_t>(groups, "groups", {"samples"});
  job.copies = args.in<std::uint32_t>(copies, "copies", {"vertices"});
  job.maxima = args.out<float>(maxima, "maxima", {"samples"});
  job.vertex_sums = args.out<double>(vertex_sums, "vertex_sums", {"groups", "vertices"});
  job.vertex_squares = args.out<float>(vertex_squares, "vertex_squares", {"groups", "vertices"});
  job.histogram =
      args.out<std::int64_t>(histogram, "histogram", {"groups", static_cast<int>(kDistanceBinCount)});
  job.bounds = args.out<float>(bounds, "bounds", {2, 3});
  job.sample_count = args.length("samples");
  job.vertex_count = args.length("vertices");
  run(kName, job);
}

}  // namespace

void bind_bake(py::module_& module) {
  module.attr("DISTANCE_BIN_COUNT") = kDistanceBinCount;
  module.def("distance_bin_end", &distance_bin_end, "bin"_a,
             "Upper end of a bin of measure_error, as a distance.");
  module.def("write_texels_f32", &write<float, float>, "rows"_a, "quat"_a, "flipped"_a, "signed_rows"_a,
             "out"_a);
  module.def("write_texels_f16", &write<Half, std::uint16_t>, "rows"_a, "quat"_a, "flipped"_a,
             "signed_rows"_a, "out"_a);
  const auto def_rigid = [&](const char* name, auto function) {
    module.def(name, function, "tracks"_a, "parents"_a, "skin"_a, "times"_a, "least_cosine"_a, "out"_a,
               "Write the texels of a rigid clip in one pass; False where it is not surely one.");
  };
  def_rigid("rigid_texels_f32", &write_rigid<float, float>);
  def_rigid("rigid_texels_f16", &write_rigid<Half, std::uint16_t>);
  const auto def_sample = [&](const char* name, auto function) {
    module.def(name, function, "texels"_a, "ranges"_a, "clips"_a, "quat"_a, "flipped"_a, "signed_rows"_a,
               "frames"_a, "nexts"_a, "fractions"_a, "rows"_a);
  };
  def_sample("sample_texels_f32", &sample<float, float>);
  def_sample("sample_texels_f16", &sample<Half, std::uint16_t>);
  def_sample("sample_texels_u8", &sample<std::uint8_t, std::uint8_t>);
  define_plain<plain_sample_texels, 9>(
      module, "plain_sample_texels",
      "plain_sample_texels(*args: typing.Any) -> typing.Any\n\n(texels, ranges, "
      "quat, flipped, signed_rows, clip, frame, next, fraction)");
  module.def("mix_rows", &mix, "first"_a, "second"_a, "quat"_a, "flipped"_a, "signed_rows"_a, "weights"_a,
             "rows"_a);
  module.def("rotation_jumps", &find_jumps, "rows"_a, "limit"_a, "jumps"_a);
  module.def("measure_error", &measure, "expected"_a, "actual"_a, "groups"_a, "copies"_a, "maxima"_a,
             "vertex_sums"_a, "vertex_squares"_a, "histogram"_a, "bounds"_a);
}

}  // namespace lissom::bindings
