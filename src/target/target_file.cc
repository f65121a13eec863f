#include "src/target/target_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/numbers.h"
#include "src/base/text.h"
#include "src/target/ini_file.h"

namespace halftone {
namespace {

constexpr int kMostLevels = 8;  // of inheritance

[[noreturn]] void ThrowAt(const IniEntry& entry, std::string_view what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}: {}", entry.where, entry.key, what));
}

std::vector<std::string> WordsOf(std::string_view text, char separator) {
  std::vector<std::string> words;
  for (const std::string_view word : Split(text, separator)) {
    if (!Trim(word).empty()) {
      words.emplace_back(Trim(word));
    }
  }
  return words;
}

bool BoolOf(const IniEntry& entry) {
  if (entry.value != "yes" && entry.value != "no") {
    ThrowAt(entry, fmt::format("expected yes or no, found {}", Quoted(entry.value)));
  }
  return entry.value == "yes";
}

void CheckName(const IniEntry& entry, std::string_view name) {
  constexpr std::string_view kLegal =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (name.empty() || name.front() == '.' ||
      name.find_first_not_of(kLegal) != std::string_view::npos) {
    ThrowAt(entry, fmt::format("expected a name of letters, digits, '_', '-' and '.', found {}",
                               Quoted(name)));
  }
}

// ---- [target] -----------------------------------------------------------------------------------

void SetName(const IniEntry& entry, TargetFile& file) {
  CheckName(entry, entry.value);
  file.spec.name = entry.value;
}

void SetFamily(const IniEntry& entry, TargetFile& file) {
  CheckName(entry, entry.value);
  file.spec.family = entry.value;
}

void SetSocVersions(const IniEntry& entry, TargetFile& file) {
  file.soc_versions = WordsOf(entry.value, ',');
  for (const std::string& name : file.soc_versions) {
    CheckName(entry, name);
  }
}

void SetOverflow(const IniEntry& entry, TargetFile& file) {
  const auto overflow = ValueIn(kOverflowArithmetics, entry.value);
  if (!overflow) {
    ThrowAt(entry, fmt::format("expected one of {}, found {}", NamesIn(kOverflowArithmetics),
                               Quoted(entry.value)));
  }
  file.spec.overflow = *overflow;
}

void SetInt8(const IniEntry& entry, TargetFile& file) {
  const NumericFormat int8 = *NumericFormat::Named("qint8");
  std::erase(file.spec.formats, int8);
  if (BoolOf(entry)) {
    file.spec.formats.push_back(int8);
  }
}

struct FactRow {
  std::string_view key;
  bool inherited;
  void (*set)(const IniEntry& entry, TargetFile& file);
};

constexpr FactRow kFacts[] = {
    {"name", false, SetName},
    {"soc_versions", false, SetSocVersions},
    {"inherits", false, [](const IniEntry&, TargetFile&) {}},
    {"family", true, SetFamily},
    {"bfloat16", true,
     [](const IniEntry& entry, TargetFile& file) { file.spec.has_bfloat16 = BoolOf(entry); }},
    {"hifloat8", true,
     [](const IniEntry& entry, TargetFile& file) { file.spec.has_hifloat8 = BoolOf(entry); }},
    {"hf32", true,
     [](const IniEntry& entry, TargetFile& file) { file.spec.has_hf32 = BoolOf(entry); }},
    {"int8", true, SetInt8},
    {"amct", true,
     [](const IniEntry& entry, TargetFile& file) { file.spec.has_amct = BoolOf(entry); }},
    {"overflow", true, SetOverflow},
    {"training_mode", true,
     [](const IniEntry& entry, TargetFile& file) { file.spec.training_mode = entry.value; }},
};

void AddFact(const IniEntry& entry, TargetFile& file) {
  for (const FactRow& row : kFacts) {
    if (row.key == entry.key) {
      row.set(entry, file);
      return;
    }
  }
  std::vector<std::string> names;
  for (const FactRow& row : kFacts) {
    names.emplace_back(row.key);
  }
  throw Error(ErrorKind::kUsage, fmt::format("{}: expected one of {}, found {}", entry.where,
                                             Join(names, ", "), Quoted(entry.key)));
}

// ---- The tables ---------------------------------------------------------------------------------

void AddDTypeList(const IniEntry& entry, TargetFile& file) {
  std::vector<DTypePair> list;
  for (const std::string& word : WordsOf(entry.value, ' ')) {
    list.push_back(WithContext([&] { return fmt::format("{}: {}", entry.where, entry.key); },
                               [&] { return ParseDTypePair(word); }));
  }
  if (list.empty()) {
    ThrowAt(entry, "expected dtypes, found none");
  }
  file.dtype_lists.insert_or_assign(entry.key, std::move(list));
}

void AddCubeTypes(const IniEntry& entry, TargetFile& file) {
  for (std::string& type : WordsOf(entry.value, ',')) {
    file.cube_types.insert(std::move(type));
  }
}

// "SoftmaxV2 = float16: high_performance, high_precision; bfloat16: ..."; "-": one implementation.
void AddImplModes(const IniEntry& entry, TargetFile& file) {
  auto& by_dtype = file.impl_modes[entry.key];
  by_dtype.clear();
  if (entry.value == "-") {
    return;
  }
  for (const std::string& part : WordsOf(entry.value, ';')) {
    const std::size_t colon = part.find(':');
    const auto dtype = DTypeFromName(Trim(std::string_view(part).substr(0, colon)));
    if (colon == std::string::npos || !dtype) {
      ThrowAt(entry, fmt::format("expected 'dtype: mode, mode', found {}", Quoted(part)));
    }
    std::vector<ImplMode> modes;
    for (const std::string& name : WordsOf(std::string_view(part).substr(colon + 1), ',')) {
      const auto mode = ValueIn(kImplModes, name);
      if (!mode || mode == ImplMode::kDefault) {
        ThrowAt(entry, fmt::format("expected an implementation mode, found {}", Quoted(name)));
      }
      modes.push_back(*mode);
    }
    by_dtype.insert_or_assign(*dtype, std::move(modes));
  }
}

// "Ascend310P3.cube_float16 = 70 TFLOP/s; Atlas 300I Pro data sheet"; without a SoC: all of them.
void AddFigure(const IniEntry& entry, TargetFile& file) {
  const std::vector<std::string> parts = WordsOf(entry.value, ';');
  const std::string number = parts.empty() ? "" : parts[0].substr(0, parts[0].find(' '));
  const std::optional<double> value = FiniteNumber(number);
  if (parts.size() != 2 || !value || number.size() + 1 >= parts[0].size()) {
    ThrowAt(entry, fmt::format("expected 'number unit; source', found {}", Quoted(entry.value)));
  }
  const std::size_t dot = entry.key.find('.');
  const std::string soc = dot == std::string::npos ? "" : entry.key.substr(0, dot);
  file.roofline[soc].push_back({entry.key.substr(dot == std::string::npos ? 0 : dot + 1), *value,
                                std::string(Trim(parts[0].substr(number.size()))), parts[1]});
}

// "fold_batch_norm = Conv2D + BNInference; source"; "-": the target has no such fusion.
void AddFusion(const IniEntry& entry, TargetFile& file) {
  if (entry.value != "-") {
    file.fusions.push_back(
        WithContext([&] { return fmt::format("{}: {}", entry.where, entry.key); },
                    [&] { return ParseTargetFusion(entry.key, entry.value); }));
  }
}

// ---- [operators] --------------------------------------------------------------------------------

// All items of the named lists, in order.
std::vector<DTypePair> ItemsOf(const IniEntry& entry, const std::vector<std::string>& names,
                               const TargetFile& file) {
  std::vector<DTypePair> items;
  for (const std::string& name : names) {
    const auto found = file.dtype_lists.find(name);
    if (found == file.dtype_lists.end()) {
      std::vector<std::string> known;
      for (const auto& [list, unused] : file.dtype_lists) {
        known.push_back(list);
      }
      ThrowAt(entry, fmt::format("expected a list of [dtypes] ({}), found {}", Join(known, ", "),
                                 Quoted(name)));
    }
    items.insert(items.end(), found->second.begin(), found->second.end());
  }
  return items;
}

void CheckList(const IniEntry& entry, const OperatorTensors& tensors,
               const std::vector<DTypePair>& items) {
  if (tensors.needs_list() && items.empty()) {
    ThrowAt(entry, "expected dtype lists behind the tensors, found none");
  }
  if (!tensors.needs_list() && !items.empty()) {
    ThrowAt(entry, "its tensors have fixed dtypes; expected no dtype list");
  }
}

// "white TTY?->Y matrix | number": policy, tensors, dtypes on AI Core; dtypes on AI CPU. "-" in
// place of the policy: not on AI Core. No "|": not on AI CPU. "-" alone: neither.
void AddOperator(const IniEntry& entry, TargetFile& file) {
  file.spec.ai_core.erase(entry.key);
  file.spec.ai_cpu.erase(entry.key);
  if (entry.value == "-") {
    return;
  }
  const std::size_t bar = entry.value.find('|');
  std::vector<std::string> words = WordsOf(std::string_view(entry.value).substr(0, bar), ' ');
  if (words.size() < 2) {
    ThrowAt(entry,
            fmt::format("expected 'gray TT->T lists | lists', found {}", Quoted(entry.value)));
  }
  const std::string policy_name = words[0];
  const auto policy = ValueIn(kMixPolicies, policy_name);
  if (!policy && policy_name != "-") {
    ThrowAt(entry,
            fmt::format("expected {} or -, found {}", NamesIn(kMixPolicies), Quoted(policy_name)));
  }
  bool has_kernel_file = true;
  if (words[1] == "no_kernel_file" && words.size() > 2) {
    has_kernel_file = false;
    words.erase(words.begin() + 1);
  }
  const OperatorTensors tensors =
      WithContext([&] { return fmt::format("{}: {}", entry.where, entry.key); },
                  [&] { return ParseTensors(words[1]); });
  const auto items = ItemsOf(entry, {words.begin() + 2, words.end()}, file);
  if (policy) {
    CheckList(entry, tensors, items);
    LibraryOp op = LibraryColumns(tensors, items);
    op.policy = *policy;
    op.cube = file.cube_types.contains(entry.key);
    op.has_kernel_file = has_kernel_file;
    file.spec.ai_core.emplace(entry.key, std::move(op));
  } else if (!items.empty()) {
    ThrowAt(entry, "it is not on AI Core; expected its dtype lists behind '|'");
  }
  if (bar != std::string::npos) {
    const auto cpu_items =
        ItemsOf(entry, WordsOf(std::string_view(entry.value).substr(bar + 1), ' '), file);
    CheckList(entry, tensors, cpu_items);
    file.spec.ai_cpu.emplace(entry.key, LibrarySets(tensors, cpu_items));
  }
}

// ---- The whole file -----------------------------------------------------------------------------

struct SectionRow {
  std::string_view name;
  void (*add)(const IniEntry& entry, TargetFile& file);
};

// Sections in the order in which they are read, whatever the order in the file.
constexpr SectionRow kSections[] = {
    {"target", AddFact},        {"dtypes", AddDTypeList},     {"cube", AddCubeTypes},
    {"operators", AddOperator}, {"impl_modes", AddImplModes}, {"roofline", AddFigure},
    {"fusions", AddFusion},
};

bool IsInherited(std::string_view section, std::string_view key) {
  return section != "target" ||
         std::none_of(std::begin(kFacts), std::end(kFacts),
                      [&](const FactRow& row) { return row.key == key && !row.inherited; });
}

void CheckSections(const std::vector<IniSection>& sections, std::string_view file) {
  std::vector<std::string> names;
  for (const SectionRow& row : kSections) {
    names.push_back(fmt::format("[{}]", row.name));
  }
  for (const IniSection& section : sections) {
    const bool known = std::any_of(std::begin(kSections), std::end(kSections),
                                   [&](const SectionRow& row) { return row.name == section.name; });
    if (!known) {
      throw Error(ErrorKind::kUsage, fmt::format("{}: expected one of {}, found '[{}]'",
                                                 section.where, Join(names, ", "), section.name));
    }
  }
  if (std::none_of(sections.begin(), sections.end(),
                   [](const IniSection& section) { return section.name == "target"; })) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected a section [target], found none; "
                                               "docs/reference/targets.md describes the file",
                                               file));
  }
}

