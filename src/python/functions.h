// Functions of the extension module, in groups. A function takes dictionaries of options
// (src/python/options.h) and returns dictionaries and texts. halftone/*.py wraps the functions in
// others with full signatures.
#pragma once

#include <pybind11/pybind11.h>

namespace halftone {

void DefineTune(pybind11::module_& module);     // tune
void DefineRun(pybind11::module_& module);      // run, explain, export, write_options
void DefineBank(pybind11::module_& module);     // bank_list, bank_show, bank_export, default_bank
void DefineSession(pybind11::module_& module);  // Session

}  // namespace halftone
