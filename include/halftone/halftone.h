// The public interface of halftone: tune a network, run and explain a configuration, export it, run
// it in a program, read a knowledge base.
//
// examples/01_tune_model.cc loads a network, tunes it and prints its front;
// examples/04_run_point.cc runs a point in a program.
//
// Every function throws halftone::Error with one sentence that says what was expected, found,
// where, and what to do. Structs are regular values. An object may be used by one thread at a time
// where its class says nothing else. Functions that wait for each other through no object of the
// caller may run on any threads at once.
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
