#include "src/accuracy/npz_file.h"

#include <fmt/format.h>
#include <zip.h>

#include <memory>

#include "src/accuracy/tensor_file.h"
#include "src/base/error.h"
#include "src/base/printable.h"

namespace halftone {
namespace {

constexpr std::string_view kEnding = ".npy";

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};

struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};

using Archive = std::unique_ptr<zip_t, CloseArchive>;
using Member = std::unique_ptr<zip_file_t, CloseMember>;

[[noreturn]] void Throw(const std::filesystem::path& path, std::string_view what) {
  throw Error(ErrorKind::kIo, fmt::format("'{}' {}: expected an archive that numpy.savez() writes",
                                          path.string(), what));
}

Archive Open(const std::filesystem::path& path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    Throw(path, fmt::format("cannot be read as a zip archive ({})", why));
  }
  return archive;
}

// The bytes of a member of `size` bytes.
std::string Unpacked(const std::filesystem::path& path, zip_t* archive, zip_uint64_t index,
                     std::uint64_t size, const std::string& name) {
  const Member member(zip_fopen_index(archive, index, 0));
  if (member == nullptr) {
    Throw(path, fmt::format("has the member '{}', which cannot be unpacked ({})", name,
                            zip_strerror(archive)));
  }
  std::string bytes(size, '\0');
  std::uint64_t read = 0;
  while (read < size) {
    const zip_int64_t got = zip_fread(member.get(), bytes.data() + read, size - read);
    if (got <= 0) {
      Throw(path, fmt::format("has the damaged member '{}'", name));
    }
    read += static_cast<std::uint64_t>(got);
  }
  // The checksum is compared at the end of the member.
  char more = 0;
  if (zip_fread(member.get(), &more, 1) != 0) {
    Throw(path, fmt::format("has the damaged member '{}'", name));
  }
  return bytes;
}

}  // namespace

std::vector<NamedArray> ReadNpz(const std::filesystem::path& path) {
  const Archive archive = Open(path);
  std::vector<NamedArray> arrays;
  std::uint64_t total = 0;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    zip_stat_t entry;
    zip_stat_init(&entry);
    constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE;
    if (zip_stat_index(archive.get(), index, 0, &entry) != 0 ||
        (entry.valid & kNeeded) != kNeeded) {
      Throw(path, fmt::format("has a member {} without name or size", i));
    }
    const std::string name = Shown(entry.name);
    if (!std::string_view(entry.name).ends_with(kEnding)) {
      Throw(path, fmt::format("has the member '{}', which is no .npy file", name));
    }
    total += entry.size;
    if (entry.size > kMostNpzBytes || total > kMostNpzBytes) {
      Throw(path, fmt::format("unpacks to more than {} GiB", kMostNpzBytes >> 30U));
    }
    const std::string bytes = Unpacked(path, archive.get(), index, entry.size, name);
    std::string array(entry.name);
    array.resize(array.size() - kEnding.size());
    arrays.push_back(
        {std::move(array), ParseNpy(bytes, fmt::format("{}:{}", path.string(), name))});
  }
  if (arrays.empty()) {
    Throw(path, "holds no array");
  }
  return arrays;
}

}  // namespace halftone
