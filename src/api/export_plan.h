// A plan as a file of another runtime.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/api/halftone.h"

namespace halftone {

// A kind of file, with its options resolved.
struct ExportFormat {
  std::string name;     // "onnx-qdq"
  std::string flavour;  // "ort"; empty: it has none
};

// Parses the text of --to: "onnx-qdq", "onnx-qdq:flavour=tensorrt". Error kUsage lists the formats
// and their flavours.
ExportFormat ParseExportFormat(std::string_view text);

// All texts that ParseExportFormat() takes, for help and messages.
std::vector<std::string> ExportFormatTexts();

struct ExportedPlan {
  std::string bytes;               // of the file
  std::string summary;             // one line
  std::vector<std::string> notes;  // full sentences: what the file does not say as the plan has it
  std::string read_by;             // tools and their versions
  Hash128 plan;                    // PrecisionPlan::Digest()
};

// export.json, beside an exported file: what it is, who reads it, and its notes. `file` is its
// name, `text` that of --to.
std::string ExportRecord(const ExportedPlan& exported, std::string_view text,
                         const std::string& file);

// The network with the plan that `options` give on `target`. Errors: as ResolvePrecision(), and as
// WriteOnnxQdq() (src/export/onnx_qdq.h); kUsage for a plan in which nothing is rounded.
ExportedPlan ExportPlan(const Model& model, const TargetSpec& target,
                        const PrecisionOptions& options, const ExportFormat& format);

}  // namespace halftone
