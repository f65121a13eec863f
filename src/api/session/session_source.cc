#include "src/api/session/session_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "src/api/bank/point_kernels.h"
#include "src/api/operator_tuning.h"
#include "src/api/options/point.h"
#include "src/api/options/read_precision.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Plan of a session without a configuration.
constexpr std::string_view kOwnTypes = "must_keep_origin_dtype";
constexpr std::string_view kMostExact = "high_precision";

void Append(std::vector<std::string>& notes, std::vector<std::string> more) {
  std::ranges::move(more, std::back_inserter(notes));
}

bool GivesTarget(const TargetOptions& target) {
  return !target.soc_version.empty() || !target.ops_info.empty();
}

void RequireOneSource(const SessionOptions& options) {
  std::vector<std::string> given;
  if (!options.point.empty()) {
    given.emplace_back("point");
  }
  if (options.precision) {
    given.emplace_back("precision");
  }
  if (!options.bank.empty()) {
    given.emplace_back("bank");
  }
  if (given.size() > 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("expected one configuration for a session, found {}; leave out all "
                            "but one of point, precision and bank",
                            Join(given, " and ")));
  }
  if (!options.point.empty() && GivesTarget(options.target)) {
    throw Error(ErrorKind::kUsage,
                "a point has a target of its own; leave out the session's target, or the point");
  }
  if (options.bank.empty() && !options.select.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("select='{}' chooses from a knowledge base, and the session has none; "
                            "give its bank, or leave select out",
                            options.select));
  }
}

// The shapes of the session in the order of its options; those of the point without options.
std::vector<std::string> ShapesOf(const SessionOptions& options, const std::optional<Point>& point,
                                  const std::string& of_model) {
  std::vector<std::string> shapes = options.input_shapes;
  if (point) {
    std::vector<std::string> of_point = InputShapesOf(point->arguments.shapes);
    const bool has_some = of_point != std::vector<std::string>(1);
    if (shapes.empty() && has_some) {
      shapes = std::move(of_point);
    } else if (!shapes.empty() && has_some && shapes != of_point) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("the point is of the input shapes '{}', the session's options say "
                              "'{}'; leave them out, and call AddShape() for more",
                              Join(of_point, "', '"), Join(shapes, "', '")));
    }
  }
  if (shapes.empty()) {
    shapes.push_back(of_model);
  }
  return shapes;
}

// Fusion switches of a point in the options of its model.
ModelOptions WithSwitches(ModelOptions model, const std::optional<Point>& point,
                          std::vector<std::string>& notes) {
  if (point && !point->arguments.fusion_switch_file.empty() && model.fusions_off.empty()) {
    FusionSwitches switches =
        LoadFusionSwitches(point->arguments.fusion_switch_file, point->arguments.target);
    model.fusions_off = std::move(switches.off);
    model.fusion_switches = std::move(switches.file);
    Append(notes, std::move(switches.warnings));
  }
  return model;
}

// The session of networks that were read.
SessionSource Resolve(std::vector<Model> models, const SessionOptions& options,
                      const std::optional<Point>& point, std::vector<std::string> notes,
                      int threads) {
  SessionSource source{.models = std::move(models),
                       .target = LoadTarget(point ? point->arguments.target : options.target),
                       .precision = {},
                       .choices = {},
                       .notes = std::move(notes)};
  const Model& first = source.models.front();
  Append(source.notes, first.notes);
  if (point) {
    LoadedPrecision loaded = ReadPrecision(point->arguments.precision, source.target);
    source.precision = std::move(loaded.options);
    Append(source.notes, std::move(loaded.warnings));
    Append(source.notes, CheckPoint(*point, first, source.target, source.precision));
  } else if (!options.bank.empty()) {
    StoredConfiguration stored =
        LoadStored(source.models, options.bank, source.target, options.select);
    source.precision = std::move(stored.precision);
    Append(source.notes, std::move(stored.warnings));
  } else if (options.precision) {
    source.precision = *options.precision;
  } else {
    source.precision.precision_mode = kOwnTypes;
    source.precision.op_select_implmode = kMostExact;
  }
  for (const Model& model : source.models) {
    source.choices.push_back(ChoicesFor(model, options, source.target.name, threads, source.notes));
  }
  return source;
}

std::optional<Point> PointOf(const SessionOptions& options, std::vector<std::string>& notes) {
  if (options.point.empty()) {
    return std::nullopt;
  }
  Point point = ReadPoint(options.point);
  Append(notes, point.notes);
  return point;
}

}  // namespace

KernelChoices ChoicesFor(const Model& model, const SessionOptions& options,
                         const std::string& target, int threads, std::vector<std::string>& notes) {
  if (!options.tuned_kernels) {
    return {};
  }
  if (!options.bank.empty()) {
    return LoadKernelChoices(model, options.bank, target, threads);
  }
  if (options.point.empty()) {
    return {};
  }
  PointChoices chosen = ChoicesOfPoint(ReadPoint(options.point), threads);
  if (!chosen.note.empty() && std::ranges::find(notes, chosen.note) == notes.end()) {
    notes.push_back(std::move(chosen.note));
  }
  return std::move(chosen.choices);
}

SessionSource ReadSource(const ModelOptions& model, const SessionOptions& options, int threads) {
  RequireOneSource(options);
  std::vector<std::string> notes;
  const std::optional<Point> point = PointOf(options, notes);
  const std::vector<std::string> shapes = ShapesOf(options, point, model.input_shape);
  std::vector<Model> models = LoadShapeProfiles(WithSwitches(model, point, notes), shapes);
  return Resolve(std::move(models), options, point, std::move(notes), threads);
}

SessionSource ReadSource(Model model, const SessionOptions& options, int threads) {
  RequireOneSource(options);
  std::vector<std::string> notes;
  const std::optional<Point> point = PointOf(options, notes);
  const std::vector<std::string> shapes = ShapesOf(options, point, model.input_shapes);
  const bool is_first = shapes[0] == model.input_shapes;  // need not be read again
  std::vector<Model> models;
  models.push_back(is_first ? std::move(model) : WithInputShape(model, shapes[0]));
  for (std::size_t i = 1; i < shapes.size(); ++i) {
    models.push_back(WithInputShape(models.front(), shapes[i]));
  }
  return Resolve(std::move(models), options, point, std::move(notes), threads);
}

}  // namespace halftone
