#include "src/target/target_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "src/base/error.h"
#include "src/target/builtin_targets.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;
constexpr DType kBF16 = DType::kBFloat16;
constexpr DType kI32 = DType::kInt32;
constexpr DType kI64 = DType::kInt64;

constexpr const char* kSmall =
    "[target]\n"
    "name = small\n"
    "[dtypes]\n"
    "float = float16 float\n"
    "matrix = float16 float16>float32\n"
    "[cube]\n"
    "some = Conv2D\n"
    "[operators]\n"
    "Conv2D = white TTY?->Y matrix\n"
    "Relu = gray T->T float | float\n"
    "GatherV2 = gray TI->T float\n"
    "ConcatV2 = gray no_kernel_file T*->T float\n"
    "LogicalNot = black B->B |\n"
    "Shape = - A->L | float\n"
    "[impl_modes]\n"
    "Relu = float16: high_performance, high_precision; float: high_precision\n"
    "[roofline]\n"
    "memory = 20.5 GB/s; a data sheet\n"
    "[fusions]\n"
    "fold_batch_norm = Conv2D Conv3D + BNInference; a guide; its page 7\n";

std::string FailureOf(const std::string& text) {
  try {
    (void)ParseOwnTargetFile(text, "t.ini");
    return "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
}

TEST(TargetFile, ReadsEverySection) {
  const TargetSpec target = ParseOwnTargetFile(kSmall, "t.ini").ForSoc("small");
  EXPECT_EQ(target.name, "small");
  EXPECT_EQ(target.family, "small");
  EXPECT_FALSE(target.has_bfloat16);

  const LibraryOp& conv = target.ai_core.at("Conv2D");
  EXPECT_THAT(conv.inputs, ElementsAre(ElementsAre(kF16, kF16), ElementsAre(kF16, kF16),
                                       ElementsAre(kF16, kF32)));
  EXPECT_THAT(conv.outputs, ElementsAre(ElementsAre(kF16, kF32)));
  EXPECT_EQ(conv.policy, MixPolicy::kWhite);
  EXPECT_TRUE(conv.cube);
  EXPECT_FALSE(target.ai_cpu.contains("Conv2D"));

  const LibraryOp& relu = target.ai_core.at("Relu");
  EXPECT_EQ(relu.policy, MixPolicy::kGray);
  EXPECT_FALSE(relu.cube);
  EXPECT_TRUE(relu.has_kernel_file);
  EXPECT_THAT(relu.impl_modes.at(kF16),
              ElementsAre(ImplMode::kHighPerformance, ImplMode::kHighPrecision));
  EXPECT_THAT(relu.impl_modes.at(kF32), ElementsAre(ImplMode::kHighPrecision));
  EXPECT_EQ(target.ai_cpu.at("Relu").inputs, std::vector{DTypeSet(kF16, kF32)});

  const LibraryOp& gather = target.ai_core.at("GatherV2");
  EXPECT_THAT(gather.inputs, ElementsAre(ElementsAre(kF16, kF16, kF32, kF32),
                                         ElementsAre(kI32, kI64, kI32, kI64)));
  const LibraryOp& concat = target.ai_core.at("ConcatV2");
  EXPECT_TRUE(concat.inputs_repeat);
  EXPECT_FALSE(concat.has_kernel_file);
  EXPECT_EQ(target.ai_core.at("LogicalNot").column_count(), 1U);
  EXPECT_EQ(target.ai_cpu.at("LogicalNot").inputs, std::vector{DTypeSet(DType::kBool)});
  EXPECT_FALSE(target.ai_core.contains("Shape"));
  EXPECT_EQ(target.ai_cpu.at("Shape").outputs, std::vector{DTypeSet(kI64)});

  ASSERT_EQ(target.roofline.size(), 1U);
  EXPECT_EQ(target.roofline[0].name, "memory");
  EXPECT_EQ(target.roofline[0].value, 20.5);
  EXPECT_EQ(target.roofline[0].unit, "GB/s");
  EXPECT_EQ(target.roofline[0].source, "a data sheet");

  ASSERT_NE(target.fusions, nullptr);
  EXPECT_THAT(*target.fusions, ElementsAre(TargetFusion{.pass = "fold_batch_norm",
                                                        .main = {"Conv2D", "Conv3D"},
                                                        .others = {"BNInference"},
                                                        .source = "a guide; its page 7"}));
}

TEST(TargetFile, ADeviceWithoutFusionsHasNoneOfTheHost) {
  const TargetSpec own = ParseOwnTargetFile("[target]\nname = own\n", "t.ini").ForSoc("own");
  ASSERT_NE(own.fusions, nullptr);
  EXPECT_TRUE(own.fusions->empty());
  const TargetSpec less = ParseOwnTargetFile(
                              "[target]\nname = less\ninherits = ascend310p\n"
                              "[fusions]\nfold_batch_norm = -\n",
                              "t.ini")
                              .ForSoc("less");
  EXPECT_TRUE(less.fusions->empty());
  for (const char* value : {"Conv2D", "Conv2D + BNInference", "+ BNInference; x", "Conv2D +; x",
                            "Conv2D + BNInference;", ""}) {
    EXPECT_THAT(FailureOf(std::string("[target]\nname = t\n[fusions]\nfold_batch_norm = ") + value),
                ::testing::HasSubstr("t.ini:4"))
        << value;
  }
}

TEST(TargetFile, EntriesReplaceThoseOfTheBase) {
  const TargetSpec target = ParseOwnTargetFile(
                                "[target]\n"
                                "name = mine\n"
                                "inherits = ascend310p\n"
                                "bfloat16 = yes\n"
                                "[dtypes]\n"
                                "float = bfloat16\n"
                                "[operators]\n"
                                "Relu = -\n"
                                "Gelu = white T->T half\n"
                                "[impl_modes]\n"
                                "Exp = -\n",
                                "t.ini")
                                .ForSoc("mine");
  EXPECT_EQ(target.family, "ascend310p");
  EXPECT_TRUE(target.has_bfloat16);
  EXPECT_EQ(target.overflow, OverflowArithmetic::kSaturate);
  EXPECT_FALSE(target.ai_core.contains("Relu"));
  EXPECT_FALSE(target.ai_cpu.contains("Relu"));
  EXPECT_THAT(target.ai_core.at("Gelu").inputs, ElementsAre(ElementsAre(kF16)));
  EXPECT_EQ(target.ai_core.at("Gelu").policy, MixPolicy::kWhite);
  EXPECT_THAT(target.ai_core.at("Tanh").inputs, ElementsAre(ElementsAre(kBF16)));
  EXPECT_TRUE(target.ai_core.at("Exp").impl_modes.empty());
  EXPECT_FALSE(target.ai_core.at("Tanh").impl_modes.empty());
  EXPECT_TRUE(target.roofline.empty());  // the figures of the base are of its SoC versions
}

TEST(TargetFile, LineEndsAndAByteOrderMarkDoNotCount) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : std::string(kSmall)) {
    text += c == '\n' ? "\r\n" : std::string(1, c);
  }
  EXPECT_EQ(ParseOwnTargetFile(text, "t.ini").ForSoc("small").ai_core.size(), 5U);
}

