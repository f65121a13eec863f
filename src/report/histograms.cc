// histograms.json: 8-bit tensors and weights, for programs and for `explain --tensor`.
#include "src/quantization/files/histogram_file.h"
#include "src/report/formats.h"

namespace halftone {

std::string FormatHistograms(const TuneSummary& summary) {
  const CalibrationRecord* record = summary.insight.calibration.get();
  return record == nullptr || record->tensors.empty()
             ? std::string()
             : WriteHistograms(Bounded(*record, kMostFileHistograms, kMostFilePictures));
}

}  // namespace halftone
