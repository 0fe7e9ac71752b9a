#pragma once

#include <pybind11/pybind11.h>

namespace commonplace::python {

/// Each adds what Python sees of one folder.
void bind_search(pybind11::module_& module);
void bind_suggest(pybind11::module_& module);
void bind_detect(pybind11::module_& module);
void bind_relate(pybind11::module_& module);
void bind_transfer(pybind11::module_& module);
void bind_encode(pybind11::module_& module);
void bind_library(pybind11::module_& module);

}  // namespace commonplace::python
