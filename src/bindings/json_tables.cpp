// SPDX-License-Identifier: MIT
#include "core/text/json_tables.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <tuple>

#include "bindings/array_args.h"
#include "bindings/gil.h"
#include "bindings/module.h"
#include "bindings/plain_arrays.h"

namespace lissom::bindings {
namespace {

// Name, kind, least, most, words, what stands for absent, whether it is required.
using Field = std::tuple<std::string, std::string, std::int64_t, std::int64_t,
                         std::vector<std::pair<std::string, std::int64_t>>, std::int64_t, bool>;

JsonField field_of(const Field& from) {
  const auto& [name, kind, least, most, words, absent, is_required] = from;
  JsonField field;
  field.name = name;
  field.kind = kind == "integer" ? JsonField::Kind::kInteger
               : kind == "flag"  ? JsonField::Kind::kFlag
               : kind == "word"  ? JsonField::Kind::kWord
                                 : JsonField::Kind::kPlace;
  field.least = least;
  field.most = most;
  field.words = words;
  field.absent = absent;
  field.is_required = is_required;
  return field;
}

JsonTables make_tables(const std::vector<std::tuple<std::string, std::string, std::vector<Field>>>& tables) {
  std::vector<JsonTable> made;
  for (const auto& [owner, name, fields] : tables) {
    JsonTable table{owner, name, {}};
    for (const Field& field : fields) table.fields.push_back(field_of(field));
    made.push_back(std::move(table));
  }
  return JsonTables(made);
}

// Characters have dozens of columns, most of them short: they are copied, which takes less than to keep the vector.
py::object array_of(const std::vector<std::int64_t>& numbers) {
  npy_intp size = static_cast<npy_intp>(numbers.size());
  auto array = py::reinterpret_steal<py::object>(PyArray_SimpleNew(1, &size, NPY_INT64));
  if (!array) throw py::error_already_set();
  auto* const to = static_cast<std::int64_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())));
  std::copy(numbers.begin(), numbers.end(), to);
  return array;
}

}  // namespace

void bind_json_tables(py::module_& module) {
  py::class_<JsonTables>(module, "JsonTables", "Arrays of objects in a JSON document, read as columns.")
      .def(py::init(&make_tables), py::arg("tables"))
      .def(
          "read",
          [](const JsonTables& tables, const py::object& text) -> py::object {
            ArrayArgs args("json_tables");
            const auto bytes = args.in<std::uint8_t>(text, "text", {"byte"});
            std::vector<JsonRows> rows;
            std::string rest;
            bool is_plain = false;
            {
              const GilRelease nogil;
              is_plain = tables.read({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, rows, rest);
            }
            if (!is_plain) return py::none();
            py::list read;
            for (const JsonRows& one : rows) {
              py::list columns;
              for (const auto& column : one.columns) columns.append(array_of(column));
              read.append(py::make_tuple(columns, array_of(one.row_count)));
            }
            return py::make_tuple(py::bytes(rest), read);
          },
          "Return the document without its tables, and of each its columns and its rows for each owner; "
          "None where a table is not plain.",
          py::arg("text"));
}

}  // namespace lissom::bindings
