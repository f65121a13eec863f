// A folder that becomes visible only when it is complete.
#pragma once

#include <filesystem>

namespace halftone {

class PublishedFolder {
 public:
  // Creates the parents of `path` and a hidden folder beside it. Error kIo, also if something
  // exists at `path`.
  explicit PublishedFolder(const std::filesystem::path& path);

  // Removes the hidden folder, unless Publish() was called.
  ~PublishedFolder();
  PublishedFolder(const PublishedFolder&) = delete;
  PublishedFolder& operator=(const PublishedFolder&) = delete;

  // The hidden folder, to be filled before Publish().
  [[nodiscard]] const std::filesystem::path& part() const { return part_; }

  // Flushes the content to the disk and renames the hidden folder to `path`. Error kIo, also if
  // another process has put a file or a folder with content there.
  void Publish();

 private:
  std::filesystem::path path_;
  std::filesystem::path part_;
};

}  // namespace halftone
