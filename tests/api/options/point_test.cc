// A point's folder is complete, is read from anywhere, and says when it means something else.
#include "src/api/options/point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "src/api/load/plan_sources.h"
#include "src/api/options/option_folder.h"
#include "src/api/options/read_precision.h"
#include "src/api/report/measured_point.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/digits_library.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::kDigitsTypes;
using ::halftone::testing::kLibraryPath;
using ::halftone::testing::MakeDigitsLibrary;
using ::halftone::testing::SourceDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string FailureOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage) << error.what();
    return error.what();
  }
  return "no error";
}

class PointTest : public ::testing::Test {
 protected:
  PointTest() {
    fs::remove_all(root_);
    fs::create_directories(root_);
    model_ = LoadModel({.path = SourceDir() / "examples/digits/model.onnx"});
  }

  ~PointTest() override { fs::remove_all(root_); }

  // A folder of `options`, read after it was moved and the files of its target are gone.
  Point Moved(const TargetOptions& target, const PrecisionOptions& options) {
    WriteSmallestOptions({&model_, 1}, target, options, root_ / "made");
    fs::remove_all(root_ / "opp");
    const fs::path moved = root_ / "it's moved; twice";
    fs::remove_all(moved);
    fs::rename(root_ / "made", moved);
    return ReadPoint(moved);
  }

  static std::vector<std::string> Check(const Point& point, const Model& model) {
    const TargetSpec target = LoadTarget(point.arguments.target);
    return CheckPoint(point, model, target,
                      ReadPrecision(point.arguments.precision, target).options);
  }

  static Hash128 DigestOf(const Model& model, const TargetOptions& target,
                          const PrecisionOptions& options) {
    return ResolvePrecision(model.graph, options, LoadTarget(target)).Digest();
  }

  fs::path root_ = ::testing::TempDir() + "halftone_point_test_" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name();
  Model model_;
};

TEST_F(PointTest, ArgumentsNameEverythingThatThePlanDependsOn) {
  MakeDigitsLibrary(root_ / "opp");
  WriteSmallestOptions({&model_, 1}, {.soc_version = "Ascend310P3", .ops_info = root_ / "opp"},
                       {.precision_mode = "force_fp16"}, root_ / "p");
  EXPECT_EQ(ReadFile(root_ / "p/arguments.txt"),
            "--soc_version=Ascend310P3\n--ops_info=ops_info\n--input_shape=" + model_.input_shapes +
                "\n--precision_mode=force_fp16\n");
  WriteSmallestOptions({&model_, 1}, {}, {.precision_mode = "force_fp16"}, root_ / "p");
  EXPECT_EQ(ReadFile(root_ / "p/arguments.txt"),
            "--soc_version=host\n--input_shape=" + model_.input_shapes +
                "\n--precision_mode=force_fp16\n");
}

// One file, with SoftmaxV2.
std::string WholeLibrary() {
  std::string library(kDigitsTypes);
  library.replace(library.rfind('}'), 1, R"(, "SoftmaxV2": {
  "input0": {"dtype": "float16,float", "name": "x", "paramType": "required"},
  "output0": {"dtype": "float16,float", "name": "y", "paramType": "required"}}})");
  return library;
}

struct TargetRow {
  const char* name;
  TargetOptions (*make)(const fs::path& root);  // of files that are removed before it is read
};

