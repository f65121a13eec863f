// The test of the header as C++ compiles it.
#include "tests/c_api/qaic_graph_test.c"
