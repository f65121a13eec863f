// Export of a plan into files of other tools.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/api/halftone.h"
#include "src/export/exported_file.h"

namespace halftone {

// Format of an exported file.
struct ExportFormat {
  std::string name;     // "onnx-qdq"
  std::string flavour;  // "ort"; empty: the format has no flavours

  friend bool operator==(const ExportFormat&, const ExportFormat&) = default;
};

// Parses the text of --to: "onnx-qdq", which means its first flavour, or
// "onnx-qdq:flavour=tensorrt". Error kUsage for another text, listing the formats and flavours.
ExportFormat ParseExportFormat(std::string_view text);

// Parses a list, "onnx-qdq,trtexec". The word "all" stands for every format that patches no file.
// Each format is in the result once, in the order given. Errors as ParseExportFormat().
std::vector<ExportFormat> ParseExportFormats(std::string_view list);

// The text of a format: "onnx-qdq:flavour=tensorrt".
std::string TextOf(const ExportFormat& format);

// Name of the exported file in a folder with several formats: the network's name with an extension,
// "net.qdq.onnx", or for some formats a fixed name.
std::string ExportFileName(const ExportFormat& format, const std::string& network);

// Description of the input file that a patching format needs: "the IR of the network, net.xml". A
// patching format writes a changed copy of a file of its tool. Empty: the format does not patch.
std::string_view PatchedFile(const ExportFormat& format);

// Output file of an export, and input file of a patching format.
struct ExportPlace {
  std::string file;               // name of the file to write, without folders
  std::filesystem::path patched;  // path of the PatchedFile(); empty: the format does not patch
};

struct ExportedPlan {
  std::string bytes;                 // content of the file
  std::vector<ExportedFile> beside;  // further files, in the same folder
  std::string summary;               // one line
  // Full sentences about decisions of the plan that the file changes or lacks.
  std::vector<std::string> notes;
  std::vector<Loss> losses;  // the same decisions by node, as far as they belong to nodes
  std::string read_by;       // tools that read the file, with their versions
  std::string command;       // shell command that reads the file, in the folder of the file
  // Program that read and ran such files; empty: the format follows documentation only.
  std::string verified_by;
  Hash128 plan;  // PrecisionPlan::Digest()
};

// Content of FILE.export.json, the record of an exported file (docs/reference/export.schema.json).
// `text`: the format as in --to. `file`: name of the exported file.
std::string ExportRecord(const ExportedPlan& exported, std::string_view text,
                         const std::string& file);

// Exports the network with the plan that `options` give on `target`. Errors: as ResolvePrecision()
// and WriteOnnxQdq() (src/export/onnx_qdq.h); kUsage for a plan in which nothing is rounded, and
// for a place.patched that is missing, superfluous or of another tool; kUnsupported for a plan that
// the format cannot express; kIo for a place.patched that cannot be read.
ExportedPlan ExportPlan(const Model& model, const TargetSpec& target,
                        const PrecisionOptions& options, const ExportFormat& format,
                        const ExportPlace& place);

// Exports the network with a given plan of it. Errors as above, except ResolvePrecision().
ExportedPlan ExportPlan(const Model& model, const PrecisionPlan& plan, const ExportFormat& format,
                        const ExportPlace& place);

// Writes the file, the files beside it and its record, FILE.export.json. Old files are replaced
// when all new ones are complete; an error or a stop before that leaves them unchanged. `text`: the
// format as in --to. `stop_requested` is called for every 16 MiB. Returns the names of the files;
// empty: it was stopped. Errors: kIo; kUsage if `file` is a pipe or a device and further files
// belong beside it.
std::vector<std::string> WriteExported(const ExportedPlan& exported, std::string_view text,
                                       const std::filesystem::path& file,
                                       const std::function<bool()>& stop_requested = {});

}  // namespace halftone
