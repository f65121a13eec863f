#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>

#include "halftone/export.h"
#include "halftone/target.h"
#include "halftone/version.h"
#include "src/python/errors.h"
#include "src/python/functions.h"
#include "src/python/gil.h"

PYBIND11_MODULE(_halftone, module) {
  module.doc() = "The C++ half of the package halftone: use halftone itself.";
  halftone::TellOfEnd(module);
  halftone::RegisterErrors();
  module.attr("__version__") = std::string(halftone::Version());
  module.def("version_text", &halftone::VersionText);
  module.def("target_names", &halftone::TargetNames);
  module.def("export_formats", &halftone::ExportFormatTexts);
  halftone::DefineTune(module);
  halftone::DefineRun(module);
  halftone::DefineBank(module);
  halftone::DefineSession(module);
}
