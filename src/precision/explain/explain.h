// Explanation of a plan for each node, as data and in the formats of `halftone explain`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/hash.h"
#include "src/base/text_table.h"
#include "src/ir/graph.h"
#include "src/precision/precision_options.h"
#include "src/precision/resolve/resolve.h"
#include "src/target/target_spec.h"

namespace halftone {

struct NodeExplanation {
  std::string node;                // name of the node
  std::vector<std::string> parts;  // names of the nodes of the model that were fused into it
  std::string onnx_type;
  std::string ir_type;
  Engine engine = Engine::kAiCore;
  std::vector<std::optional<NumericFormat>> inputs;  // empty: an absent optional input
  std::vector<std::optional<NumericFormat>> outputs;
  NumericFormat compute;
  ImplMode impl_mode = ImplMode::kDefault;
  std::string reason;  // rule that decided
  NodeTrace trace;     // refused engines and columns
};

// An input or output of the network whose dtype an option changes.
struct BoundaryChange {
  bool is_input = false;
  std::string name;
  DType original = DType::kFloat32;
  DType dtype = DType::kFloat32;

  friend bool operator==(const BoundaryChange&, const BoundaryChange&) = default;
};

struct Explanation {
  std::string target;
  std::string mode;                                           // effective precision mode
  Hash128 plan_digest;                                        // PrecisionPlan::Digest()
  std::vector<BoundaryChange> boundary;                       // --input_fp16_nodes, --output_type
  bool clips_weights = true;                                  // --is_weight_clip
  OverflowArithmetic overflow = OverflowArithmetic::kInfNan;  // arithmetic of the target
  std::vector<NodeExplanation> nodes;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

// Resolves the options and explains the plan. Errors as ResolvePrecision().
Explanation Explain(const Graph& graph, const PrecisionOptions& options, const TargetSpec& target,
                    const ResolveSettings& settings = {});

// Removes all nodes except the one with the name `node`, or, for "OpType::X", those of IR type X.
// If `node` was fused into another node, that one stays, and a note says so. Error kUsage with the
// closest names: no node would remain.
void KeepOnlyNode(Explanation& explanation, std::string_view node);

// An input or output that two explanations, a and b, of one graph give different dtypes.
struct BoundaryDifference {
  bool is_input;
  std::string name;
  DType a;
  DType b;
};

std::vector<BoundaryDifference> BoundaryDifferences(const Explanation& a, const Explanation& b);

// A node that two explanations, a and b, of one graph resolve differently. The pointers lead into
// these.
struct NodeDifference {
  const NodeExplanation* a;
  const NodeExplanation* b;
};

std::vector<NodeDifference> Differences(const Explanation& a, const Explanation& b);

// Layout of the table. The other formats ignore it and show everything.
struct ExplainLayout {
  std::size_t columns = kColumnsOfFiles;  // width in characters
  std::size_t most_rows = 0;              // 0: no limit
  bool refused = false;                   // true: show refused columns and the reasons
};

// A format of `halftone explain`: "table", "json" or "csv".
struct ExplainFormat {
  std::string_view name;
  std::string (*explanation)(const Explanation& explanation, const ExplainLayout& layout);
  std::string (*difference)(const Explanation& a, const Explanation& b,
                            const ExplainLayout& layout);
  bool has_remarks;  // true: the text includes Remarks() and warnings
};

std::span<const ExplainFormat> AllExplainFormats();

// The format of this name. Error kUsage with the legal names: no format has this name.
const ExplainFormat& ExplainFormatNamed(std::string_view name);

// ---- Shared by the formats ----------------------------------------------------------------------

// Formats as short names: "f16,f16,f32", with "-" for an absent operand. More than `written_out`
// equal names become "f16 x10".
std::string ShortNames(const std::vector<std::optional<NumericFormat>>& formats,
                       std::size_t written_out = 4);

// Error text for a `--node` that names nothing. Suggests what the user probably meant: an IR type,
// nodes whose names begin with this name and '/', or similar names.
std::string NoSuchNode(std::string_view node, std::vector<std::string> names,
                       std::vector<std::string> ir_types);

// Sentences on changed inputs and outputs and on unclipped weights, then Explanation::notes.
std::vector<std::string> Remarks(const Explanation& explanation);

// Texts about refused columns, one for each reason: "f32->f32 bf16->bf16: input 0 takes float16". A
// text lists at most four columns. Columns without a float32, float16 or bfloat16 tensor are listed
// only if no other columns were refused.
std::vector<std::string> RefusedTexts(const NodeTrace& trace);
// RefusedTexts() joined by "; ".
std::string RefusedText(const NodeTrace& trace);

// Formats the table, cut to ExplainLayout::most_rows. A last line tells how many rows are hidden
// and how to see them. `noun` is what a row stands for, such as "node".
std::string FormatRows(TextTable table, const ExplainLayout& layout, std::string_view noun);

std::string ExplainTable(const Explanation& explanation, const ExplainLayout& layout = {});
std::string ExplainJson(const Explanation& explanation, const ExplainLayout& layout = {});
std::string ExplainCsv(const Explanation& explanation, const ExplainLayout& layout = {});
std::string DiffTable(const Explanation& a, const Explanation& b, const ExplainLayout& layout = {});
std::string DiffJson(const Explanation& a, const Explanation& b, const ExplainLayout& layout = {});
std::string DiffCsv(const Explanation& a, const Explanation& b, const ExplainLayout& layout = {});

}  // namespace halftone
