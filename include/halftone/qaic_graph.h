/* Precision of single nodes under the names of Qualcomm's Cloud AI graph API (C11, C++).
 *
 * The vendor's guide on mixed precision uses the names QAicGraphConfig, quantizationConfig,
 * nodePrecisionInfo and qaicAddNodesToGraphFromModel. No public page documents further members of
 * the structures, or the parameters and results of the function. These are halftone's own design,
 * as are all names that begin with halftone. A program includes this header in place of the
 * vendor's; the library exports no name of the vendor.
 *
 * A graph is resolved to the plan that `halftone qaic-compile` makes for the same options
 * (docs/reference/cloud_ai.md). Nothing is compiled for a device, and no file is written. Statuses,
 * error sentences, strings and threads follow the rules of c_api.h.
 */
#pragma once

/* Guard beside #pragma once: a build of halftone may find this header in two folders. */
#ifndef HALFTONE_QAIC_GRAPH_H
#define HALFTONE_QAIC_GRAPH_H

#include <halftone/c_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): names of the vendor, and names as C has them */

typedef struct QAicQuantizationConfig {
  /* Path of the YAML file of -node-precision-info; null: none. */
  const char* nodePrecisionInfo;
} QAicQuantizationConfig;

/* Set all bytes to zero, then the members that you need. */
typedef struct QAicGraphConfig {
  QAicQuantizationConfig quantizationConfig;
  /* Other options of qaic-compile in one text, quoted as on the command line of a shell:
   * "-convert-to-fp16 -batchsize=1"; null: none. */
  const char* halftoneOptions;
} QAicGraphConfig;

/* Number of an open graph, above 0. The number of a closed graph is not used again. */
typedef uint64_t halftone_qaic_graph;

/* Opens a graph without nodes. `config` may be null: nodes keep the types of the model, and `size`
 * is ignored. Otherwise `size` is sizeof(QAicGraphConfig), which identifies the version of the
 * structure. Sets *graph, to 0 on failure. The caller closes the graph. */
HALFTONE_C_API halftone_status halftone_qaic_graph_open(const QAicGraphConfig* config, size_t size,
                                                        halftone_qaic_graph* graph);

/* Closes a graph. HALFTONE_USAGE: the number is no open graph. 0 is ignored, with HALFTONE_OK. */
HALFTONE_C_API halftone_status halftone_qaic_graph_close(halftone_qaic_graph graph);

/* Reads `model`, an .onnx file or a folder with model.onnx, and decides the precision of its nodes.
 * HALFTONE_USAGE for a second model of the same graph, and for options that qaic-compile refuses.
 */
HALFTONE_C_API halftone_status halftone_qaic_graph_add_model(halftone_qaic_graph graph,
                                                             const char* model);

/* Writes the digest of the plan, which `halftone qaic-compile` prints as `plan`, as 32 hexadecimal
 * digits and a zero byte. HALFTONE_USAGE: the graph has no model. */
HALFTONE_C_API halftone_status halftone_qaic_graph_plan_digest(halftone_qaic_graph graph,
                                                               char digest[33]);

/* Table with the precision of every node and its reason, and the notes and warnings, one on each
 * line. Sets *text, to null on failure; the caller frees it with halftone_text_free().
 * HALFTONE_USAGE: the graph has no model. */
HALFTONE_C_API halftone_status halftone_qaic_graph_explain(halftone_qaic_graph graph, char** text);
HALFTONE_C_API halftone_status halftone_qaic_graph_notes(halftone_qaic_graph graph, char** text);

/* halftone_qaic_graph_add_model() under the vendor's name. */
static inline halftone_status qaicAddNodesToGraphFromModel(halftone_qaic_graph graph,
                                                           const char* model) {
  return halftone_qaic_graph_add_model(graph, model);
}

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
