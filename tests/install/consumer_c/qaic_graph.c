/* The installed header of the graph API, and the library behind it. */
#include <halftone/qaic_graph.h>
#include <stdio.h>

int main(int argc, char** argv) {
  QAicGraphConfig config = {.quantizationConfig = {.nodePrecisionInfo = NULL},
                            .halftoneOptions = "-batchsize=1 -convert-to-fp16"};
  halftone_qaic_graph graph = 0;
  char plan[33];
  if (argc != 2 || halftone_qaic_graph_open(&config, sizeof config, &graph) != HALFTONE_OK ||
      qaicAddNodesToGraphFromModel(graph, argv[1]) != HALFTONE_OK ||
      halftone_qaic_graph_plan_digest(graph, plan) != HALFTONE_OK) {
    fprintf(stderr, "%s\n", halftone_last_error());
    return 1;
  }
  printf("plan %s\n", plan);
  return halftone_qaic_graph_close(graph) == HALFTONE_OK ? 0 : 1;
}
