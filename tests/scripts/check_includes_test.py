"""check_includes.py finds what it is there to find: one broken file a case, in a folder of its own."""
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import check_includes  # noqa: E402
import draw_dependencies  # noqa: E402
from include_rules import FOLDERS, Folder, covering_row, top_folders  # noqa: E402

# name, files, what the one finding says; None: nothing is found.
COMPONENTS = "#pragma once\n// Runs.\n// kernels/copy/runs.h\ninline constexpr Component kRuns{};\n"

CASES = (
    ("legal", {"src/ir/a.h": '#pragma once\n#include "src/base/b.h"\n', "src/base/b.h": "#pragma once\n"}, None),
    ("upward", {"src/base/a.cc": '#include "src/ir/b.h"\n', "src/ir/b.h": "#pragma once\n"},
     'src/base/a.cc:1: src/base may not include "src/ir/b.h"'),
    ("named header",
     {"search/probe/a.cc": '#include "kernels/parallel.h"\n', "kernels/parallel.h": "#pragma once\n"}, None),
    ("other header of the same folder",
     {"search/probe/a.cc": '#include "kernels/b.h"\n', "kernels/b.h": "#pragma once\n"},
     'search/probe may not include "kernels/b.h"'),
    ("upward inside a folder",
     {"search/trial/a.cc": '#include "search/space/b.h"\n', "search/space/b.h": "#pragma once\n"},
     'search/trial may not include "search/space/b.h"'),
    ("upward to the folder itself", {"search/trial/a.cc": '#include "search/b.h"\n', "search/b.h": "#pragma once\n"},
     'search/trial may not include "search/b.h"'),
    ("down to the folder itself",
     {"src/api/load/a.cc": '#include "src/api/b.h"\n', "src/api/b.h": "#pragma once\n"}, None),
    ("past the folder itself",
     {"src/api/load/a.cc": '#include "src/api/run/b.h"\n', "src/api/run/b.h": "#pragma once\n"},
     'src/api/load may not include "src/api/run/b.h"'),
    ("inside a named folder",
     {"src/report/a.cc": '#include "search/trial/b.h"\n', "search/trial/b.h": "#pragma once\n"}, None),
    ("relative", {"src/ir/a.cc": '#include "b.h"\n', "src/ir/b.h": "#pragma once\n"}, '"b.h" does not exist'),
    ("no guard", {"src/ir/a.h": "// nothing\n"}, "src/ir/a.h: no '#pragma once'"),
    ("sqlite outside the knowledge base", {"search/a.cc": "#include <sqlite3.h>\n"}, "<sqlite3.h> may only be included by"),
    ("tbb in a header", {"kernels/a.h": "#pragma once\n#include <tbb/task_arena.h>\n"}, "<tbb/task_arena.h> may only"),
    ("tbb in a source file", {"kernels/a.cc": "#include <tbb/task_arena.h>\n"}, None),
    ("library in quotes", {"tests/ir/a.cc": '#include "gtest/gtest.h"\n'}, None),
    ("library in quotes in the wrong place", {"src/ir/a.cc": '#include "gtest/gtest.h"\n'},
     "<gtest/gtest.h> may only be included by tests/*"),
    ("unknown library", {"src/ir/a.cc": "#include <boost/any.hpp>\n"}, "is not in the table of third-party headers"),
    ("standard library", {"src/ir/a.cc": "#include <vector>\n"}, None),
    ("indented include", {"src/base/a.cc": '#  include  "src/ir/b.h"\n', "src/ir/b.h": "#pragma once\n"}, "may not include"),
    ("component that a family names", {
        "kernels/shared_components.h": COMPONENTS, "kernels/copy/runs.h": "#pragma once\n",
        "kernels/a/table.cc": "a = {&kRuns};\n", "kernels/a/b.cc": '#include "kernels/copy/runs.h"\n'}, None),
    ("component that a family does not name", {
        "kernels/shared_components.h": COMPONENTS, "kernels/copy/runs.h": "#pragma once\n",
        "kernels/a/table.cc": "\n", "kernels/a/b.cc": '#include "kernels/copy/runs.h"\n'}, "no row names kRuns"),
    ("component of a header that is gone", {"kernels/shared_components.h": COMPONENTS}, "which is not there"),
    ("400 lines", {"src/ir/a.cc": "\n" * 400}, None),
    ("401 lines", {"src/ir/a.cc": "\n" * 401}, "src/ir/a.cc: 401 lines, look again above 400"),
    ("folder without a row", {"src/new/a.cc": "\n"}, "no row of scripts/include_rules.py covers this file"),
    ("test of its own folder", {"tests/ir/a.cc": '#include "src/ir/b.h"\n', "src/ir/b.h": "#pragma once\n"}, None),
    ("test of a room of its folder",
     {"tests/search/trial/a.cc": '#include "search/explain/b.h"\n', "search/explain/b.h": "#pragma once\n"}, None),
    ("test of another folder", {"tests/ir/a.cc": '#include "search/b.h"\n', "search/b.h": "#pragma once\n"},
     'tests/ir may not include "search/b.h"'),
    ("test of a bench", {"tests/bench/a.cc": '#include "bench/b.h"\n', "bench/b.h": "#pragma once\n"}, None),
    ("public header, from anywhere",
     {"src/ir/a.cc": '#include "halftone/b.h"\n', "include/halftone/b.h": "#pragma once\n"}, None),
    ("public header, as a program includes it",
     {"examples/a.cc": "#include <halftone/b.h>\n", "include/halftone/b.h": "#pragma once\n"}, None),
    ("public header that is not there", {"src/ir/a.cc": '#include "halftone/b.h"\n'}, '"include/halftone/b.h" does not exist'),
    ("header of the inside in a public one",
     {"include/halftone/a.h": '#pragma once\n#include "src/ir/b.h"\n', "src/ir/b.h": "#pragma once\n"},
     'include/halftone may not include "src/ir/b.h"'),
    ("library in a public header", {"include/halftone/a.h": "#pragma once\n#include <unistd.h>\n"}, "<unistd.h> may only"),
    ("header of the inside in an example",
     {"examples/a.cc": '#include "src/ir/b.h"\n', "src/ir/b.h": "#pragma once\n"}, 'examples may not include "src/ir/b.h"'),
    ("25 public headers", {f"include/halftone/h{i}.h": "#pragma once\n" for i in range(25)}, None),
    ("26 public headers", {f"include/halftone/h{i}.h": "#pragma once\n" for i in range(26)}, "26 headers, at most 25 are allowed"),
)


