// Grammar of FLEET.yaml: every key, where models and samples are found, and every error sentence.
#include "src/fleet/fleet_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/fleet/fleet_fixture.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

class FleetFileTest : public halftone::testing::FleetFixture {
 protected:
  fs::path At(const std::string& name) const { return folder_.path() / name; }

  void Touch(const std::string& name) const { WriteFileAtomically(At(name), ""); }

  FleetFile Parse(const std::string& text) const { return ParseFleetFile(text, At("FLEET.yaml")); }

  std::string Complaint(const std::string& text) const {
    return Message(ErrorKind::kUsage, [&] { Parse(text); });
  }

  std::vector<std::string> Names(const std::string& text) const {
    std::vector<std::string> names;
    for (const FleetNetwork& network : Parse(text).plan.networks) {
      names.push_back(network.name);
    }
    return names;
  }
};

TEST_F(FleetFileTest, TheLeastFileHasDefaults) {
  Touch("a.onnx");
  const FleetFile file = Parse("fleet: out\nnetworks: [a.onnx]\n");
  EXPECT_EQ(file.folder, At("out"));
  EXPECT_EQ(file.plan.task, RoundTask::kTune);
  EXPECT_EQ(file.plan.engine, "slurm");
  EXPECT_THAT(file.plan.engine_options, IsEmpty());
  EXPECT_EQ(file.plan.checkpoint_s, 30);
  EXPECT_EQ(file.plan.start_folder, folder_.path());
  EXPECT_THAT(file.plan.kinds, ElementsAre(FleetKind{.name = "any"}));
  EXPECT_THAT(file.plan.networks,
              ElementsAre(FleetNetwork{
                  .name = "a", .model = At("a.onnx"), .options = {}, .kinds = {"any"}}));
}

// Networks see kinds and defaults that stand below them.
TEST_F(FleetFileTest, EveryKeyInAnyOrder) {
  Touch("kws/model.onnx");
  const FleetFile file = Parse(R"(
networks:
  - {model: kws, name: words, kinds: [zen5], budget: 9min, min_sqnr_db: 40}
defaults: {budget: 5min, seed: 3, soc_version: Ascend310P3}
kinds:
  zen5: {constraint: "zen5&big", exclusive: true, options: {threads: 8, seed: 4}}
  npu: {exclusive: false, cpus: 2}
  plain:
checkpoint: 12.5
engine_options: {partition: [cpu, gpu], contiguous: true, requeue: false, hold: "false"}
engine: local
fleet: /net/out/
)");
  EXPECT_EQ(file.folder, "/net/out");
  EXPECT_EQ(file.plan.engine, "local");
  EXPECT_EQ(file.plan.checkpoint_s, 12.5);
  EXPECT_THAT(
      file.plan.engine_options,
      ElementsAre(Pair("partition", "cpu,gpu"), Pair("contiguous", "true"), Pair("hold", "false")));
  EXPECT_THAT(file.plan.kinds,
              ElementsAre(FleetKind{.name = "zen5",
                                    .constraint = "zen5&big",
                                    .options = {{"threads", "8"}, {"seed", "4"}}},
                          FleetKind{.name = "npu", .constraint = "", .exclusive = false, .cpus = 2},
                          FleetKind{.name = "plain"}));
  const FleetNetwork& network = file.plan.networks.at(0);
  EXPECT_EQ(network.name, "words");
  EXPECT_EQ(network.model, At("kws/model.onnx"));
  EXPECT_THAT(network.kinds, ElementsAre("zen5"));
  EXPECT_THAT(network.options,
              ElementsAre(Pair("budget", "9min"), Pair("seed", "3"),
                          Pair("soc_version", "Ascend310P3"), Pair("min_sqnr_db", "40")));
}

TEST_F(FleetFileTest, KindsWinOverNetworksAndThoseOverDefaults) {
  Touch("a.onnx");
  const FleetPlan plan = Parse(R"({fleet: out, defaults: {x: 1, y: 1, z: 1},
      kinds: {k: {options: {z: 3}}}, networks: [{model: a.onnx, y: 2, z: 2}]})")
                             .plan;
  EXPECT_THAT(OptionsOf(plan, {"k", "a"}),
              ElementsAre(Pair("x", "1"), Pair("y", "2"), Pair("z", "3")));
}

