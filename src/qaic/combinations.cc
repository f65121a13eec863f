#include "src/qaic/combinations.h"

#include <algorithm>

#include "src/base/error.h"

namespace halftone {
namespace {

using Line = ToolCommandLine;

// Least number of bins that the KL search over 255 levels changes; it returns others unchanged.
constexpr double kLevelsOfKl = 255;

bool TakesRanges(const Line& line) {
  return line.Has("load-profile") || line.Has("convert-to-quantize") ||
         line.Has("external-quantization");
}

bool UsesKl(const Line& line) {
  return line.Get("quantization-calibration").starts_with("KL");
}

// Calibrations that weigh what a range cuts off against the step that it has in 8 bits.
bool SearchesRanges(const Line& line) {
  const std::string name = line.Get("quantization-calibration");
  return name != "None" && name != "Percentile";
}

bool UsesInt16(const Line& line) {
  return line.Get("quantization-precision") == "Int16";
}

bool SharesKind(const Line& line) {
  const auto kept = line.List("keep-original-precision-for-nodes");
  return std::ranges::any_of(line.List("execute-nodes-in-fp16"), [&](const std::string& kind) {
    return std::ranges::find(kept, kind) != kept.end();
  });
}

bool SetsQuantization(const Line& line) {
  static constexpr std::string_view kNames[] = {"quantization-schema",
                                                "quantization-schema-activations",
                                                "quantization-schema-constants",
                                                "quantization-precision",
                                                "quantization-precision-bias",
                                                "quantization-calibration",
                                                "enable-channelwise",
                                                "enable-rowwise"};
  return std::ranges::any_of(kNames, [&](std::string_view name) { return line.Has(name); });
}

constexpr QaicCombination kCombinations[] = {
    {.is_error = true,
     .holds = [](const Line& l) { return l.Has("convert-to-fp16") && l.Has("dump-profile"); },
     .text = "-convert-to-fp16 and -dump-profile exclude each other: nothing is quantized in FP16, "
             "so no profile is made; leave one of them out",
     .example = "-convert-to-fp16 -dump-profile=p.yaml -input-list-file=l.txt"},
    {.is_error = true,
     .holds = [](const Line& l) { return l.Has("dump-profile") && l.Has("load-profile"); },
     .text = "-dump-profile and -load-profile are two steps: dump the profile with the first "
             "command and load it with the second",
     .example = "-dump-profile=p.yaml -load-profile=p.yaml -input-list-file=l.txt"},
    {.is_error = true,
     .holds = [](const Line& l) { return l.Has("convert-to-quantize") && l.Has("dump-profile"); },
     .text = "-convert-to-quantize and -dump-profile exclude each other: the former makes its "
             "profile in memory; leave one of them out",
     .example = "-convert-to-quantize -dump-profile=p.yaml -input-list-file=l.txt"},
    {.is_error = true,
     .holds = [](const Line& l) { return l.Has("convert-to-quantize") && l.Has("load-profile"); },
     .text = "-convert-to-quantize and -load-profile exclude each other: the former makes its "
             "profile in memory; leave one of them out",
     .example = "-convert-to-quantize -load-profile=p.yaml -input-list-file=l.txt"},
    {.is_error = true,
     .holds =
         [](const Line& l) {
           return l.Has("external-quantization") &&
                  (l.Has("load-profile") || l.Has("dump-profile") || l.Has("convert-to-quantize"));
         },
     .text = "-external-quantization brings the ranges of another tool and excludes -load-profile, "
             "-dump-profile and -convert-to-quantize; leave one of them out",
     .example = "-external-quantization=e.json -load-profile=p.yaml"},
    {.is_error = true,
     .holds =
         [](const Line& l) {
           return l.Has("custom-IO-list-file") && l.Has("dump-custom-IO-config-template");
         },
     .text = "-dump-custom-IO-config-template writes a file to edit and excludes "
             "-custom-IO-list-file, which reads one; leave one of them out",
     .example = "-custom-IO-list-file=a.yaml -dump-custom-IO-config-template=b.yaml"},
    {.holds = [](const Line& l) { return l.Has("convert-to-fp16") && TakesRanges(l); },
     .text = "-convert-to-fp16 wins: nothing is quantized, and -convert-to-quantize, -load-profile "
             "and -external-quantization have no effect",
     .example = "-convert-to-fp16 -load-profile=p.yaml"},
    {.holds =
         [](const Line& l) {
           return l.Has("percentile-calibration-value") &&
                  l.Get("quantization-calibration") != "Percentile";
         },
     .text = "-percentile-calibration-value is ignored: it goes with "
             "-quantization-calibration=Percentile",
     .example = "-percentile-calibration-value=99.9 -convert-to-quantize -input-list-file=l.txt"},
    {.holds = [](const Line& l) { return l.Has("dump-profile") && !l.Has("input-list-file"); },
     .text = "-dump-profile without -input-list-file: the profile is of random data and says "
             "little about real inputs",
     .example = "-dump-profile=p.yaml"},
    {.holds =
         [](const Line& l) { return l.Has("convert-to-quantize") && !l.Has("input-list-file"); },
     .text = "-convert-to-quantize without -input-list-file: the ranges are of random data and say "
             "little about real inputs",
     .example = "-convert-to-quantize"},
    {.holds =
         [](const Line& l) { return l.Has("use-random-input-data") && l.Has("input-list-file"); },
     .text = "-use-random-input-data is ignored: -input-list-file gives the samples",
     .example = "-use-random-input-data=gaussian -input-list-file=l.txt"},
    {.holds =
         [](const Line& l) { return UsesKl(l) && l.Number("num-histogram-bins") < kLevelsOfKl; },
     .text =
         "-num-histogram-bins: KL minimization does nothing with fewer than 255 bins, so ranges "
         "stay those of the least and greatest values",
     .example = "-quantization-calibration=KLMinimization -num-histogram-bins=128 "
                "-convert-to-quantize -input-list-file=l.txt"},
    {.holds =
         [](const Line& l) {
           return l.Has("num-histogram-bins") && !l.Has("dump-profile") &&
                  !l.Has("convert-to-quantize");
         },
     .text =
         "-num-histogram-bins is ignored: nothing is profiled; a loaded profile has its own bins",
     .example = "-num-histogram-bins=1024 -load-profile=p.yaml"},
    {.holds = [](const Line& l) { return SetsQuantization(l) && !TakesRanges(l); },
     .text = "options of quantization are ignored: neither -load-profile, -convert-to-quantize nor "
             "-external-quantization asks for it",
     .example = "-quantization-schema=asymmetric"},
    {.is_error = true,
     .holds = [](const Line& l) { return l.Has("ranges-from") && !l.Has("load-profile"); },
     .text =
         "-ranges-from without -load-profile: name the profile of the device's compiler that is "
         "to be filled with -load-profile",
     .example = "-ranges-from=point_1/profile.yaml"},
    {.is_error = true,
     .holds = [](const Line& l) { return UsesInt16(l) && l.Has("external-quantization"); },
     .text = "-quantization-precision=Int16 and -external-quantization exclude each other: scales "
             "of other tools are read in 8 bits; leave one of them out",
     .example = "-quantization-precision=Int16 -external-quantization=e.json"},
    {.is_error = true,
     .holds =
         [](const Line& l) {
           return UsesInt16(l) && l.Get("quantization-precision-bias") == "Int8";
         },
     .text = "-quantization-precision=Int16 and -quantization-precision-bias=Int8 exclude each "
             "other: 16-bit products add a bias of Int32; leave the latter out",
     .example = "-quantization-precision=Int16 -quantization-precision-bias=Int8 "
                "-load-profile=p.yaml"},
    {.holds =
         [](const Line& l) { return UsesInt16(l) && AsksForQuantization(l) && !SearchesRanges(l); },
     .text = "-quantization-precision=Int16: the compiler's package page says that it is not "
             "supported for now, its configurator offers it; this is what it would compute",
     .example = "-quantization-precision=Int16 -load-profile=p.yaml"},
    {.holds =
         [](const Line& l) { return UsesInt16(l) && AsksForQuantization(l) && SearchesRanges(l); },
     .text = "-quantization-precision=Int16, which the compiler may not support for now: "
             "-quantization-calibration chooses ranges for some 255 numbers and cuts off more than "
             "65536 need; None and Percentile do not",
     .example = "-quantization-precision=Int16 -quantization-calibration=MSE -load-profile=p.yaml"},
    {.holds = SharesKind,
     .text = "a kind is in -keep-original-precision-for-nodes and in -execute-nodes-in-fp16: its "
             "nodes keep their precision",
     .example = "-keep-original-precision-for-nodes=Mul,Add -execute-nodes-in-fp16=Mul"},
};

}  // namespace

std::span<const QaicCombination> QaicCombinations() {
  return kCombinations;
}

std::vector<std::string> CheckCombinations(const ToolCommandLine& line) {
  std::vector<std::string> warnings;
  for (const QaicCombination& row : kCombinations) {
    if (!row.holds(line)) {
      continue;
    }
    if (row.is_error) {
      throw Error(ErrorKind::kUsage, row.text);
    }
    warnings.emplace_back(row.text);
  }
  return warnings;
}

bool AsksForQuantization(const ToolCommandLine& line) {
  return TakesRanges(line) && !line.Has("convert-to-fp16");
}

}  // namespace halftone
