// Exports of a plan: files for other tools and runtimes, and option files of halftone.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

class ConfiguredNetwork;  // halftone/network.h

// Returns the formats of Export(): "onnx-qdq", "onnx-qdq:flavour=tensorrt", ...
std::vector<std::string> ExportFormatTexts();

// Returns the formats of the model files in the folder of a point: "onnx-mixed", "onnx-rounded",
// "onnx-qdq".
std::vector<std::string> PointModelFormats();

// Parses --export: "all", "none", or some of PointModelFormats(), separated by commas. Error
// kUsage, with the list of formats, for another text.
std::vector<std::string> ParsePointModels(std::string_view text);

struct ExportRequest {
  std::string format;          // one of ExportFormatTexts()
  std::filesystem::path file;  // path of the file to write
  // File of another tool, for a format that writes a changed copy of it; empty for other formats.
  std::filesystem::path patched;
  bool strict = false;  // true: Error kUnsupported if the file cannot express the whole plan
};

struct WrittenExport {
  std::string record;  // content of FILE.export.json (docs/reference/export.schema.json)
  std::vector<std::string> files;  // names of the files written, in the folder of `file`
};

// Writes the file, further files beside it, and the record FILE.export.json, for the network at its
// first input shape. Old files are replaced when all new ones are complete. Errors: kUsage for an
// unknown format, for a plan in which nothing is rounded, and for a `patched` file that is missing,
// superfluous or of another tool; kUnsupported for a plan that the format cannot express, or with
// `strict` cannot express wholly; kIo.
WrittenExport Export(const ConfiguredNetwork& network, const ExportRequest& request);

// Writes the smallest option set that resolves to the same plan into a folder: arguments.txt, the
// files that it names, and point.json. Configuration::point reads such a folder. `write_v2`: names
// the mode by --precision_mode_v2 if that option has a name for it. Returns the arguments. Errors:
// kUnsupported if no option set gives the plan; kIo.
std::vector<std::string> WriteOptions(const ConfiguredNetwork& network,
                                      const std::filesystem::path& folder, bool write_v2 = false);

}  // namespace halftone
