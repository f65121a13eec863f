#include "src/api/options/point.h"

#include <fmt/format.h>

#include <system_error>

#include "kernels/cpu_isa.h"
#include "kernels/kernel_table.h"
#include "src/amct/point_files.h"
#include "src/api/options/option_folder.h"
#include "src/base/error.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

std::string Named(const fs::path& folder) {
  return fmt::format("--point={}", folder.string());
}

[[noreturn]] void Throw(const fs::path& folder, const std::string& sentence) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}", Named(folder), sentence));
}

void RequireFolder(const fs::path& folder) {
  constexpr std::string_view kExpected =
      "expected the folder of a point, with arguments.txt, as `tune --output` writes it";
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) {
    Throw(folder, fmt::format("{}; found nothing there", kExpected));
  }
  if (!fs::is_directory(status)) {
    Throw(folder, fmt::format("{}; found {}", kExpected,
                              error                         ? error.message()
                              : fs::is_regular_file(status) ? "a file"
                                                            : "a pipe or a device"));
  }
  const fs::path arguments = folder / kArgumentsFile;
  if (!fs::exists(fs::symlink_status(arguments, error))) {
    std::string point;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (fs::exists(entry.path() / kArgumentsFile, error) && (point.empty() || name < point)) {
        point = name;
      }
    }
    Throw(folder,
          fmt::format(
              "{}; found a folder without it{}", kExpected,
              point.empty() ? "" : fmt::format("; '{}' in it has one: name that folder", point)));
  }
}

// Every error about the folder is an error about the value of the option.
template <typename Body>
auto Reading(const fs::path& folder, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    Throw(folder, error.what());
  }
}

// "; halftone 0.1.0 wrote it, this is 0.2.0" where that may be why.
std::string OtherVersion(const PointRecord& record) {
  return record.tool_version == Version()
             ? ""
             : fmt::format("; halftone {} wrote it, this is {}", record.tool_version, Version());
}

void CheckNetwork(const Point& point, const Model& model) {
  const PointRecord& record = *point.record;
  if (record.input_shapes != model.input_shapes) {
    Throw(point.folder,
          fmt::format("expected the network '{}' with input shapes {}, found '{}' with {}; give "
                      "the network and the shapes that the point was written for, or tune these",
                      record.model_name, record.input_shapes, model.name, model.input_shapes));
  }
  if (record.structure != StructureOf(model.graph)) {
    Throw(point.folder,
          fmt::format("expected the network '{}' that the point was written for, found '{}' with "
                      "other operators, names, types or shapes{}; give that network, or tune this "
                      "one",
                      record.model_name, model.name, OtherVersion(record)));
  }
}

void ComparePlans(const Point& point, const Hash128& found) {
  const PointRecord& record = *point.record;
  if (found == record.plan_digest) {
    return;
  }
  if (const std::string isa = IsaName(UsedIsa()); !record.isa.empty() && record.isa != isa) {
    Throw(point.folder,
          fmt::format("expected the plan {} that {} names, found {}: the point is of a machine "
                      "whose kernels use {}, those of this run use {}, and the host has other "
                      "types and implementations with them; run it where it was tuned, with the "
                      "same HALFTONE_MAX_ISA, tune here, or delete {} to take the options as they "
                      "are",
                      record.plan_digest.ToHex(), kPointFile, found.ToHex(), record.isa, isa,
                      kPointFile));
  }
  const bool same_version = record.tool_version == Version();
  Throw(point.folder,
        fmt::format(
            "expected the plan {} that {} names, found {}: {}; {}", record.plan_digest.ToHex(),
            kPointFile, found.ToHex(),
            same_version ? "a file of the folder was changed since it was written"
                         : fmt::format("a file of the folder was changed, or halftone {}, which "
                                       "wrote it, decided otherwise than {}",
                                       record.tool_version, Version()),
            fmt::format("tune again, or delete {} to take the options as they are", kPointFile)));
}

}  // namespace

Point ReadPoint(const fs::path& folder) {
  RequireFolder(folder);
  return Reading(folder, [&] {
    Point point{.folder = folder,
                .arguments = ReadSetArguments(folder),
                .record = ReadPointRecord(folder),
                .notes = {}};
    if (!point.record) {
      point.notes.push_back(
          fmt::format("{}: no {}, as in folders of halftone 0.1.0: whether its files still give "
                      "the plan that was measured is not checked",
                      Named(folder), kPointFile));
    } else if (point.record->digest_version != kPointDigestVersion) {
      point.notes.push_back(fmt::format(
          "{}: the digests of {} are of version {}, this halftone makes version {}: "
          "whether its files still give the plan that was measured is not checked",
          Named(folder), kPointFile, point.record->digest_version, kPointDigestVersion));
    }
    return point;
  });
}

std::vector<std::string> CheckPoint(const Point& point, const Model& model,
                                    const TargetSpec& target, const PrecisionOptions& options) {
  if (!point.record || point.record->digest_version != kPointDigestVersion) {
    return {};
  }
  if (point.record->target != target.name) {
    Throw(point.folder, fmt::format("expected the target {} that {} names, found {}: a file of "
                                    "the folder was changed; tune again",
                                    point.record->target, kPointFile, target.name));
  }
  CheckNetwork(point, model);
  // A name that the network does not have is of a file that was changed, but the resolver says
  // more about it than two digests do.
  const PrecisionPlan plan = ResolvePrecision(model.graph, options, target);
  Reading(point.folder, [&] { CheckAmctFile(point.folder, model.graph, plan); });
  ComparePlans(point, plan.Digest());
  if (point.record->model_hash != model.hash) {
    return {
        fmt::format("{}: '{}' has other weights or attributes than the network that it was "
                    "written for: its accuracy may be another; `halftone run` measures it",
                    Named(point.folder), model.name)};
  }
  return {};
}

}  // namespace halftone
