// Numbers of users: what is taken, and the sentence for what is not.
#include "src/base/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "src/base/error.h"
#include "src/base/limits.h"

namespace halftone {
namespace {

constexpr WholeRange kThreads = {0, 1024};
constexpr RealRange kShare = {.least = 0, .most = 0.99, .share = true};
constexpr RealRange kSeconds = {0, 1000, true};

std::string MessageOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(NumbersTest, WhatIsNoFiniteDecimalNumberIsNone) {
  const std::string digits(5000, '9');
  for (const std::string& text :
       {std::string(), std::string("nan"), std::string("-nan"), std::string("inf"),
        std::string("-inf"), std::string("infinity"), std::string("1e999"), std::string("0x10"),
        std::string("1 "), std::string(" 1"), std::string("+1"), std::string("1,5"),
        std::string("true"), std::string("1\0", 2), digits + "e-"}) {
    EXPECT_FALSE(FiniteNumber(text)) << text;
    EXPECT_FALSE(NumberIn(text, kThreads)) << text;
    EXPECT_FALSE(NumberIn(text, kShare)) << text;
  }
  EXPECT_FALSE(NumberIn(digits, kThreads));
  EXPECT_FALSE(NumberIn("1.0", kThreads));
  EXPECT_FALSE(NumberIn("1e2", kThreads));
}

TEST(NumbersTest, EndsOfARangeAreInIt) {
  EXPECT_EQ(NumberIn("0", kThreads), 0);
  EXPECT_EQ(NumberIn("010", kThreads), 10) << "a leading zero makes no octal number";
  EXPECT_EQ(NumberIn("1024", kThreads), 1024);
  EXPECT_FALSE(NumberIn("1025", kThreads));
  EXPECT_FALSE(NumberIn("-1", kThreads));
  EXPECT_EQ(NumberIn("0.99", kShare), 0.99);
  EXPECT_FALSE(NumberIn("0.9901", kShare));
  EXPECT_FALSE(NumberIn("0", kSeconds));
  EXPECT_EQ(NumberIn("1000", kSeconds), 1000);
  EXPECT_EQ(NumberIn("9223372036854775807", limits::kSeedRange),
            std::numeric_limits<std::int64_t>::max());
}

TEST(NumbersTest, TheSentenceHasOptionTextAndRange) {
  EXPECT_EQ(MessageOf([] { ParseNumber("--threads", "-1", kThreads); }),
            "--threads=-1: expected a whole number from 0 to 1024");
  EXPECT_EQ(MessageOf([] { ParseNumber("--share", "nan", kShare); }),
            "--share=nan: expected a number from 0 to 0.99");
  EXPECT_EQ(MessageOf([] { ParseNumber("--time", "0", kSeconds); }),
            "--time=0: expected a number above 0, at most 1000");
  EXPECT_EQ(MessageOf([] { ParseNumber("--time", "1\n2", kSeconds); }),
            "--time=1\\n2: expected a number above 0, at most 1000");
  EXPECT_EQ(MessageOf([] { RequireNumber("threads", std::int64_t{100000}, kThreads); }),
            "threads=100000: expected a whole number from 0 to 1024");
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity(), 1.0, -1e-300}) {
    EXPECT_NE(MessageOf([&] { RequireNumber("share", value, kShare); }), "no error") << value;
  }
  EXPECT_EQ(MessageOf([] { RequireNumber("share", 0.5, kShare); }), "no error");
}

TEST(NumbersTest, PercentIsSaidAsTheNumberThatIsMeant) {
  EXPECT_EQ(PercentHint("1%", kShare), "; 1% is 0.01");
  EXPECT_EQ(PercentHint("12.5 %", kShare), "; 12.5 % is 0.125");
  EXPECT_EQ(PercentHint("100%", kShare), "") << "beyond the range either way";
  EXPECT_EQ(PercentHint("40%", kSeconds), "; leave out the %");
  EXPECT_EQ(PercentHint("4%", kThreads), "; leave out the %");
  for (const char* text : {"", "%", "nan%", "1", "x%", "-1%"}) {
    EXPECT_EQ(PercentHint(text, kShare), "") << text;
  }
  EXPECT_EQ(MessageOf([] { ParseNumber("--share", "25%", kShare); }),
            "--share=25%: expected a number from 0 to 0.99; 25% is 0.25");
}

}  // namespace
}  // namespace halftone
