#include "tests/support/zip_writer.h"

#include <zip.h>

#include "src/base/error.h"

namespace halftone::testing {

void WriteZip(const std::filesystem::path& path,
              const std::vector<std::pair<std::string, std::string>>& members) {
  int code = 0;
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  Check(archive != nullptr, "an archive that can be written");
  for (const auto& [name, bytes] : members) {
    zip_source_t* const source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    Check(zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8) >= 0, "a member");
  }
  Check(zip_close(archive) == 0, "an archive that was written");
}

}  // namespace halftone::testing
