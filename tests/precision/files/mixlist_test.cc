#include "src/precision/files/mixlist.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using testing::Homogeneous;
using testing::MakeTarget;

TEST(ParseMixlist, ReadsTheThreeLists) {
  const Mixlist mixlist = ParseMixlist(
      R"({"black-list": {"to-add": ["SoftmaxV2", "Exp", "Exp"], "to-remove": ["ReduceMean"]},
          "white-list": {"to-add": ["ReduceMean", "Mul"], "to-remove": ["Conv2D"]},
          "gray-list": {"to-add": ["Conv2D"]}})",
      "m.json");
  EXPECT_THAT(mixlist.black.to_add, ElementsAre("Exp", "SoftmaxV2"));
  EXPECT_THAT(mixlist.black.to_remove, ElementsAre("ReduceMean"));
  EXPECT_THAT(mixlist.white.to_add, ElementsAre("Mul", "ReduceMean"));
  EXPECT_THAT(mixlist.white.to_remove, ElementsAre("Conv2D"));
  EXPECT_THAT(mixlist.gray.to_add, ElementsAre("Conv2D"));
  EXPECT_EQ(ParseMixlist(FormatMixlist(mixlist), "m.json"), mixlist);
}

TEST(ParseMixlist, EmptyObjectsChangeNothing) {
  EXPECT_EQ(ParseMixlist("{}", "m.json"), Mixlist{});
  EXPECT_EQ(ParseMixlist(R"({"gray-list": {"to-add": []}, "white-list": {}})", "m.json"),
            Mixlist{});
  EXPECT_EQ(ParseMixlist("\xEF\xBB\xBF{\r\n}\r\n", "m.json"), Mixlist{});
}

struct BadFile {
  const char* name;
  std::string content;
  std::string message;
};

