#include "halftone/explain.h"

#include <utility>

#include "src/public/configured_network.h"

namespace halftone {

ExplainedPlan Explain(const ConfiguredNetwork& network, const ExplainQuestion& question) {
  ExplainRequest request;
  request.format = question.format;
  request.node = question.node;
  request.steps = question.steps;
  CheckExplainRequest(request);
  const ConfiguredNetwork::Content& content = network.content();
  ExplainedText explained =
      ExplainText(content.models.front(), content.target, content.precision, request);
  ExplainedPlan result{.text = std::move(explained.text), .warnings = content.warnings};
  result.warnings.insert(result.warnings.end(), explained.warnings.begin(),
                         explained.warnings.end());
  result.warnings.insert(result.warnings.end(), explained.notes.begin(), explained.notes.end());
  return result;
}

}  // namespace halftone
