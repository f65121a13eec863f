#include "src/aoe/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A folder of its own with models of several frameworks, which are looked at by name only.
class AoeJobTest : public ::testing::Test {
 protected:
  AoeJobTest() {
    fs::remove_all(folder_);
    for (const char* file : {"m.onnx", "m.pb", "m.prototxt", "m.mindir", "m.dat", "many/b.onnx",
                             "many/a.onnx", "many/c/model.onnx", "many/readme.txt", "none/x.txt"}) {
      WriteFileAtomically(folder_ / file, "");
    }
    WriteFileAtomically(folder_ / "ops.json", R"({"tune_ops_type": ["Conv2D"]})");
    WriteFileAtomically(folder_ / "bad.json", "[]");
    fs::create_directory(folder_ / "bank");
    environment_.current_folder = folder_;
    environment_.home = folder_ / "home";
  }

  ~AoeJobTest() override { fs::remove_all(folder_); }

  // "$" stands for the folder.
  AoeJob Make(std::vector<std::string> words) {
    for (std::string& word : words) {
      if (const auto position = word.find('$'); position != word.npos) {
        word.replace(position, 1, folder_.string());
      }
    }
    return MakeAoeJob(ParseAoeCommandLine(words), environment_);
  }

  // The message of the error, "$" for the folder.
  std::string Message(const std::vector<std::string>& words) {
    try {
      Make(words);
      return "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      std::string message = error.what();
      for (auto position = message.find(folder_.string()); position != message.npos;
           position = message.find(folder_.string())) {
        message.replace(position, folder_.string().size(), "$");
      }
      return message;
    }
  }

  fs::path folder_ = fs::path(::testing::TempDir()) /
                     (std::string("halftone_aoe_job_") +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
  AoeEnvironment environment_;
};

TEST_F(AoeJobTest, Defaults) {
  const AoeJob job = Make({"-m", "$/m.onnx", "-j", "2"});
  EXPECT_EQ(job.type, AoeJobType::kOperator);
  EXPECT_THAT(job.models, ElementsAre(folder_ / "m.onnx"));
  EXPECT_EQ(job.max_trials, 200U);
  EXPECT_EQ(job.run_loop, 10);
  EXPECT_TRUE(job.progress_bar);
  EXPECT_FALSE(job.in_pairs);
  EXPECT_FALSE(job.tune_ops.has_value());
  EXPECT_EQ(job.bank.source, "default");
  EXPECT_EQ(job.work_root, folder_ / "");
}

TEST_F(AoeJobTest, PreProcessingIsDoneToImages) {
  WriteFileAtomically(folder_ / "images/a.png", "");
  WriteFileAtomically(folder_ / "x.npy", "");
  WriteFileAtomically(folder_ / "aipp.cfg", "aipp_op { input_format: RGB888_U8 mean_chn_0: 8 }");
  WriteFileAtomically(folder_ / "yuv.cfg", "aipp_op { input_format: YUV420SP_U8 }");
  const std::vector<std::string> words = {"-m", "$/m.onnx", "-j", "1",
                                          "--insert_op_conf=$/aipp.cfg"};
  const auto with = [&](const std::string& more) {
    std::vector<std::string> all = words;
    all.push_back(more);
    return all;
  };
  const AoeJob job = Make(with("--inputs=$/images"));
  EXPECT_EQ(job.data.image, "range=255,mean=8/0/0,std=1/1/1,rgb");
  EXPECT_EQ(job.identity.at("insert_op_conf"), job.data.image) << "what the file says counts";
  EXPECT_THAT(job.notes, ElementsAre("--insert_op_conf is done to the images of --inputs, and is "
                                     "not in the written options: give it to ATC again"));
  for (const char* more : {"--inputs=$/x.npy", "--inputs="}) {
    const AoeJob tensors = Make(with(more));
    EXPECT_EQ(tensors.data.image, "");
    EXPECT_THAT(tensors.notes,
                ElementsAre("--insert_op_conf is not used, since --inputs holds no images: samples "
                            "are what it makes of them, and is not in the written options: give it "
                            "to ATC again"));
  }
  EXPECT_EQ(
      Message({"-m", "$/m.onnx", "-j", "1", "--inputs=$/images", "--insert_op_conf=$/yuv.cfg"}),
      "E10001: --insert_op_conf=$/yuv.cfg: $/yuv.cfg: halftone does not do 1 part of this "
      "pre-processing: input_format: YUV420SP_U8: images are read as RGB888_U8, or as "
      "YUV400_U8 for gray");
}

TEST_F(AoeJobTest, RepeatTuneMeasuresAgain) {
  environment_.tune_bank_path = folder_;
  for (const char* const value : {"", "false", "0"}) {
    environment_.repeat_tune = value;
    EXPECT_FALSE(Make({"-m", "$/m.onnx", "-j", "2"}).repeat) << value;
  }
  environment_.repeat_tune = "True";
  const AoeJob job = Make({"-m", "$/m.onnx", "-j", "2"});
  EXPECT_TRUE(job.repeat);
  EXPECT_THAT(job.warnings, ::testing::IsEmpty());
  EXPECT_FALSE(Make({"-m", "$/m.onnx", "-j", "1", "--reload"}).repeat);
}

TEST_F(AoeJobTest, EveryPrecisionOptionArrives) {
  const AoeJob job = Make(
      {"--model=$/m.onnx", "--job_type=1", "--precision_mode=force_fp32", "--modify_mixlist=a",
       "--keep_dtype=b", "--customize_dtypes=c", "--op_precision_mode=d", "--op_select_implmode=e",
       "--optypelist_for_implmode=f", "--output_type=g", "--input_fp16_nodes=h"});
  EXPECT_EQ(job.precision.precision_mode, "force_fp32");
  EXPECT_EQ(job.precision.modify_mixlist, "a");
  EXPECT_EQ(job.precision.keep_dtype, "b");
  EXPECT_EQ(job.precision.customize_dtypes, "c");
  EXPECT_EQ(job.precision.op_precision_mode, "d");
  EXPECT_EQ(job.precision.op_select_implmode, "e");
  EXPECT_EQ(job.precision.optypelist_for_implmode, "f");
  EXPECT_EQ(job.precision.output_type, "g");
  EXPECT_EQ(job.precision.input_fp16_nodes, "h");
}

TEST_F(AoeJobTest, Budgets) {
  const std::vector<std::string> base = {"--model=$/m.onnx", "--job_type=2"};
  const auto trials = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return Make(more).max_trials;
  };
  EXPECT_EQ(trials({"--tune_optimization_level=O2"}), 200U);
  EXPECT_EQ(trials({"--tune_optimization_level=O1"}), 600U);
  EXPECT_EQ(trials({"--Fdeeper_opat"}), 1000U);
  EXPECT_EQ(trials({"--Fdeeper_opat", "--tune_optimization_level=O1"}), 3000U);
  EXPECT_EQ(trials({"--Fdeeper_opat", "--max_trials=7"}), 7U);
  EXPECT_EQ(Make(base).budget_s, std::nullopt);
  EXPECT_EQ(Make({base[0], base[1], "--budget=2min"}).budget_s, 120);
  EXPECT_THAT(Message({base[0], base[1], "--budget=120"}),
              HasSubstr("E10001: --budget=120: expected a time such as 90s, 10min or 2h"));
}

