#include "src/base/hash.h"

#include <gtest/gtest.h>

namespace halftone {
namespace {

// XXH3-128 of no bytes at all: the published test value of the algorithm (xxHash repository,
// tests: seed 0, length 0).
TEST(HasherTest, EmptyStreamIsThePublishedValue) {
  EXPECT_EQ(Hasher().Finish().ToHex(), "99aa06d3014798d86001c324468d497f");
}

// A change of these values is a change of the database format. They are XXH3_128bits() of the bytes
// that hash.cc describes, put together by hand.
TEST(HasherTest, Golden) {
  EXPECT_EQ(Hasher().Add("conv1").Finish().ToHex(), "90a8bd40e9f2ac08be92f3c40e70cbdf");
  EXPECT_EQ(Hasher().Add(std::int64_t{-1}).Add(Hash128{1, 2}).Finish().ToHex(),
            "80c48e618e5e8372d7668e329e810616");
}

TEST(HasherTest, LengthPrefixesKeepItemsApart) {
  EXPECT_NE(Hasher().Add("ab").Add("c").Finish(), Hasher().Add("a").Add("bc").Finish());
  EXPECT_NE(Hasher().Add("").Finish(), Hasher().Finish());
}

TEST(HasherTest, FinishCanBeAskedAgain) {
  Hasher hasher;
  hasher.Add("a");
  const Hash128 first = hasher.Finish();
  EXPECT_EQ(hasher.Finish(), first);
  EXPECT_NE(hasher.Add("b").Finish(), first);
}

TEST(Hash128Test, HexRoundTrip) {
  const Hash128 hash{0x0123456789abcdefULL, 0xfULL};
  EXPECT_EQ(hash.ToHex(), "0123456789abcdef000000000000000f");
  EXPECT_EQ(Hash128::FromHex(hash.ToHex()), hash);
}

class BadHex : public ::testing::TestWithParam<const char*> {};

TEST_P(BadHex, IsRefused) {
  EXPECT_FALSE(Hash128::FromHex(GetParam()).has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadHex,
    ::testing::Values("", "0", "0123456789abcdef000000000000000",
                      "0123456789abcdef0000000000000000f", "0123456789abcdeg000000000000000f",
                      "-123456789abcdef000000000000000f", "0123456789abcdef+00000000000000f",
                      " 123456789abcdef000000000000000f", "0x23456789abcdef000000000000000f",
                      "0123456789ABCDEF000000000000000F"));

}  // namespace
}  // namespace halftone