TEST_F(FleetFileTest, APatternFindsFilesAndFoldersByName) {
  for (const char* name : {"m/b/model.onnx", "m/a/model.onnx", "m/c.onnx", "m/notes.txt",
                           "m/empty/other.onnx", "m/.hidden/model.onnx"}) {
    Touch(name);
  }
  EXPECT_THAT(Names("{fleet: out, networks: [{each: m/*}]}"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(Names("{fleet: out, networks: [{each: m/*.onnx}, {each: 'm/[ab]'}]}"),
              ElementsAre("c", "a", "b"));
  EXPECT_THAT(Names("{fleet: out, networks: [{each: m/*/model.onnx}]}"), ElementsAre("a", "b"));
  EXPECT_THAT(Names(fmt::format("{{fleet: out, networks: [{{each: '{}'}}]}}", At("m/?").string())),
              ElementsAre("a", "b"));
}

// The folder of the file is no pattern, whatever its name.
TEST_F(FleetFileTest, PatternsStartInFoldersOfAnyName) {
  const fs::path odd = At("x[1]*?\\y");
  WriteFileAtomically(odd / "m/a.onnx", "");
  const FleetFile file =
      ParseFleetFile("{fleet: out, networks: [{each: m/*}]}", odd / "FLEET.yaml");
  EXPECT_EQ(file.plan.networks.at(0).model, odd / "m/a.onnx");
}

TEST_F(FleetFileTest, NamesOfNetworksComeFromTheirPaths) {
  for (const char* name : {"f/net/model.onnx", "f/other.onnx", "up/model.onnx"}) {
    Touch(name);
  }
  EXPECT_THAT(Names("{fleet: out, networks: [f/net, f/other.onnx, up/model.onnx]}"),
              ElementsAre("net", "other", "up"));
  EXPECT_THAT(Names("{fleet: out, networks: [f/net/, {model: ./f/../up/, name: n-1_2+x.y}]}"),
              ElementsAre("net", "n-1_2+x.y"));
}

TEST_F(FleetFileTest, FolderAndNameStandInOptions) {
  Touch("m/a/model.onnx");
  const FleetNetwork network =
      Parse(
          "{fleet: out, defaults: {heldout_inputs: '{folder}/held-{name}-{name}.npy'},"
          " networks: [m/a]}")
          .plan.networks.at(0);
  EXPECT_THAT(network.options,
              ElementsAre(Pair("heldout_inputs", At("m/a/held-a-a.npy").string())));
}

TEST_F(FleetFileTest, SamplesLieBesideTheModel) {
  for (const char* name : {"eval/model.onnx", "eval/eval/0.png", "set/model.onnx",
                           "set/test_data_set_0/input_0.pb", "pb/model.onnx", "pb/input_0.pb",
                           "none/model.onnx", "given/model.onnx", "given/input_0.pb"}) {
    Touch(name);
  }
  const FleetPlan plan =
      Parse("{fleet: out, networks: [eval, set, pb, none, {model: given, inputs: mine}]}").plan;
  std::map<std::string, OptionList> options;
  for (const FleetNetwork& network : plan.networks) {
    options[network.name] = network.options;
  }
  EXPECT_THAT(options["eval"], ElementsAre(Pair("inputs", At("eval/eval").string())));
  EXPECT_THAT(options["set"], ElementsAre(Pair("inputs", At("set").string())));
  EXPECT_THAT(options["pb"], ElementsAre(Pair("inputs", At("pb").string())));
  EXPECT_THAT(options["none"], IsEmpty());
  EXPECT_THAT(options["given"], ElementsAre(Pair("inputs", "mine")));
}

TEST_F(FleetFileTest, APatternWithTenThousandMatches) {
  Touch("many/n0000.onnx");
  for (int i = 1; i < 10000; ++i) {  // links: as many files would take seconds
    fs::create_hard_link(At("many/n0000.onnx"), At(fmt::format("many/n{:04}.onnx", i)));
  }
  const FleetPlan plan = Parse("{fleet: out, networks: [{each: many/*}]}").plan;
  ASSERT_EQ(plan.networks.size(), 10000U);
  EXPECT_EQ(plan.networks.front().name, "n0000");
  EXPECT_EQ(plan.networks.back().name, "n9999");
  EXPECT_EQ(PlanFromJson(PlanToJson(plan), "plan.json"), plan);
}

struct Refusal {
  const char* text;
  const char* sentence;  // behind "<file>:"
};

const Refusal kRefusals[] = {
    {"", "1: expected a fleet in YAML, found an empty file"},
    {"[a, b]", "1: the file is a list; expected a map"},
    {"fleet: out", "1: no key 'networks'; expected a list of models"},
    {"networks: [a.onnx]", "1: no key 'fleet'; expected the folder of the fleet"},
    {"fleet: ~\nnetworks: [a.onnx]", "1: 'fleet' has no value"},
    {"fleet: ''\nnetworks: [a.onnx]", "1: fleet: '' is the folder of this file"},
    {"fleet: x/..\nnetworks: [a.onnx]", "1: fleet: 'x/..' is the folder of this file"},
    {"fleet: [out]\nnetworks: [a.onnx]", "1: 'fleet' is a list; expected a scalar"},
    {"fleet: out\nnetwork: [a.onnx]", "2: unknown key 'network'"},
    {"fleet: out\nfleet: two\nnetworks: [a.onnx]", "2: "},
    {"fleet: out\nnetworks: a.onnx", "2: 'networks' is a scalar; expected a list"},
    {"fleet: out\nnetworks: []", "2: no network; expected at least one model"},
    {"fleet: out\nnetworks: [[a.onnx]]", "2: a network is a list; expected a map"},
    {"fleet: out\nnetworks: [~]", "2: 'networks' has no value"},
    {"fleet: out\nnetworks: [no.onnx]", "2: no model at '"},
    {"fleet: out\nnetworks: [empty]", "2: no model at '"},
    {"fleet: out\nnetworks:\n - a.onnx\n - {each: 'none/*'}", "4: '"},
    {"fleet: out\nnetworks: [{budget: 1s}]", "2: a network has either 'model', a file or folder"},
    {"fleet: out\nnetworks: [{model: a.onnx, each: '*'}]", "2: a network has either 'model'"},
    {"fleet: out\nnetworks: [{each: '*', name: x}]", "2: 'name' beside 'each' would name several"},
    {"fleet: out\nnetworks: [a.onnx, a.onnx]", "2: two networks named 'a'; give one of them"},
    {"fleet: out\nnetworks: [{model: a.onnx, name: 'a b'}]", "2: the network 'a b' names a folder"},
    {"fleet: out\nnetworks: [{model: a.onnx, name: ''}]", "2: the network '' names a folder"},
    {"fleet: out\nnetworks: [{model: a.onnx, name: ..}]", "2: the network '..' names a folder"},
    {"fleet: out\nnetworks: [{model: a.onnx, name: -x}]", "2: the network '-x' names a folder"},
    {"fleet: out\nnetworks: [{model: a.onnx, name: x/y}]", "2: the network 'x/y' names a folder"},
    {"fleet: out\nnetworks: [{model: a.onnx, name: \"\\u00e4\"}]", "2: the network '"},
    {"fleet: out\nnetworks: [{model: a.onnx, kinds: [zen]}]", "2: no kind 'zen' among those"},
    {"fleet: out\nnetworks: [{model: a.onnx, kinds: any}]", "2: 'kinds' of a network is a scalar"},
    {"fleet: out\nnetworks: [{model: a.onnx, kinds: []}]", "2: an empty list of kinds; leave"},
    {"fleet: out\nnetworks: [{model: a.onnx, output: x}]", "2: 'output' is set by the fleet"},
    {"fleet: out\nnetworks: [{model: a.onnx, x: {y: z}}]", "2: 'x' is a map; expected a scalar"},
    {"fleet: out\nnetworks: [{model: a.onnx, x: }]", "2: 'x' has no value"},
    {"fleet: out\ndefaults: {model: x}\nnetworks: [a.onnx]", "2: 'model' is set by the fleet"},
    {"fleet: out\ndefaults: {op_bank_path: x}\nnetworks: [a.onnx]", "2: 'op_bank_path' is set by"},
    {"fleet: out\ndefaults: [x]\nnetworks: [a.onnx]", "2: 'defaults' is a list; expected a map"},
    {"fleet: out\nkinds: [k]\nnetworks: [a.onnx]", "2: 'kinds' is a list; expected a map"},
    {"fleet: out\nkinds: {k: [x]}\nnetworks: [a.onnx]", "2: kind 'k' is a list; expected a map"},
    {"fleet: out\nkinds: {a/b: }\nnetworks: [a.onnx]", "2: the kind 'a/b' names a folder"},
    {"fleet: out\nkinds:\n  k:\n    cpu: 2\nnetworks: [a.onnx]",
     "4: unknown key 'cpu' of kind 'k'"},
    {"fleet: out\nkinds: {k: {cpus: 1.5}}\nnetworks: [a.onnx]", "2: cpus: 1.5; expected a whole"},
    {"fleet: out\nkinds: {k: {cpus: 0}}\nnetworks: [a.onnx]", "2: cpus: 0; expected a whole"},
    {"fleet: out\nkinds: {k: {cpus: 1e9}}\nnetworks: [a.onnx]", "2: cpus: 1e9; expected a whole"},
    {"fleet: out\nkinds: {k: {exclusive: yes}}\nnetworks: [a.onnx]",
     "2: exclusive: yes; expected true or false"},
    {"fleet: out\nkinds: {k: {options: {quiet: true}}}\nnetworks: [a.onnx]",
     "2: 'quiet' is set by the fleet"},
    {"fleet: out\nnetworks: [{model: a.onnx, a=b: c}]", "2: 'a=b' is no name of an option"},
    {"fleet: out\nnetworks: [{model: a.onnx, --budget: 1s}]", "2: '--budget' is no name of an"},
    {"fleet: out\nnetworks: [{model: a.onnx, '': c}]", "2: '' is no name of an option"},
    {"fleet: out\nnetworks: [{model: a.onnx, \"x\\0\": c}]", "2: 'x\\x00' is no name of an"},
    {"fleet: out\ndefaults: {a b: c}\nnetworks: [a.onnx]", "2: 'a b' is no name of an option"},
    {"fleet: out\nengine_options: {a=b: c}\nnetworks: [a.onnx]", "2: 'a=b' is no name of an"},
    {"fleet: out\nkinds: {k: {options: {a=b: c}}}\nnetworks: [a.onnx]", "2: 'a=b' is no name"},
    {"fleet: out\ndefaults: {x: \"a\\0b\"}\nnetworks: [a.onnx]", "2: x: 'a\\x00b': expected no"},
    {"fleet: \"a\\0b\"\nnetworks: [a.onnx]", "1: fleet: 'a\\x00b': expected no character"},
    {"fleet: out\nnetworks: [\"a.onnx\\0\"]", "2: networks: 'a.onnx\\x00': expected no"},
    {"fleet: out\nnetworks: [{each: \"*\\0\"}]", "2: each: '*\\x00': expected no character"},
    {"fleet: out\nkinds: {k: {constraint: \"\\0\"}}\nnetworks: [a.onnx]", "2: constraint: '"},
    {"fleet: out\nnetworks: [loop]", "2: '"},
    {"fleet: out\nnetworks: [{each: 'loop/*'}]", "2: '"},
    {"fleet: out\ncheckpoint: soon\nnetworks: [a.onnx]", "2: checkpoint: soon; expected a number"},
    {"fleet: out\ncheckpoint: -1\nnetworks: [a.onnx]", "2: checkpoint: -1; expected a number"},
    {"fleet: out\ncheckpoint: nan\nnetworks: [a.onnx]", "2: checkpoint: nan; expected a number"},
    {"fleet: out\ncheckpoint: inf\nnetworks: [a.onnx]", "2: checkpoint: inf; expected a number"},
    {"fleet: out\nengine: {a: b}\nnetworks: [a.onnx]", "2: 'engine' is a map; expected a scalar"},
    {"fleet: out\nengine_options: 3\nnetworks: [a.onnx]", "2: 'engine_options' is a scalar"},
    {"fleet: out\nnetworks: &x [a.onnx]", "2: anchors and aliases are not read"},
    {"fleet: out\nnetworks: [a.onnx", "2: expected YAML: "},
    {"fleet: out\nnetworks: [{x: [[[[[[[[a]]]]]]]]}]", "2: expected at most 8 levels"},
};

TEST_F(FleetFileTest, EachRefusalIsOneSentenceWithItsLine) {
  Touch("a.onnx");
  fs::create_directory(At("empty"));
  fs::create_symlink("loop", At("loop"));  // a path that cannot be looked at, by nobody
  for (const Refusal& row : kRefusals) {
    const std::string complaint = Complaint(row.text);
    EXPECT_THAT(complaint, StartsWith(At("FLEET.yaml").string() + ":" + row.sentence)) << row.text;
    EXPECT_EQ(complaint.find('\n'), std::string::npos) << row.text;
  }
}

TEST_F(FleetFileTest, APathThatCannotBeReadIsNamed) {
  fs::create_symlink("loop", At("loop"));
  for (const char* network : {"loop", "{each: 'loop/*'}"}) {
    EXPECT_THAT(Complaint(fmt::format("{{fleet: out, networks: [{}]}}", network)),
                HasSubstr("/loop' cannot be read: Too many levels of symbolic links"))
        << network;
  }
  EXPECT_THAT(Complaint("{fleet: out, networks: [" + std::string(300, 'n') + "]}"),
              HasSubstr("cannot be read: File name too long"));
}

// The system's function calls itself for each part.
TEST_F(FleetFileTest, APatternHasBounds) {
  const auto pattern = [](std::size_t parts) {
    std::string text;
    for (std::size_t i = 0; i < parts; ++i) {
      text += "*/";
    }
    return "{fleet: out, networks: [{each: \"" + text + "x\"}]}";
  };
  EXPECT_THAT(Complaint(pattern(16)), HasSubstr("finds no .onnx file"));
  for (const std::size_t parts : {100U, 2000U, 3000U, 100000U}) {
    EXPECT_THAT(Complaint(pattern(parts)), HasSubstr("expected at most 4095 bytes and 64 parts"));
  }
  EXPECT_THAT(Complaint("{fleet: out, networks: [{each: '" + std::string(5000, '*') + "'}]}"),
              HasSubstr("expected at most 4095 bytes and 64 parts"));
}

TEST_F(FleetFileTest, AUnknownKeyNamesAll) {
  const std::string complaint = Complaint("{fleet: out, kind: x}");
  for (const char* key :
       {"fleet", "engine", "engine_options", "checkpoint", "kinds", "defaults", "networks"}) {
    EXPECT_THAT(complaint, HasSubstr(key));
  }
}

TEST_F(FleetFileTest, OptionsOfTheFleetItselfAreRefusedEverywhere) {
  Touch("a.onnx");
  for (const char* name : {"config", "help", "no_bank", "op_bank_path", "output", "progress_file",
                           "quiet", "seed_bank", "verbose", "model"}) {
    EXPECT_THAT(
        Complaint(fmt::format("{{fleet: out, defaults: {{{}: x}}, networks: [a.onnx]}}", name)),
        HasSubstr(fmt::format("'{}' is set by the fleet for each task: leave it out", name)));
  }
}

TEST_F(FleetFileTest, ALongNameAndAHugeFileAreRefused) {
  Touch("a.onnx");
  const std::string name(120, 'n');
  EXPECT_THAT(Names(fmt::format("{{fleet: out, networks: [{{model: a.onnx, name: {}}}]}}", name)),
              ElementsAre(name));
  EXPECT_THAT(
      Complaint(fmt::format("{{fleet: out, networks: [{{model: a.onnx, name: {}n}}]}}", name)),
      HasSubstr("expected at most 120 letters"));
  EXPECT_THAT(Complaint("fleet: out\nnetworks: [a.onnx]\n#" + std::string(16U << 20U, 'x')),
              HasSubstr("expected at most 16777216 bytes of fleet, found 1677"));
}

}  // namespace
}  // namespace halftone
