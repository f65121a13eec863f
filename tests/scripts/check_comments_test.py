"""check_comments.py finds code examples in comments and leaves everything else: one line a case."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import check_comments  # noqa: E402

EXAMPLES = (
    "//   halftone::TuneOptions options;",
    '//   options.data.inputs = "inputs.npy";',
    "//   const Graph graph = builder.Finish({y});",
    '//   auto strategy = MakeStrategy("greedy", space, {.seed = 1});',
    "//   std::vector<Trial> finished = Measure(candidates);",
    "  //   while (true) {",
    "//   for (const KernelEntry* entry : EntriesFor(call)) {",
    "//     network.Run(inputs);  // of either batch",
    "//   halftone::CompiledModel network(halftone::LoadModel({.path = path}), target,",
    '//   #include "src/api/halftone.h"',
    "//   }",
)

OTHERS = (
    "const Graph graph = builder.Finish({y});  // a statement with a comment",
    "// Suggest(): proposes candidates;",
    "//   y_i = e^(x_i - max) / S,   S = sum e^(x_j - max)",
    "//   t = scale x + mask where keep, fill elsewhere;",
    "//   dynamic      scale = (max(x, 0) - min(x, 0)) / 255, 1 where that is 0, as in ONNX Runtime;",
    "//   Name(a, b)   a node of that ONNX type with one output and these operands;",
    "//   halftone_bench --benchmark_filter='gemm.*'",
    '//   {"format":1,"halftone_bank":"export"}',
    "//   |x - max| <= -ln y; weighted over S that is at most ln n;",
)


def findings_of(line):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "src").mkdir()
        (root / "src" / "a.h").write_text(line + "\n")
        return list(check_comments.findings(root))


class CheckComments(unittest.TestCase):
    def test_comments_of_headers_begin_with_a_noun_or_a_verb(self):
        for line, expected in (("// Of the kernels, the fastest.", 1), ("  // What the run costs.", 1),
                               ("// Fastest of the kernels.", 0), ("int x;  // of the kernels", 0),
                               ("// Fastest kernel\n// Of all of them, it is ...", 0)):
            with self.subTest(line):
                self.assertEqual(len(findings_of(line)), expected)

    def test_examples(self):
        for line in EXAMPLES:
            with self.subTest(line):
                found = findings_of(line)
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith("src/a.h:1: '"), found[0])

    def test_others(self):
        for line in OTHERS:
            with self.subTest(line):
                self.assertEqual(findings_of(line), [])


if __name__ == "__main__":
    unittest.main()
