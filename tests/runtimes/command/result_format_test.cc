// Recorded results of tools, in the layouts of their documentation: none of these tools is here, so
// that the files were written by hand after the lists of fields that they document.
#include "src/runtimes/command/result_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

CommandAnswer Parse(const std::string& format, const std::string& text) {
  const ResultFormat parsed = ParseResultFormat(format);
  return parsed.row->parse(text, parsed.argument, "r");
}

std::string Recorded(const std::string& name) {
  return ReadFile(testing::SourceDir() / "tests/data/measure" / name);
}

std::string MessageOf(const std::string& format, const std::string& text) {
  try {
    Parse(format, text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ResultFormatTest, Trtexec) {
  const CommandAnswer answer = Parse("trtexec:{result}", Recorded("trtexec_times.json"));
  EXPECT_THAT(answer.latencies_s, ElementsAre(DoubleEq(1.20935e-3), DoubleEq(1.21139e-3), 1.2e-3));
  EXPECT_FALSE(answer.is_summary);
}

TEST(ResultFormatTest, BenchmarkApp) {
  const CommandAnswer answer =
      Parse("benchmark_app:{work}/r/benchmark_report.json", Recorded("benchmark_report.json"));
  EXPECT_THAT(answer.latencies_s, ElementsAre(DoubleEq(2.41e-3)));
  EXPECT_TRUE(answer.is_summary);
  const CommandAnswer failed =
      Parse("benchmark_app:f", R"({"execution_results":{"error":"Exception from src/inference"}})");
  EXPECT_EQ(failed.status, CommandStatus::kError);
  EXPECT_EQ(failed.message, "Exception from src/inference");
}

TEST(ResultFormatTest, Hyperfine) {
  EXPECT_THAT(Parse("hyperfine:{result}", Recorded("hyperfine_1.json")).latencies_s,
              ElementsAre(DoubleEq(0.0213), DoubleEq(0.0209), DoubleEq(0.0215)));
  EXPECT_THAT(Parse("hyperfine:{result}", Recorded("hyperfine_2.json")).latencies_s,
              ElementsAre(DoubleEq(0.0213), DoubleEq(0.0209)));
  EXPECT_EQ(Parse("hyperfine:f", R"({"results":[{"times":[0.1,0.2],"exit_codes":[0,1]}]})").status,
            CommandStatus::kError);
}

TEST(ResultFormatTest, AisBench) {
  const CommandAnswer answer =
      Parse("ais_bench:{work}/o_summary.json", Recorded("ais_bench_summary.json"));
  EXPECT_THAT(answer.latencies_s, ElementsAre(DoubleEq(2.47e-3)));
  EXPECT_TRUE(answer.is_summary);
}

TEST(ResultFormatTest, Number) {
  const CommandAnswer answer = Parse("number", "noise 7\n 1.25 \n\n");
  EXPECT_THAT(answer.latencies_s, ElementsAre(1.25e-3));
  EXPECT_TRUE(answer.is_summary);
  EXPECT_EQ(MessageOf("number", "1.25 ms\n"),
            "r: expected milliseconds in the last line, got '1.25 ms'");
  EXPECT_EQ(MessageOf("number", ""), "r: expected milliseconds in the last line, got ''");
  EXPECT_EQ(MessageOf("number", "nan"),
            "r: expected latencies of 1e-06 ms (a nanosecond) to 86400000 ms (a day), got nan");
}

TEST(ResultFormatTest, ExpressionTakesEveryMatch) {
  const std::string log =
      "[INFO] NPU_compute_time (ms): min = 2.4, median = 2.47\nmedian = 3 median = 4\n";
  EXPECT_THAT(Parse("regex:median = ([0-9.]+)", log).latencies_s,
              ElementsAre(DoubleEq(2.47e-3), 3e-3, 4e-3));
  EXPECT_TRUE(Parse("regex:min = ([0-9.]+)", log).is_summary);
  EXPECT_EQ(MessageOf("regex:max = ([0-9.]+)", log), "r: nothing matches 'max = ([0-9.]+)'");
  EXPECT_EQ(MessageOf("regex:(INFO)", log),
            "r: expected milliseconds in group 1 of '(INFO)', got 'INFO'");
}

// The matcher of the standard library calls itself for each character.
TEST(ResultFormatTest, LongLinesAreLeftOut) {
  EXPECT_THAT(Parse("regex:.*t=([0-9]+)", std::string(1 << 20, 'x') + "t=1\nt=2\n").latencies_s,
              ElementsAre(2e-3));
}

TEST(ResultFormatTest, HalftoneOnStandardOutput) {
  EXPECT_THAT(
      Parse("halftone",
            "building\n{\"halftone_measure\":1,\"status\":\"ok\",\"latency_ms\":[3]}\nbye\n")
          .latencies_s,
      ElementsAre(3e-3));
  EXPECT_EQ(MessageOf("halftone", "nothing\n"),
            "r: expected a line that begins with {, or the file $HALFTONE_RESULT "
            "(docs/guide/measuring_elsewhere.md)");
}

struct Malformed {
  const char* format;
  const char* text;
  const char* message;
};

TEST(ResultFormatTest, Malformed) {
  const Malformed cases[] = {
      {"trtexec:f", "{}", "r: expected the list of trtexec --exportTimes"},
      {"trtexec:f", "[]", "r: expected the list of trtexec --exportTimes"},
      {"trtexec:f", R"([{"latencyMs":1}])",
       "r: expected a number \"computeMs\" in each run of trtexec --exportTimes"},
      {"trtexec:f", R"([{"computeMs":0}])",
       "r: expected latencies of 1e-06 ms (a nanosecond) to 86400000 ms (a day), got 0"},
      {"benchmark_app:f", R"({"execution_results":{}})",
       "r: expected a number execution_results.latency_median of benchmark_app -json_stats"},
      {"hyperfine:f", R"({"results":[{"times":[1]},{"times":[1]}]})",
       "r: expected one command in \"results\" of hyperfine --export-json"},
      {"hyperfine:f", R"({"results":[{"times":[]}]})",
       "r: expected \"times\" in the result of hyperfine --export-json"},
      {"hyperfine:f", R"({"results":[{"measurements":[{"time_wall_clock":{"value":1}}]}]})",
       "r: expected seconds in \"times\" of hyperfine --export-json"},
      {"ais_bench:f", R"({"NPU_compute_time":{"mean":1}})",
       "r: expected a number NPU_compute_time.median in the summary of ais_bench"},
  };
  for (const Malformed& malformed : cases) {
    EXPECT_EQ(MessageOf(malformed.format, malformed.text), malformed.message);
  }
}

}  // namespace
}  // namespace halftone
