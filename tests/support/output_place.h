// Kinds of files that may lie at a path that a program is told to write, and checks of what became
// of them.
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
  kDevice,        // a null device made for the test, never that of the machine
  kOutput,        // a link to standard output
  kFolder,
  kSocket,
  kLoop,  // a link to itself
};

struct PlaceRow {
  PlaceKind kind;
  const char* name;
  bool is_written;  // the place can be written as a file
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
  // Makes the place at `path`, with the files that it needs beside it; creates the folder.
  OutputPlace(PlaceKind kind, std::filesystem::path path);
  ~OutputPlace();
  OutputPlace(OutputPlace&&) noexcept;

  // Reason why a place of this kind cannot be made here (devices need the rights of root); empty:
  // it was made.
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }

  // The content that was written; empty for a device and for standard output, which cannot be read.
  // Ends the reader of a FIFO.
  std::string Content();

  // Damage that was found: a link that became a file, a device that was replaced, a file that was
  // left beside it. Empty: nothing.
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
