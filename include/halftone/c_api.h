/* Sessions for other languages: the C interface of libhalftone.so, version 1 (C11).
 *
 * A session runs a network in one configuration: tensors in, tensors out (docs/guide/inference.md).
 *
 * Errors: a function that can fail returns a status. If the status is not HALFTONE_OK,
 * halftone_last_error() returns one sentence that says what was expected, what was found, where,
 * and what to do. HALFTONE_USAGE is also the status for a null pointer that must not be null. No
 * function throws or writes to the terminal. No function ends the process, with one exception: a
 * run that uses kernels of oneDNN may do so if the system refuses them memory.
 *
 * Threads: any number of threads may call any functions at once.
 *
 * Strings are UTF-8 and end with a zero byte; a null pointer for an option means an empty string.
 * Strings and arrays of the caller are read during the call only.
 */
#pragma once

/* Guard beside #pragma once: a build of halftone may find this header in two folders. */
#ifndef HALFTONE_C_API_H
#define HALFTONE_C_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(HALFTONE_C_BUILD)
#define HALFTONE_C_API __attribute__((visibility("default")))
#else
#define HALFTONE_C_API
#endif

/* Version of this header. Libraries of later versions serve programs that were built with it: a new
 * version adds functions and members of structures, and changes none. */
#define HALFTONE_C_VERSION 1

/* NOLINTBEGIN(readability-identifier-naming): names as C has them */

typedef enum halftone_status {
  HALFTONE_OK = 0,
  HALFTONE_USAGE = 1,       /* wrong arguments, alone, together or for the network */
  HALFTONE_MODEL = 2,       /* a malformed or inconsistent model */
  HALFTONE_UNSUPPORTED = 3, /* a legal request that halftone or the machine cannot serve */
  HALFTONE_IO = 4,          /* a file that is missing, short or not readable */
  HALFTONE_DATABASE = 5,    /* a knowledge base that is corrupt, locked or of a newer version */
  HALFTONE_MEMORY = 6,      /* the system refused memory */
  HALFTONE_INTERNAL = 7     /* a bug in halftone */
} halftone_status;

/* Element types: the numbers of TensorProto.DataType of ONNX. */
typedef enum halftone_dtype {
  HALFTONE_FLOAT32 = 1,
  HALFTONE_UINT8 = 2,
  HALFTONE_INT8 = 3,
  HALFTONE_UINT16 = 4,
  HALFTONE_INT16 = 5,
  HALFTONE_INT32 = 6,
  HALFTONE_INT64 = 7,
  HALFTONE_BOOL = 9,
  HALFTONE_FLOAT16 = 10,
  HALFTONE_FLOAT64 = 11,
  HALFTONE_UINT32 = 12,
  HALFTONE_UINT64 = 13,
  HALFTONE_BFLOAT16 = 16
} halftone_dtype;

/* Number of an open session, above 0. The number of a closed session is not used again. */
typedef uint64_t halftone_session;

/* Options of a session. Set all bytes to zero, then `size`, then the members that you need.
 *
 * At most one of `point`, `precision` and `bank` gives the configuration. Without any of them, the
 * session runs float32 with the most exact implementation of each node. */
typedef struct halftone_options {
  size_t size;       /* sizeof(halftone_options); identifies the version of the structure */
  const char* point; /* folder of a point that `halftone tune` wrote */
  /* Options as one text, "--precision_mode=force_fp16", or the path of a file or folder with such
   * options. */
  const char* precision;
  const char* bank; /* folder of a knowledge base that holds a front of the network */
  /* Point of that front: "fastest", "most_accurate", or a number from 1, the fastest first; null:
   * the point that the search chose. */
  const char* select;
  /* --soc_version: target for `precision` or `bank`; null: the host. Not allowed with `point`. */
  const char* soc_version;
  /* --input_shape, "x:1,3,224,224", for a model with free dimensions. A point that names shapes
   * replaces it. */
  const char* input_shape;
  int32_t threads;         /* threads of one run; 0: all cores */
  int32_t allocation_free; /* 1: no kernel that allocates while it runs (docs/guide/inference.md) */
} halftone_options;

/* Description of an input or output of a session. Name and shape belong to the session and are
 * valid until it is closed. */