TEST_F(AoeJobTest, ModelPathIsAllModelsByName) {
  EXPECT_THAT(Make({"--model_path=$/many", "--job_type=1"}).models,
              ElementsAre(folder_ / "many/a.onnx", folder_ / "many/b.onnx", folder_ / "many/c"));
}

TEST_F(AoeJobTest, TuneOpsFile) {
  const AoeJob job = Make({"-m", "$/m.onnx", "-j", "2", "--tune_ops_file=$/ops.json"});
  ASSERT_TRUE(job.tune_ops.has_value());
  EXPECT_THAT(job.tune_ops->types, ElementsAre("Conv2D"));
}

TEST_F(AoeJobTest, FusionSwitchFile) {
  WriteFileAtomically(folder_ / "switch.json", R"({"Switch": {"UBFusion": {"ALL": "off"}}})");
  const AoeJob job = Make({"-m", "$/m.onnx", "-j", "2", "--fusion_switch_file=$/switch.json"});
  EXPECT_THAT(job.fusion_switches.off,
              ElementsAre("chain_elementwise", "fuse_activation", "fuse_activation_function",
                          "fuse_residual", "fuse_residual_after_activation"));
  EXPECT_THAT(job.notes, ::testing::IsEmpty());
  // --reload went on under the same name with other switches, which is another network.
  const std::string identity = job.identity.at("fusion_switch_file");
  EXPECT_THAT(identity, ::testing::HasSubstr("/switch.json (content "));
  EXPECT_THAT(job.warnings, ::testing::IsEmpty());
  WriteFileAtomically(folder_ / "switch.json", R"({"Switch": {"UBFusion": {"A": "off"}}})");
  EXPECT_NE(Make({"-m", "$/m.onnx", "-j", "2", "--fusion_switch_file=$/switch.json"})
                .identity.at("fusion_switch_file"),
            identity);
  EXPECT_THAT(
      Make({"-m", "$/m.onnx", "-j", "2", "--fusion_switch_file=$/switch.json"}).warnings,
      ElementsAre(
          "--fusion_switch_file=" + (folder_ / "switch.json").string() +
          ": 1 name is of no fusion here and changes nothing: 'A'; docs/internals/passes.md lists "
          "those there are"));
  WriteFileAtomically(folder_ / "switch.json", "{}");
  EXPECT_EQ(Message({"-m", "$/m.onnx", "-j", "2", "--fusion_switch_file=$/switch.json"}),
            "E10001: --fusion_switch_file=$/switch.json: expected {\"Switch\": {\"GraphFusion\": "
            "{...}, \"UBFusion\": {...}}}, found {}");
}

