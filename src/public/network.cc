#include "halftone/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "src/api/options/read_precision.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/public/configured_network.h"

namespace halftone {
namespace {

using Content = ConfiguredNetwork::Content;

void Append(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

[[noreturn]] void RefuseBesidePoint(const std::filesystem::path& point, std::string_view option) {
  throw Error(ErrorKind::kUsage, fmt::format("point={} has a {} of its own: leave one of them out",
                                             point.string(), option));
}

Content ContentOfPoint(const Configuration& given) {
  for (const PrecisionArgument& row : kPrecisionArguments) {
    if (!(given.precision.*row.text).empty()) {
      RefuseBesidePoint(given.point, row.name);
    }
  }
  Content content;
  content.point = ReadPoint(given.point);
  const SetArguments& own = content.point->arguments;
  const std::string& target = given.target.soc_version;
  if (!target.empty() && target != own.target.soc_version) {
    RefuseBesidePoint(given.point, "target");
  }
  if (!given.target.ops_info.empty()) {
    RefuseBesidePoint(given.point, "ops_info");
  }
  if (!given.bank.empty() || !given.select.empty()) {
    RefuseBesidePoint(given.point, "configuration");
  }
  if (!given.fusion_switch_file.empty() && given.fusion_switch_file != own.fusion_switch_file) {
    RefuseBesidePoint(given.point, "fusion_switch_file");
  }
  content.input_shape = given.input_shape;
  const std::vector<std::string> shapes = InputShapesOf(own.shapes);
  if (!shapes.front().empty()) {
    if (!given.input_shape.empty() && given.input_shape != shapes.front()) {
      RefuseBesidePoint(given.point, "input_shape");
    }
    content.input_shape = shapes.front();
  }
  content.target_options = own.target;
  content.fusion_switch_file = own.fusion_switch_file;
  content.target = LoadTarget(content.target_options);
  LoadedPrecision loaded = ReadPrecision(own.precision, content.target);
  content.precision = std::move(loaded.options);
  content.warnings = content.point->notes;
  Append(content.warnings, loaded.warnings);
  return content;
}

Content ContentOf(const Configuration& given) {
  if (!given.point.empty()) {
    return ContentOfPoint(given);
  }
  const bool has_precision = std::ranges::any_of(
      kPrecisionArguments,
      [&](const PrecisionArgument& row) { return !(given.precision.*row.text).empty(); });
  if (!given.bank.empty() && has_precision) {
    throw Error(ErrorKind::kUsage,
                "expected one configuration, found a bank and precision options; leave one of them "
                "out");
  }
  if (given.bank.empty() && !given.select.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("select='{}' chooses from a knowledge base, and none is given; give its "
                    "bank, or leave select out",
                    given.select));
  }
  Content content;
  content.target_options = given.target;
  content.input_shape = given.input_shape;
  content.fusion_switch_file = given.fusion_switch_file;
  content.target = LoadTarget(given.target);
  LoadedPrecision loaded = LoadPrecision(given.precision, content.target);
  content.precision = std::move(loaded.options);
  content.warnings = std::move(loaded.warnings);
  return content;
}

// Adds warnings about the switches to the content.
std::vector<Model> ModelsOf(ModelOptions reading, const DatasetOptions& data, Content& content) {
  FusionSwitches switches = LoadFusionSwitches(content.fusion_switch_file, content.target_options);
  Append(content.warnings, switches.warnings);
  reading.input_shape = content.input_shape;
  reading.fusions_off = std::move(switches.off);
  reading.fusion_switches = std::move(switches.file);
  const std::vector<std::string> shapes = reading.input_shape.empty()
                                              ? ShapesOfSamples(reading, data)
                                              : std::vector<std::string>{reading.input_shape};
  return LoadSampleProfiles(reading, shapes, data);
}

}  // namespace

ConfiguredNetwork::ConfiguredNetwork(ModelOptions model, const Configuration& configuration,
                                     const DatasetOptions& data) {
  Content content = ContentOf(configuration);
  content.models = ModelsOf(std::move(model), data, content);
  for (const Model& at : content.models) {
    Append(content.warnings, at.notes);
  }
  if (content.point) {
    Append(content.warnings,
           CheckPoint(*content.point, content.models.front(), content.target, content.precision));
  }
  if (!configuration.bank.empty()) {
    StoredConfiguration stored =
        LoadStored(content.models, configuration.bank, content.target, configuration.select);
    content.precision = std::move(stored.precision);
    Append(content.warnings, stored.warnings);
  }
  content_ = std::make_shared<const Content>(std::move(content));
}

std::vector<std::string> ConfiguredNetwork::input_shapes() const {
  std::vector<std::string> shapes;
  for (const Model& model : content_->models) {
    shapes.push_back(model.input_shapes);
  }
  return shapes;
}

std::span<const std::string> ConfiguredNetwork::warnings() const {
  return content_->warnings;
}

}  // namespace halftone
