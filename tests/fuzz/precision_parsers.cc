// The files of precision options.
#include "src/precision/files/customize_dtypes.h"
#include "src/precision/files/impl_mode_file.h"
#include "src/precision/files/keep_dtype.h"
#include "src/precision/files/mixlist.h"
#include "tests/fuzz/fuzz.h"

namespace halftone::testing {
namespace {

// Warnings are printed as they are.
void RequirePrintable(std::span<const std::string> warnings) {
  for (const std::string& warning : warnings) {
    Require(warning == Error(ErrorKind::kUsage, warning).what(), warning);
  }
}

void CustomizeDtypes(std::string_view bytes) {
  const auto file = ValueOrError([&] { return ParseCustomDTypes(bytes, "c.cfg"); });
  if (!file) {
    return;
  }
  RequirePrintable(file->warnings);
  const auto text = ValueOrError([&] { return FormatCustomDTypes(file->entries); });
  if (text) {
    Require(ParseCustomDTypes(*text, "c.cfg").entries == file->entries,
            "the lines read back differ");
  }
}

void KeepDtype(std::string_view bytes) {
  const auto parse = [](std::string_view text) { return ParseKeepDtype(text, "keep.cfg"); };
  ReadsBackIfWritten(bytes, parse, [](const auto& lines) { return FormatKeepDtype(lines); });
}

void OpPrecision(std::string_view bytes) {
  const ImplModeFile file = ParseImplModeFile(bytes, "op_precision.ini");
  RequirePrintable(file.warnings);
  const auto text = ValueOrError([&] { return FormatImplModeFile(file); });
  if (text) {
    const ImplModeFile again = ParseImplModeFile(*text, "op_precision.ini");
    Require(again == file && again.warnings.empty(), "the file read back differs");
  }
}

const FuzzedParsers kPrecisionParsers = {
    {"customize_dtypes", CustomizeDtypes},                    // --customize_dtypes
    {"keep_dtype", KeepDtype},                                // --keep_dtype
    {"mixlist", FileReadsBack<ParseMixlist, FormatMixlist>},  // --modify_mixlist
    {"op_precision", OpPrecision},                            // --op_precision_mode
};

}  // namespace
}  // namespace halftone::testing
