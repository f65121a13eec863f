#include "src/api/options/point_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/cpu_isa.h"
#include "kernels/kernel_table.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/printable.h"
#include "src/base/strict_json.h"

namespace halftone {
namespace {

using nlohmann::json;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kMostBytes = 16U << 20U;

void HashTypes(Hasher& hasher, const Graph& graph, const std::vector<ValueId>& ids) {
  hasher.Add(static_cast<std::int64_t>(ids.size()));
  for (const ValueId id : ids) {
    hasher.Add(id == kNoValue ? "" : graph.value(id).type.ToString());
  }
}

Hash128 HashFrom(const json& text) {
  const auto hash = Hash128::FromHex(text.get<std::string>());
  if (!hash) {
    throw Error(ErrorKind::kUsage, fmt::format("expected 32 hexadecimal digits, found '{}'",
                                               Shown(text.get<std::string>())));
  }
  return *hash;
}

// A number that is no whole one would be cut, or worse, by get<int>().
int VersionFrom(const json& number) {
  return number.is_number_integer() && number.get<std::int64_t>() == number.get<int>()
             ? number.get<int>()
             : 0;
}

// A number of threads, 1 or more.
int ThreadsFrom(const json& number) {
  const int threads = VersionFrom(number);
  if (threads < 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("expected a number of threads, found {}", Shown(number.dump())));
  }
  return threads;
}

std::optional<PointKernels> KernelsFrom(const json& document) {
  const auto kernels = document.find("kernels");  // absent in folders of before
  if (kernels == document.end() || kernels->is_null()) {
    return std::nullopt;
  }
  return PointKernels{.cpu = kernels->at("cpu").get<std::string>(),
                      .isa = kernels->at("isa").get<std::string>(),
                      .table = HashFrom(kernels->at("table")),
                      .threads = ThreadsFrom(kernels->at("threads")),
                      .chosen = kernels->at("chosen").get<decltype(PointKernels::chosen)>()};
}

Json ToJson(const std::optional<PointKernels>& kernels) {
  if (!kernels) {
    return nullptr;
  }
  return {{"cpu", kernels->cpu},
          {"isa", kernels->isa},
          {"table", kernels->table.ToHex()},
          {"threads", kernels->threads},
          {"chosen", kernels->chosen}};
}

// Absent in folders of before.
std::map<std::string, std::string> NotExportedIn(const json& document) {
  const auto found = document.find("not_exported");
  return found == document.end() ? std::map<std::string, std::string>()
                                 : found->get<std::map<std::string, std::string>>();
}

PointRecord RecordFrom(const json& document) {
  const json& schema = document.at("schema_version");
  if (VersionFrom(schema) != kPointSchemaVersion) {
    throw Error(ErrorKind::kUsage, fmt::format("expected schema_version {}, found {}; it is of "
                                               "another version of halftone",
                                               kPointSchemaVersion, Shown(schema.dump())));
  }
  const json& network = document.at("model");
  const json& digests = document.at("digests");
  return {.digest_version = VersionFrom(digests.at("version")),
          .tool_version = document.at("tool").at("version").get<std::string>(),
          .model_name = network.at("name").get<std::string>(),
          .model_hash = HashFrom(digests.at("model")),
          .structure = HashFrom(digests.at("structure")),
          .input_shapes = network.at("input_shapes").get<std::string>(),
          .target = document.at("target").get<std::string>(),
          .isa = document.value("isa", ""),  // absent in folders of before
          .plan_digest = HashFrom(digests.at("plan")),
          .files = document.at("files").get<std::set<std::string>>(),
          .not_exported = NotExportedIn(document),
          .measured = document.at("measured").is_null() ? "" : document.at("measured").dump(),
          .kernels = KernelsFrom(document)};
}

}  // namespace

Hash128 StructureOf(const Graph& graph) {
  Hasher hasher;
  HashTypes(hasher, graph, graph.inputs);
  HashTypes(hasher, graph, graph.outputs);
  for (const Node& node : graph.nodes) {
    hasher.Add(InfoOf(node.op).name).Add(node.name);
    HashTypes(hasher, graph, node.inputs);
    HashTypes(hasher, graph, node.outputs);
    for (const Origin& origin : node.origins) {
      hasher.Add(origin.name).Add(origin.type);
    }
  }
  return hasher.Finish();
}

PointRecord RecordOf(const Model& model, std::string_view target, const Hash128& plan_digest) {
  return {.tool_version = std::string(Version()),
          .model_name = model.name,
          .model_hash = model.hash,
          .structure = StructureOf(model.graph),
          .input_shapes = model.input_shapes,
          .target = std::string(target),
          .isa = target == "host" ? IsaName(UsedIsa()) : "",
          .plan_digest = plan_digest,
          .files = {},
          .measured = {}};
}

std::string FormatPointRecord(const PointRecord& record) {
  const Json document = {
      {"schema_version", kPointSchemaVersion},
      {"tool", {{"name", "halftone"}, {"version", record.tool_version}}},
      {"model", {{"name", record.model_name}, {"input_shapes", record.input_shapes}}},
      {"target", record.target},
      {"isa", record.isa},
      {"digests",
       {{"version", record.digest_version},
        {"plan", record.plan_digest.ToHex()},
        {"structure", record.structure.ToHex()},
        {"model", record.model_hash.ToHex()}}},
      {"files", record.files},
      {"not_exported", record.not_exported},
      {"measured", record.measured.empty() ? Json(nullptr) : Json::parse(record.measured)},
      {"kernels", ToJson(record.kernels)}};
  return PrintableJson(document.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

PointRecord ParsePointRecord(std::string_view text, std::string_view where) {
  const json document = ParseStrictJson(text, where);
  return WithContext([&] { return where; },
                     [&] {
                       try {
                         return RecordFrom(document);
                       } catch (const json::exception& wrong) {
                         throw Error(ErrorKind::kUsage,
                                     fmt::format("expected the point.json that halftone writes: {}",
                                                 wrong.what()));
                       }
                     });
}

std::optional<PointRecord> ReadPointRecord(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kPointFile;
  std::error_code error;
  if (std::filesystem::symlink_status(path, error).type() ==
      std::filesystem::file_type::not_found) {
    return std::nullopt;
  }
  return ParsePointRecord(ReadSmallFile(path, kMostBytes), path.string());
}

}  // namespace halftone
