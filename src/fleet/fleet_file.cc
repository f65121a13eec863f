#include "src/fleet/fleet_file.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <set>
#include <string>

#include "src/base/error.h"
#include "src/base/limits.h"
#include "src/base/names_hint.h"
#include "src/base/strict_yaml.h"
#include "src/base/text.h"
#include "src/fleet/fleet_names.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 16U << 20U;
constexpr std::string_view kModelFile = "model.onnx";
// Bounds of a pattern: glob() calls itself for each part of it, on a stack of 8 MiB.
constexpr std::size_t kMostBytesOfPattern = PATH_MAX - 1;
constexpr std::ptrdiff_t kMostPartsOfPattern = 64;

// Options of `tune` that tasks get from the fleet.
constexpr std::array<std::string_view, 9> kOwnOptions = {
    "config", "seed_bank",     "help",  "no_bank", "op_bank_path",
    "output", "progress_file", "quiet", "verbose"};

std::string ReplaceAll(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// `path` as a pattern that matches nothing else.
std::string PatternOf(const fs::path& path) {
  std::string pattern;
  for (const char c : path.string()) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) {
      pattern += '\\';
    }
    pattern += c;
  }
  return pattern;
}

class FleetFileReader {
 public:
  explicit FleetFileReader(const fs::path& where)
      : where_(where), base_(where.parent_path().lexically_normal()) {}

  FleetFile Read(const YamlNode& root) {
    Expect(root, YamlNode::Kind::kMap, "the file");
    for (const auto& [name, value] : root.members) {
      ReadMember(name, value);
    }
    if (file_.folder.empty()) {
      Fail(root, "no key 'fleet'; expected the folder of the fleet, which all machines share");
    }
    if (file_.plan.kinds.empty()) {
      file_.plan.kinds.push_back({.name = "any"});
    }
    if (networks_ == nullptr) {
      Fail(root, "no key 'networks'; expected a list of models");
    }
    for (const YamlNode& item : networks_->items) {
      ReadNetwork(item);
    }
    if (file_.plan.networks.empty()) {
      Fail(*networks_, "no network; expected at least one model");
    }
    file_.plan.start_folder = base_;
    return std::move(file_);
  }

 private:
  [[noreturn]] void Fail(const YamlNode& node, std::string_view sentence) const {
    throw Error(ErrorKind::kUsage, fmt::format("{}:{}: {}", where_.string(), node.line, sentence));
  }

  void Expect(const YamlNode& node, YamlNode::Kind kind, std::string_view what) const {
    if (node.kind != kind) {
      Fail(node,
           fmt::format("{} is {}; expected {}", what, YamlKindName(node.kind), YamlKindName(kind)));
    }
  }

  [[nodiscard]] std::string Text(const YamlNode& node, std::string_view name) const {
    Expect(node, YamlNode::Kind::kScalar, fmt::format("'{}'", name));
    if (node.IsNull()) {
      Fail(node, fmt::format("'{}' has no value", name));
    }
    if (const std::string why = WhyNoFleetText(node.scalar); !why.empty()) {
      Fail(node, fmt::format("{}: '{}': {}", name, Shown(node.scalar), why));
    }
    return node.scalar;
  }

  // What lies at the path, links followed; not_found: nothing. Refuses what cannot be looked at.
  [[nodiscard]] fs::file_type TypeOf(const YamlNode& at, const fs::path& path) const {
    std::error_code code;
    const fs::file_type type = fs::status(path, code).type();
    if (type == fs::file_type::none || type == fs::file_type::unknown) {
      FailToRead(at, path, code.message());
    }
    return type;
  }

  [[noreturn]] void FailToRead(const YamlNode& at, const fs::path& path,
                               std::string_view why) const {
    Fail(at, fmt::format("'{}' cannot be read: {}", Printable(path.string()), why));
  }

  [[nodiscard]] fs::path Folder(const YamlNode& node) const {
    fs::path folder = (base_ / Text(node, "fleet")).lexically_normal();
    if (!folder.has_filename()) {  // "x/"
      folder = folder.parent_path();
    }
    if (folder == base_ || node.scalar.empty()) {
      Fail(node, fmt::format("fleet: '{}' is the folder of this file; expected one of its own",
                             node.scalar));
    }
    return folder;
  }

