// The IR of OpenVINO with marks, and mark_openvino.py on a made-up openvino module.
#include "src/export/openvino_ir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "tests/export/named_net.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NamedNetOf;
using testing::ProcessResult;

// What OpenVINO makes of x -> Conv with bias (c) -> Relu (r) -> Softmax (a,b), where c is a
// Convolution and an Add; by hand, after IR 11.
constexpr std::string_view kIr = R"(<?xml version="1.0"?>
<!-- <layer id="9"> in a comment -->
<net name="net" version="11">
	<layers>
		<layer id="0" name="x" type="Parameter" version="opset1">
			<data shape="1,3,8,8" element_type="f32" />
			<output>
				<port id="0" precision="FP32" names="x">
					<dim>1</dim>
				</port>
			</output>
		</layer>
		<layer id="1" name="w" type="Const" version="opset1">
			<data element_type="f32" offset="0" size="432" />
			<output>
				<port id="0" precision="FP32" names="w" />
			</output>
		</layer>
		<layer id="2" name="conv/WithoutBiases" type="Convolution" version="opset1">
			<data strides="1, 1" text="a &gt; b" />
			<input>
				<port id="0" precision="FP32" />
				<port id="1" precision="FP32" />
			</input>
			<output>
				<port id="2" precision="FP32" />
			</output>
		</layer>
		<layer id="3" name="bias" type="Const" version="opset1">
			<output>
				<port id="0" precision="FP32" />
			</output>
		</layer>
		<layer id="4" name="conv" type="Add" version="opset1">
			<data auto_broadcast="numpy" />
			<rt_info>
				<attribute name="fused_names" version="0" value="conv" />
			</rt_info>
			<input>
				<port id="0" precision="FP32" />
				<port id="1" precision="FP32" />
			</input>
			<output>
				<port id="2" precision="FP32" names="c_out,c_again" />
			</output>
		</layer>
		<layer id="5" name="relu" type="ReLU" version="opset1"><rt_info/><input/><output><port id="1" names="r_out"/></output></layer>
		<layer id="6" name="soft" type="SoftMax" version="opset8">
			<data axis="1" />
			<output>
				<port id="1" precision="FP32" names="a\,b_out">
					<dim>1</dim>
				</port>
			</output>
		</layer>
		<layer id="7" name="result" type="Result" version="opset1">
			<input>
				<port id="0" precision="FP32" />
			</input>
		</layer>
	</layers>
	<edges>
		<edge from-layer="0" from-port="0" to-layer="2" to-port="0" />
		<edge from-layer="1" from-port="0" to-layer="2" to-port="1" />
		<edge from-layer="2" from-port="2" to-layer="4" to-port="0" />
		<edge from-layer="3" from-port="0" to-layer="4" to-port="1" />
		<edge from-layer="4" from-port="2" to-layer="5" to-port="0" />
		<edge from-layer="5" from-port="1" to-layer="6" to-port="0" />
		<edge from-layer="6" from-port="1" to-layer="7" to-port="0" />
	</edges>
	<rt_info />
</net>
)";

OpenVinoMarks MarksOf(const std::map<std::string, std::string>& formats) {
  const testing::NamedNet net = NamedNetOf({"c", "r", "a,b"}, formats);
  return OpenVinoMarksOf(net.graph, net.plan);
}

// Names of the layers that have the mark.
std::vector<std::string> Marked(const std::string& xml) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(xml.c_str()));
  std::vector<std::string> names;
  for (const auto layer : document.child("net").child("layers").children()) {
    for (const auto info : layer.children("rt_info")) {
      for (const auto attribute : info.children("attribute")) {
        if (std::string_view(attribute.attribute("name").value()) == "precise") {
          names.emplace_back(layer.attribute("name").value());
        }
      }
    }
  }
  return names;
}

