#include "src/quantization/files/amct_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>
#include <tuple>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/quantization/files/proto_text.h"

namespace halftone {
namespace {

// Fields of AMCT that would change what it computes, and that are not followed.
constexpr std::string_view kNotFollowed[] = {"nuq_config",           "hfmg_quantize",
                                             "nuq_quantize",         "ada_quantize",
                                             "dmq_balancer",         "fakequant_precision_mode",
                                             "weight_compress_only", "ulq_quantize"};

class AmctReader {
 public:
  explicit AmctReader(std::string_view where) : where_(where) {}

  AmctConfig Read(const std::vector<ProtoField>& fields) {
    AmctConfig config;
    ReadFields(
        fields,
        {{"activation_offset", [&](const auto& f) { config.activation_offset = Boolean(f); }},
         {"joint_quant", [&](const auto& f) { config.joint_quant = Boolean(f); }},
         {"do_fusion", [&](const auto& f) { config.do_fusion = Boolean(f); }},
         {"version", [&](const auto& f) { std::ignore = Number(f, 0, 1e9); }},
         {"batch_num",
          [&](const auto& f) { config.batch_num = static_cast<int>(Number(f, 1, 1e9)); }},
         {"common_config", [&](const auto& f) { config.common = Calibration(f); }},
         {"skip_layers*", [&](const auto& f) { config.skip_layers.push_back(Name(f)); }},
         {"skip_layer_types*", [&](const auto& f) { config.skip_layer_types.push_back(Name(f)); }},
         {"skip_fusion_layers*",
          [&](const auto& f) { config.skip_fusion_layers.push_back(Name(f)); }},
         {"override_layer_types*",
          [&](const auto& f) { config.types.push_back(Override(f, "layer_type")); }},
         {"override_layer_configs*",
          [&](const auto& f) { config.layers.push_back(Override(f, "layer_name")); }},
         {"tensor_quantize*", [&](const auto& f) { config.tensors.push_back(Tensor(f)); }}});
    return config;
  }

 private:
  // A field that may stand there, a `*` behind the name of one that may stand several times.
  struct Row {
    std::string_view name;
    std::function<void(const ProtoField&)> read;
  };

  [[noreturn]] void Throw(const ProtoField& at, std::string_view what) const {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:{}: {}: {}", where_, at.line, Shown(at.name), what));
  }

  [[noreturn]] void Refuse(const ProtoField& at, std::string_view expected) const {
    Throw(at, fmt::format("expected {}, found {}", expected,
                          at.is_message ? "a message" : fmt::format("'{}'", Shown(at.text))));
  }

  static std::string_view NameOf(const Row& row) { return row.name.substr(0, row.name.find('*')); }

  void ReadFields(const std::vector<ProtoField>& fields, const std::vector<Row>& rows) const {
    std::set<std::string_view> once;
    for (const ProtoField& field : fields) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& candidate) {
        return NameOf(candidate) == field.name;
      });
      if (row == rows.end()) {
        RefuseField(field, rows);
      }
      if (!row->name.ends_with('*') && !once.insert(field.name).second) {
        Throw(field, "it stands twice; keep one of them");
      }
      row->read(field);
    }
  }

  [[noreturn]] void RefuseField(const ProtoField& field, const std::vector<Row>& rows) const {
    if (std::find(std::begin(kNotFollowed), std::end(kNotFollowed), field.name) !=
        std::end(kNotFollowed)) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("{}:{}: {}: halftone follows arq_quantize and ifmr_quantize only; "
                              "remove it",
                              where_, field.line, field.name));
    }
    std::vector<std::string> names;
    names.reserve(rows.size());
    for (const Row& row : rows) {
      names.emplace_back(NameOf(row));
    }
    Throw(field, fmt::format("expected one of the fields {}; found another", Join(names, ", ")));
  }

  [[nodiscard]] const std::vector<ProtoField>& Message(const ProtoField& field) const {
    if (!field.is_message) {
      Refuse(field, "a message in braces");
    }
    return field.fields;
  }

  [[nodiscard]] std::string Name(const ProtoField& field) const {
    if (!field.quoted || field.text.empty()) {
      Refuse(field, "a name in quotes");
    }
    return field.text;
  }

  [[nodiscard]] bool Boolean(const ProtoField& field) const {
    for (const auto& [text, value] :
         {std::pair{"true", true}, {"false", false}, {"1", true}, {"0", false}}) {
      if (!field.is_message && !field.quoted && field.text == text) {
        return value;
      }
    }
    Refuse(field, "true or false");
  }

  [[nodiscard]] double Number(const ProtoField& field, double low, double high) const {
    double value = 0;
    const char* const end = field.text.data() + field.text.size();
    const auto read = std::from_chars(field.text.data(), end, value);
    const bool number =
        !field.is_message && !field.quoted && read.ec == std::errc{} && read.ptr == end;
    if (!number || !(value >= low && value <= high)) {
      Refuse(field, fmt::format("a number from {} to {}", low, high));
    }
    return value;
  }

  // A number above `low`, at most `high`.
  [[nodiscard]] double NumberAbove(const ProtoField& field, double low, double high) const {
    const double value = Number(field, low, high);
    if (!(value > low)) {
      Refuse(field, fmt::format("a number above {}, at most {}", low, high));
    }
    return value;
  }

  [[nodiscard]] IfmrSettings Ifmr(const ProtoField& field) const {
    constexpr double kMost = 1e6;  // ours; of a factor of a range
    IfmrSettings ifmr;
    ReadFields(
        Message(field),
        {{"search_range_start",
          [&](const auto& f) { ifmr.search_range_start = NumberAbove(f, 0, kMost); }},
         {"search_range_end",
          [&](const auto& f) { ifmr.search_range_end = NumberAbove(f, 0, kMost); }},
         {"search_step", [&](const auto& f) { ifmr.search_step = NumberAbove(f, 0, kMost); }},
         {"max_percentile", [&](const auto& f) { ifmr.max_percentile = NumberAbove(f, 0.5, 1); }},
         {"min_percentile", [&](const auto& f) { ifmr.min_percentile = NumberAbove(f, 0.5, 1); }},
         {"asymmetric", [&](const auto& f) { ifmr.asymmetric = Boolean(f); }}});
    const double width = ifmr.search_range_end - ifmr.search_range_start;
    if (!(width > 0) || ifmr.search_step > width) {
      Throw(field, fmt::format("expected search_range_start below search_range_end and a "
                               "search_step of at most their difference, found {}, {} and {}",
                               ifmr.search_range_start, ifmr.search_range_end, ifmr.search_step));
    }
    return ifmr;
  }

  [[nodiscard]] AmctCalibration Calibration(const ProtoField& field) const {
    AmctCalibration calibration;
    const auto arq = [&](const ProtoField& message) {
      ReadFields(Message(message),
                 {{"channel_wise", [&](const auto& f) { calibration.channel_wise = Boolean(f); }},
                  {"quant_bits", [&](const auto& f) { std::ignore = Number(f, 8, 8); }}});
    };
    ReadFields(Message(field), {{"arq_quantize", arq}, {"ifmr_quantize", [&](const auto& f) {
                                                          calibration.ifmr = Ifmr(f);
                                                        }}});
    return calibration;
  }

  [[nodiscard]] AmctOverride Override(const ProtoField& field, std::string_view name_field) const {
    AmctOverride result;
    ReadFields(Message(field), {{name_field, [&](const auto& f) { result.name = Name(f); }},
                                {"calibration_config",
                                 [&](const auto& f) { result.calibration = Calibration(f); }}});
    if (result.name.empty()) {
      Throw(field, fmt::format("expected the field {}, found none", name_field));
    }
    return result;
  }

  [[nodiscard]] AmctTensor Tensor(const ProtoField& field) const {
    AmctTensor tensor;
    const auto checked = [&](const ProtoField& f) { std::ignore = Ifmr(f); };
    ReadFields(Message(field),
               {{"layer_name", [&](const auto& f) { tensor.layer = Name(f); }},
                {"input_index",
                 [&](const auto& f) { tensor.input = static_cast<int>(Number(f, 0, 1e6)); }},
                {"ifmr_quantize", checked}});
    if (tensor.layer.empty()) {
      Throw(field, "expected the field layer_name, found none");
    }
    return tensor;
  }

  std::string_view where_;
};