const TargetRow kTargets[] = {
    {"host", [](const fs::path&) { return TargetOptions{}; }},
    {"soc", [](const fs::path&) { return TargetOptions{.soc_version = "Ascend310P3"}; }},
    {"folder of libraries",
     [](const fs::path& root) {
       MakeDigitsLibrary(root / "opp");
       return TargetOptions{.soc_version = "Ascend310P3", .ops_info = root / "opp"};
     }},
    {"one library, and no --soc_version",
     [](const fs::path& root) {
       const fs::path file = root / "opp/aic-ascend310p-ops-info.json";
       WriteFileAtomically(file, WholeLibrary());
       return TargetOptions{.soc_version = "", .ops_info = file};
     }},
    {"one library of an awkward name",
     [](const fs::path& root) {
       const fs::path file = root / "opp/my 'own' \"library\"; $HOME\n.json";
       WriteFileAtomically(file, WholeLibrary());
       return TargetOptions{.soc_version = "Ascend310P1", .ops_info = file};
     }},
    {"own target",
     [](const fs::path& root) {
       const fs::path file = root / "opp/mine.ini";
       fs::create_directories(file.parent_path());
       fs::copy_file(SourceDir() / "examples/03_own_target.ini", file);
       return TargetOptions{.soc_version = file.string(), .ops_info = {}};
     }},
};

TEST_F(PointTest, TheFolderIsCompleteWhateverTheTarget) {
  for (const TargetRow& row : kTargets) {
    SCOPED_TRACE(row.name);
    for (const char* mode : {"force_fp16", "allow_mix_precision"}) {
      const TargetOptions target = row.make(root_);
      const PrecisionOptions options{.precision_mode = mode, .keep_dtype = {"head/softmax"}};
      const Hash128 expected = DigestOf(model_, target, options);
      const Point point = Moved(target, options);
      EXPECT_EQ(point.record.value().plan_digest, expected);
      EXPECT_THAT(Check(point, model_), IsEmpty());
      EXPECT_EQ(
          DigestOf(
              model_, point.arguments.target,
              ReadPrecision(point.arguments.precision, LoadTarget(point.arguments.target)).options),
          expected);
    }
  }
}

TEST_F(PointTest, AwkwardValuesComeBack) {
  const char* const names[] = {"a b",   "it's",  "say \"x\"", "back\\slash", "new\nline",
                               "\ttab", "$HOME", "# comment", "'",           "\xff"};
  for (const char* name : names) {
    SCOPED_TRACE(name);
    PrecisionOptions options{.precision_mode = "allow_mix_precision", .keep_dtype = {"stem/conv"}};
    options.op_precision_given = true;
    options.impl_mode_by_type = {{"Conv2D", ImplMode::kHighPrecision}};
    options.output_type = std::string(name) + ":0:FP16";
    options.input_fp16_nodes = {name, "another; of them"};
    options.input_fp16_nodes.back().erase(7, 1);
    options.optypelist_for_implmode = {"Relu", std::string("T") + name};
    if (options.optypelist_for_implmode.back().find_first_of(" \t\n") != std::string::npos) {
      options.optypelist_for_implmode.pop_back();  // types have no blanks
    }
    if (name[0] == '\t') {
      options.input_fp16_nodes.front() += "x";
    }
    WriteOptionFolder(root_ / "p", WriteOptionFiles(options), RecordOf(model_, "host", {}));
    const PrecisionArguments read = ReadSetArguments(root_ / "p").precision;
    PrecisionOptions back;
    std::vector<std::string> warnings;
    for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
      if (const std::string& text = read.*row.argument; !text.empty()) {
        row.read({row.is_file() ? ReadFile(text) : text, row.name}, back, warnings);
      }
    }
    EXPECT_EQ(back, options);
    EXPECT_THAT(warnings, IsEmpty());
  }
}

TEST_F(PointTest, RewritingRemovesItsCopiesOnly) {
  const fs::path opp = root_ / "opp";
  const fs::path folder = root_ / "p";
  MakeDigitsLibrary(opp);
  WriteSmallestOptions({&model_, 1}, {.soc_version = "Ascend310P3", .ops_info = root_ / "opp"},
                       {.precision_mode = "force_fp16"}, folder);
  const std::string library = std::string(kLibraryPath) + ".json";
  const fs::path copy = folder / "ops_info" / library;
  EXPECT_EQ(ReadFile(copy), ReadFile(opp / library));
  EXPECT_FALSE(fs::exists(folder / "ops_info/built-in/op_impl/ai_core/tbe/config/ascend910b"))
      << "of another family";
  WriteFileAtomically(folder / "ops_info/mine.json", "{}");
  WriteSmallestOptions({&model_, 1}, {}, {.precision_mode = "force_fp16"}, folder);
  EXPECT_FALSE(fs::exists(copy));
  EXPECT_FALSE(fs::exists(folder / "ops_info/built-in"));
  EXPECT_EQ(ReadFile(folder / "ops_info/mine.json"), "{}") << "not ours";
  fs::remove(folder / "ops_info/mine.json");
  RemoveOptionFolder(folder);
  EXPECT_TRUE(fs::exists(folder)) << "ops_info/ is somebody else's";
  fs::remove(folder / "ops_info");
  RemoveOptionFolder(folder);
  EXPECT_FALSE(fs::exists(folder));
}

