// What may lie at a path to which a program is told to write, and what became of it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace halftone::testing {

enum class PlaceKind : std::uint8_t {
  kNothing,
  kFile,
  kLink,          // to a file
  kDanglingLink,  // to nothing
  kFifo,          // with a reader
  kDevice,        // a null device of our own, never that of the machine
  kOutput,        // a link to standard output
  kFolder,
  kSocket,
  kLoop,  // a link to itself
};

struct PlaceRow {
  PlaceKind kind;
  const char* name;
  bool is_written;  // what lies there can be written as a file
};

inline constexpr std::array<PlaceRow, 10> kPlaces = {{
    {PlaceKind::kNothing, "Nothing", true},
    {PlaceKind::kFile, "File", true},
    {PlaceKind::kLink, "Link", true},
    {PlaceKind::kDanglingLink, "DanglingLink", true},
    {PlaceKind::kFifo, "Fifo", true},
    {PlaceKind::kDevice, "Device", true},
    {PlaceKind::kOutput, "Output", true},
    {PlaceKind::kFolder, "Folder", false},
    {PlaceKind::kSocket, "Socket", false},
    {PlaceKind::kLoop, "Loop", false},
}};

class OutputPlace {
 public:
  // Makes it at `path`, with what it needs beside it; creates the folder.
  OutputPlace(PlaceKind kind, std::filesystem::path path);
  ~OutputPlace();
  OutputPlace(OutputPlace&&) noexcept;

  // Empty, or why a place of this kind cannot be made here (devices need the rights of root).
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }

  // What has been written there; of a device and of standard output nobody knows. Ends the reader
  // of a FIFO.
  std::string Content();

  // Empty, or what is no longer what it was: a link that became a file, a device that was replaced,
  // something that was left beside it.
  [[nodiscard]] std::string Damage() const;

 private:
  class FifoReader;

  PlaceKind kind_;
  std::filesystem::path path_;
  std::filesystem::path target_;  // of a link
  std::string obstacle_;
  std::unique_ptr<FifoReader> reader_;
};

}  // namespace halftone::testing
