/* Precision of single nodes as programs for Qualcomm's Cloud AI graph API name it (C11, C++).
 *
 * The vendor's guide on mixed precision has these names: QAicGraphConfig, quantizationConfig,
 * nodePrecisionInfo and qaicAddNodesToGraphFromModel. No public page says what else the structures
 * have, nor what the function takes and returns: all of that is of halftone here, and so are the
 * names that begin with halftone. A program includes this header in place of the vendor's; the
 * library exports no name of the vendor's.
 *
 * A graph is resolved to the plan that `halftone qaic-compile` has for the same options
 * (docs/reference/cloud_ai.md). Nothing is compiled for a device, and no file is written. What
 * c_api.h says of statuses, sentences, texts and threads holds here.
 */
#pragma once

/* A build of halftone may see the header at two places. */
#ifndef HALFTONE_QAIC_GRAPH_H
#define HALFTONE_QAIC_GRAPH_H

#include <halftone/c_api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct QAicQuantizationConfig {
  /* Path of the YAML file of -node-precision-info; null: none. */
  const char* nodePrecisionInfo;
} QAicQuantizationConfig;

/* Set all bytes to zero, then what is wanted. */
typedef struct QAicGraphConfig {
  QAicQuantizationConfig quantizationConfig;
  /* Other options of qaic-compile, as a shell takes them: "-convert-to-fp16 -batchsize=1"; null:
   * none. */
  const char* halftoneOptions;
} QAicGraphConfig;

/* An open graph; 0: none. The number of a closed one is never used again. */
typedef uint64_t halftone_qaic_graph;

/* Opens a graph without nodes. `config` may be null: the types of the model; else `size` is
 * sizeof(QAicGraphConfig), which tells the version of the structure. Sets *graph, 0 on failure. */
HALFTONE_C_API halftone_status halftone_qaic_graph_open(const QAicGraphConfig* config, size_t size,
                                                        halftone_qaic_graph* graph);

/* HALFTONE_USAGE for a number that is no open graph; 0 is HALFTONE_OK. */
HALFTONE_C_API halftone_status halftone_qaic_graph_close(halftone_qaic_graph graph);

/* Reads `model`, an .onnx file or a folder with model.onnx, and resolves its nodes. A graph takes
 * one model. */
HALFTONE_C_API halftone_status halftone_qaic_graph_add_model(halftone_qaic_graph graph,
                                                             const char* model);

/* The plan's digest as 32 hexadecimal digits and a zero: `plan` of halftone qaic-compile. */
HALFTONE_C_API halftone_status halftone_qaic_graph_plan_digest(halftone_qaic_graph graph,
                                                               char digest[33]);

/* The precision of every node and its reason, and notes and warnings, a line each. Free *text with
 * halftone_text_free(). */
HALFTONE_C_API halftone_status halftone_qaic_graph_explain(halftone_qaic_graph graph, char** text);
HALFTONE_C_API halftone_status halftone_qaic_graph_notes(halftone_qaic_graph graph, char** text);

/* halftone_qaic_graph_add_model() under the vendor's name. */
static inline halftone_status qaicAddNodesToGraphFromModel(halftone_qaic_graph graph,
                                                           const char* model) {
  return halftone_qaic_graph_add_model(graph, model);
}

#ifdef __cplusplus
}
#endif

#endif
