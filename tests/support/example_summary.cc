#include "tests/support/example_summary.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "tests/support/example_record.h"

namespace halftone::testing {
namespace {

FrontPoint Point(const std::string& mode, double ratio, double sqnr_db,
                 std::vector<std::string> kept) {
  Trial trial;
  trial.candidate.options.precision_mode = mode;
  trial.candidate.options.keep_dtype = kept;
  trial.plan_digest = {0x1234, static_cast<std::uint64_t>(ratio * 1000)};
  trial.kept_nodes = std::move(kept);
  trial.low_precision_nodes = {"conv2", "fc|odd \"name\""};
  Measurement measurement;
  measurement.latency = {.ratio = ratio,
                         .ratio_interval = {ratio - 0.01, ratio + 0.01},
                         .median_s = ratio * 0.002,
                         .anchor_median_s = 0.002,
                         .candidate_samples_s = {ratio * 0.002, ratio * 0.002},
                         .anchor_samples_s = {0.002, 0.002}};
  measurement.accuracy.metrics = {
      {"sqnr_db", sqnr_db, sqnr_db - 3, 7, {sqnr_db + 3, sqnr_db + 3, sqnr_db - 3}, "data.npy[7]"},
      {"rel_l2", 0.001, 0.002, 7},
      {"top1", 0.985, 0, 12}};
  measurement.accuracy.flips =
      Top1Flips{.rows = 200, .flipped = 5, .labelled = 200, .lost = 3, .won = 2};
  measurement.peak_arena_bytes = 12345;
  measurement.confirmed = true;
  measurement.overflow.samples = 10;
  trial.outcome = measurement;
  return {.trial = trial,
          .folder = "point_1",
          .arguments = {{"--precision_mode", mode}, {"--keep_dtype", "point_1/keep_dtype.cfg"}},
          .heldout = Accuracy{{{"sqnr_db", sqnr_db - 1, sqnr_db - 4, 3}}}};
}

ProbedGroup Group(const std::string& node, double local_sqnr_db, double gain) {
  return {.node = node,
          .op = "Conv2D",
          .largest_value = 12.5,
          .gain = gain,
          .choices = {{.name = "float32", .local_sqnr_db = kExactSqnrDb, .time = 0.25},
                      {.name = "float16",
                       .local_sqnr_db = local_sqnr_db,
                       .sqnr_db = local_sqnr_db - 10 * std::log10(gain),
                       .time = 0.125,
                       .probed = true},
                      {.name = "bfloat16 high_performance",
                       .local_sqnr_db = local_sqnr_db - 18,
                       .sqnr_db = local_sqnr_db - 18 - 10 * std::log10(gain),
                       .time = 0.0625}}};
}

ReportDetails ExampleDetails() {
  ReportDetails details;
  details.groups = {Group("conv1", 71.25, 2), Group("conv2", 68.5, 0.5),
                    Group("fc|odd \"name\"", 64.25, 1)};
  details.groups[1].choices[1] = {.name = "float16",
                                  .refusal = "a result is infinite or NaN where float32 is finite"};
  details.predictions = {{"force_fp16", {0.52, 0.0012}, {0.5, 0.001}},
                         {"allow_mix_precision, keep 1 node", {0.74, 0.0004}, {0.75, 0.0005}},
                         {"allow_mix_precision", {0.68, 0.0008}, {0.66, 0.0009}}};
  details.data = {.inputs = {{"x", "float32 1x3x8x8", -1, 2.5}}, .duplicates = 1, .constant = 0};
  details.chosen =
      ChosenDetails{.nodes = {{"conv1", "Conv2D", "float32", kExactSqnrDb, false, 0.5, 0.5},
                              {"conv2", "Conv2D", "float16", 52.5, false, 0.375, 0.125},
                              {"shape", "Shape", "int64", std::nullopt, false, 0.025, 0.025},
                              {"fc|odd \"name\"", "MatMulV2", "bfloat16", 38.25, false, 0.1, 0.05}},
                    .bad_below_db = 40,
                    .error_samples = {"data.npy[7]", "data.npy[0]"},
                    .worst_samples = {{7, "data.npy[7]", 44.5, 1, 0}, {2, "data.npy[2]", 46, 1, 1}},
                    .timed = true,
                    .casts = 2,
                    .cast_time = 0.05,
                    .total_time = 0.75};
  for (const std::size_t i : {1U, 2U, 3U}) {
    details.chosen->nodes[i].inputs = {i - 1};
  }
  details.chosen->nodes[3].inputs.push_back(0);
  details.chosen->nodes[1].finding =
      "it saves 25.0 % of float32's time and alone leaves an SQNR of 52.5 dB";
  return details;
}

}  // namespace

TuneSummary ExampleSummary() {
  TuneSummary summary;
  summary.run = {.tool_version = "0.1.0",
                 .command = "halftone tune --model=m.onnx",
                 .created_at = "2026-01-02T03:04:05Z",
                 .model_name = "m",
                 .model_path = "m.onnx",
                 .model_hash = {1, 2},
                 .input_shapes = "x:1,3,8,8",
                 .node_count = 9,
                 .keepable_count = 4,
                 .target = "host",
                 .cpu = "A CPU",
                 .cpu_isa = "avx2+avx512",
                 .isa = "avx2",
                 .compiler = "gcc 12.2.0",
                 .threads = 2,
                 .inputs = "data.npy",
                 .sample_count = 10,
                 .heldout_count = 5,
                 .seed = 1,
                 .space = "3 modes x 2^4 keep_dtype sets x 2 implementation-mode sets",
                 .database = "bank/host/halftone.db"};
  summary.machine = {.facts = {.cores = 2,
                               .governor = "performance",
                               .mhz = 2400,
                               .most_mhz = 3700,
                               .load_average = 0.25},
                     .other_cores = 0.05};
  summary.reference.top1 = 0.99;
  summary.reference.latency_s = 0.002;
  summary.reference.arena_bytes = 20000;
  summary.search = {.strategy = "greedy",
                    .distinct_plans = 12,
                    .measured = 5,
                    .known = 7,
                    .stop_reason = "nothing left to propose"};
  summary.kernels = {{"conv1", "float16 conv.tile, float32 conv.tile"}, {"fc", "float32 gemm"}};
  summary.elapsed_s = 12.5;
  summary.constraints.min_sqnr_db = 40;
  summary.front.points = {Point("force_fp16", 0.5, 38.25, {}),
                          Point("allow_mix_precision", 0.75, 47.5, {"conv1"}),
                          Point("must_keep_origin_dtype", 1.001, kExactSqnrDb, {"conv1"})};
  summary.front.chosen = 1;
  OverflowCensus& overflow = std::get<Measurement>(summary.front.points[0].trial.outcome).overflow;
  overflow.status = true;
  overflow.findings = {{.node = "conv3",
                        .op = "Conv",
                        .saturated = true,
                        .infinities = 12,
                        .samples = 2,
                        .first_sample = 1,
                        .first_sample_name = "data.npy[1]",
                        .first_element = {0, 3, 2, 7},
                        .first_value = "-Inf"}};
  summary.search.rejected = {{"force_fp16, keep 1 node", "node 'exp' overflows"}};
  summary.insight.probes = ProbeSummary{.groups = 4,
                                        .samples = 2,
                                        .evaluations = 1.5,
                                        .predictions = 12,
                                        .loss_off_db = 0.75,
                                        .latency_off = 0.02};
  summary.insight.kept = {{.node = "conv1",
                           .choice = "float16",
                           .refusal = "",
                           .local_sqnr_db = 71.25,
                           .sqnr_db = 42.5,
                           .largest_value = 1234.5,
                           .saved_time = 0.125,
                           .cause = "cancellation",
                           .evidence = "the error of rounded operands grows 12.0 times within it"},
                          {.node = "exp",
                           .choice = "bfloat16",
                           .refusal = "a result is infinite or NaN where float32 is finite",
                           .largest_value = 1e30,
                           .cause = "overflow",
                           .evidence = "its largest value is 1e+30"}};
  summary.insight.alternatives = {
      {.lowered = "conv1", .kept = {"exp", "gemm"}, .predicted = {0.8, 0.01}}};
  summary.front.points[1].certificate =
      Certificate{.samples = 5,
                  .bounds = {{.name = "min_sqnr_db",
                              .asked = 40,
                              .limit = 41.5,
                              .holds = true,
                              .statement = "the SQNR on new samples is at least 41.5 dB"}}};
  summary.warnings = {"An example of a warning."};
  summary.front.points[0].predicted = Objectives{.latency_ratio = 0.52, .loss = 0.0012};
  summary.fail_if = {ParseGate("sqnr_db<40"), ParseGate("latency_ratio > 0.7")};
  summary.insight.details = ExampleDetails();
  summary.insight.calibration = std::make_shared<const CalibrationRecord>(ExampleRecord());
  summary.outcome = OutcomeOf(summary);
  return summary;
}

TuneSummary HostileSummary() {
  const std::string breaks = "</script><script>window.hacked = 1</script>";
  const std::string image = "<img src=x onerror=\"window.hacked = 1\">";
  TuneSummary summary = ExampleSummary();
  summary.run.model_name = image + "'&amp;";
  summary.run.model_path = "https://example.org/" + breaks;
  summary.run.command = "halftone tune --model='" + breaks + "' `|` | ``";
  summary.warnings = {image, "<style>body { display: none }</style>", "]]> <!-- \x01\xff"};
  summary.run.inputs = image;
  summary.front.points[0].trial.kept_nodes = {
      std::string(300, 'w'),  breaks,     "<!--",      "\xe2\x80\xa8",
      "[here](javascript:a)", "``a|b` c", "# heading", "__init__"};
  summary.front.points[1].trial.kept_nodes = {image, "\xff\xfe", std::string(200, 'm')};
  summary.front.points[1].trial.candidate.options.keep_dtype = {breaks};
  summary.insight.kept[0].node = breaks;
  summary.insight.kept[1].node = "[x][y]|`<b>`";
  ReportDetails& details = *summary.insight.details;
  details.groups[0].node = breaks;
  details.groups[1].node = std::string(300, 'n');
  details.groups[1].choices[1].refusal = image;
  details.predictions[0].configuration = breaks + std::string(200, 'p');
  details.chosen->nodes[1].node = image;
  details.chosen->worst_samples[0].name = breaks;
  details.chosen->error_samples[0] = image;
  CalibrationRecord record = ExampleRecord();
  record.tensors[1].name = breaks;
  record.tensors[1].producer = image;
  record.tensors[1].seen->source = breaks;
  record.tensors[2].name = "\xff\xfe" + std::string(300, 't');
  record.weights[0].name = image;
  summary.insight.calibration = std::make_shared<const CalibrationRecord>(std::move(record));
  summary.reference.metric = MetricSummary{"command:" + breaks, true, 0.5};
  summary.outcome = OutcomeOf(summary);
  return summary;
}

TuneSummary LargeSummary() {
  TuneSummary summary = ExampleSummary();
  summary.front.points.clear();
  ReportDetails& details = *summary.insight.details;
  details.groups.clear();
  details.predictions.clear();
  details.chosen->nodes.clear();
  double total = 0.02;
  constexpr int kOperators = 60;
  constexpr int kSteps = 320;  // more than are drawn at once
  for (int i = 0; i < kOperators; ++i) {
    const std::string node =
        "encoder/layer_" + std::to_string(i / 6) + "/attention/MatMul_" + std::to_string(i);
    const double wave = std::sin(i * 0.7);
    details.groups.push_back(Group(node, 70 + 8 * wave, std::exp(-2 - wave - i * 0.02)));
  }
  for (int i = 0; i < kSteps; ++i) {
    const std::string node = "decoder/step_" + std::to_string(i);
    const double wave = std::sin(i * 0.7);
    const double time = 1.0 / kSteps * (1 + 0.8 * std::cos(i * 1.3));
    const double now = time * (i % 7 == 0 ? 1.0 : 0.55 + 0.1 * wave);
    total += now;
    details.chosen->nodes.push_back({node, "MatMulV2", i % 7 == 0 ? "float32" : "bfloat16",
                                     70 - 0.1 * i + 4 * wave, false, time, now});
    if (i > 0) {
      details.chosen->nodes.back().inputs = {static_cast<std::size_t>(i - 1)};
    }
    if (i % 5 == 4) {
      details.chosen->nodes.back().inputs.push_back(static_cast<std::size_t>(i - 4));
    }
  }
  details.chosen->casts = 16;
  details.chosen->cast_time = 0.02;
  details.chosen->total_time = total;
  for (int i = 0; i < 12; ++i) {
    std::vector<std::string> kept;
    for (int k = 0; k < 3 * i; ++k) {
      kept.push_back(details.groups[static_cast<std::size_t>(k)].node);
    }
    const double ratio = 0.55 + 0.04 * i;
    const double sqnr_db = 28 + 4 * i;
    summary.front.points.push_back(Point("allow_mix_precision_bf16", ratio, sqnr_db, kept));
    const double loss = std::pow(10, -sqnr_db / 20);
    summary.front.points.back().predicted = Objectives{ratio * (1 + 0.01 * (i % 3)), loss * 1.1};
    details.predictions.push_back({"plan " + std::to_string(i),
                                   {ratio * (1 + 0.01 * (i % 3)), loss * (1 + 0.1 * (i % 4))},
                                   {ratio, loss}});
  }
  summary.front.chosen = 4;
  // Operators in no particular order, with three causes; one operator cannot be lowered.
  summary.insight.kept.clear();
  const char* const causes[] = {"cancellation", "overflow", "rounding"};
  for (int i = 0; i < 9; ++i) {
    summary.insight.kept.push_back(
        {.node = "encoder/layer_" + std::to_string(i) + std::string(90, 'x'),
         .choice = "bfloat16",
         .refusal = i == 4 ? "a result is infinite" : "",
         .local_sqnr_db = 40.0 + i,
         .sqnr_db = 30.0 + i,
         .largest_value = 1.5,
         .saved_time = 0.01 * ((i * 7) % 9),
         .cause = causes[i % 3],
         .evidence = "its evidence"});
  }
  summary.warnings = {"one that repeats", "another", "one that repeats", "a third",
                      "one that repeats"};
  summary.outcome = OutcomeOf(summary);
  return summary;
}

TuneSummary DiscreteSummary() {
  TuneSummary summary = ExampleSummary();
  summary.reference.metric = MetricSummary{
      .name = "agreement", .higher_is_better = true, .reference = 1, .heldout_reference = 1};
  summary.constraints = {};
  summary.fail_if = {ParseGate("agreement<0.999")};
  const double means[] = {0.985, 0.999999, 1};
  for (std::size_t i = 0; i < summary.front.points.size(); ++i) {
    FrontPoint& point = summary.front.points[i];
    point.certificate.reset();
    Accuracy& accuracy = std::get<Measurement>(point.trial.outcome).accuracy;
    accuracy = {{{"agreement", means[i], 2 * means[i] - 1, 7, {}, "data.npy[7]"}}};
    point.heldout = Accuracy{{{"agreement", means[i], 0.5, 3}}};
  }
  ReportDetails& details = *summary.insight.details;
  details.by_agreement = true;
  details.chosen->worst_samples = {{.index = 7,
                                    .name = "data.npy[7]",
                                    .sqnr_db = {},
                                    .top1_agreement = {},
                                    .top1 = {},
                                    .agreement = 0.999998}};
  summary.outcome = OutcomeOf(summary);
  return summary;
}

std::vector<std::pair<std::string, TuneSummary>> AllExampleSummaries() {
  TuneSummary unmet = ExampleSummary();
  unmet.front.chosen.reset();
  unmet.front.nearest = {1};
  unmet.constraints.max_latency_ratio = 0.1;
  unmet.outcome = OutcomeOf(unmet);
  // Eight samples or more could promise the bound; these five do not, and the point is chosen on
  // the samples.
  TuneSummary unpromised = ExampleSummary();
  PromisedBound& bound = unpromised.front.points[1].certificate->bounds[0];
  bound.holds = false;
  bound.limit = 39.5;
  bound.statement = "the SQNR on new samples is at least 39.5 dB";
  unpromised.outcome = OutcomeOf(unpromised);
  TuneSummary on_samples = ExampleSummary();
  on_samples.confidence.reset();
  on_samples.front.points[1].certificate.reset();
  on_samples.outcome = OutcomeOf(on_samples);
  // 500 samples refuse the faster point, and float32 is promised.
  TuneSummary refused = unpromised;
  refused.run.heldout_count = 500;
  refused.front.points[2].as_float32 = true;
  refused.front.points[2].certificate =
      Certificate{.samples = 500,
                  .bounds = {{.name = "min_sqnr_db",
                              .asked = 40,
                              .limit = kExactSqnrDb,
                              .holds = true,
                              .statement = "its outputs are those of float32"}}};
  std::get<Measurement>(refused.front.points[2].trial.outcome).accuracy.metrics[1].mean = 0;
  refused.front.chosen = 2;
  refused.outcome = OutcomeOf(refused);
  // No bound, and no point that is good by the default.
  TuneSummary undemanding = ExampleSummary();
  undemanding.constraints = {};
  undemanding.front.points.resize(2);
  for (FrontPoint& point : undemanding.front.points) {
    point.certificate.reset();
    point.heldout->metrics[0].worst = 28;
  }
  undemanding.outcome = OutcomeOf(undemanding);
  TuneSummary empty = unmet;
  empty.front.points.clear();
  empty.front.nearest.clear();
  empty.insight.kept.clear();
  empty.insight.probes.reset();
  empty.insight.details.reset();
  empty.insight.calibration = nullptr;
  empty.outcome = OutcomeOf(empty);
  return {{"example", ExampleSummary()},
          {"hostile", HostileSummary()},
          {"large", LargeSummary()},
          {"discrete", DiscreteSummary()},
          {"unmet", std::move(unmet)},
          {"unpromised", std::move(unpromised)},
          {"on_samples", std::move(on_samples)},
          {"refused", std::move(refused)},
          {"undemanding", std::move(undemanding)},
          {"empty", std::move(empty)}};
}

}  // namespace halftone::testing