  [[nodiscard]] bool Boolean(const YamlNode& node, std::string_view name) const {
    const std::string text = Text(node, name);
    if (text != "true" && text != "false") {
      Fail(node, fmt::format("{}: {}; expected true or false", name, text));
    }
    return text == "true";
  }

  template <typename Range>
  [[nodiscard]] auto Number(const YamlNode& node, std::string_view name, const Range& range) const {
    const std::string text = Text(node, name);
    const auto number = NumberIn(text, range);
    if (!number) {
      Fail(node, fmt::format("{}: {}; expected {}", name, Shown(text), RangeText(range)));
    }
    return *number;
  }

  [[nodiscard]] std::string FileName(const YamlNode& node, const std::string& name,
                                     std::string_view what) const {
    if (const std::string why = WhyNoFleetName(name); !why.empty()) {
      Fail(node, fmt::format("{} '{}' names a folder of results: {}; give a name", what,
                             Shown(name), why));
    }
    return name;
  }

  void ReadMember(const std::string& name, const YamlNode& value) {
    FleetPlan& plan = file_.plan;
    if (name == "fleet") {
      file_.folder = Folder(value);
    } else if (name == "engine") {
      plan.engine = Text(value, name);
    } else if (name == "engine_options") {
      plan.engine_options = EngineOptions(value, name);
    } else if (name == "checkpoint") {
      plan.checkpoint_s = Number(value, name, limits::kSecondsRange);
    } else if (name == "kinds") {
      ReadKinds(value);
    } else if (name == "defaults") {
      defaults_ = TuneOptions(value, name, {});
    } else if (name == "networks") {
      Expect(value, YamlNode::Kind::kList, "'networks'");
      networks_ = &value;
    } else {
      Fail(value, fmt::format("unknown key '{}'; expected fleet, engine, engine_options, "
                              "checkpoint, kinds, defaults or networks",
                              name));
    }
  }

  // Members of a map but those named in `others`. A list becomes "a,b".
  [[nodiscard]] OptionList Options(const YamlNode& map, std::string_view what,
                                   std::initializer_list<std::string_view> others) const {
    Expect(map, YamlNode::Kind::kMap, fmt::format("'{}'", what));
    OptionList options;
    for (const auto& [key, value] : map.members) {
      if (std::ranges::find(others, key) != others.end()) {
        continue;
      }
      if (const std::string why = WhyNoOptionName(key); !why.empty()) {
        Fail(value, fmt::format("'{}' is no name of an option: {}", Shown(key), why));
      }
      std::string text;
      if (value.kind == YamlNode::Kind::kList) {
        std::vector<std::string> items;
        for (const YamlNode& item : value.items) {
          items.push_back(Text(item, key));
        }
        text = Join(items, ",");
      } else {
        text = Text(value, key);
      }
      options.emplace_back(key, text);
    }
    return options;
  }

  // Nothing comes before them that false could take back.
  [[nodiscard]] OptionList EngineOptions(const YamlNode& map, std::string_view what) const {
    OptionList options = Options(map, what, {});
    std::erase_if(options, [&](const auto& option) {
      return option.second == "false" && !map.Find(option.first)->quoted;
    });
    return options;
  }

  [[nodiscard]] OptionList TuneOptions(const YamlNode& map, std::string_view what,
                                       std::initializer_list<std::string_view> others) const {
    OptionList options = Options(map, what, others);
    for (const auto& [name, value] : options) {
      if (std::ranges::find(kOwnOptions, name) != kOwnOptions.end() || name == "model") {
        Fail(*map.Find(name),
             fmt::format("'{}' is set by the fleet for each task: leave it out", name));
      }
    }
    return options;
  }

