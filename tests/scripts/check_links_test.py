"""check_links.py finds what it is there to find: one document a case, beside docs/guide/other.md."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import check_links  # noqa: E402

OTHER = "# Other\n\n## Adding a mode: `x_y`\n\n## Twice\n\n## Twice\n\n```sh\n# no heading\n```\n"

# name, text of docs/guide/page.md, what the one finding says; None: nothing is found.
CASES = (
    ("document", "[a](other.md)", None),
    ("folder above", "[a](../../README.md) and ![b](../guide/other.md)", None),
    ("anchor", "[a](other.md#other)", None),
    ("signs in a heading", "[a](other.md#adding-a-mode-x_y)", None),
    ("second heading of a name", "[a](other.md#twice-1)", None),
    ("anchor of its own", "# Here\n\n[a](#here)", None),
    ("another host", "[a](https://example.org/none.md#none) <mailto:a@example.org>", None),
    ("code", "`[a](none.md)`\n\n```\n[a](none.md)\n```\n", None),
    ("no document", "\n[a](none.md)", "docs/guide/page.md:2: none.md: there is no docs/guide/none.md"),
    ("second link of a line", "[a](other.md) [b](none.md)", "there is no docs/guide/none.md"),
    ("no anchor", "[a](other.md#none)", "docs/guide/page.md:1: other.md#none: no heading of docs/guide/other.md has this anchor"),
    ("no anchor of its own", "[a](#none)", "no heading of docs/guide/page.md has this anchor"),
    ("third of two headings", "[a](other.md#twice-2)", "no heading of docs/guide/other.md"),
    ("comment in code", "[a](other.md#no-heading)", "no heading of docs/guide/other.md"),
    ("outside", "[a](../../../none.md)", "../../../none.md leads out of the repository"),
)


class CheckLinks(unittest.TestCase):
    def test_cases(self):
        for name, text, expected in CASES:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / "docs/guide").mkdir(parents=True)
                (root / "README.md").write_text("# Read me\n")
                (root / "docs/guide/other.md").write_text(OTHER)
                (root / "docs/guide/page.md").write_text(text)
                found = list(check_links.findings(root))
                if expected is None:
                    self.assertEqual(found, [])
                else:
                    self.assertEqual(len(found), 1)
                    self.assertIn(expected, found[0])

    def test_documents(self):
        names = ("CONTRIBUTING.md", "docs/README.md", "docs/guide/page.md", "examples/jobs/README.md")
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in names:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("[a](none.md)")
            found = list(check_links.findings(root))
        self.assertEqual([finding.partition(":")[0] for finding in found], list(names))


if __name__ == "__main__":
    unittest.main()
