"""compile_alone.py compiles what changed, by the commands of a build: in a repository of its own with a compiler that only looks
whether a file includes what it names."""
import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import compile_alone  # noqa: E402

# Refuses a text that uses std::string without its header; follows an #include "name".
COMPILER = """#!/usr/bin/env python3
import pathlib, re, sys
root = pathlib.Path(next(word[2:] for word in sys.argv if word.startswith("-I")))
text = sys.stdin.read() if sys.argv[-1] == "-" else pathlib.Path(sys.argv[-1]).read_text()
for name in re.findall('#include "(.*)"', text):
    text += (root / name).read_text()
if "std::string" in text and "#include <string>" not in text:
    print("error: std::string is not declared", file=sys.stderr)
    sys.exit(1)
"""
DAY = 86400


class CompileAlone(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.compiler = self.root / "c++"
        self.compiler.write_text(COMPILER)
        self.compiler.chmod(0o755)
        self.git("init", "-q")
        here = mock.patch.object(compile_alone, "ROOT", self.root)
        here.start()
        self.addCleanup(here.stop)
        self.write("src/old.cc", "std::string x;")
        self.commit(0)

    def git(self, *arguments, **environment):
        subprocess.run(["git", "-C", str(self.root), "-c", "user.name=n", "-c", "user.email=e", *arguments], check=True,
                       capture_output=True, env=os.environ | environment)

    def write(self, name, text):
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text(text)

    def commit(self, day):
        self.git("add", "src")
        date = f"{1700000000 + day * DAY} +0000"
        self.git("commit", "-q", "-m", "x", GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)

    def run_script(self, *options):
        build = self.root / "build"
        build.mkdir(exist_ok=True)
        (build / "compile_commands.json").write_text(json.dumps([
            {"directory": str(build), "file": str(file), "command": f"cmake -E env A=b ccache {self.compiler} -O2 -o x.o -c {file}"}
            for file in sorted((self.root / "src").glob("*.cc"))]))
        out = io.StringIO()
        with mock.patch.object(sys, "argv", ["compile_alone.py", str(build), *options]), contextlib.redirect_stdout(out):
            code = compile_alone.main()
        return code, out.getvalue()

    def test_what_did_not_change_lately_is_not_compiled(self):
        self.write("src/new.cc", "#include <string>\nstd::string x;")
        self.commit(1)
        self.assertEqual(self.run_script(), (0, "compiled 1 of 1 changed files by themselves, 0 with errors\n"))

    def test_a_missing_include_is_an_error(self):
        self.write("src/new.cc", "std::string x;")
        self.commit(1)
        code, text = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("src/new.cc does not compile by itself:\nerror: std::string is not declared", text)

    def test_files_that_are_not_committed_count(self):
        self.write("src/new.cc", "std::string x;")
        self.write("src/old.cc", "int x;")
        code, text = self.run_script("--since=HEAD")
        self.assertEqual(code, 1)
        self.assertIn("compiled 2 of 2 changed files by themselves, 1 with errors", text)

    def test_headers_compile_alone_but_for_parts(self):
        self.write("src/new.h", "std::string x;")
        self.write("src/part-inl.h", "std::string x;")
        self.write("src/text.md", "std::string x;")
        self.commit(1)
        code, text = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("src/new.h does not compile by itself", text)
        self.assertIn("compiled 1 of 1 changed files by themselves, 1 with errors", text)

    def test_the_newest_of_many_are_compiled(self):
        for i in range(4):
            self.write(f"src/new{i}.cc", "int x;")
        self.commit(1)
        self.assertEqual(self.run_script("--most=3"), (0, "compiled 3 of 4 changed files by themselves, 0 with errors\n"))

    def test_without_history_nothing_is_known(self):
        shutil.rmtree(self.root / ".git")
        with mock.patch.dict(os.environ, {"GIT_CEILING_DIRECTORIES": str(self.root.parent)}):
            code, text = self.run_script()
        self.assertEqual(code, 0)
        self.assertIn("no history of git here", text)


if __name__ == "__main__":
    unittest.main()