// ---- Writing

std::string CalibrationText(const AmctCalibration& calibration, std::string_view indent) {
  const IfmrSettings& ifmr = calibration.ifmr;
  const std::string asymmetric =
      ifmr.asymmetric ? fmt::format("{}    asymmetric: {}\n", indent, *ifmr.asymmetric) : "";
  return fmt::format(
      "{0}  arq_quantize {{\n{0}    channel_wise: {1}\n{0}    quant_bits: 8\n{0}  }}\n"
      "{0}  ifmr_quantize {{\n{0}    search_range_start: {2}\n{0}    search_range_end: {3}\n"
      "{0}    search_step: {4}\n{0}    max_percentile: {5}\n{0}    min_percentile: {6}\n{7}{0}  "
      "}}\n",
      indent, calibration.channel_wise, ifmr.search_range_start, ifmr.search_range_end,
      ifmr.search_step, ifmr.max_percentile, ifmr.min_percentile, asymmetric);
}

std::string Overrides(const std::vector<AmctOverride>& overrides, std::string_view message,
                      std::string_view name_field) {
  std::string text;
  for (const AmctOverride& entry : overrides) {
    text +=
        fmt::format("{} {{\n  {}: {}\n  calibration_config {{\n{}  }}\n}}\n", message, name_field,
                    ProtoString(entry.name), CalibrationText(entry.calibration, "  "));
  }
  return text;
}

}  // namespace

AmctConfig ParseAmctConfig(std::string_view text, std::string_view where) {
  return AmctReader(where).Read(ParseProtoText(text, where));
}

std::string WriteAmctConfig(const AmctConfig& config) {
  std::string text = fmt::format("activation_offset: {}\njoint_quant: {}\ndo_fusion: {}\n",
                                 config.activation_offset, config.joint_quant, config.do_fusion);
  if (config.batch_num) {
    text += fmt::format("batch_num: {}\n", *config.batch_num);
  }
  const std::pair<std::string_view, const std::vector<std::string>&> lists[] = {
      {"skip_layers", config.skip_layers},
      {"skip_layer_types", config.skip_layer_types},
      {"skip_fusion_layers", config.skip_fusion_layers}};
  for (const auto& [field, names] : lists) {
    for (const std::string& name : names) {
      text += fmt::format("{}: {}\n", field, ProtoString(name));
    }
  }
  text += fmt::format("common_config {{\n{}}}\n", CalibrationText(config.common, ""));
  text += Overrides(config.types, "override_layer_types", "layer_type");
  text += Overrides(config.layers, "override_layer_configs", "layer_name");
  for (const AmctTensor& tensor : config.tensors) {
    text += fmt::format("tensor_quantize {{\n  layer_name: {}\n  input_index: {}\n}}\n",
                        ProtoString(tensor.layer), tensor.input);
  }
  return text;
}

}  // namespace halftone
