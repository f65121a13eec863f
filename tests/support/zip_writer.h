// Zip archives for tests: .npz files.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace halftone::testing {

// Writes an archive of uncompressed members: name and content.
void WriteZip(const std::filesystem::path& path,
              const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace halftone::testing
