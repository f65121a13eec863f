// What is odd about samples.
#pragma once

#include "src/accuracy/dataset.h"
#include "src/report/report_details.h"

namespace halftone {

DataQuality DataQualityOf(const Graph& graph, const Dataset& data);

}  // namespace halftone
