// Exports: the plan of a configuration as files of other tools.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

class ConfiguredNetwork;  // halftone/network.h

// The formats of Export(): "onnx-qdq", "onnx-qdq:flavour=tensorrt", ...
std::vector<std::string> ExportFormatTexts();

// Names of the formats that points have files of: "onnx-mixed", "onnx-rounded", "onnx-qdq".
std::vector<std::string> PointModelFormats();

// Parses --export: "all", "none", or some of PointModelFormats(), comma-separated. Error kUsage
// lists them.
std::vector<std::string> ParsePointModels(std::string_view text);

struct ExportRequest {
  std::string format;             // of ExportFormatTexts()
  std::filesystem::path file;     // to write
  std::filesystem::path patched;  // file of a tool that the format patches; empty: it patches none
  bool strict = false;            // nothing is written where the file would not say all of the plan
};

struct WrittenExport {
  std::string record;              // content of FILE.export.json: docs/reference/export.schema.json
  std::vector<std::string> files;  // names, in the folder of the file
};

// Writes the file, the files beside it and its record. Old files are replaced when all new ones are
// complete. Errors: kUsage for a format that is not known, for a plan in which nothing is rounded,
// for a missing or superfluous `patched` and for one that is no such file; kUnsupported for a plan
// that the format cannot express, or not wholly with `strict`; kIo.
WrittenExport Export(const ConfiguredNetwork& network, const ExportRequest& request);

// Writes the smallest option set that resolves to the same plan, as arguments.txt and the files it
// names: a point. `write_v2`: the mode by --precision_mode_v2 where it has a name there. Returns
// the arguments. Errors: kUnsupported when no option set of files gives the plan; kIo.
std::vector<std::string> WriteOptions(const ConfiguredNetwork& network,
                                      const std::filesystem::path& folder, bool write_v2 = false);

}  // namespace halftone
