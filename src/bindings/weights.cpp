// SPDX-License-Identifier: MIT
#include <pybind11/typing.h>

#include <string>

#include "bindings/array_args.h"
#include "bindings/job_progress.h"
#include "bindings/module.h"
#include "core/weights/bounded_biharmonic.h"

namespace lissom::bindings {
namespace {

using namespace py::literals;
using Facts = py::typing::Dict<py::str, py::object>;

Facts as_dict(const BoundedBiharmonicFacts& facts) {
  const AdmmFacts& admm = facts.admm;
  const BoundedMultigridFacts& multigrid = facts.multigrid;
  const bool by_multigrid = multigrid.converged;
  py::dict result("iterations"_a = by_multigrid ? multigrid.cycles : admm.iterations,
                  "factorisations"_a = admm.factorisations, "rho"_a = admm.rho,
                  "by_multigrid"_a = by_multigrid, "set_changes"_a = multigrid.set_changes,
                  "primal_residual"_a = by_multigrid ? multigrid.past_bounds : admm.primal_residual,
                  "change"_a = by_multigrid ? multigrid.change : admm.change,
                  "error_estimate"_a = by_multigrid ? multigrid.error_estimate : admm.error_estimate,
                  "lowest"_a = by_multigrid ? multigrid.lowest : admm.lowest,
                  "highest"_a = by_multigrid ? multigrid.highest : admm.highest,
                  "converged"_a = facts.converged, "polished"_a = facts.polish.is_exact,
                  "polish_steps"_a = facts.polish.steps, "polish_change"_a = facts.polish.change,
                  "row_sums"_a = py::make_tuple(facts.lowest_row_sum, facts.highest_row_sum),
                  "free_count"_a = facts.free_count, "factor_entries"_a = facts.factor_entries,
                  "flat_count"_a = facts.flat_count, "unreached_count"_a = facts.unreached_count,
                  "unreached_component_count"_a = facts.unreached_component_count,
                  "seconds"_a = py::dict(
                      "assembling"_a = facts.seconds_assembling, "coarsening"_a = facts.seconds_coarsening,
                      "ordering"_a = admm.seconds_ordering, "factorising"_a = admm.seconds_factorising,
                      "iterating"_a = multigrid.seconds + admm.seconds_iterating,
                      "polishing"_a = facts.seconds_polishing));
  return result;
}

Facts bounded_biharmonic(const py::object& nodes, const py::object& tets, const py::object& fixed_nodes,
                         const py::object& fixed_rows, double tolerance, int iteration_limit, bool polish,
                         double memory_limit, const py::object& progress, const py::object& weights,
                         const py::object& unreached) {
  constexpr const char* kName = "weights.bounded_biharmonic";
  ArrayArgs args(kName);
  BoundedBiharmonicJob job;
  BoundedBiharmonicFacts facts;
  double bytes_needed = 0;
  JobProgress asked(progress);
  job.nodes = args.in<double>(nodes, "nodes", {"N", 3});
  job.tets = args.in<std::int32_t>(tets, "tets", {"T", 4});
  job.fixed_nodes = args.in<std::int32_t>(fixed_nodes, "fixed_nodes", {"C"});
  job.fixed_rows = args.in<double>(fixed_rows, "fixed_rows", {"C", "H"});
  job.tolerance = tolerance;
  job.iteration_limit = iteration_limit;
  job.polish = polish;
  job.memory_limit = memory_limit;
  job.bytes_needed = &bytes_needed;
  job.progress = asked.function();
  job.weights = args.out<double>(weights, "weights", {"N", "H"});
  job.unreached = args.out<std::uint8_t>(unreached, "unreached", {"N"});
  job.facts = &facts;
  const Error error = asked.run(job);
  if (bytes_needed > 0) {
    PyErr_SetString(PyExc_MemoryError, (std::string(kName) + ": " + error.sentence()).c_str());
    throw py::error_already_set();
  }
  raise_if(kName, error);
  return as_dict(facts);
}

}  // namespace

void bind_weights(py::module_& module) {
  module.def("bounded_biharmonic", &bounded_biharmonic, "nodes"_a, "tets"_a, "fixed_nodes"_a, "fixed_rows"_a,
             py::kw_only(), "tolerance"_a, "iteration_limit"_a, "polish"_a, "memory_limit"_a, "progress"_a,
             "weights"_a, "unreached"_a);
}

}  // namespace lissom::bindings
