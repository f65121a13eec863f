// Networks whose shapes or branches depend on data: each is read for one sample and runs the
// samples with equal traced values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/api/halftone.h"
#include "src/onnx/reader.h"

namespace halftone {

// The first sample of the options' inputs or arrays, with their state; null when there are none.
SampleSource FirstSampleOf(const ModelOptions& options);

// "'k' is int64 1 [5], and 7 more values"; empty for none.
std::string ListTrace(const std::vector<TracedValue>& traced);

// The values of the sample that shapes and branches of the model depend on. Reads the model again
// from its file, `source`.
std::vector<TracedValue> TraceOf(const Model& model, const Sample& sample, ModelSource& source);

// The values of `other` that differ from `first`; empty: none.
std::string Difference(const std::vector<TracedValue>& first,
                       const std::vector<TracedValue>& other);

// LoadDataset(). With DatasetOptions::state, it gives sequences of the samples (SequencesOf()),
// which max_samples and draw_samples then count. A model with traced values is read again for every
// sample. Error kUnsupported, naming sample and value, where a traced value differs.
Dataset LoadSamples(const Model& model, const DatasetOptions& options);

// The samples of each model, at several input shapes; models of one shape may have different
// traces. Errors as LoadDatasets() and LoadSamples(), kModel for a model that no sample fits.
std::vector<Dataset> LoadSamples(std::span<const Model> profiles, const DatasetOptions& options);

}  // namespace halftone
