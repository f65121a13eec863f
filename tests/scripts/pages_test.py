"""The documents stay a house that one person can know: few pages, few words, and each says first for whom it is. Pages of
docs/measurements/ are figures and do not count."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_PAGES = 35
MOST_WORDS = 45_000
FOLDERS = {"guide", "reference", "internals", "measurements"}
PAGES = sorted(path for path in ROOT.glob("docs/**/*.md") if "measurements" not in path.parts)


class Pages(unittest.TestCase):
    def test_there_are_few(self):
        self.assertGreater(len(PAGES), 10)
        self.assertLessEqual(len(PAGES), MOST_PAGES)

    def test_they_have_few_words(self):
        words = sum(len([word for word in path.read_text().split() if re.search(r"\w", word)]) for path in PAGES)
        self.assertLessEqual(words, MOST_WORDS)

    def test_each_lies_in_a_folder_and_is_listed(self):
        index = (ROOT / "docs/README.md").read_text()
        for path in PAGES:
            name = path.relative_to(ROOT / "docs")
            with self.subTest(name):
                self.assertTrue(str(name) == "README.md" or name.parts[0] in FOLDERS)
                self.assertTrue(str(name) == "README.md" or f"({name})" in index, "not listed in docs/README.md")

    def test_each_says_first_for_whom_it_is(self):
        for path in PAGES:
            with self.subTest(path.name):
                lines = [line for line in path.read_text().splitlines() if line and not line.startswith("<!--")]
                self.assertTrue(lines[0].startswith("# "))
                self.assertRegex(lines[1], r"\b[Ff]or (those|whoever|who|everyone|developers|users)\b")


if __name__ == "__main__":
    unittest.main()