  void ReadKinds(const YamlNode& kinds) {
    Expect(kinds, YamlNode::Kind::kMap, "'kinds'");
    for (const auto& [name, value] : kinds.members) {
      FleetKind kind = {.name = FileName(value, name, "the kind")};
      if (!value.IsNull()) {
        Expect(value, YamlNode::Kind::kMap, fmt::format("kind '{}'", name));
        for (const auto& [key, member] : value.members) {
          ReadKindMember(key, member, kind);
        }
      }
      file_.plan.kinds.push_back(std::move(kind));
    }
  }

  void ReadKindMember(const std::string& key, const YamlNode& value, FleetKind& kind) const {
    if (key == "constraint") {
      kind.constraint = Text(value, key);
    } else if (key == "exclusive") {
      kind.exclusive = Boolean(value, key);
    } else if (key == "cpus") {
      kind.cpus = static_cast<int>(Number(value, key, limits::kCpuRange));
    } else if (key == "options") {
      kind.options = TuneOptions(value, key, {});
    } else {
      Fail(value, fmt::format("unknown key '{}' of kind '{}'; expected constraint, exclusive, cpus "
                              "or options",
                              key, kind.name));
    }
  }

  [[nodiscard]] std::vector<std::string> KindsOf(const YamlNode& item) const {
    std::vector<std::string> names;
    const YamlNode* const given = item.Find("kinds");
    if (given == nullptr) {
      for (const FleetKind& kind : file_.plan.kinds) {
        names.push_back(kind.name);
      }
      return names;
    }
    Expect(*given, YamlNode::Kind::kList, "'kinds' of a network");
    for (const YamlNode& kind : given->items) {
      names.push_back(Text(kind, "kinds"));
      if (file_.plan.FindKind(names.back()) == nullptr) {
        std::vector<std::string> known;
        for (const FleetKind& each : file_.plan.kinds) {
          known.push_back(each.name);
        }
        Fail(kind, fmt::format("no kind '{}' among those of the fleet{}", names.back(),
                               NamesHint(names.back(), known)));
      }
    }
    if (names.empty()) {
      Fail(*given, "an empty list of kinds; leave it out for all");
    }
    return names;
  }

  void ReadNetwork(const YamlNode& item) {
    if (item.kind == YamlNode::Kind::kScalar) {
      AddNetwork(item, base_ / Text(item, "networks"), std::nullopt, {}, KindsOf(item));
      return;
    }
    Expect(item, YamlNode::Kind::kMap, "a network");
    const YamlNode* const model = item.Find("model");
    const YamlNode* const each = item.Find("each");
    const YamlNode* const name = item.Find("name");
    if ((model == nullptr) == (each == nullptr)) {
      Fail(item, "a network has either 'model', a file or folder, or 'each', a pattern");
    }
    if (each != nullptr && name != nullptr) {
      Fail(*name, "'name' beside 'each' would name several networks the same: leave it out");
    }
    const OptionList options = TuneOptions(item, "networks", {"model", "each", "name", "kinds"});
    const std::vector<std::string> kinds = KindsOf(item);
    if (model != nullptr) {
      AddNetwork(*model, base_ / Text(*model, "model"),
                 name == nullptr ? std::nullopt : std::optional(Text(*name, "name")), options,
                 kinds);
      return;
    }
    const std::vector<fs::path> found = Matches(*each);
    for (const fs::path& path : found) {
      AddNetwork(*each, path, std::nullopt, options, kinds);
    }
  }

  [[nodiscard]] std::vector<fs::path> Matches(const YamlNode& each) const {
    const fs::path given = Text(each, "each");
    const std::string pattern =
        given.is_absolute() ? given.string() : (fs::path(PatternOf(base_)) / given).string();
    const std::string written = given.string();
    if (const auto parts = 1 + std::ranges::count(written, '/');
        pattern.size() > kMostBytesOfPattern || parts > kMostPartsOfPattern) {
      Fail(each, fmt::format("each: a pattern of {} bytes and {} parts; expected at most {} bytes "
                             "and {} parts",
                             pattern.size(), parts, kMostBytesOfPattern, kMostPartsOfPattern));
    }
    std::vector<fs::path> paths;
    for (const fs::path& path : Found(each, pattern)) {
      if (path.extension() == ".onnx" ||
          (TypeOf(each, path) == fs::file_type::directory &&
           TypeOf(each, path / kModelFile) != fs::file_type::not_found)) {
        paths.push_back(path);
      }
    }
    if (paths.empty()) {
      Fail(each, fmt::format("'{}' finds no .onnx file and no folder with a {}",
                             (base_ / given).string(), kModelFile));
    }
    return paths;
  }

