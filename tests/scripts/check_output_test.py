"""check_output.py finds what it is there to find: one file a case, in a folder of its own."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import check_output  # noqa: E402

# path, line, what the one finding says; None: nothing is found.
CASES = (
    ("src/cli/a.cc", 'fmt::print("{}", name);', "src/cli/a.cc:1: 'fmt::print': print with src/cli/terminal.h"),
    ("src/api/a.cc", "std::cout << name;", "'std::cout'"),
    ("search/a.cc", "std::cerr << name;", "'std::cerr'"),
    ("kernels/a.cc", 'std::printf("x");', "'std::printf('"),
    ("kernels/a.cc", 'fprintf(stream, "x");', "'fprintf('"),
    ("src/cli/a.cc", "std::fputs(name, stream);", "'std::fputs('"),
    ("src/cli/a.cc", "FILE* file = stderr;", "'stderr'"),
    ("src/cli/terminal.cc", "std::puts(name);", "'std::puts('"),
    ("src/cli/a.cc", "::write(STDOUT_FILENO, text.data(), text.size());", "'::write(STD'"),
    ("src/cli/file_size_limit.cc", "write(STDERR_FILENO, text.data(), text.size());", None),
    ("src/base/a.cc", "::write(file.get(), text.data(), text.size());", "'::write(file.get()'"),
    ("src/cli/a.cc", "WriteAll(1, text);", "'WriteAll('"),
    ("src/cli/terminal.cc", "WriteAll(1, text);", None),
    ("src/api/a.cc", "std::ofstream stream(path);", "'ofstream': write with src/base/output_file.h"),
    ("src/api/a.cc", "std::ifstream stream(path);", None),
    ("src/api/a.cc", "fs::rename(part, path, error);", "'fs::rename('"),
    ("src/api/a.cc", "fs::remove_all(folder, error);", "'fs::remove_all(': delete with src/base/remove_below.h"),
    ("knowledge_base/a.cc", "std::filesystem::remove(path);", "'filesystem::remove('"),
    ("src/base/a.cc", "::unlink(path.c_str());", "'::unlink('"),
    ("src/base/a.cc", "::ftruncate(file.get(), 0);", "'::ftruncate('"),
    ("src/base/a.cc", "std::filesystem::resize_file(path, 0);", "'filesystem::resize_file('"),
    ("src/base/a.cc", "constexpr int kFlags = O_TRUNC;", "'O_TRUNC'"),
    ("src/base/remove_below.cc", "fs::remove_all(path, code);", None),
    ("src/api/a.cc", "RemoveBelow(folder, folder / name);", None),
    ("src/api/a.cc", "attributes.remove(name);", None),
    ("src/api/a.cc", "FILE* pipe = popen(command, mode);", "'popen(': run programs with src/base/run_program.h"),
    ("src/fleet/a.cc", "const pid_t pid = ::fork();", "'::fork('"),
    ("src/base/run_program.cc", "::posix_spawnp(&pid, argv[0], &files, &attributes, argv, envp);", "'::posix_spawnp('"),
    ("src/cli/a.cc", "std::system(command);", "'system('"),
    ("src/base/supervised_program.cc", "::execvpe(argv[0], argv, envp);", None),
    ("src/base/a.cc", "RunProgram(words, options);", None),
    ("src/base/a.cc", "file.system(name);", None),
    ("src/api/a.cc", "std::filesystem::copy_file(a, b);", "'filesystem::copy_file('"),
    ("src/api/a.cc", "std::ranges::copy(a, b);", None),
    ("src/base/a.cc", "::open(path, O_WRONLY | O_CREAT);", "'O_WRONLY'"),
    ("src/base/output_file.cc", "::open(path, O_WRONLY | O_CREAT);", None),
    ("src/base/a.cc", "::open(path, O_RDONLY);", None),
    ("src/api/a.h", "//   std::puts(text);", None),
    ("bench/a.cc", 'std::printf("x");', None),
    ("src/api/a.cc", "write(ExportHeader());", None),
    ("src/api/a.cc", 'fmt::format("x");', None),
    ("kernels/gemm/a-inl.h", "#if HWY_TARGET == HWY_SCALAR", "'HWY_TARGET ==': ask HALFTONE_CAN()"),
    ("kernels/gemm/a.cc", "constexpr bool kWide = HWY_TARGET <= HWY_AVX3;", "'HWY_TARGET <='"),
    ("kernels/gemm/a.cc", "#if defined(__AVX512BF16__)", "'__AVX512BF16__'"),
    ("kernels/vector_capabilities.h", "#define HALFTONE_CAN_AVX512 (HWY_TARGET <= HWY_AVX3)", None),
    ("kernels/gemm/a.cc", "#define HWY_TARGET_INCLUDE \"kernels/gemm/a.cc\"", None),
)


class CheckOutput(unittest.TestCase):
    def test_cases(self):
        for path, line, expected in CASES:
            with self.subTest(line), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / path).parent.mkdir(parents=True)
                (root / path).write_text(line + "\n")
                found = list(check_output.findings(root))
                if expected is None:
                    self.assertEqual(found, [])
                else:
                    self.assertEqual(len(found), 1, found)
                    self.assertIn(expected, found[0])


if __name__ == "__main__":
    unittest.main()
