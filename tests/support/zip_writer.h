// Zip archives for tests: .npz files.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace halftone::testing {

// Members by name, not compressed.
void WriteZip(const std::filesystem::path& path,
              const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace halftone::testing
