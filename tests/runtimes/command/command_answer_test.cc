#include "src/runtimes/command/command_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CommandAnswerTest, ReadsEveryKey) {
  const CommandAnswer answer = ParseCommandAnswer(
      R"({"halftone_measure":1, "status":"ok", "latency_ms":[1.5,2], "outputs":"out",
          "compile_s":41.2, "runtime":"TensorRT 11.1", "device":"L4", "ran_as_asked":true,
          "ran":{"conv1":"fp16"}, "message":"m", "clock_mhz":{"b":2,"a":1}})",
      "w");
  EXPECT_EQ(answer.status, CommandStatus::kOk);
  EXPECT_THAT(answer.latencies_s, ElementsAre(0.0015, 0.002));
  EXPECT_FALSE(answer.is_summary);
  EXPECT_EQ(answer.outputs, "out");
  EXPECT_EQ(answer.compile_s, 41.2);
  EXPECT_EQ(answer.runtime, "TensorRT 11.1");
  EXPECT_EQ(answer.device, "L4");
  EXPECT_EQ(answer.message, "m");
  EXPECT_EQ(answer.ran_as_asked, true);
  EXPECT_EQ(answer.ran.at("conv1"), "fp16");
  EXPECT_EQ(answer.other, R"({"clock_mhz":{"a":1,"b":2}})");
}

TEST(CommandAnswerTest, LittleIsEnough) {
  EXPECT_THAT(ParseCommandAnswer(R"({"halftone_measure":1,"status":"ok","latency_ms":[1]})", "w")
                  .latencies_s,
              ElementsAre(0.001));
  const CommandAnswer invalid =
      ParseCommandAnswer(R"({"halftone_measure":1,"status":"invalid","message":"no kernel"})", "w");
  EXPECT_EQ(invalid.status, CommandStatus::kInvalid);
  EXPECT_EQ(invalid.message, "no kernel");
  EXPECT_EQ(ParseCommandAnswer(R"({"halftone_measure":1,"status":"error"})", "w").status,
            CommandStatus::kError);
}

// A shell that has no value writes null or an empty text.
TEST(CommandAnswerTest, NothingIsNothing) {
  const CommandAnswer answer = ParseCommandAnswer(
      R"({"halftone_measure":1,"status":"ok","latency_ms":[1],"outputs":"","compile_s":null,
          "ran_as_asked":null})",
      "w");
  EXPECT_FALSE(answer.outputs);
  EXPECT_FALSE(answer.compile_s);
  EXPECT_FALSE(answer.ran_as_asked);
}

struct Malformed {
  const char* text;
  const char* message;
};

TEST(CommandAnswerTest, Malformed) {
  const Malformed cases[] = {
      {R"([1])", "w: expected an object, got [1]"},
      {R"({"status":"ok","latency_ms":[1]})",
       "w: expected the key \"halftone_measure\" (docs/guide/measuring_elsewhere.md)"},
      {R"({"halftone_measure":1,"latency_ms":[1]})",
       "w: expected the key \"status\" (docs/guide/measuring_elsewhere.md)"},
      {R"({"halftone_measure":2,"status":"ok","latency_ms":[1]})",
       "w: expected \"halftone_measure\": 1, got 2"},
      {R"({"halftone_measure":1,"status":"fine","latency_ms":[1]})",
       "w: expected \"status\": \"ok\", \"invalid\" or \"error\", got \"fine\""},
      {R"({"halftone_measure":1,"status":"ok"})",
       "w: expected one latency or more in \"latency_ms\" with status \"ok\""},
      {R"({"halftone_measure":1,"status":"ok","latency_ms":[]})",
       "w: expected one latency or more in \"latency_ms\" with status \"ok\""},
      {R"({"halftone_measure":1,"status":"ok","latency_ms":1.5})",
       "w: expected \"latency_ms\": a list of numbers, got 1.5"},
      {R"({"halftone_measure":1,"status":"ok","latency_ms":["1"]})",
       "w: expected numbers in \"latency_ms\", got \"1\""},
      {R"({"halftone_measure":1,"status":"ok","latency_ms":[0]})",
       "w: expected latencies of 1e-06 ms (a nanosecond) to 86400000 ms (a day), got 0"},
      {R"({"halftone_measure":1,"status":"ok","latency_ms":[-1]})",
       "w: expected latencies of 1e-06 ms (a nanosecond) to 86400000 ms (a day), got -1"},
      {R"({"halftone_measure":1,"status":"ok","latency_ms":[1e-320]})",
       "w: expected latencies of 1e-06 ms (a nanosecond) to 86400000 ms (a day), got 1e-320"},
      {R"({"halftone_measure":1,"status":"ok","latency_ms":[1,1e300]})",
       "w: expected latencies of 1e-06 ms (a nanosecond) to 86400000 ms (a day), got 1e+300"},
      {R"({"halftone_measure":1,"status":"ok","latency_ms":[1],"compile_s":1e300})",
       "w: expected seconds, a day at most, as \"compile_s\", got 1e+300"},
      {R"({"halftone_measure":1,"status":"ok","latency_ms":[1],"compile_s":-1})",
       "w: expected seconds, a day at most, as \"compile_s\", got -1"},
      {R"({"halftone_measure":1,"status":"ok","latency_ms":[1],"outputs":3})",
       "w: expected a folder as \"outputs\", got 3"},
      {R"({"halftone_measure":1,"status":"ok","latency_ms":[1],"ran":["a"]})",
       "w: expected an object of types by node as \"ran\", got [\"a\"]"},
      {R"({"halftone_measure":1,"status":"ok","latency_ms":[1],"ran_as_asked":"yes"})",
       "w: expected true or false as \"ran_as_asked\", got \"yes\""},
      {R"({"halftone_measure":1,"status":"ok","latency_ms":[1],"device":4})",
       "w: expected a string as \"runtime\", \"device\" and \"message\", got 4"},
  };
  for (const Malformed& malformed : cases) {
    try {
      ParseCommandAnswer(malformed.text, "w");
      ADD_FAILURE() << malformed.text;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), malformed.message);
    }
  }
}

TEST(CommandAnswerTest, NanIsNoJson) {
  try {
    ParseCommandAnswer(R"({"halftone_measure":1,"status":"ok","latency_ms":[NaN]})", "w");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("w:1:"));
  }
}

TEST(CommandAnswerTest, TheLastLineWithABraceIsTheAnswer) {
  EXPECT_EQ(LastObjectLine("{\"a\":1}\nnoise\n  {\"b\":2}\r\nmore noise\n"), "{\"b\":2}");
  EXPECT_EQ(LastObjectLine("{}"), "{}");
  EXPECT_EQ(LastObjectLine("no {object}\n"), "");
  EXPECT_EQ(LastObjectLine(""), "");
}

}  // namespace
}  // namespace halftone
