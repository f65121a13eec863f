#include "src/accuracy/npz_file.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "src/accuracy/tensor_file.h"
#include "src/base/error.h"
#include "src/base/limits.h"
#include "src/base/text.h"

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

// Refuses a size that the packed bytes cannot have. Archives of NumPy are stored or deflated.
void CheckSize(const std::filesystem::path& path, const zip_stat_t& entry,
               const std::string& name) {
  const bool possible = entry.comp_method == ZIP_CM_STORE
                            ? entry.size == entry.comp_size
                            : entry.size / limits::kMostDeflateRatio <= entry.comp_size;
  if (!possible) {
    Throw(path, fmt::format("has the member '{}' of {} bytes in {}, which cannot be", name,
                            entry.size, entry.comp_size));
  }
}

// The bytes of a member of `size` bytes. Memory grows with what is read, as the size may be wrong.
std::string Unpacked(const std::filesystem::path& path, zip_t* archive, zip_uint64_t index,
                     std::uint64_t size, const std::string& name) {
  const Member member(zip_fopen_index(archive, index, 0));
  if (member == nullptr) {
    Throw(path, fmt::format("has the member '{}', which cannot be unpacked ({})", name,
                            zip_strerror(archive)));
  }
  constexpr std::uint64_t kStep = 1U << 20U;
  std::string bytes;
  while (bytes.size() < size) {
    const std::uint64_t read = bytes.size();
    const std::uint64_t wanted = std::min(size - read, std::max(kStep, read));
    bytes.resize(read + wanted);
    const zip_int64_t got = zip_fread(member.get(), bytes.data() + read, wanted);
    if (got <= 0) {
      Throw(path, fmt::format("has the damaged member '{}'", name));
    }
    bytes.resize(read + static_cast<std::uint64_t>(got));
  }
  // The checksum is compared at the end of the member.
  char more = 0;
  if (zip_fread(member.get(), &more, 1) != 0) {
    Throw(path, fmt::format("has the damaged member '{}'", name));
  }
  return bytes;
}

// A .npy file of an archive.
struct NpyMember {
  zip_uint64_t index = 0;
  std::uint64_t size = 0;  // bytes, unpacked
  std::string name;        // of the array: without .npy
  std::string shown;       // of the member, for messages
};

// Most bytes that an archive may unpack to within `limit` (0: none).
std::uint64_t MostBytes(std::int64_t limit) {
  return limit > 0 ? std::min(kMostNpzBytes, static_cast<std::uint64_t>(limit)) : kMostNpzBytes;
}

// Error kIo: a member that is no .npy file or of an impossible size, members that take more than
// `most_bytes`, none at all.
std::vector<NpyMember> MembersOf(const std::filesystem::path& path, zip_t* archive,
                                 std::uint64_t most_bytes) {
  std::vector<NpyMember> members;
  std::uint64_t total = 0;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    zip_stat_t entry;
    zip_stat_init(&entry);
    constexpr zip_uint64_t kNeeded =
        ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(archive, index, 0, &entry) != 0 || (entry.valid & kNeeded) != kNeeded) {
      Throw(path, fmt::format("has a member {} without name or size", i));
    }
    std::string shown = Shown(entry.name);
    if (!std::string_view(entry.name).ends_with(kEnding)) {
      Throw(path, fmt::format("has the member '{}', which is no .npy file", shown));
    }
    total += std::min(entry.size, most_bytes + 1);
    if (total > most_bytes) {
      Throw(path, fmt::format("unpacks to more than {}, the most that memory is taken for",
                              FormatBytes(static_cast<double>(most_bytes))));
    }
    CheckSize(path, entry, shown);
    std::string name(entry.name);
    name.resize(name.size() - kEnding.size());
    members.push_back({index, entry.size, std::move(name), std::move(shown)});
  }
  if (members.empty()) {
    Throw(path, "holds no array");
  }
  return members;
}

// The first bytes of a member, as many as a header has at most.
std::string FrontOf(const std::filesystem::path& path, zip_t* archive, const NpyMember& member) {
  const Member opened(zip_fopen_index(archive, member.index, 0));
  if (opened == nullptr) {
    Throw(path, fmt::format("has the member '{}', which cannot be unpacked ({})", member.shown,
                            zip_strerror(archive)));
  }
  std::string front(std::min<std::uint64_t>(member.size, kMostNpyHeaderBytes), '\0');
  std::size_t read = 0;
  while (read < front.size()) {
    const zip_int64_t got = zip_fread(opened.get(), front.data() + read, front.size() - read);
    if (got <= 0) {
      Throw(path, fmt::format("has the damaged member '{}'", member.shown));
    }
    read += static_cast<std::size_t>(got);
  }
  return front;
}

}  // namespace

std::vector<NamedArray> ReadNpz(const std::filesystem::path& path, std::int64_t limit) {
  const Archive archive = Open(path);
  std::vector<NamedArray> arrays;
  for (NpyMember& member : MembersOf(path, archive.get(), MostBytes(limit))) {
    const std::string bytes =
        Unpacked(path, archive.get(), member.index, member.size, member.shown);
    arrays.push_back({std::move(member.name),
                      ParseNpy(bytes, fmt::format("{}:{}", path.string(), member.shown))});
  }
  return arrays;
}

std::vector<NamedType> NpzTypes(const std::filesystem::path& path, std::int64_t limit) {
  const Archive archive = Open(path);
  std::vector<NamedType> types;
  for (NpyMember& member : MembersOf(path, archive.get(), MostBytes(limit))) {
    const std::string front = FrontOf(path, archive.get(), member);
    types.push_back(
        {std::move(member.name), ParseNpyHeader(front, static_cast<std::int64_t>(member.size),
                                                fmt::format("{}:{}", path.string(), member.shown))
                                     .type});
  }
  return types;
}

}  // namespace halftone