// A folder may have the name of a point by chance.
TEST_F(PointTest, FilesOfAFolderThatIsNoPointStay) {
  const fs::path folder = root_ / "point_2";
  for (const char* name : {"atc.sh", "model_mixed.onnx", "keep_dtype.cfg"}) {
    WriteFileAtomically(folder / name, "mine");
  }
  RemoveOptionFolder(folder);
  WriteSmallestOptions({&model_, 1}, {}, {.precision_mode = "force_fp16"}, folder);
  for (const char* name : {"atc.sh", "model_mixed.onnx", "keep_dtype.cfg"}) {
    EXPECT_EQ(ReadFile(folder / name), "mine");
  }
}

// A point.json that lists what lies elsewhere has nothing removed there.
TEST_F(PointTest, NothingOutsideOfTheFolderIsRemoved) {
  WriteFileAtomically(root_ / "precious.json", "{}");
  PointRecord record = RecordOf(model_, "host", {});
  record.files = {"ops_info/../../precious.json", "../precious.json", "ops_info/precious.json",
                  (root_ / "precious.json").string()};
  WriteFileAtomically(root_ / "p/point.json", FormatPointRecord(record));
  fs::create_directory_symlink(root_, root_ / "p/ops_info");
  RemoveOptionFolder(root_ / "p");
  EXPECT_TRUE(fs::exists(root_ / "precious.json"));
}

TEST_F(PointTest, WhatDiffersIsOneSentence) {
  const Point point = Moved({}, {.precision_mode = "force_fp16"});
  const std::string prefix = "--point=" + point.folder.string() + ": expected the ";
  const auto failure = [&](const Point& of, const Model& model) {
    return FailureOf([&] { Check(of, model); });
  };
  WriteFileAtomically(point.folder / "arguments.txt",
                      "--soc_version=host\n--precision_mode=allow_mix_precision\n");
  const Point changed = ReadPoint(point.folder);
  const std::string expected = point.record->plan_digest.ToHex();
  const std::string found = DigestOf(model_, {}, {.precision_mode = "allow_mix_precision"}).ToHex();
  EXPECT_EQ(failure(changed, model_),
            prefix + "plan " + expected + " that point.json names, found " + found +
                ": a file of the folder was changed since it was written; tune again, or delete "
                "point.json to take the options as they are");
  Point elsewhere = changed;
  elsewhere.record->isa = "planted+set";
  const std::string other_isa = failure(elsewhere, model_);
  EXPECT_THAT(other_isa,
              StartsWith(prefix + "plan " + expected + " that point.json names, found " + found +
                         ": the point is of a machine whose kernels use "
                         "planted+set, those of this run use "));
  EXPECT_THAT(other_isa, HasSubstr("HALFTONE_MAX_ISA"));
  EXPECT_THAT(other_isa, ::testing::Not(HasSubstr("was changed")));
  Point old = changed;
  old.record->tool_version = "0.0.1";
  EXPECT_EQ(failure(old, model_), prefix + "plan " + expected + " that point.json names, found " +
                                      found +
                                      ": a file of the folder was changed, or halftone 0.0.1, "
                                      "which wrote it, decided otherwise than " +
                                      std::string(Version()) +
                                      "; tune again, or delete point.json to take the options as "
                                      "they are");
  Point other_target = point;
  other_target.arguments.target.soc_version = "Ascend310P3";
  EXPECT_EQ(failure(other_target, model_),
            prefix +
                "target host that point.json names, found Ascend310P3: a file of the folder "
                "was changed; tune again");

  Model renamed = model_;
  renamed.graph.nodes[1].name += "_2";
  EXPECT_EQ(failure(point, renamed),
            prefix +
                "network 'digits' that the point was written for, found 'digits' with other "
                "operators, names, types or shapes; give that network, or tune this one");
  const Model batch = LoadModel({.path = model_.path, .input_shape = "pixels:2,1,8,8"});
  EXPECT_EQ(failure(point, batch),
            prefix + "network 'digits' with input shapes " + model_.input_shapes +
                ", found 'digits' with pixels:2,1,8,8; give the network and the shapes that the "
                "point was written for, or tune these");

  Model trained = model_;
  trained.hash = Hash128{.high = 1, .low = 2};
  EXPECT_THAT(Check(point, trained),
              ElementsAre("--point=" + point.folder.string() +
                          ": 'digits' has other weights or attributes than the network that it was "
                          "written for: its accuracy may be another; `halftone run` measures it"));
}