class BadMixlist : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadMixlist, SaysWhatIsWrong) {
  try {
    ParseMixlist(GetParam().content, "m.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadMixlist,
    ::testing::Values(
        BadFile{"Empty", "", "m.json: expected JSON, found an empty file"},
        BadFile{"Comment", "{\n  \"black-list\": {} // no\n}",
                "m.json:2:20: expected JSON: while parsing object - invalid literal; last read: "
                "'\"black-list\": {} /'; expected '}'"},
        BadFile{"Array", "[]", "m.json: top level: expected an object, found array []"},
        BadFile{"UnknownList", R"({"red-list": {}})",
                "m.json: unknown key 'red-list'; expected black-list, white-list or gray-list"},
        BadFile{"UnknownVerb", R"({"black-list": {"add": []}})",
                "m.json: black-list has the unknown key 'add'; expected to-add or to-remove"},
        BadFile{"ListIsArray", R"({"black-list": ["Exp"]})",
                "m.json: black-list: expected an object with to-add and to-remove, found array "
                "[\"Exp\"]"},
        BadFile{"TypesAreText", R"({"black-list": {"to-add": "Exp"}})",
                "m.json: black-list.to-add: expected an array of operator types, found string "
                "\"Exp\""},
        BadFile{"NumberAsType", R"({"black-list": {"to-add": [1]}})",
                "m.json: black-list.to-add: expected operator types as strings, found number 1"},
        BadFile{"NullAsType", R"({"black-list": {"to-add": [null]}})",
                "m.json: black-list.to-add: expected operator types as strings, found null"},
        BadFile{"EmptyType", R"({"black-list": {"to-add": [" "]}})",
                "m.json: black-list.to-add: expected an operator type, found an empty text"},
        BadFile{"DuplicateKey", R"({"black-list": {}, "black-list": {}})",
                "m.json: the key 'black-list' stands twice in one object; keep one of them"},
        BadFile{"DuplicateVerb", R"({"black-list": {"to-add": [], "to-add": ["Exp"]}})",
                "m.json: the key 'to-add' stands twice in one object; keep one of them"},
        BadFile{"Binary", std::string("\x7F\x45LF\0\1", 6),
                "m.json:1:1: expected JSON: while parsing value - invalid literal; last read: "
                "'\\x7f'"},
        BadFile{"TwoAdds",
                R"({"black-list": {"to-add": ["Exp"]}, "white-list": {"to-add": ["Exp"]}})",
                "m.json: operator type 'Exp' stands in to-add of black-list and to-add of "
                "white-list; legal are one to-add, one to-remove of another list (white or black), "
                "or both"},
        BadFile{"TwoRemoves",
                R"({"black-list": {"to-remove": ["Exp"]}, "white-list": {"to-remove": ["Exp"]}})",
                "m.json: operator type 'Exp' stands in to-remove of black-list and to-remove of "
                "white-list; legal are one to-add, one to-remove of another list (white or black), "
                "or both"},
        BadFile{"SameList", R"({"black-list": {"to-add": ["Exp"], "to-remove": ["Exp"]}})",
                "m.json: operator type 'Exp' stands in to-add of black-list and to-remove of "
                "black-list; legal are one to-add, one to-remove of another list (white or black), "
                "or both"},
        BadFile{"OnlyFromGray", R"({"gray-list": {"to-remove": ["Exp"]}})",
                "m.json: operator type 'Exp' stands in to-remove of gray-list; legal are one "
                "to-add, one to-remove of another list (white or black), or both"},
        BadFile{"LongLine", std::string(1 << 20, 'x'),
                "m.json:1:1: expected JSON: while parsing value - invalid literal; last read: "
                "'x'"}),
    [](const auto& row) { return row.param.name; });

// ---- Every combination of lists, on every built-in policy ---------------------------------------

constexpr std::string_view kLists[] = {"", "white", "black", "gray"};

MixlistChange& ListOf(Mixlist& mixlist, std::string_view policy) {
  return policy == "white" ? mixlist.white : policy == "black" ? mixlist.black : mixlist.gray;
}

// The specification's table: "" where the combination is illegal, "=" where the policy stays.
std::string Specified(std::string_view add, std::string_view remove) {
  struct Row {
    const char* add;
    const char* remove;
    const char* becomes;
  };

  constexpr Row kRows[] = {
      {"", "black", "gray"},      {"", "white", "gray"},       {"gray", "", "="},
      {"gray", "black", "gray"},  {"gray", "white", "gray"},   {"white", "", "white"},
      {"white", "gray", "white"}, {"white", "black", "white"}, {"black", "", "black"},
      {"black", "gray", "black"}, {"black", "white", "black"},
  };
  for (const Row& row : kRows) {
    if (row.add == add && row.remove == remove) {
      return row.becomes;
    }
  }
  return "";
}

TEST(MixPolicies, EveryCombinationOnEveryPolicy) {
  int legal = 0;
  for (const std::string_view add : kLists) {
    for (const std::string_view remove : kLists) {
      if (add.empty() && remove.empty()) {
        continue;
      }
      for (const auto& built_in : kMixPolicies) {
        SCOPED_TRACE(fmt::format("add {}, remove {}, built-in {}", add, remove, built_in.name));
        Mixlist mixlist;
        if (!add.empty()) {
          ListOf(mixlist, add).to_add = {"Relu"};
        }
        if (!remove.empty()) {
          ListOf(mixlist, remove).to_remove = {"Relu"};
        }
        const TargetSpec target =
            MakeTarget({{"Relu", Homogeneous(1, {DType::kFloat32}, built_in.value)}});
        const std::string specified = Specified(add, remove);
        std::vector<std::string> warnings;
        if (specified.empty()) {
          EXPECT_THROW(MixPolicies(mixlist, target, warnings), Error);
          continue;
        }
        ++legal;
        const MixPolicies policies(mixlist, target, warnings);
        // A to-remove of a list that the type is not in has no effect; the to-add still counts.
        std::string expected = specified;
        if (!remove.empty() && remove != built_in.name) {
          expected = add == "white" || add == "black" ? std::string(add) : "=";
          EXPECT_FALSE(warnings.empty());
        }
        EXPECT_EQ(NameOf(policies.Of("Relu", built_in.value)),
                  expected == "=" ? built_in.name : std::string_view(expected));
      }
    }
  }
  EXPECT_EQ(legal, 11 * 3);
}

TEST(MixPolicies, UnknownTypesAreNoted) {
  Mixlist mixlist;
  mixlist.white.to_add = {"Relu6"};
  std::vector<std::string> warnings;
  const MixPolicies policies(mixlist, MakeTarget({}), warnings);
  EXPECT_THAT(
      warnings,
      ElementsAre("--modify_mixlist: 'Relu6' has no effect: test has no such operator type"));
}

// ---- In the resolver ----------------------------------------------------------------------------

Graph ConvRelu() {
  testing::PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const ValueId conv = builder.Node(OpKind::kConv, "conv", {x, builder.Constant("w")});
  return builder.Finish({builder.Node(OpKind::kRelu, "relu", {conv})});
}

TargetSpec ConvReluTarget() {
  const std::vector<DType> both = {DType::kFloat16, DType::kFloat32};
  return MakeTarget({{"Conv2D", Homogeneous(2, both, MixPolicy::kWhite, true)},
                     {"Relu", Homogeneous(1, both, MixPolicy::kGray)}});
}

TEST(ResolveMixlist, MovesTypes) {
  PrecisionOptions options;
  options.precision_mode = "allow_mix_precision";
  const auto dtypes = [&] {
    const PrecisionPlan plan = ResolvePrecision(ConvRelu(), options, ConvReluTarget());
    return std::vector{plan.node(0).compute_dtype(), plan.node(1).compute_dtype()};
  };
  EXPECT_THAT(dtypes(), ElementsAre(DType::kFloat16, DType::kFloat16));
  options.modify_mixlist = Mixlist{};
  options.modify_mixlist->black.to_add = {"Relu"};
  EXPECT_THAT(dtypes(), ElementsAre(DType::kFloat16, DType::kFloat32));
  options.modify_mixlist->black.to_add = {"Conv2D"};
  EXPECT_THAT(dtypes(), ElementsAre(DType::kFloat32, DType::kFloat32));
  options.modify_mixlist->white.to_add = {"Relu"};
  EXPECT_THAT(dtypes(), ElementsAre(DType::kFloat32, DType::kFloat16));
}

TEST(ResolveMixlist, NeedsAMixedMode) {
  for (const char* mode : {"", "force_fp16", "force_fp32", "allow_fp32_to_fp16",
                           "must_keep_origin_dtype", "allow_fp32_to_bf16"}) {
    PrecisionOptions options;
    options.precision_mode = mode;
    options.modify_mixlist = Mixlist{};
    try {
      ResolvePrecision(ConvRelu(), options, ConvReluTarget());
      FAIL() << mode;
    } catch (const Error& error) {
      EXPECT_EQ(
          error.what(),
          fmt::format("E10001: --modify_mixlist is given, but the precision mode is {}, which "
                      "has no lists; add --precision_mode=allow_mix_precision or "
                      "--precision_mode_v2=mixed_float16",
                      *mode == '\0' ? "force_fp16" : mode));
    }
  }
  PrecisionOptions options;
  options.precision_mode_v2 = "mixed_float16";
  options.modify_mixlist = Mixlist{};
  EXPECT_NO_THROW(ResolvePrecision(ConvRelu(), options, ConvReluTarget()));
}

}  // namespace
}  // namespace halftone
