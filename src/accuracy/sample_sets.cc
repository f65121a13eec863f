#include "src/accuracy/sample_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSetPrefix = "test_data_set_";

// Empty for a name that is not test_data_set_N.
std::optional<SetFolder> SetOf(std::string_view name) {
  if (!name.starts_with(kSetPrefix)) {
    return std::nullopt;
  }
  name.remove_prefix(kSetPrefix.size());
  if (name.empty() || name.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  SetFolder set{.digits = static_cast<int>(name.size())};
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), set.number);
  return error == std::errc() ? std::optional(set) : std::nullopt;
}

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string QuotedNames(const std::vector<Value>& inputs) {
  std::vector<std::string> names;
  names.reserve(inputs.size());
  for (const Value& input : inputs) {
    names.push_back("'" + input.name + "'");
  }
  return Join(names, ", ");
}

}  // namespace

std::string SetFolder::Name() const {
  return fmt::format("{}{:0{}}", kSetPrefix, number, digits);
}

bool IsSetFolder(const fs::path& folder) {
  const fs::path normal = folder.lexically_normal();
  return SetOf((normal.has_filename() ? normal : normal.parent_path()).filename().string())
      .has_value();
}

std::vector<SetFolder> SetFoldersIn(const fs::path& folder) {
  std::vector<SetFolder> sets;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;
    if (const auto set = SetOf(entry->path().filename().string());
        set && entry->is_directory(unknown)) {
      sets.push_back(*set);
    }
  }
  if (error) {
    throw Error(ErrorKind::kIo,
                fmt::format("cannot list the folder '{}': {}", folder.string(), error.message()));
  }
  // The name decides between equal numbers: "007" stands before "7".
  std::ranges::sort(sets, [](const SetFolder& a, const SetFolder& b) {
    return a.number != b.number ? a.number < b.number : a.digits > b.digits;
  });
  return sets;
}

std::vector<StoredTensor> InputFilesIn(const std::vector<Value>& inputs, const fs::path& folder) {
  std::vector<StoredTensor> files;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const fs::path path = folder / fmt::format("input_{}.pb", i);
    if (!Exists(path)) {
      throw Error(
          ErrorKind::kIo,
          fmt::format(
              "'{}' is missing: expected a file for each input of the network, {} is '{}': add it",
              path.string(), i, inputs[i].name));
    }
    files.emplace_back(path);
  }
  const fs::path beyond = folder / fmt::format("input_{}.pb", inputs.size());
  if (Exists(beyond)) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("'{}' is one file too many: the inputs of the network are {}, remove it",
                    beyond.string(), QuotedNames(inputs)));
  }
  return files;
}

std::optional<ShapeMismatch> WhyLeftOut(const std::vector<Value>& inputs,
                                        const std::vector<StoredTensor>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    try {
      static_cast<void>(SampleCount(inputs[i], files[i].path(), files[i].type()));
    } catch (const ShapeMismatch& mismatch) {
      return mismatch;
    }
  }
  return std::nullopt;
}

void SampleSets::Add(const SetFolder& set, std::int64_t samples) {
  if (samples > 0) {
    entries_.push_back({set, size_});
    size_ += static_cast<std::size_t>(samples);
  }
}

const SampleSets::Entry& SampleSets::EntryOf(std::size_t index) const {
  Check(index < size_, "a sample of the sets");
  return *(std::ranges::upper_bound(entries_, index, {}, &Entry::first) - 1);
}

std::string SampleSets::NameOf(std::size_t index) const {
  const Entry& entry = EntryOf(index);
  const std::size_t next = &entry == &entries_.back() ? size_ : (&entry + 1)->first;
  return next - entry.first == 1 ? entry.set.Name()
                                 : fmt::format("{}[{}]", entry.set.Name(), index - entry.first);
}

std::vector<Tensor> SampleSets::Read(std::size_t index) const {
  const Entry& entry = EntryOf(index);
  const StackedFiles files(inputs_, InputFilesIn(inputs_, folder_ / entry.set.Name()));
  const auto sample = static_cast<std::int64_t>(index - entry.first);
  if (sample >= files.samples()) {
    throw Error(ErrorKind::kIo,
                fmt::format("'{}' holds fewer samples than when it was read first: leave it as it "
                            "is while halftone runs, and start again",
                            (folder_ / entry.set.Name()).string()));
  }
  return files.Read(inputs_, sample);
}

}  // namespace halftone
