#include "search/calibrate/calibration_work.h"

#include <algorithm>
#include <vector>

#include "search/calibrate/bias_shifts.h"
#include "search/calibrate/channel_factors.h"
#include "search/calibrate/reader_ranges.h"
#include "src/base/text.h"

namespace halftone {
namespace {

std::size_t ComparedOf(const CalibrationWork& work) {
  return std::min(kComparedSamples, work.samples);
}

std::size_t FactorRuns(const CalibrationWork& work) {
  return work.factors ? RunsOfFactors(ComparedOf(work)) : 0;
}

std::size_t ComparedRuns(const CalibrationWork& work) {
  return work.compares ? ComparedOf(work) : 0;
}

std::size_t CorrectedRuns(const CalibrationWork& work) {
  return work.corrects ? std::min(kCorrectedSamples, work.samples) : 0;
}

std::size_t HedgeRuns(const CalibrationWork& work) {
  return work.hedges > 0 ? (2 + work.hedges) * ComparedOf(work) : 0;
}

}  // namespace

std::size_t RunsOf(const CalibrationWork& work) {
  return 2 * work.samples + FactorRuns(work) + ComparedRuns(work) + CorrectedRuns(work) +
         HedgeRuns(work);
}

double CostOf(const CalibrationWork& work) {
  return 2.0 * static_cast<double>(work.samples) +
         kFactorCost * static_cast<double>(FactorRuns(work)) +
         kCompareCost * static_cast<double>(ComparedRuns(work)) +
         (kCorrectCost + kCorrectCostOfEach * static_cast<double>(1 + work.hedges)) *
             static_cast<double>(CorrectedRuns(work)) +
         static_cast<double>(HedgeRuns(work));
}

CalibrationWork WorkWithin(CalibrationWork wanted, double most) {
  struct Step {
    std::size_t fewest;  // samples
    void (*leave_out)(CalibrationWork&);
  };

  constexpr Step kSteps[] = {
      {kCorrectedSamples, [](CalibrationWork&) {}},
      {kComparedSamples, [](CalibrationWork& work) { work.hedges = 0; }},
      {kComparedSamples, [](CalibrationWork& work) { work.factors = false; }},
      {4, [](CalibrationWork& work) { work.compares = false; }},
      {1, [](CalibrationWork& work) { work.corrects = false; }},
  };
  const std::size_t all = wanted.samples;
  for (const Step& step : kSteps) {
    step.leave_out(wanted);
    for (wanted.samples = all; wanted.samples >= std::min(step.fewest, all); --wanted.samples) {
      if (CostOf(wanted) <= most) {
        return wanted;
      }
      if (wanted.samples == 1) {
        break;
      }
    }
  }
  wanted.samples = 1;
  return wanted;
}

std::string LeftOut(const CalibrationWork& wanted, const CalibrationWork& work) {
  std::vector<std::string> without;
  const auto compare = [&](bool was, bool is, const char* what) {
    if (was && !is) {
      without.emplace_back(what);
    }
  };
  compare(wanted.hedges > 0, work.hedges > 0, "methods compared on the whole network");
  compare(wanted.factors, work.factors, "factors of channels");
  compare(wanted.compares, work.compares, "methods compared tensor by tensor");
  compare(wanted.corrects, work.corrects, "bias correction");
  return without.empty() ? "" : ", without " + Join(without, ", ");
}

}  // namespace halftone