const IniSection* FindSection(const std::vector<IniSection>& sections, std::string_view name) {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const IniSection& section) { return section.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

// The sections with those of the base below them: an entry of the file replaces the one of the same
// key.
std::vector<IniSection> WithBase(std::vector<IniSection> sections, std::vector<IniSection> base) {
  for (IniSection& below : base) {
    std::erase_if(below.entries, [&](const IniEntry& entry) {
      const IniSection* own = FindSection(sections, below.name);
      return !IsInherited(below.name, entry.key) ||
             (own != nullptr && own->Find(entry.key) != nullptr);
    });
    const auto own = std::find_if(sections.begin(), sections.end(), [&](const IniSection& section) {
      return section.name == below.name;
    });
    if (own == sections.end()) {
      sections.push_back(std::move(below));
    } else {
      own->entries.insert(own->entries.begin(), below.entries.begin(), below.entries.end());
    }
  }
  return sections;
}

std::vector<IniSection> ReadSections(std::string_view text, std::string_view file,
                                     const FindBaseFile& find_base, int level) {
  std::vector<IniSection> sections = ParseIni(text, file);
  CheckSections(sections, file);
  const IniEntry* inherits = FindSection(sections, "target")->Find("inherits");
  if (inherits == nullptr) {
    return sections;
  }
  const std::optional<std::string_view> base = find_base(inherits->value);
  if (!base || level == kMostLevels) {
    ThrowAt(*inherits, fmt::format("expected the name of a built-in target file, found {}",
                                   Quoted(inherits->value)));
  }
  return WithBase(std::move(sections),
                  ReadSections(*base, inherits->value + ".ini", find_base, level + 1));
}

void ApplyImplModes(TargetFile& file) {
  for (auto& [type, op] : file.spec.ai_core) {
    if (const auto found = file.impl_modes.find(type); found != file.impl_modes.end()) {
      op.impl_modes = found->second;
    }
  }
}

}  // namespace

TargetSpec TargetFile::ForSoc(std::string_view soc_version) const {
  TargetSpec target = spec;
  target.name = soc_version;
  for (const std::string_view key : {std::string_view(), soc_version}) {
    if (const auto found = roofline.find(key); found != roofline.end() && !found->second.empty()) {
      target.roofline.insert(target.roofline.end(), found->second.begin(), found->second.end());
    }
  }
  return target;
}

TargetFile ParseTargetFile(std::string_view text, std::string_view file,
                           const FindBaseFile& find_base) {
  const std::vector<IniSection> sections = ReadSections(text, file, find_base, 0);
  TargetFile target;
  for (const SectionRow& row : kSections) {
    if (const IniSection* section = FindSection(sections, row.name)) {
      for (const IniEntry& entry : section->entries) {
        row.add(entry, target);
      }
    }
  }
  ApplyImplModes(target);
  target.spec.fusions = std::make_shared<const std::vector<TargetFusion>>(target.fusions);
  return target;
}

}  // namespace halftone