TEST_F(AoeJobTest, ConfigurationFile) {
  WriteFileAtomically(folder_ / "home/Ascend/latest/tools/aoe/conf/aoe.ini", "RUN_LOOP=7\n");
  EXPECT_EQ(Make({"-m", "$/m.onnx", "-j", "2"}).run_loop, 7);
  WriteFileAtomically(folder_ / "aoe.ini", "RUN_LOOP=5\nWORK_PATH=bank\n");
  const AoeJob job = Make({"-m", "$/m.onnx", "-j", "2"});
  EXPECT_EQ(job.run_loop, 5) << "the current folder comes first";
  EXPECT_EQ(job.work_root, folder_ / "bank");
  EXPECT_EQ(job.result_root, folder_ / "") << "result files do not follow WORK_PATH";
  environment_.ascend_work_path = (folder_ / "many").string();
  EXPECT_EQ(Make({"-m", "$/m.onnx", "-j", "2"}).work_root, folder_ / "many");
  EXPECT_EQ(Make({"-m", "$/m.onnx", "-j", "2"}).result_root, folder_ / "many");
  WriteFileAtomically(folder_ / "aoe.ini", "RUN_LOOP=0\n");
  EXPECT_EQ(Message({"-m", "$/m.onnx", "-j", "2"}),
            "$/aoe.ini:1: RUN_LOOP=0: expected an integer from 1 to 2048");
}

TEST_F(AoeJobTest, WorkPathMustBeUsable) {
  environment_.ascend_work_path = "nowhere";
  EXPECT_EQ(Message({"-m", "$/m.onnx", "-j", "2"}),
            "ASCEND_WORK_PATH=nowhere: expected a folder that can be read, written and searched");
  environment_.ascend_work_path.clear();
  WriteFileAtomically(folder_ / "aoe.ini", "WORK_PATH=m.onnx\n");
  EXPECT_EQ(Message({"-m", "$/m.onnx", "-j", "2"}),
            "WORK_PATH=m.onnx: expected a folder that can be read, written and searched");
}

TEST_F(AoeJobTest, BankOfTheEnvironmentMustBeUsable) {
  environment_.tune_bank_path = (folder_ / "missing").string();
  EXPECT_EQ(Message({"-m", "$/m.onnx", "-j", "2"}),
            "TUNE_BANK_PATH=$/missing: expected a folder that can be read, written and searched, "
            "but it does not exist; create it");
  environment_.tune_bank_path = (folder_ / "m.onnx").string();
  EXPECT_THAT(Message({"-m", "$/m.onnx", "-j", "2"}), HasSubstr("but it is no folder"));
  environment_.tune_bank_path = (folder_ / "bank").string();
  EXPECT_EQ(Make({"-m", "$/m.onnx", "-j", "2"}).bank.path, folder_ / "bank");
}

struct BadCase {
  std::vector<std::string> words;
  const char* message;
};