TEST(OpenVinoIr, MarksAllLayersOfAnOnnxNodeAndNoOther) {
  const ExportedText of_conv =
      PatchOpenVinoIr(kIr, "net.xml", MarksOf({{"r", "float16"}, {"a,b", "float16"}}));
  EXPECT_THAT(Marked(of_conv.text), ElementsAre("w", "conv/WithoutBiases", "bias", "conv"));
  EXPECT_EQ(of_conv.flags, "f16");
  EXPECT_THAT(of_conv.losses, IsEmpty());
  EXPECT_THAT(Marked(PatchOpenVinoIr(kIr, "f", MarksOf({{"c", "bfloat16"}})).text),
              ElementsAre("relu", "soft"));
  EXPECT_THAT(Marked(PatchOpenVinoIr(kIr, "f", MarksOf({{"c", "float16"}, {"r", "float16"}})).text),
              ElementsAre("soft"));
  EXPECT_THAT(of_conv.text, HasSubstr("size=\"432\" />\n\t\t\t<rt_info>\n\t\t\t\t<attribute "
                                      "name=\"precise\" version=\"0\" />\n\t\t\t</rt_info>\n"
                                      "\t\t\t<output>"));
}

TEST(OpenVinoIr, KeepsEveryOtherByte) {
  std::string text = PatchOpenVinoIr(kIr, "net.xml", MarksOf({{"a,b", "float16"}})).text;
  const std::string mark = R"(<attribute name="precise" version="0" />)";
  // What was inserted, and what stood there.
  const std::pair<std::string, std::string> changes[] = {
      {"<rt_info>\n\t\t\t\t" + mark + "\n\t\t\t</rt_info>\n\t\t\t", ""},
      {"version=\"opset1\"><rt_info>" + mark + "</rt_info>", "version=\"opset1\"><rt_info/>"},
      {mark + "\n\t\t\t\t", ""}};
  int count = 0;
  for (const auto& [inserted, before] : changes) {
    for (std::size_t at = text.find(inserted); at != std::string::npos; at = text.find(inserted)) {
      text.replace(at, inserted.size(), before);
      ++count;
    }
  }
  EXPECT_EQ(count, 5);
  EXPECT_EQ(text, kIr);
}

TEST(OpenVinoIr, PatchingTwiceIsPatchingOnce) {
  const OpenVinoMarks marks = MarksOf({{"a,b", "float16"}});
  const ExportedText once = PatchOpenVinoIr(kIr, "net.xml", marks);
  const ExportedText twice = PatchOpenVinoIr(once.text, "net.xml", marks);
  EXPECT_EQ(twice.text, once.text);
  EXPECT_THAT(twice.notes, IsEmpty());
  const ExportedText other = PatchOpenVinoIr(once.text, "net.xml", MarksOf({{"r", "float16"}}));
  EXPECT_THAT(other.notes,
              ElementsAre("layers that have the mark already and keep it, although the "
                          "plan does not ask for it: 1"));
}

TEST(OpenVinoIr, ListsTensorsThatNoLayerMakes) {
  OpenVinoMarks marks = MarksOf({{"a,b", "float16"}});
  marks.float32.emplace_back("gone");
  const ExportedText file = PatchOpenVinoIr(kIr, "net.xml", marks);
  ASSERT_EQ(file.losses.size(), 1U);
  EXPECT_EQ(file.losses[0].node, "gone");
  EXPECT_EQ(file.losses[0].written, "float16");
}

