/* Sessions for other languages: libhalftone.so, a C interface of version 1 (C11).
 *
 * A session runs a network in one configuration: tensors in, tensors out (docs/guide/inference.md).
 * Each function returns a status; after any other than HALFTONE_OK, halftone_last_error() is the
 * sentence that says what was expected, found, where, and what to do. No function throws or
 * writes to the terminal; none ends the process, except a run whose kernels allocate (those of
 * oneDNN) where the system has no memory left. All of them may be called by any number of threads
 * at once.
 *
 * Strings are UTF-8 and end with a zero byte; null stands for an empty one. Strings and arrays of
 * the caller are read during the call only.
 */
#pragma once

/* A build of halftone may see the header at two places. */
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

/* Version of this header. A library of a later version serves it: functions and members of
 * structures are added, none is changed. */
#define HALFTONE_C_VERSION 1

typedef enum halftone_status {
  HALFTONE_OK = 0,
  HALFTONE_USAGE = 1,       /* arguments that contradict each other or the network */
  HALFTONE_MODEL = 2,       /* a model that is malformed or inconsistent */
  HALFTONE_UNSUPPORTED = 3, /* legal, but beyond what halftone does */
  HALFTONE_IO = 4,          /* a file that is missing, short or not readable */
  HALFTONE_DATABASE = 5,    /* a knowledge base that is corrupt, locked or of a newer version */
  HALFTONE_MEMORY = 6,      /* memory was refused */
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

/* An open session; 0: none. The number of a closed one is never used again. */
typedef uint64_t halftone_session;

/* Options of a session. Set all bytes to zero, then `size`, then what is wanted. */
typedef struct halftone_options {
  size_t size;           /* sizeof(halftone_options): tells the version of the structure */
  const char* point;     /* folder of a point that `halftone tune` wrote */
  const char* precision; /* or options as text: "--precision_mode=force_fp16", or their file */
  const char* bank;      /* or a knowledge base */
  const char* select;    /* its point: "fastest", "most_accurate", a number from 1 */
  /* Of `precision` and `bank`: --soc_version; null: the host. */
  const char* soc_version;
  /* --input_shape, "x:1,3,224,224", for a model with free dimensions and without a point. */
  const char* input_shape;
  int32_t threads;         /* of one run; 0: all cores */
  int32_t allocation_free; /* 1: no kernel that allocates while it runs (docs/guide/inference.md) */
} halftone_options;

/* An input or output of a session. Its name and shape are valid until the session is closed. */
typedef struct halftone_tensor_info {
  const char* name;
  const int64_t* shape; /* `rank` extents */
  size_t rank;
  size_t size_bytes; /* of all elements */
  int32_t dtype;     /* halftone_dtype */
} halftone_tensor_info;

/* Elements of the caller, in row-major order, at any address. */
typedef struct halftone_input {
  const void* data;
  size_t size_bytes; /* of all elements; compared with dtype and shape */
  const int64_t* shape;
  size_t rank;
  int32_t dtype; /* halftone_dtype; nothing is converted */
} halftone_input;

/* Memory of the caller to be written. Null data: the output is not wanted. */
typedef struct halftone_output {
  void* data;
  size_t size_bytes;
  const int64_t* shape;
  size_t rank;
  int32_t dtype;
} halftone_output;

/* HALFTONE_C_VERSION of the library, and "0.1.0". */
HALFTONE_C_API int32_t halftone_c_version(void);
HALFTONE_C_API const char* halftone_version(void);

/* The sentence about the last call of this thread that failed, until its next failure; never null.
 */
HALFTONE_C_API const char* halftone_last_error(void);

/* Reads and compiles the network of `model`, an .onnx file or a folder with model.onnx. Null
 * options: float32. Sets *session, 0 on failure. */
HALFTONE_C_API halftone_status halftone_session_open(const char* model,
                                                     const halftone_options* options,
                                                     halftone_session* session);

/* Closes; runs that are under way end first, in their threads. HALFTONE_USAGE for a number that
 * is no open session, such as one that was closed before; 0 is HALFTONE_OK. */
HALFTONE_C_API halftone_status halftone_session_close(halftone_session session);

/* Inputs and outputs in the order of the network, at the shape of this place (0: the first). */
HALFTONE_C_API halftone_status halftone_session_counts(halftone_session session, size_t* inputs,
                                                       size_t* outputs);
HALFTONE_C_API halftone_status halftone_session_input(halftone_session session, size_t shape,
                                                      size_t index, halftone_tensor_info* info);
HALFTONE_C_API halftone_status halftone_session_output(halftone_session session, size_t shape,
                                                       size_t index, halftone_tensor_info* info);

/* Compiles for another shape, "x:1,3,224,224"; sets *place (may be null), also of a known one. */
HALFTONE_C_API halftone_status halftone_session_add_shape(halftone_session session,
                                                          const char* input_shape, size_t* place);

/* Makes what `runs` concurrent runs need, before the first of them needs it. */
HALFTONE_C_API halftone_status halftone_session_reserve(halftone_session session, size_t runs);

/* Runs: all inputs and outputs in the order of the network. An output may be the memory of an
 * input; outputs must not overlap each other. */
HALFTONE_C_API halftone_status halftone_session_run(halftone_session session,
                                                    const halftone_input* inputs,
                                                    size_t input_count,
                                                    const halftone_output* outputs,
                                                    size_t output_count);

/* The plan's digest as 32 hexadecimal digits and a zero: plan_digest of front.json. */
HALFTONE_C_API halftone_status halftone_session_plan_digest(halftone_session session,
                                                            char digest[33]);

/* Text of `halftone explain` ("table", "json", "csv"), and the notes of the session, a line each.
 * Free *text with halftone_text_free(). */
HALFTONE_C_API halftone_status halftone_session_explain(halftone_session session,
                                                        const char* format, char** text);
HALFTONE_C_API halftone_status halftone_session_notes(halftone_session session, char** text);
HALFTONE_C_API void halftone_text_free(char* text);

#ifdef __cplusplus
}
#endif

#endif
