#include "module.h"

#include <pybind11/pybind11.h>

#include "arrays.h"
#include "commonplace/base/error.h"

PYBIND11_MODULE(_native, module) {
  using namespace commonplace;
  namespace py = pybind11;
  module.doc() = "What Commonplace is made of, for the package `commonplace`.";
  module.attr("__version__") = COMMONPLACE_VERSION;
  py::register_exception<Error>(module, "Error", PyExc_ValueError);
  py::class_<python::Rows>(module, "Rows")
      .def(py::init<const py::array&>(), py::arg("dense"))
      .def(py::init<const py::array_t<float, py::array::c_style>&,
                    const py::array_t<std::int32_t, py::array::c_style>&,
                    const py::array_t<std::int64_t, py::array::c_style>&, std::int64_t>(),
           py::arg("data"), py::arg("indices"), py::arg("starts"), py::arg("columns"))
      .def_property_readonly("is_sparse", &python::Rows::is_sparse)
      .def_property_readonly("address", &python::Rows::address)
      .def("__len__", &python::Rows::count);
  python::bind_search(module);
  python::bind_suggest(module);
  python::bind_detect(module);
  python::bind_relate(module);
  python::bind_transfer(module);
  python::bind_encode(module);
  python::bind_library(module);
}