TEST_F(PointTest, FoldersWithoutWhatIsCheckedAreANote) {
  const Point point = Moved({}, {.precision_mode = "force_fp16"});
  EXPECT_THAT(point.notes, IsEmpty());
  PointRecord record = *point.record;
  record.digest_version = kPointDigestVersion + 1;
  record.plan_digest = {};
  WriteFileAtomically(point.folder / "point.json", FormatPointRecord(record));
  const Point newer = ReadPoint(point.folder);
  EXPECT_THAT(newer.notes, ElementsAre(HasSubstr(": the digests of point.json are of version 3, "
                                                 "this halftone makes version 2: whether its ")));
  EXPECT_THAT(Check(newer, model_), IsEmpty());
  fs::remove(point.folder / "point.json");
  const Point old = ReadPoint(point.folder);
  EXPECT_FALSE(old.record);
  EXPECT_THAT(old.notes, ElementsAre("--point=" + point.folder.string() +
                                     ": no point.json, as in folders of halftone 0.1.0: whether "
                                     "its files still give the plan that was measured is not "
                                     "checked"));
  EXPECT_THAT(Check(old, model_), IsEmpty());
}

TEST_F(PointTest, WhatIsNoPointIsOneSentence) {
  const std::string expected =
      ": expected the folder of a point, with arguments.txt, as `tune --output` writes it; found ";
  const auto failure = [](const fs::path& folder) { return FailureOf([&] { ReadPoint(folder); }); };
  EXPECT_EQ(failure(root_ / "none"),
            "--point=" + (root_ / "none").string() + expected + "nothing there");
  WriteFileAtomically(root_ / "file", "");
  EXPECT_EQ(failure(root_ / "file"), "--point=" + (root_ / "file").string() + expected + "a file");
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(failure(root_ / "pipe"),
            "--point=" + (root_ / "pipe").string() + expected + "a pipe or a device");
  EXPECT_EQ(failure(root_), "--point=" + root_.string() + expected + "a folder without it");
  ASSERT_EQ(::mkfifo((root_ / "arguments.txt").c_str(), 0600), 0);
  EXPECT_EQ(failure(root_), "--point=" + root_.string() + ": cannot read '" +
                                (root_ / "arguments.txt").string() +
                                "': expected a regular file, found a pipe or a device");
  fs::remove(root_ / "arguments.txt");
  WriteFileAtomically(root_ / "arguments.txt", "--precision_mod=force_fp16\n");
  EXPECT_EQ(failure(root_), "--point=" + root_.string() +
                                ": arguments.txt: expected an option such as "
                                "precision_mode=force_fp16, found '--precision_mod=force_fp16'; "
                                "did you mean --precision_mode?");
}

