// Explanation of a plan, node by node: as data, and in the formats of `halftone explain`.
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
  std::string node;
  std::vector<std::string> parts;  // fused nodes of the model, without `node`
  std::string onnx_type;
  std::string ir_type;
  Engine engine = Engine::kAiCore;
  std::vector<std::optional<NumericFormat>> inputs;  // empty: an absent optional input
  std::vector<std::optional<NumericFormat>> outputs;
  NumericFormat compute;
  ImplMode impl_mode = ImplMode::kDefault;
  std::string reason;  // the rule that decided
  NodeTrace trace;     // refused engines and columns
};

// An input or output of the network that an option gives another dtype.
struct BoundaryChange {
  bool is_input = false;
  std::string name;
  DType original = DType::kFloat32;
  DType dtype = DType::kFloat32;

  friend bool operator==(const BoundaryChange&, const BoundaryChange&) = default;
};

struct Explanation {
  std::string target;
  std::string mode;                                           // the effective precision mode
  Hash128 plan_digest;                                        // of all nodes, also hidden ones
  std::vector<BoundaryChange> boundary;                       // --input_fp16_nodes, --output_type
  bool clips_weights = true;                                  // --is_weight_clip
  OverflowArithmetic overflow = OverflowArithmetic::kInfNan;  // of the target
  std::vector<NodeExplanation> nodes;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

// Resolves with a trace of refusals. Errors as ResolvePrecision().
Explanation Explain(const Graph& graph, const PrecisionOptions& options, const TargetSpec& target,
                    const ResolveSettings& settings = {});

// Removes all nodes except those of this name, or of this IR type after "OpType::". The name of a
// fused node selects the node that absorbed it, with a note. Error kUsage with the closest names
// when no node remains.
void KeepOnlyNode(Explanation& explanation, std::string_view node);

// Inputs and outputs that two explanations of one graph resolve differently, each with both dtypes.
struct BoundaryDifference {
  bool is_input;
  std::string name;
  DType a;
  DType b;
};

std::vector<BoundaryDifference> BoundaryDifferences(const Explanation& a, const Explanation& b);

// The nodes that two explanations of one graph resolve differently.
struct NodeDifference {
  const NodeExplanation* a;
  const NodeExplanation* b;
};

std::vector<NodeDifference> Differences(const Explanation& a, const Explanation& b);

// Layout of the table on the screen; other formats show all, whatever it says.
struct ExplainLayout {
  std::size_t columns = kColumnsOfFiles;
  std::size_t most_rows = 0;  // 0: no limit
  bool refused = false;       // also the columns that were refused, and why
};

// Table of formats of `halftone explain`: the name is "table", "json" or "csv".
struct ExplainFormat {
  std::string_view name;
  std::string (*explanation)(const Explanation& explanation, const ExplainLayout& layout);
  std::string (*difference)(const Explanation& a, const Explanation& b,
                            const ExplainLayout& layout);
  bool has_remarks;  // prints Remarks() and warnings too
};

std::span<const ExplainFormat> AllExplainFormats();

// The format of this name. Error kUsage with the legal names.
const ExplainFormat& ExplainFormatNamed(std::string_view name);

// ---- For the formats ----------------------------------------------------------------------------

// "f16,f16,f32", "-" for an absent operand, "f16 x10" for more than `written_out` of one dtype.
std::string ShortNames(const std::vector<std::optional<NumericFormat>>& formats,
                       std::size_t written_out = 4);

// The sentence for a `--node` that names nothing, with what was probably meant: an IR type, a node
// below that name, a name of few other letters.
std::string NoSuchNode(std::string_view node, std::vector<std::string> names,
                       std::vector<std::string> ir_types);

// Sentences on inputs, outputs and weights, and the notes.
std::vector<std::string> Remarks(const Explanation& explanation);

// "f32->f32 bf16->bf16: input 0 takes float16": refused columns, a text for each reason, at most
// four columns written out; columns without a float32, float16 or bfloat16 tensor only where there
// are no others.
std::vector<std::string> RefusedTexts(const NodeTrace& trace);
// The texts on one line.
std::string RefusedText(const NodeTrace& trace);

// The rows of the table that the layout shows, with a line on how to see the others; `noun` names
// what a row stands for: "node".
std::string FormatRows(TextTable table, const ExplainLayout& layout, std::string_view noun);

std::string ExplainTable(const Explanation& explanation, const ExplainLayout& layout = {});
std::string ExplainJson(const Explanation& explanation, const ExplainLayout& layout = {});
std::string ExplainCsv(const Explanation& explanation, const ExplainLayout& layout = {});
std::string DiffTable(const Explanation& a, const Explanation& b, const ExplainLayout& layout = {});
std::string DiffJson(const Explanation& a, const Explanation& b, const ExplainLayout& layout = {});
std::string DiffCsv(const Explanation& a, const Explanation& b, const ExplainLayout& layout = {});

}  // namespace halftone
