"""check_types.py finds what it is there to find: one text a case, beside src/other.h."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import check_types  # noqa: E402

OTHER = "namespace a {\nstruct Point {\n  int x;\n};\nenum class Mode : int { kOne };\n}  // namespace a\n"

# name, text of search/page.h, the qualified name that is found twice; None: nothing is found.
CASES = (
    ("another name", "namespace a { struct Place {}; }", None),
    ("another namespace", "namespace b { struct Point {}; }", None),
    ("no namespace", "struct Point {};", None),
    ("a declaration", "namespace a { struct Point; class Mode; }", None),
    ("a base class", "namespace a { struct Place : Point {}; }", None),
    ("inside of a class", "namespace a { class Line { struct Point {}; }; }", None),
    ("inside of a function", "namespace a { inline void F() { struct Point {}; } }", None),
    ("anonymous", "namespace a {\nnamespace {\nstruct Point {};\n}\n}", None),
    ("comments and texts", 'namespace a {\n// struct Point {};\n/* struct Point {}; */ auto t = "struct Point {};";\n}', None),
    ("a raw text", 'namespace a {\nauto t = R"(struct Point {};)";\n}', None),
    ("a directive", "#define P struct Point {};\nnamespace a {\n}", None),
    ("a specialization", "namespace a { template <> struct Point<int> {}; }", None),
    ("a struct", "namespace a {\nstruct Point {\n};\n}", "a::Point"),
    ("a class", "namespace a {\nclass [[nodiscard]] Point final : public B {\n};\n}", "a::Point"),
    ("an enumeration", "namespace a {\nenum class Mode : int { kTwo };\n}", "a::Mode"),
    ("a method", "namespace a {\nclass Line {\n  Point Point(int x) const;\n};\n}", None),
    ("a call", "namespace a {\ninline int F() { return Point(1); }\n}", None),
    ("a function of another name", "namespace a {\nint Points(int x);\n}", None),
    ("behind a function", "namespace a {\ninline int F() { return 1; }\nstruct Point {};\n}", "a::Point"),
)


class CheckTypes(unittest.TestCase):
    def test_cases(self):
        for name, text, expected in CASES:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                for file, content in (("src/other.h", OTHER), ("search/page.h", text)):
                    (root / file).parent.mkdir()
                    (root / file).write_text(content)
                found = list(check_types.findings(root))
                self.assertEqual(found, [] if expected is None else [
                    f"{expected} is defined in src/other.h and search/page.h: expected one file, rename one of them"])

    def test_a_function_that_has_the_name_of_a_type(self):
        for text in ("constexpr int Point(int x) { return x; }", "int Point(const std::string& x,\n  int y = F(1));",
                     "template <typename T>\nT Point(T x);"):
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                for file, content in (("src/other.h", OTHER), ("search/page.h", f"namespace a {{\n{text}\n}}")):
                    (root / file).parent.mkdir()
                    (root / file).write_text(content)
                self.assertEqual(list(check_types.findings(root)), [
                    "a::Point is a type in src/other.h and a function in search/page.h: rename one of them"])


if __name__ == "__main__":
    unittest.main()