std::string ErrorOf(const std::string& xml, OpenVinoMarks marks) {
  try {
    static_cast<void>(PatchOpenVinoIr(xml, "net.xml", std::move(marks)));
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(OpenVinoIr, OneSentenceForOtherFiles) {
  const OpenVinoMarks marks = MarksOf({{"a,b", "float16"}});
  const auto replaced = [](std::string_view what, std::string_view with) {
    std::string text(kIr);
    return text.replace(text.find(what), what.size(), with);
  };
  EXPECT_THAT(ErrorOf("", marks), HasSubstr("net.xml:1: expected XML, an IR of OpenVINO: "));
  EXPECT_THAT(ErrorOf("7767517\n3 3\n", marks),
              HasSubstr("net.xml:3: expected XML, an IR of OpenVINO: "));
  EXPECT_THAT(ErrorOf(std::string(kIr.substr(0, 900)), marks), HasSubstr("net.xml:31: "));
  EXPECT_EQ(ErrorOf("<model/>", marks),
            "net.xml:1: expected <net> with <layers>, an IR of OpenVINO of version 10 or 11");
  EXPECT_EQ(ErrorOf(replaced("id=\"1\" name=\"w\"", "id=\"0\" name=\"w\""), marks),
            "net.xml:13: expected a layer with an id of its own, found '0'");
  EXPECT_EQ(ErrorOf(replaced("to-layer=\"7\"", "to-layer=\"8\""), marks),
            "net.xml:69: expected the id of a layer as to-layer, found '8'");
  EXPECT_THAT(ErrorOf(replaced("<output>\n\t\t\t\t<port id=\"0\" precision=\"FP32\" />\n"
                               "\t\t\t</output>\n",
                               ""),
                      marks),
              HasSubstr("expected a layer with <output>"));
  const testing::NamedNet other = NamedNetOf({"p", "q"}, {{"p", "float16"}});
  OpenVinoMarks of_other = OpenVinoMarksOf(other.graph, other.plan);
  of_other.all.erase("x");
  EXPECT_EQ(ErrorOf(std::string(kIr), of_other),
            "net.xml: no layer makes any of 2 tensors of the model; expected the IR that OpenVINO "
            "made of it, with its names");
}

TEST(OpenVinoMarks, RefusePlansThatTheyCannotSay) {
  EXPECT_THROW(static_cast<void>(MarksOf({{"c", "qint8"}, {"r", "float16"}})), Error);
  EXPECT_THROW(static_cast<void>(MarksOf({})), Error);
  const OpenVinoMarks marks = MarksOf({{"c", "bfloat16"}, {"r", "bfloat16"}, {"a,b", "float16"}});
  EXPECT_EQ(HintOf(marks), "bf16");
  EXPECT_THAT(marks.float32, ElementsAre("a,b_out"));
  EXPECT_THAT(NotesOf(marks.losses),
              ElementsAre("operators in neither float32 nor bfloat16, the one hint, which stand in "
                          "float32: 1, the first is 'a,b'"));
}

TEST(OpenVinoMarks, TheScriptMarksTheSameLayers) {
  if (!std::filesystem::exists("/usr/bin/python3")) {
    GTEST_SKIP() << "SKIPPED: the script is run with Debian's python3";
  }
  for (const std::map<std::string, std::string>& formats :
       {std::map<std::string, std::string>{{"r", "float16"}, {"a,b", "float16"}},
        {{"c", "bfloat16"}},
        {{"a,b", "float16"}}}) {
    const testing::NamedNet net = NamedNetOf({"c", "r", "a,b"}, formats);
    const ExportedText marks = WriteOpenVinoMarks(net.graph, net.plan);
    ASSERT_EQ(marks.beside.size(), 1U);
    const std::string folder = ::testing::TempDir() + "halftone_openvino/";
    WriteFileAtomically(folder + "net.json", marks.text);
    WriteFileAtomically(folder + "net.xml", kIr);
    WriteFileAtomically(folder + marks.beside[0].name, marks.beside[0].bytes);
    const ProcessResult result = testing::RunProcess(
        {"/usr/bin/python3", "-B",
         (testing::SourceDir() / "tests/export/run_mark_openvino.py").string(),
         folder + marks.beside[0].name, folder + "net.json", folder + "net.xml"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const auto names = nlohmann::json::parse(result.out).get<std::vector<std::string>>();
    EXPECT_EQ(names, Marked(PatchOpenVinoIr(kIr, "net.xml", MarksOf(formats)).text));
  }
}

}  // namespace
}  // namespace halftone