TEST_F(PointTest, PointJsonOfAnotherShapeIsOneSentence) {
  const Point point = Moved({}, {.precision_mode = "force_fp16"});
  const fs::path file = point.folder / "point.json";
  const auto failure = [&](const std::string& content) {
    WriteFileAtomically(file, content);
    return FailureOf([&] { ReadPoint(point.folder); });
  };
  const std::string prefix = "--point=" + point.folder.string() + ": " + file.string();
  EXPECT_THAT(failure(""), StartsWith(prefix + ": expected JSON, found an empty file"));
  EXPECT_THAT(failure("[]"), StartsWith(prefix + ": expected the point.json that halftone writes"));
  EXPECT_THAT(failure("{}"), StartsWith(prefix + ": expected the point.json that halftone writes"));
  for (const char* schema : {"2", "1e99", "1.5", "\"1\"", "-1", "99999999999999999999", "null"}) {
    EXPECT_EQ(failure(R"({"schema_version": )" + std::string(schema) + "}")
                  .rfind(prefix + ": expected schema_version 1, found ", 0),
              0U)
        << schema;
  }
  std::string text = FormatPointRecord(*point.record);
  text.replace(text.find(point.record->plan_digest.ToHex()), 32, "0123");
  EXPECT_EQ(failure(text), prefix + ": expected 32 hexadecimal digits, found '0123'");
}

TEST_F(PointTest, SeveralShapesAreNamed) {
  const std::vector<Model> models = LoadShapeProfiles(
      {.path = model_.path}, std::vector<std::string>{"pixels:2,1,8,8", "pixels:1,1,8,8"});
  WriteSmallestOptions(models, {}, {.precision_mode = "force_fp16"}, root_ / "p");
  const Point point = ReadPoint(root_ / "p");
  EXPECT_THAT(point.arguments.shapes.input_shape, ElementsAre("pixels:2,1,8,8", "pixels:1,1,8,8"));
  EXPECT_THAT(Check(point, models.front()), IsEmpty());
}

// --input_shape cannot say every name; the network is then told by its digest alone.
TEST_F(PointTest, NamesThatInputShapeCannotExpressAreLeftOut) {
  Model odd = model_;
  odd.graph.value(odd.graph.inputs[0]).name = "a;b";
  odd.input_shapes = "a;b:1,1,8,8";
  WriteSmallestOptions({&odd, 1}, {}, {.precision_mode = "force_fp16"}, root_ / "p");
  EXPECT_EQ(ReadFile(root_ / "p/arguments.txt"),
            "--soc_version=host\n--precision_mode=force_fp16\n");
  EXPECT_THAT(Check(ReadPoint(root_ / "p"), odd), IsEmpty());
}

TEST_F(PointTest, WhatNobodyMeasuredSaysSo) {
  WriteSmallestOptions({&model_, 1}, {}, {.precision_mode = "force_fp16"}, root_ / "p");
  const std::string options_only =
      "expected a point that was measured, as `halftone tune` writes it, found options only; "
      "`halftone run --point` measures them";
  EXPECT_EQ(FailureOf([&] { MeasuredIn(root_ / "p"); }), options_only);
  fs::remove(root_ / "p/point.json");
  EXPECT_EQ(FailureOf([&] { MeasuredIn(root_ / "p"); }), options_only);
  // A folder of 0.1.0: the front.json beside it knows.
  WriteFileAtomically(root_ / "front.json",
                      R"({"front": [{"folder": "p", "arguments": [], "confirmed": true}]})");
  for (const fs::path& folder : {root_ / "p", root_ / "p/"}) {
    EXPECT_EQ(MeasuredIn(folder), R"({"front":[{"confirmed":true,"folder":"."}]})");
  }
  fs::rename(root_ / "p", root_ / "q");
  EXPECT_EQ(FailureOf([&] { MeasuredIn(root_ / "q"); }),
            (root_ / "front.json").string() +
                ": expected a point with the folder 'q', found none; tune again");
}

}  // namespace
}  // namespace halftone
