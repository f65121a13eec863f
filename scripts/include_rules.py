"""Who may include what: the one table that check_includes.py enforces and draws.

A folder may include itself, the folders named in `may`, and single headers of others named in
`headers`. Rows stand in order of layers: a row may only name folders above it, so that there is no
way back. `column` places the box in docs/internals/dependencies.svg (0 left, 1 right).

A row may lie inside the folder of another one. A file is governed by the row with the longest name
that leads to it. Who names a folder may include all inside it; a row inside the folder that names it
gets its direct files alone.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Folder:
    name: str
    purpose: str
    may: tuple = ()
    headers: tuple = ()
    column: float = 0.5


def is_within(name, folder):
    """Whether a folder or file lies inside another folder."""
    return name.startswith(folder + "/")


def covering_row(path, folders):
    """The row with the longest name that leads to a file; None: there is none."""
    return max((f for f in folders if is_within(path, f.name)), key=lambda f: len(f.name), default=None)


def inside(folder, folders):
    """The rows inside the folder of a row, and that row, in their order."""
    return [f for f in folders if f.name == folder.name or is_within(f.name, folder.name)]


def top_folders(folders):
    """The rows that lie in no other: one for each, with all that the rows inside it may include."""
    for folder in folders:
        if any(is_within(folder.name, f.name) for f in folders):
            continue
        rows = inside(folder, folders)
        names = {f.name for f in rows}
        yield dataclasses.replace(
            folder, may=tuple(dict.fromkeys(m for f in rows for m in f.may if m not in names)),
            headers=tuple(dict.fromkeys(h for f in rows for h in f.headers if not is_within(h, folder.name))))


_NETWORK = ("src/base", "src/ir", "src/target", "src/quantization")
_RUNNING = ("src/base", "src/ir", "src/quantization", "src/precision", "src/exec", "src/accuracy")
_BELOW_SEARCH = (*_NETWORK, "src/precision", "kernels", "src/passes", "src/onnx", "src/exec", "src/export", "src/accuracy")
_THREADS = ("kernels/parallel.h",)

# Values and functions for programs outside the tree. Every file may include them; they include each other alone.
PUBLIC_FOLDER = "include/halftone"

FOLDERS = (
    Folder(PUBLIC_FOLDER, "the public interface"),
    Folder("src/base", "errors, hashes, statistics, files", may=(PUBLIC_FOLDER,)),
    Folder("src/ir", "the network as a graph of operators", may=("src/base",)),
    Folder("src/target", "what a device can do", may=("src/base", "src/ir"), column=0),
    Folder("src/quantization", "scales of 8-bit tensors", may=("src/base", "src/ir"), column=0.5),
    Folder("src/quantization/files", "tables of scales and ranges",
           may=("src/base", "src/ir", "src/quantization"), column=1),
    Folder("src/precision", "options to a plan, with reasons", may=_NETWORK, column=0),
    Folder("src/precision/files", "grammars of the option files", may=(*_NETWORK, "src/precision")),
    Folder("src/precision/resolve", "modes and rules to a plan",
           may=(*_NETWORK, "src/precision", "src/precision/files")),
    Folder("src/precision/write", "a plan to the smallest options",
           may=(*_NETWORK, "src/precision", "src/precision/files", "src/precision/resolve"), column=0),
    Folder("src/precision/explain", "why a plan is as it is",
           may=(*_NETWORK, "src/precision", "src/precision/resolve"), column=1),
    Folder("src/training", "settings of training scripts", may=(*_NETWORK, "src/precision"), column=0.5),
    Folder("kernels", "the implementations of the operators", may=("src/base", "src/ir"), column=1),
    Folder("src/passes/pattern", "finds chains; asks what may fuse", may=("src/base", "src/ir", "kernels")),
    Folder("src/passes/fold", "computes constants once",
           may=("src/base", "src/ir", "kernels", "src/passes/pattern"), column=0),
    Folder("src/passes/rewrite", "one operator for another, or none",
           may=("src/base", "src/ir", "src/passes/pattern"), column=0.5),
    Folder("src/passes/fuse", "several operators to one step",
           may=("src/base", "src/ir", "kernels", "src/passes/pattern"), column=1),
    Folder("src/passes", "rewrites the graph after import",
           may=("src/base", "src/ir", "src/passes/pattern", "src/passes/fold", "src/passes/rewrite", "src/passes/fuse"),
           column=1),
    Folder("src/onnx", "reads ONNX files", may=("src/base", "src/ir", "src/passes"), column=1),
    Folder("src/exec", "a plan to something that runs",
           may=(*_NETWORK, "src/precision", "kernels", "src/passes"), column=0),
    Folder("src/export", "plans as files of other runtimes",
           may=(*_NETWORK, "src/precision", "kernels", "src/passes", "src/onnx", "src/exec"), column=0.5),
    Folder("src/accuracy", "samples and error metrics", may=("src/base", "src/ir", "src/onnx"), column=1),
    Folder("search/trial", "candidates, trials, fronts of them", may=_RUNNING),
    Folder("search/space", "what can be decided", may=(*_NETWORK, "src/precision", "src/exec", "search/trial"), column=0),
    Folder("search/measure", "latency and accuracy of a plan", may=(*_RUNNING, "search/trial", "src/target"), headers=_THREADS, column=1),
    Folder("search/probe", "sensitivities of operators",
           may=(*_RUNNING, "search/space", "search/measure"), headers=_THREADS),
    Folder("search/calibrate", "ranges of tensors on samples",
           may=(*_RUNNING, "search/space", "search/probe"), headers=_THREADS, column=1),
    Folder("search/model", "predicts plans, finds the best",
           may=("src/base", "search/trial", "search/space", "search/probe")),
    Folder("search/strategies", "propose candidates",
           may=("src/base", "src/precision", "src/accuracy", "search/trial", "search/space", "search/probe",
                "search/model")),
    Folder("search/operators", "kernel and mode of each operator",
           may=(*_RUNNING, "src/target", "search/trial", "search/space", "search/strategies"), headers=_THREADS, column=0),
    Folder("search/explain", "why operators stay in float32",
           may=(*_RUNNING, "search/trial", "search/space", "search/probe", "search/strategies"), headers=_THREADS, column=1),
    Folder("search", "proposes, measures, keeps the front",
           may=(*_NETWORK, "src/precision", "search/trial", "search/space", "search/measure", "search/strategies")),
    Folder("src/runtimes", "runtimes of the user, which time and run plans",
           may=(*_RUNNING, "src/onnx", "search"), headers=_THREADS, column=0.5),
    Folder("knowledge_base", "remembers measurements", may=("src/base",),
           headers=("src/quantization/quantization.h", "search/trial/candidate.h", "search/trial/constraints.h", "search/trial/trial.h",
                    "search/operators/operator_profile.h", "search/operators/operator_timing.h",
                    "search/probe/sensitivity.h"),
           column=0),
    Folder("src/report", "what the user reads", may=("src/base", "src/quantization", "search"),
           headers=("knowledge_base/store.h", "src/accuracy/discrete_outputs.h", "src/accuracy/metric_words.h", "src/accuracy/metrics.h"), column=1),
    Folder("src/amct", "layers and files of Ascend's quantiser",
           may=(*_NETWORK, "src/precision", "src/accuracy"), column=1),
    Folder("src/qaic", "options and files of Cloud AI", may=_BELOW_SEARCH, column=0),
    Folder("src/api", "the jobs of halftone", may=(*_BELOW_SEARCH, "search", "src/report")),
    Folder("src/api/load", "models, samples, targets", may=(*_BELOW_SEARCH, "src/api")),
    Folder("src/api/options", "option sets and points",
           may=(*_BELOW_SEARCH, "src/report", "src/amct", "src/qaic", "src/api", "src/api/load")),
    Folder("src/api/runtime", "opens the runtime of --measure",
           may=(*_BELOW_SEARCH, "search", "src/report", "src/runtimes", "src/api", "src/api/options"), column=1),
    Folder("src/api/report", "gathers what reports show",
           may=(*_BELOW_SEARCH, "search", "src/report", "src/amct", "src/qaic", "src/api", "src/api/load", "src/api/options"),
           column=0),
    Folder("src/api/bank", "the knowledge base of a workload",
           may=(*_BELOW_SEARCH, "search", "knowledge_base", "src/report", "src/api", "src/api/load", "src/api/options",
                "src/api/report"), column=0),
    Folder("src/api/compare", "two fronts against each other",
           may=(*_BELOW_SEARCH, "search", "knowledge_base", "src/report", "src/api", "src/api/options", "src/api/report",
                "src/api/bank"), column=0),
    Folder("src/api/qaic", "runs command lines of Cloud AI",
           may=(*_BELOW_SEARCH, "search", "src/report", "src/qaic", "src/api"), column=0),
    Folder("src/api/run", "runs, checks and profiles",
           may=(*_BELOW_SEARCH, "search", "src/report", "src/api", "src/api/load", "src/api/options", "src/api/runtime"), column=1),
    Folder("src/api/session", "runs a network for a program",
           may=(*_BELOW_SEARCH, "search", "src/api", "src/api/load", "src/api/options", "src/api/bank"), column=1),
    Folder("src/api/tune", "a search from data to files",
           may=(*_BELOW_SEARCH, "search", "knowledge_base", "src/report", "src/amct", "src/qaic", "src/api", "src/api/load", "src/api/options", "src/api/runtime",
                "src/api/report", "src/api/bank")),
    Folder("src/api/retune", "whether a front still holds",
           may=(*_BELOW_SEARCH, "search", "knowledge_base", "src/report", "src/api", "src/api/load", "src/api/options",
                "src/api/report", "src/api/bank", "src/api/tune")),
    Folder("src/public", "answers the public interface", may=(*_BELOW_SEARCH, "search", "src/report", "src/api"), column=0),
    Folder("src/c_api", "sessions for other languages", may=(PUBLIC_FOLDER,), column=0),
    Folder("src/aoe", "command lines and result files of AOE", may=("src/base", "src/api", "search"), column=1),
    Folder("src/fleet", "tunes many networks on many machines", may=("src/base", "src/api"), column=0.5),
    Folder("src/fleet/report", "tables and pages of a fleet", may=("src/base", "src/api", "src/report", "src/fleet"), column=0.5),
    Folder("src/cli", "the command line", may=("src/base", "src/api", "src/aoe", "src/fleet", "src/qaic", "src/training"), column=0),
    Folder("src/python", "the Python package", may=(PUBLIC_FOLDER,), column=0.25),
    Folder("examples", "programs to copy from", may=(PUBLIC_FOLDER,), column=0.75),
)

# Outside the layers: may include everything they measure or test, and nothing includes them.
MEASURING = (
    Folder("bench", "measures kernels and networks", may=tuple(f.name for f in FOLDERS[:-3])),
    Folder("labs", "answers one question each", may=tuple(f.name for f in FOLDERS[:-3])),
)
# A test may include what the outer folder it mirrors may, all of that folder, and tests/support.
# tests/cli, which looks at what the program left behind, may include everything.
TEST_ROOT, TEST_SUPPORT = "tests", "tests/support"

# Third-party headers by prefix, and the files (shell patterns, * crosses folders) that may include them.
THIRD_PARTY = (
    ("fmt/", ("*.cc", "tests/*")),
    ("nlohmann/", ("*.cc", "tests/*", "knowledge_base/text_json.h", "knowledge_base/quantization_json.h", "knowledge_base/runtime_json.h",
                  "src/base/strict_json.h", "src/quantization/files/json_place.h",
                   "src/fleet/fleet_names.h", "src/report/details_json.h")),
    ("Eigen/", ("*.cc",)),
    ("boost/math/", ("src/base/distributions.cc",)),
    ("pagmo/", ("search/strategies/nsga2.cc",)),
    ("pthread.h", ("tests/*",)),
    ("sched.h", ("kernels/worker_placement.*", "tests/*")),
    ("tbb/", ("*.cc",)),
    ("oneapi/tbb/", ("*.cc",)),
    ("yaml-cpp/", ("src/base/strict_yaml.cc",)),
    ("pugixml.hpp", ("src/export/openvino_ir.cc", "tests/export/openvino_ir_test.cc")),
    ("xxhash.h", ("src/base/*.cc",)),
    ("zip.h", ("src/accuracy/*.cc", "tests/support/*.cc")),
    ("png.h", ("src/accuracy/*.cc", "tests/support/*.cc")),
    ("turbojpeg.h", ("src/accuracy/*.cc", "tests/support/*.cc")),
    ("onnx/", ("src/onnx/*.cc", "src/export/*.cc", "src/runtimes/*.cc", "labs/onnxruntime/*.cc", "tests/*")),
    ("google/protobuf/", ("src/onnx/*.cc", "tests/*")),
    ("hwy/", ("kernels/*", "tests/kernels/*")),
    ("dnnl", ("kernels/onednn/*", "bench/*.cc")),
    ("sqlite3.h", ("knowledge_base/*.cc", "tests/knowledge_base/*.cc", "tests/support/between_statements.cc")),
    ("SQLiteCpp/", ("knowledge_base/*.cc", "tests/knowledge_base/*.cc")),
    ("CLI/", ("src/cli/*.cc", "labs/*.cc", "tests/fuzz/option_parsers.cc")),
    ("cxxabi.h", ("src/python/gil.h",)),
    ("pybind11/", ("src/python/*",)),
    ("benchmark/", ("bench/*",)),
    ("gtest/", ("tests/*",)),
    ("gmock/", ("tests/*",)),
    # The operating system and the compiler's intrinsics.
    ("cpuid.h", ("kernels/*.cc", "tests/kernels/cpu_isa_test.cc", "tests/kernels/traps/*")),
    ("immintrin.h", ("kernels/*",)),
    ("dlfcn.h", ("src/runtimes/onnxruntime/*.cc",)),
    ("fcntl.h", ("*.cc", "tests/*")),
    ("linux/magic.h", ("src/base/output_file.cc",)),
    ("malloc.h", ("bench/*.cc",)),
    ("ucontext.h", ("tests/kernels/traps/*",)),
    ("poll.h", ("src/base/file_descriptor.cc", "src/base/run_program.cc", "src/base/supervised_program.cc", "src/cli/terminal.cc", "tests/*")),
    ("signal.h", ("*.cc", "tests/*")),
    ("glob.h", ("src/fleet/fleet_file.cc",)),
    ("spawn.h", ("src/base/folder_guard.cc",)),
    ("ucontext.h", ("tests/kernels/traps/*",)),
    ("unistd.h", ("*.cc", "tests/*")),
    ("stddef.h", (PUBLIC_FOLDER + "/c_api.h",)),
    ("stdint.h", (PUBLIC_FOLDER + "/c_api.h",)),
    ("sys/", ("*.cc", "tests/*")),
)

# A file holds one concept. Above so many lines look again whether it is one: if it is, it gets a row here with
# the reason; else it is split by concept, never a class to please the counter.
LOOK_AGAIN_ABOVE = 400
LONG_FILES = {
    "kernels/gemm/packed.cc": "one kernel: state, loops over blocks, packing",
    "search/model/additive_model.cc": "one class: its terms, their fit, predictions and optima",
    "search/measure/network_measurer.cc": "one class: the anchor, and what judges outputs",
    "search/trial/certify.cc": "one table: the promise of each kind of bound",
    "search/space/decisions.cc": "one class: groups, edges and the plan of an assignment",
    "search/strategies/model_strategy.cc": "one strategy: its rounds share the model and its book-keeping",
    "search/strategies/greedy.cc": "one strategy: its stages share bounds and book-keeping",
    "src/api/qaic/session.cc": "one class: a compilation, whose steps share its ranges, lists and interface",
    "src/api/retune/retune.cc": "one task: measure again, search where kernels changed, certify, judge",
    "src/aoe/session.cc": "one class: the job of one model, from reading it to its result",
    "search/calibrate/calibrate.cc": "one class: a calibration, whose steps share samples, statistics and time",
    "tests/search/calibrate/channel_factors_test.cc": "one task: channel factors, from candidates to integers, over the same few networks",
    "src/runtimes/onnxruntime/ort_runtime.cc": "one class: plans built, proved, timed and run by the library",
    "tests/aoe/session_test.cc": "one fixture: whole jobs, their files, counts and lines",
    "knowledge_base/record_json.cc": "one table: each kind of record as JSON and back",
    "tests/knowledge_base/store_test.cc": "one suite: what every store must do",
    "src/api/tune/prepare.cc": "one task: what a search needs, from options to data, space and bank",
    "tests/exec/device/device_emulation.cc": "one emulation: rounding, each node by itself, what a run made beside it",
    "src/api/tune/tune.cc": "one task: search, confirm, certify, report",
    "src/exec/lower.cc": "one class: slots of each value in each format, and the steps between them",
    "src/exec/executable.cc": "one class: compiled, run, observed",
    "src/export/onnx_qdq.cc": "one class: a walk over the nodes of a file, which products take the places of",
    "src/base/supervised_program.cc": "one process: what it starts, watches and ends, by system calls alone",
    "src/fleet/fleet_file.cc": "one grammar: a reader of each key",
    "tests/api/tune/tune_test.cc": "one task: a search from samples to files",
    "src/export/raise_opset.cc": "one table: each operator of an opset below 13 and its form in 13, or that it is unchanged",
    "src/qaic/glow_quantization.cc": "one class: the scales of a network, its tensors, weights and biases",
    "tests/cli/output_paths_test.cc": "one table: a row for each option that takes a path to write",
    "tests/export/onnx_qdq_test.cc": "one writer: what a plan becomes in its file, operator by operator",
    "tests/onnx/control_flow_test.cc": "one task: If, Loop and Scan written out, over the same few bodies",
    "tests/kernels/einsum_test.cc": "one operator: its products, modes and special values",
    "tests/kernels/kernel_test_support.cc": "one task: a call, the entries that serve it, their results against bounds",
    "tests/ir/shape_rules_test.cc": "one table: a row for each case of a shape rule",
    "tests/accuracy/dataset_test.cc": "one fixture: samples and labels of a network, and what is refused",
    "tests/api/options/point_test.cc": "one fixture: a point's folder, written, moved and changed",
    "tests/search/measure/paired_rounds_test.cc": "one protocol on one made-up machine",
}

# Headers that a program reads which includes them all: more than these cost a reader, and a compiler, too much.
MOST_PUBLIC_HEADERS = 25