typedef struct halftone_tensor_info {
  const char* name;
  const int64_t* shape; /* `rank` extents */
  size_t rank;
  size_t size_bytes; /* bytes of all elements */
  int32_t dtype;     /* a halftone_dtype */
} halftone_tensor_info;

/* Input of the caller: contiguous elements in row-major order, at any address. */
typedef struct halftone_input {
  const void* data;
  size_t size_bytes;    /* bytes of all elements; must agree with dtype and shape */
  const int64_t* shape; /* `rank` extents */
  size_t rank;
  int32_t dtype; /* a halftone_dtype: that of the session's input, nothing is converted */
} halftone_input;

/* Memory of the caller for an output, contiguous in row-major order, at any address. If `data` is
 * null, the output is not returned and the other members are ignored. */
typedef struct halftone_output {
  void* data;
  size_t size_bytes;    /* as in halftone_input */
  const int64_t* shape; /* `rank` extents */
  size_t rank;
  int32_t dtype; /* a halftone_dtype: that of the session's output */
} halftone_output;

/* HALFTONE_C_VERSION of the library, and its release, such as "0.1.0". */
HALFTONE_C_API int32_t halftone_c_version(void);
HALFTONE_C_API const char* halftone_version(void);

/* Returns the sentence about the last failed call of the calling thread, "" before a failure. The
 * text is valid until the next failed call of the thread. */
HALFTONE_C_API const char* halftone_last_error(void);

/* Reads and compiles the network of `model`, an .onnx file or a folder with model.onnx. `options`
 * may be null: float32, all cores. Sets *session (0 on failure). The caller closes the session. */
HALFTONE_C_API halftone_status halftone_session_open(const char* model,
                                                     const halftone_options* options,
                                                     halftone_session* session);

/* Closes a session. Calls of other threads that are under way are completed; the last of them frees
 * the session. HALFTONE_USAGE: the number is no open session, for example because it was closed
 * before. 0 is ignored, with HALFTONE_OK. */
HALFTONE_C_API halftone_status halftone_session_close(halftone_session session);

/* Numbers of inputs and outputs of the network, and a description of each by its index. `shape` is
 * the index of an input shape of the session; 0 is the first. HALFTONE_USAGE: an unknown index. */
HALFTONE_C_API halftone_status halftone_session_counts(halftone_session session, size_t* inputs,
                                                       size_t* outputs);
HALFTONE_C_API halftone_status halftone_session_input(halftone_session session, size_t shape,
                                                      size_t index, halftone_tensor_info* info);
HALFTONE_C_API halftone_status halftone_session_output(halftone_session session, size_t shape,
                                                       size_t index, halftone_tensor_info* info);

/* Compiles the network for another input shape, "x:1,3,224,224", and sets *place to the index of
 * the shape. A shape that the session has already is not compiled again. `place` may be null. */
HALFTONE_C_API halftone_status halftone_session_add_shape(halftone_session session,
                                                          const char* input_shape, size_t* place);

/* Allocates the memory and threads of `runs` concurrent runs of each shape in advance. `runs` is at
 * most 4096. */
HALFTONE_C_API halftone_status halftone_session_reserve(halftone_session session, size_t runs);

/* Runs the network. Inputs and outputs are complete and in the order of the network. Data at
 * addresses that are multiples of 64 are used in place, other data are copied. An output may
 * overlap an input, which is copied first; outputs must not overlap each other. */
HALFTONE_C_API halftone_status halftone_session_run(halftone_session session,
                                                    const halftone_input* inputs,
                                                    size_t input_count,
                                                    const halftone_output* outputs,
                                                    size_t output_count);

/* Writes the digest of the plan as 32 hexadecimal digits and a zero byte. front.json holds the same
 * digits as plan_digest. */
HALFTONE_C_API halftone_status halftone_session_plan_digest(halftone_session session,
                                                            char digest[33]);

/* Text of `halftone explain` in the format "table" (also for null), "json" or "csv", and the notes
 * of the session, one on each line. Sets *text, to null on failure; the caller frees it with
 * halftone_text_free(). */
HALFTONE_C_API halftone_status halftone_session_explain(halftone_session session,
                                                        const char* format, char** text);
HALFTONE_C_API halftone_status halftone_session_notes(halftone_session session, char** text);
HALFTONE_C_API void halftone_text_free(char* text);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
