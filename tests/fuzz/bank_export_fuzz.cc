// The lines of an export of a knowledge base, of this program and of older ones.
#include <variant>

#include "knowledge_base/bank_export.h"
#include "knowledge_base/record_json.h"
#include "src/base/text.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ExportReader reader;
  ValueOrError([&] {
    for (const std::string_view line : Split(TextOf(data, size), '\n')) {
      if (const auto record = reader.Read(line)) {
        const std::string text = RecordToJson(*record);
        const auto again = RecordFromJson(text);
        Require(std::holds_alternative<BankRecord>(again) &&
                    RecordToJson(std::get<BankRecord>(again)) == text,
                "the record read back differs");
      }
    }
    reader.Finish();
    return true;
  });
  return 0;
}