class CheckIncludes(unittest.TestCase):
    def test_cases(self):
        for name, files, expected in CASES:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                for path, text in files.items():
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    (root / path).write_text(text)
                found = "\n".join(check_includes.findings(root))
                if expected is None:
                    self.assertEqual(found, "")
                else:
                    self.assertIn(expected, found)

    def test_kernels_decline_instruction_sets_before_highway_takes_all(self):
        with tempfile.TemporaryDirectory() as folder:
            kernels = pathlib.Path(folder) / "kernels"
            kernels.mkdir()
            targets, each = '#include "kernels/vector_targets.h"\n', '#include "hwy/foreach_target.h"\n'
            for name, text in (("good", targets + each), ("none", each), ("late", each + targets)):
                (kernels / f"{name}.cc").write_text(text)
            found = list(check_includes.target_findings(pathlib.Path(folder)))
            self.assertEqual([finding.split(":")[0] for finding in found], ["kernels/late.cc", "kernels/none.cc"])

    def test_the_table_has_no_way_back(self):
        self.assertEqual(list(check_includes.table_findings()), [])
        upward = (Folder("a", "", may=("b",)), Folder("b", ""))
        self.assertEqual(len(list(check_includes.table_findings(upward))), 1)

    def test_rows_inside_a_folder(self):
        below = Folder("base", "")
        low = Folder("a/low", "", may=("base",))
        table = (below, low, Folder("a", "", may=("a/low",)), Folder("b", "", may=("a",)))
        self.assertEqual(list(check_includes.table_findings(table)), [])
        self.assertEqual(covering_row("a/low/x.h", table), low)
        self.assertEqual(covering_row("a/x.h", table), table[2])
        self.assertEqual([(f.name, f.may) for f in top_folders(table)],
                         [("base", ()), ("a", ("base",)), ("b", ("a",))])
        # A row inside a folder may name the folder, for its direct files, where that row is above it.
        downward = (Folder("a", ""), Folder("a/high", "", may=("a",)), Folder("b", "", may=("a",)))
        self.assertEqual(list(check_includes.table_findings(downward)), [])
        for name, wrong in (("upward inside", (Folder("a/low", "", may=("a",)), Folder("a", ""))),
                            ("upward between rows inside",
                             (Folder("a/low", "", may=("a/high",)), Folder("a/high", ""))),
                            ("a folder of which a row is further down",
                             (Folder("a", ""), Folder("b", "", may=("a",)), Folder("a/high", "")))):
            with self.subTest(name):
                self.assertEqual(len(list(check_includes.table_findings(wrong))), 1)

    def test_a_long_file_with_a_reason(self):
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.dict(check_includes.LONG_FILES, {"src/ir/a.cc": "one table"}):
            root = pathlib.Path(folder)
            (root / "src/ir").mkdir(parents=True)
            (root / "src/ir/a.cc").write_text("\n" * 401)
            self.assertEqual(list(check_includes.findings(root)), [])

    def test_a_reason_for_a_file_that_is_not_long_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "long.cc").write_text("\n" * 401)
            (root / "short.cc").write_text("\n" * 400)
            found = list(check_includes.long_file_findings(root, {"long.cc": "a table", "short.cc": "a table", "gone.cc": "a"}))
        self.assertEqual(len(found), 2)
        self.assertIn("short.cc, which has 400 lines", found[0])
        self.assertIn("gone.cc, which has 0 lines", found[1])

    def test_no_two_boxes_of_a_picture_overlap(self):
        for title, rows in draw_dependencies.pictures(FOLDERS):
            place, _, _ = draw_dependencies.boxes(rows, 0)
            for a in rows:
                for b in rows:
                    (ax, ay), (bx, by) = place[a.name], place[b.name]
                    self.assertTrue(a is b or ay != by or abs(ax - bx) >= draw_dependencies.BOX_WIDTH, (title, a.name, b.name))

    def test_the_picture_shows_every_folder(self):
        picture = draw_dependencies.svg(FOLDERS)
        for folder in FOLDERS:
            self.assertIn(f">{folder.name}</text>", picture)


if __name__ == "__main__":
    unittest.main()
