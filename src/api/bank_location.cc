// Location and priority of the operator bank: specification "AOE tuning", section 4.
#include "src/api/halftone.h"

namespace halftone {

BankLocation FindBank(std::string_view option, std::string_view tune_bank_path,
                      std::string_view home) {
  if (!tune_bank_path.empty()) {
    return {std::filesystem::path(tune_bank_path), "TUNE_BANK_PATH"};
  }
  if (!option.empty()) {
    return {std::filesystem::path(option), "--op_bank_path"};
  }
  const std::filesystem::path root(home.empty() ? "." : home);
  const std::filesystem::path installed = root / "Ascend/latest/data/aoe/custom/op";
  std::error_code error;
  if (std::filesystem::is_directory(installed, error)) {
    return {installed, "default"};
  }
  return {root / ".local/share/halftone/op_bank", "default"};
}

}  // namespace halftone
