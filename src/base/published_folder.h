// Folder that appears complete or not at all: filled beside its place, flushed, renamed.
#pragma once

#include <filesystem>

namespace halftone {

class PublishedFolder {
 public:
  // Creates a folder with a name of its own beside `path`, and the parents. Error kIo, also where
  // something lies at `path` already.
  explicit PublishedFolder(const std::filesystem::path& path);

  // Removes what was filled in, unless Publish() was called.
  ~PublishedFolder();
  PublishedFolder(const PublishedFolder&) = delete;
  PublishedFolder& operator=(const PublishedFolder&) = delete;

  // The folder to fill before Publish().
  [[nodiscard]] const std::filesystem::path& part() const { return part_; }

  // Flushes all files and folders to the disk and puts the folder into its place. Error kIo, also
  // where another process was faster.
  void Publish();

 private:
  std::filesystem::path path_;
  std::filesystem::path part_;
};

}  // namespace halftone