  // All that the pattern matches. A folder that cannot be read may hold more, so it is refused.
  [[nodiscard]] std::vector<fs::path> Found(const YamlNode& each,
                                            const std::string& pattern) const {
    thread_local std::string unread;  // glob() takes a function without a state
    unread.clear();
    glob_t found{};
    const int failure = ::glob(
        pattern.c_str(), 0,
        [](const char* path, int error) {
          if (error != ENOENT && error != ENOTDIR && unread.empty()) {
            unread = fmt::format("'{}' cannot be read: {}", Printable(path), std::strerror(error));
          }
          return 0;
        },
        &found);
    std::vector<fs::path> paths;
    for (std::size_t i = 0; failure == 0 && i < found.gl_pathc; ++i) {
      paths.emplace_back(found.gl_pathv[i]);
    }
    ::globfree(&found);
    if (!unread.empty()) {
      Fail(each, unread);
    }
    return paths;
  }

  void AddNetwork(const YamlNode& at, fs::path path, const std::optional<std::string>& name,
                  const OptionList& options, const std::vector<std::string>& kinds) {
    path = path.lexically_normal();
    if (!path.has_filename()) {
      path = path.parent_path();
    }
    fs::path folder = path.parent_path();
    std::string named = path.stem().string();
    if (TypeOf(at, path) == fs::file_type::directory) {
      folder = path;
      named = path.filename().string();
      path /= kModelFile;
    } else if (path.filename() == kModelFile) {
      named = folder.filename().string();
    }
    if (TypeOf(at, path) != fs::file_type::regular) {
      Fail(at, fmt::format("no model at '{}'; expected an ONNX file, or a folder with a {}",
                           path.string(), kModelFile));
    }
    FleetNetwork network = {
        .name = FileName(at, name.value_or(named), "the network"), .model = path, .kinds = kinds};
    if (!names_.insert(network.name).second) {
      Fail(at, fmt::format("two networks named '{}'; give one of them a 'name'", network.name));
    }
    network.options = defaults_;
    SetOptions(options, network.options);
    for (auto& [option, value] : network.options) {
      value = ReplaceAll(ReplaceAll(value, "{folder}", folder.string()), "{name}", network.name);
    }
    AddInputs(folder, network);
    file_.plan.networks.push_back(std::move(network));
  }

  // Samples beside the model, where the file names none.
  static void AddInputs(const fs::path& folder, FleetNetwork& network) {
    std::error_code code;
    const auto given = [&](std::string_view option) {
      return std::ranges::find(network.options, option, &OptionList::value_type::first) !=
             network.options.end();
    };
    if (given("inputs")) {
      return;
    }
    if (fs::is_directory(folder / "eval", code)) {
      network.options.emplace_back("inputs", (folder / "eval").string());
    } else if (fs::exists(folder / "test_data_set_0", code) ||
               fs::exists(folder / "input_0.pb", code)) {
      network.options.emplace_back("inputs", folder.string());
    }
  }

  fs::path where_;
  fs::path base_;
  FleetFile file_;
  OptionList defaults_;
  const YamlNode* networks_ = nullptr;
  std::set<std::string> names_;
};

}  // namespace

FleetFile ParseFleetFile(std::string_view text, const fs::path& where) {
  const YamlRules rules = {.what = "a fleet in YAML",
                           .noun = "fleet",
                           .syntax = "YAML",
                           .also_null = {},
                           .most_bytes = kMostBytes,
                           .most_levels = 8};
  return FleetFileReader(where).Read(ParseStrictYaml(text, where.string(), rules));
}

}  // namespace halftone
