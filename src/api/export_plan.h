// A plan as files of other tools.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/api/halftone.h"
#include "src/export/exported_file.h"

namespace halftone {

// A kind of file, with its options resolved.
struct ExportFormat {
  std::string name;     // "onnx-qdq"
  std::string flavour;  // "ort"; empty: it has none

  friend bool operator==(const ExportFormat&, const ExportFormat&) = default;
};

// Parses the text of --to: "onnx-qdq", "onnx-qdq:flavour=tensorrt". Error kUsage lists the formats
// and their flavours.
ExportFormat ParseExportFormat(std::string_view text);

// Parses a list, "onnx-qdq,trtexec", or "all": every format that patches no file. Each format comes
// once, in the order given. Errors as ParseExportFormat().
std::vector<ExportFormat> ParseExportFormats(std::string_view list);

// The text of a format: "onnx-qdq:flavour=tensorrt".
std::string TextOf(const ExportFormat& format);

// Name of the file in a folder of several formats: the network's name with an ending,
// "net.qdq.onnx", or for some formats a fixed name.
std::string ExportFileName(const ExportFormat& format, const std::string& network);

// The file of a tool that a format patches: "the IR of the network, net.xml". Empty: it patches
// none.
std::string_view PatchedFile(const ExportFormat& format);

// Name of the file to write, and path of the one that it patches.
struct ExportPlace {
  std::string file;               // name of the file to write, without folders
  std::filesystem::path patched;  // of PatchedFile(); empty where there is none
};

struct ExportedPlan {
  std::string bytes;                 // of the file
  std::vector<ExportedFile> beside;  // further files, in the same folder
  std::string summary;               // one line
  std::vector<std::string> notes;  // full sentences: decisions of the plan that the file changes or
                                   // lacks
  std::vector<Loss> losses;        // the same by nodes, where it can be said so
  std::string read_by;             // tools and their versions
  std::string command;             // reads the file, in a shell in its folder
  std::string verified_by;  // what read and ran such files; empty: written from documentation
  Hash128 plan;             // PrecisionPlan::Digest()
};

// export.json, beside an exported file: docs/reference/export.schema.json. `file` is its name,
// `text` the format as in --to.
std::string ExportRecord(const ExportedPlan& exported, std::string_view text,
                         const std::string& file);

// The network with the plan that `options` give on `target`. Errors: as ResolvePrecision(), and as
// WriteOnnxQdq() (src/export/onnx_qdq.h); kUsage for a plan in which nothing is rounded, for a
// missing or superfluous place.patched, and for one that is no such file; kUnsupported for a plan
// that the format cannot express.
ExportedPlan ExportPlan(const Model& model, const TargetSpec& target,
                        const PrecisionOptions& options, const ExportFormat& format,
                        const ExportPlace& place);

// The same for a plan of the network.
ExportedPlan ExportPlan(const Model& model, const PrecisionPlan& plan, const ExportFormat& format,
                        const ExportPlace& place);

// Writes the file, the files beside it and its record, FILE.export.json. Old files are replaced
// when all new ones are complete; incomplete ones leave nothing behind. `text`: the format as in
// --to. `stop_requested` is asked between pieces of the larger files. Returns the names of the
// files; empty: it was stopped. Error kIo; kUsage: several files, and a pipe or a device in place
// of the first.
std::vector<std::string> WriteExported(const ExportedPlan& exported, std::string_view text,
                                       const std::filesystem::path& file,
                                       const std::function<bool()>& stop_requested = {});

}  // namespace halftone
