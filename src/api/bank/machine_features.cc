#include "src/api/machine_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "kernels/cpu_isa.h"
#include "src/api/bank/workload.h"
#include "src/base/text.h"

namespace halftone {
namespace {

struct VendorRow {
  std::string_view reported;  // by the CPU
  std::string_view name;      // in features
};

constexpr VendorRow kVendors[] = {
    {"AuthenticAMD", "amd"},
    {"GenuineIntel", "intel"},
    {"HygonGenuine", "hygon"},
    {"CentaurHauls", "via"},
};

// Marks in names of CPUs, and what stands for them.
struct MarkRow {
  std::string_view mark;
  std::string_view instead;
};

constexpr MarkRow kMarks[] = {
    {"(R)", " "}, {"(r)", " "}, {"(TM)", " "}, {"(tm)", " "}, {"+", "plus"}};

// "Intel(R) Xeon(R) 8480+" as "intel_xeon_8480plus"; empty: no letter and no digit.
std::string Slug(std::string text) {
  for (const MarkRow& row : kMarks) {
    for (std::size_t at = text.find(row.mark); at != std::string::npos; at = text.find(row.mark)) {
      text.replace(at, row.mark.size(), row.instead);
    }
  }
  std::string slug;
  for (const char letter : text) {
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    const bool is_kept =
        is_upper || (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (is_kept) {
      slug += is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
    } else if (!slug.empty() && slug.back() != '_') {
      slug += '_';
    }
  }
  return slug.ends_with('_') ? slug.substr(0, slug.size() - 1) : slug;
}

// Parts of "AMD EPYC (AuthenticAMD 26.2)".
struct CpuParts {
  std::string name;
  std::string vendor;
  std::string family;
  std::string model;
};

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Empty: `cpu` is not of this form.
std::optional<CpuParts> PartsOf(std::string_view cpu) {
  const std::size_t open = cpu.rfind(" (");
  if (open == std::string_view::npos || !cpu.ends_with(')')) {
    return std::nullopt;
  }
  const std::string_view inner = cpu.substr(open + 2, cpu.size() - open - 3);
  const std::size_t blank = inner.rfind(' ');
  const std::size_t dot = inner.rfind('.');
  if (blank == std::string_view::npos || dot == std::string_view::npos || dot < blank) {
    return std::nullopt;
  }
  const std::string_view family = inner.substr(blank + 1, dot - blank - 1);
  const std::string_view model = inner.substr(dot + 1);
  if (!IsNumber(family) || !IsNumber(model)) {
    return std::nullopt;
  }
  return CpuParts{.name = std::string(cpu.substr(0, open)),
                  .vendor = std::string(inner.substr(0, blank)),
                  .family = std::string(family),
                  .model = std::string(model)};
}

std::string VendorOf(const std::string& reported) {
  const auto* const row = std::ranges::find(kVendors, reported, &VendorRow::reported);
  return row != std::end(kVendors) ? std::string(row->name) : Slug(reported);
}

// Families are numbered by vendor, so it stands in the feature also where the name leaves it out.
std::string WithVendor(const std::string& name, const std::string& vendor) {
  const auto words = Split(name, '_');
  return vendor.empty() || std::ranges::find(words, vendor) != words.end() ? name
         : name.empty()                                                    ? vendor
                                                                           : vendor + "_" + name;
}

std::string CpuFeature(std::string_view cpu) {
  const std::optional<CpuParts> parts = PartsOf(cpu);
  const std::string slug = parts
                               ? fmt::format("{}_family_{}_model_{}",
                                             WithVendor(Slug(parts->name), VendorOf(parts->vendor)),
                                             parts->family, parts->model)
                               : Slug(std::string(cpu));
  return slug.empty() ? "unknown_cpu" : slug;
}

// A feature begins with a letter.
std::string AsFeature(const std::string& slug) {
  return slug.front() >= 'a' && slug.front() <= 'z' ? slug
         : slug.front() == '_'                      ? "cpu" + slug
                                                    : "cpu_" + slug;
}

}  // namespace

std::vector<std::string> FeaturesOf(std::span<const std::string_view> instruction_sets,
                                    std::string_view cpu) {
  std::vector<std::string> features;
  const auto add = [&](const std::string& slug) {
    if (!slug.empty() && std::ranges::find(features, AsFeature(slug)) == features.end()) {
      features.push_back(AsFeature(slug));
    }
  };
  for (const std::string_view name : instruction_sets) {
    add(Slug(std::string(name)));
  }
  add(CpuFeature(cpu));
  return features;
}

std::vector<std::string> MachineFeatures() {
  const IsaMask used = DetectIsa();
  std::vector<std::string_view> names;
  for (const InstructionSet& set : InstructionSets()) {
    if ((used & set.bit) != 0) {
      names.push_back(set.name);
    }
  }
  return FeaturesOf(names, CpuName());
}

}  // namespace halftone