struct BadRow {
  const char* name;
  std::string text;
  std::string message;
};

std::string Own(const std::string& rest) {
  return "[target]\nname = mine\n" + rest;
}

const BadRow kBad[] = {
    {"empty", "",
     "t.ini: expected a section [target], found none; docs/reference/targets.md describes the "
     "file"},
    {"comments only", "# nothing\n\n",
     "t.ini: expected a section [target], found none; docs/reference/targets.md describes the "
     "file"},
    {"binary",
     std::string("\x7f"
                 "ELF\x02\x00\x01",
                 7),
     "t.ini:1: expected a text file, found a zero byte"},
    {"long line", "[target]\nname = " + std::string(1 << 20, 'x'),
     "t.ini:2: expected a line of at most 4096 bytes, found 1048583"},
    {"no section", "name = mine\n",
     "t.ini:1: expected a section such as [target] first, found 'name = mine'"},
    {"no equals sign", Own("bfloat16\n"),
     "t.ini:3: expected 'key = value' or '[section]', found 'bfloat16'"},
    {"no key", Own("= yes\n"), "t.ini:3: expected 'key = value' or '[section]', found '= yes'"},
    {"unknown section", Own("[ops]\n"),
     "t.ini:3: expected one of [target], [dtypes], [cube], [operators], [impl_modes], [roofline], "
     "[fusions], "
     "found '[ops]'"},
    {"section twice", Own("[dtypes]\n[target]\n"),
     "t.ini:4: the section [target] stands twice, first at t.ini:1; join them"},
    {"key twice", Own("name = other\n"),
     "t.ini:3: 'name' stands twice in [target], first at t.ini:2; keep one of them"},
    {"unknown key", Own("bf16 = yes\n"),
     "t.ini:3: expected one of name, soc_versions, inherits, family, bfloat16, hifloat8, hf32, "
     "int8, amct, overflow, "
     "training_mode, found 'bf16'"},
    {"no word", Own("int8 = maybe\n"), "t.ini:3: int8: expected yes or no, found 'maybe'"},
    {"wrong type", Own("bfloat16 = true\n"), "t.ini:3: bfloat16: expected yes or no, found 'true'"},
    {"unknown overflow", Own("overflow = wrap\n"),
     "t.ini:3: overflow: expected one of inf_nan, saturate, found 'wrap'"},
    {"unknown base", Own("inherits = ascend999\n"),
     "t.ini:3: inherits: expected the name of a built-in target file, found 'ascend999'"},
    {"no name", "[target]\nbfloat16 = no\n",
     "t.ini: expected [target] name, a name that no built-in target has, found ''; reports and the "
     "knowledge base "
     "use it"},
    {"name of a built-in target", "[target]\nname = Ascend310P3\n",
     "t.ini: expected [target] name, a name that no built-in target has, found 'Ascend310P3'; "
     "reports and the "
     "knowledge base use it"},
    {"name is a path", "[target]\nname = ../up\n",
     "t.ini:2: name: expected a name of letters, digits, '_', '-' and '.', found '../up'"},
    {"SoC versions", Own("soc_versions = A, B\n"),
     "t.ini: soc_versions are for built-in targets; a target of your own is chosen by its file"},
    {"family host", Own("family = host\n"), "t.ini: family = host means this CPU; name another"},
    {"unknown dtype", Own("[dtypes]\nfloat = float61\n"),
     "t.ini:4: float: expected dtypes such as 'float16' or 'float16>float32', found 'float61'"},
    {"no dtype", Own("[dtypes]\nfloat =\n"), "t.ini:4: float: expected dtypes, found none"},
    {"short operator", Own("[operators]\nRelu = gray\n"),
     "t.ini:4: Relu: expected 'gray TT->T lists | lists', found 'gray'"},
    {"unknown policy", Own("[operators]\nRelu = grey T->T float\n"),
     "t.ini:4: Relu: expected white, black, gray or -, found 'grey'"},
    {"unknown letter", Own("[operators]\nRelu = gray X->T float\n"),
     "t.ini:4: Relu: expected tensors such as 'TTY?->Y' of the letters TYAILBF, found 'X->T'"},
    {"no arrow", Own("[operators]\nRelu = gray TT float\n"),
     "t.ini:4: Relu: expected tensors such as 'TTY?->Y' of the letters TYAILBF, found 'TT'"},
    {"repetition inside", Own("[operators]\nRelu = gray T*T->T float\n"),
     "t.ini:4: Relu: expected tensors such as 'TTY?->Y' of the letters TYAILBF, found 'T*T->T'"},
    {"unknown list", Own("[dtypes]\nfloat = float16\n[operators]\nRelu = gray T->T floats\n"),
     "t.ini:6: Relu: expected a list of [dtypes] (float), found 'floats'"},
    {"list missing", Own("[operators]\nRelu = gray T->T\n"),
     "t.ini:4: Relu: expected dtype lists behind the tensors, found none"},
    {"list too many", Own("[dtypes]\nfloat = float16\n[operators]\nLogicalNot = gray B->B float\n"),
     "t.ini:6: LogicalNot: its tensors have fixed dtypes; expected no dtype list"},
    {"AI Core list without AI Core",
     Own("[dtypes]\nfloat = float16\n[operators]\nRelu = - T->T float\n"),
     "t.ini:6: Relu: it is not on AI Core; expected its dtype lists behind '|'"},
    {"unknown implementation mode", Own("[impl_modes]\nRelu = float16: fast\n"),
     "t.ini:4: Relu: expected an implementation mode, found 'fast'"},
    {"implementation modes without dtype", Own("[impl_modes]\nRelu = high_precision\n"),
     "t.ini:4: Relu: expected 'dtype: mode, mode', found 'high_precision'"},
    {"figure without source", Own("[roofline]\nmemory = 20 GB/s\n"),
     "t.ini:4: memory: expected 'number unit; source', found '20 GB/s'"},
    {"figure without unit", Own("[roofline]\nmemory = 20; guess\n"),
     "t.ini:4: memory: expected 'number unit; source', found '20; guess'"},
    {"figure without number", Own("[roofline]\nmemory = much GB/s; guess\n"),
     "t.ini:4: memory: expected 'number unit; source', found 'much GB/s; guess'"},
};

TEST(TargetFile, RefusesWhatItCannotRead) {
  for (const BadRow& row : kBad) {
    EXPECT_EQ(FailureOf(row.text), row.message) << row.name;
  }
}

TEST(TargetFile, InheritanceThatGoesInCirclesEnds) {
  const auto find = [](std::string_view) -> std::optional<std::string_view> {
    return "[target]\ninherits = again\n";
  };
  try {
    (void)ParseTargetFile("[target]\ninherits = again\n", "t.ini", find);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "again.ini:2: inherits: expected the name of a built-in target file, found 'again'");
  }
}

}  // namespace
}  // namespace halftone
