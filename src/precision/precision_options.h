// Precision options of one configuration, parsed from what a user types.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/ir/dtype.h"
#include "src/ir/impl_mode.h"
#include "src/quantization/quantization.h"

namespace halftone {

// One line of --customize_dtypes. An empty item leaves the choice of that tensor's dtype to the
// other options.
struct CustomDTypes {
  std::string target;    // node name, or IR type when `is_type`
  bool is_type = false;  // the line begins with "OpType::"
  std::vector<std::optional<DType>> inputs;
  std::vector<std::optional<DType>> outputs;

  friend bool operator==(const CustomDTypes&, const CustomDTypes&) = default;
};

// Changes of one list of --modify_mixlist. IR types are sorted and without duplicates.
struct MixlistChange {
  std::vector<std::string> to_add;
  std::vector<std::string> to_remove;

  friend bool operator==(const MixlistChange&, const MixlistChange&) = default;
};

struct Mixlist {
  MixlistChange white;
  MixlistChange black;
  MixlistChange gray;

  friend bool operator==(const Mixlist&, const Mixlist&) = default;
};

// Options of one configuration. An empty text or container means that the option is not given. See
// docs/reference/options.md.
struct PrecisionOptions {
  std::string precision_mode;     // --precision_mode; a name in AllPrecisionModes()
  std::string precision_mode_v2;  // --precision_mode_v2; excludes precision_mode
  // --keep_dtype: lines of the file, each "OpType::<IR type>" or a node name; sorted and without
  // duplicates.
  std::vector<std::string> keep_dtype;
  // --op_precision_mode: sections [ByNodeName] and [ByOpType] of the ini file. `op_precision_given`
  // is true for an empty file too, because --op_select_implmode is ignored beside any file.
  bool op_precision_given = false;
  std::map<std::string, ImplMode> impl_mode_by_node;
  std::map<std::string, ImplMode> impl_mode_by_type;
  std::string op_select_implmode;                    // --op_select_implmode
  std::vector<std::string> optypelist_for_implmode;  // --optypelist_for_implmode
  std::optional<Mixlist> modify_mixlist;             // --modify_mixlist; {} is legal: no change
  std::vector<CustomDTypes> customize_dtypes;        // --customize_dtypes, in the order of the file
  // Texts of the options of the same names. ResolvePrecision() checks them.
  std::string allow_hf32;
  std::string output_type;
  std::vector<std::string> input_fp16_nodes;  // names of graph inputs
  std::string is_weight_clip;
  std::string status_check;
  std::string graph_run_mode;  // "0" inference (default), "1" training
  // Number formats that are no dtype, by node name (src/precision/resolve/node_formats.h). Only
  // --quantization states formats of 8 bits; no option of a target states the others, which the
  // knowledge base and points hold.
  std::map<std::string, std::string> node_formats;
  // Scales of the tensors in a scaled format (--quantization).
  SharedQuantization quantization;

  friend bool operator==(const PrecisionOptions&, const PrecisionOptions&) = default;
};

}  // namespace halftone
