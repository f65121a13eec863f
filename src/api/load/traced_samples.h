// Samples of networks whose shapes or branches depend on data. Such a network is read for one
// sample; it runs the samples whose traced values (Model::traced) equal those of that sample.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/api/halftone.h"
#include "src/onnx/reader.h"

namespace halftone {

// Source of the first sample of options.inputs or options.arrays; null if neither is given.
SampleSource FirstSampleOf(const ModelOptions& options);

// Lists the first three values: "'k' is int64 1 [5], 'n' is int64 1 [2], 'm' is int64 1 [3], and 7
// more values"; empty for no values.
std::string ListTrace(const std::vector<TracedValue>& traced);

// Values of the sample on which shapes and branches of the model depend. Imports the model again
// from `source`.
std::vector<TracedValue> TraceOf(const Model& model, const Sample& sample, ModelSource& source);

// Clause about the first difference between two traces: "'k' is int64 1 [6], it is int64 1 [5]",
// first the value in `other`, then that in `first`. Empty: the traces are equal.
std::string Difference(const std::vector<TracedValue>& first,
                       const std::vector<TracedValue>& other);

// Loads the samples as LoadDataset(). With DatasetOptions::state the samples are steps, and the
// result has sequences of them (SequencesOf()); max_samples and draw_samples count sequences then.
// A model with traced values is imported again for every sample. Errors as LoadDataset() and
// SequencesOf(); kUnsupported for a sample with another traced value, naming both.
Dataset LoadSamples(const Model& model, const DatasetOptions& options);

// Loads the samples of each model in `profiles`, one network at several input shapes. Several
// models may have one shape and different traces. Errors as LoadDatasets() and for one model;
// kModel for a model that no sample fits.
std::vector<Dataset> LoadSamples(std::span<const Model> profiles, const DatasetOptions& options);

}  // namespace halftone
