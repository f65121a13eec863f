// Location and priority of banks: specification "AOE tuning", section 4.
#include <fmt/format.h>
#include <unistd.h>

#include "src/api/halftone.h"
#include "src/base/error.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// A place that a user names; empty: he does not.
struct Place {
  std::string_view source;
  fs::path (*path)(const BankPlaces& places);
};

constexpr Place kEnvironment = {
    "TUNE_BANK_PATH", [](const BankPlaces& places) { return fs::path(places.tune_bank_path); }};
constexpr Place kOption = {"option",
                           [](const BankPlaces& places) { return fs::path(places.option); }};
constexpr Place kCache = {"ASCEND_CACHE_PATH", [](const BankPlaces& places) {
                            return places.ascend_cache_path.empty()
                                       ? fs::path()
                                       : fs::path(places.ascend_cache_path) / "aoe_data";
                          }};

// The first place that is named wins. The two orders of reading are opposite.
struct Order {
  BankUse use;
  Place first;
  Place second;
  std::string_view installed;  // below $HOME
};

constexpr Order kOrders[] = {
    {BankUse::kReadOperators, kEnvironment, kOption, "Ascend/latest/data/aoe/custom/op"},
    {BankUse::kReadSubgraphs, kOption, kEnvironment, "Ascend/latest/data/aoe/custom/graph"},
    {BankUse::kWrite, kEnvironment, kCache, "Ascend/latest/data/aoe/custom/op"},
};

const Order& OrderOf(BankUse use) {
  for (const Order& order : kOrders) {
    if (order.use == use) {
      return order;
    }
  }
  throw Error(ErrorKind::kInternal, "a use of banks without an order of places");
}

}  // namespace

BankLocation FindBank(BankUse use, const BankPlaces& places) {
  const Order& order = OrderOf(use);
  for (const Place& place : {order.first, order.second}) {
    if (fs::path path = place.path(places); !path.empty()) {
      return {std::move(path), std::string(place.source)};
    }
  }
  const fs::path root(places.home.empty() ? "." : places.home);
  std::error_code error;
  if (fs::is_directory(root / order.installed, error)) {
    return {root / order.installed, "default"};
  }
  return {root / ".local/share/halftone/op_bank", "default"};
}

void CheckBankUsable(const BankLocation& location) {
  if (location.source != kEnvironment.source) {
    return;
  }
  std::error_code error;
  const char* missing = nullptr;
  if (!fs::exists(location.path, error)) {
    missing = "it does not exist; create it";
  } else if (!fs::is_directory(location.path, error)) {
    missing = "it is no folder";
  } else if (::access(location.path.c_str(), R_OK | W_OK | X_OK) != 0) {
    missing = "its permissions forbid reading, writing or searching";
  }
  if (missing != nullptr) {
    throw Error(ErrorKind::kUsage,
                fmt::format("TUNE_BANK_PATH={}: expected a folder that can be read, written and "
                            "searched, but {}",
                            location.path.string(), missing));
  }
}

}  // namespace halftone