TEST_F(AoeJobTest, Errors) {
  const BadCase cases[] = {
      {{}, "E10054: --job_type is missing; expected 1 (subgraph tuning) or 2 (operator tuning)"},
      {{"--job_type=3"},
       "E10001: --job_type=3: expected 1 (subgraph tuning) or 2 (operator tuning)"},
      {{"--job_type=02"},
       "E10001: --job_type=02: expected 1 (subgraph tuning) or 2 (operator tuning)"},
      {{"-j", "2"}, "E10054: --model is missing; see halftone aoe --help"},
      {{"-j", "2", "--reload"}, "E10001: --reload belongs to --job_type=1, not to --job_type=2"},
      {{"-j", "2", "--Fnonhomo_split"},
       "E10001: --Fnonhomo_split belongs to --job_type=1, not to --job_type=2"},
      {{"-j", "1", "--Fdeeper_opat"},
       "E10001: --Fdeeper_opat belongs to --job_type=2, not to --job_type=1"},
      {{"-j", "1", "--Fop_format"},
       "E10001: --Fop_format belongs to --job_type=2, not to --job_type=1"},
      {{"-j", "1", "--tune_ops_file=x"},
       "E10001: --tune_ops_file belongs to --job_type=2, not to --job_type=1"},
      {{"-j", "2", "-m", "$/x.onnx"}, "E10001: --model=$/x.onnx: there is no such file"},
      {{"-j", "2", "-m", "$/none"},
       "E10001: --model=$/none: expected an ONNX file, or a folder that holds model.onnx"},
      {{"-j", "2", "-m", "$/m.onnx", "--model_path=$"},
       "E10056: --model and --model_path exclude each other; give one of them"},
      {{"-j", "2", "--model_path=$/x"},
       "E10001: --model_path=$/x: expected a folder with ONNX models"},
      {{"-j", "2", "--model_path=$/none"},
       "E10001: --model_path=$/none: found no .onnx file and no folder that holds model.onnx"},
      {{"-j", "2", "--model_path=$/many", "--output=o"},
       "E10001: --output names one folder, but --model_path holds 3 models; leave it out"},
      {{"-j", "1", "--model_path=$/many", "--reload=o"},
       "E10001: --reload names one folder, but --model_path holds 3 models; leave it out"},
      {{"-j", "2", "-m", "$/m.onnx", "-f", "2"},
       "E10001: --framework=2: expected 0 (Caffe), 1 (MindSpore), 3 (TensorFlow) or 5 (ONNX)"},
      {{"-j", "2", "-m", "$/m.onnx", "-f", "3"},
       "E10001: --framework=3 is TensorFlow, but the suffix of '$/m.onnx' says ONNX; correct one "
       "of "
       "them"},
      {{"-j", "2", "-m", "$/m.pb", "-f", "5"},
       "E10001: --framework=5 is ONNX, but the suffix of '$/m.pb' says TensorFlow; correct one of "
       "them"},
      {{"-j", "2", "-m", "$/m.pb"},
       "E10001: --framework=3 (TensorFlow): halftone tunes ONNX models; export '$/m.pb' to ONNX"},
      {{"-j", "2", "-m", "$/m.prototxt"},
       "E10001: --framework=0 (Caffe): halftone tunes ONNX models; export '$/m.prototxt' to ONNX"},
      {{"-j", "2", "-m", "$/m.mindir", "-f", "1"},
       "E10001: --framework=1 (MindSpore): halftone tunes ONNX models; export '$/m.mindir' to "
       "ONNX"},
      {{"-j", "2", "-m", "$/m.dat"},
       "E10054: --framework is missing, and the suffix of '$/m.dat' does not tell; use "
       "--framework=5 for an ONNX model"},
      {{"-j", "2", "-m", "$/m.dat", "-f", "5"}, "accepted"},
      {{"-j", "2", "-m", "$/many/c", "-f", "5"}, "accepted"},
      {{"-j", "2", "-m", "$/m.onnx", "--precision_mode=a", "--precision_mode_v2=b"},
       "E10056: --precision_mode and --precision_mode_v2 exclude each other; give one of them"},
      {{"-j", "2", "-m", "$/m.onnx", "--tune_ops_file=$/bad.json"},
       "E10001: --tune_ops_file=$/bad.json: $/bad.json: expected an object with tune_ops_name or "
       "tune_ops_type, found array"},
      {{"-j", "2", "-m", "$/m.onnx", "--tune_ops_file=$/missing"},
       "E10001: --tune_ops_file=$/missing: cannot read '$/missing': No such file or directory"},
      {{"-j", "2", "-m", "$/m.onnx", "--tune_ops_file=/dev/zero"},
       "E10001: --tune_ops_file=/dev/zero: cannot read '/dev/zero': expected a regular "
       "file, found a pipe or a device"},
      {{"-j", "2", "-m", "$/m.onnx", "--tune_ops_file=$/many"},
       "E10001: --tune_ops_file=$/many: cannot read '$/many': Is a directory"},
  };
  for (const BadCase& row : cases) {
    EXPECT_EQ(Message(row.words), row.message);
  }
}

}  // namespace
}  // namespace halftone
