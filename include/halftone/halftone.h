// The public interface of halftone: tune a network, run, explain and export a configuration, run it
// in a program, read a knowledge base.
//
// examples/01_tune_model.cc loads a network, tunes it and prints its front;
// examples/04_run_point.cc runs a point in a program.
//
// Words: a precision mode is a rule for all operators, such as force_fp16. A configuration is
// everything that decides the precision of each operator: the mode and its exceptions. A plan is a
// configuration resolved on one network: the dtypes and the implementation of each node. A point is
// one configuration found by tuning, or its folder. The front is the set of points of which none is
// both faster and more accurate than another. docs/reference/lexicon.md has more.
//
// Errors: a function that fails throws halftone::Error, whose one sentence says what was expected,
// what was found, where, and what to do. Comments name the ErrorKind. If memory runs out,
// std::bad_alloc is possible too.
//
// Threads: functions may be called by several threads at once, with different objects. One object
// must not be used by several threads at once unless its class allows it. Structs are values:
// copies are independent, except for elements of tensors and objects behind shared pointers.
#pragma once

#include "halftone/bank.h"
#include "halftone/data.h"
#include "halftone/error.h"
#include "halftone/explain.h"
#include "halftone/export.h"
#include "halftone/goal.h"
#include "halftone/measure.h"
#include "halftone/metric.h"
#include "halftone/network.h"
#include "halftone/precision.h"
#include "halftone/quantize.h"
#include "halftone/run.h"
#include "halftone/session.h"
#include "halftone/target.h"
#include "halftone/tensor.h"
#include "halftone/tune.h"
#include "halftone/tune_options.h"
#include "halftone/version.h"
