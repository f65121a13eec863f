#include "bench/kernel_bench.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>

#include "bench/peak/roof.h"
#include "kernels/parallel.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

constexpr double kSameResult = 0x1p-6;  // two operands rounded to 2^-8 of themselves each

// One prepared entry with its data.
struct Prepared {
  std::vector<Tensor> inputs;
  std::vector<TensorType> types;
  Tensor output;
  std::unique_ptr<KernelState> state;
  Tensor scratch;

  void Run(const KernelEntry& entry) {
    std::vector<const void*> in;
    for (const Tensor& input : inputs) {
      in.push_back(input.data());
    }
    void* out[] = {output.mutable_data()};
    entry.run(
        {.state = state.get(), .inputs = in, .outputs = out, .scratch = scratch.mutable_data()});
  }
};

Tensor RandomInput(DType dtype, const Shape& shape, double spread, std::uint64_t seed) {
  Rng rng(seed);
  Tensor floats(DType::kFloat32, shape);
  for (float& value : floats.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-spread, spread));
  }
  return Convert(floats, dtype);
}

KernelQuery QueryOf(const KernelBench& bench, const Prepared& data) {
  KernelQuery query{.op = bench.op,
                    .attributes = &bench.attributes,
                    .fusion = &bench.fusion,
                    .layout = bench.layout};
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    query.inputs.push_back(&data.types[i]);
    const bool constant = bench.operands.empty() ? bench.constant[i] : i > 0;
    query.constants.push_back(constant ? &data.inputs[i] : nullptr);
  }
  query.outputs = {&data.output.type()};
  return query;
}

Prepared DataOf(const KernelBench& bench, DType dtype) {
  Prepared data;
  if (!bench.operands.empty()) {
    data.inputs = bench.operands;
    for (const Tensor& input : data.inputs) {
      data.types.push_back(input.type());
    }
    data.output = Tensor(bench.result_dtype, bench.result);
    return data;
  }
  for (std::size_t i = 0; i < bench.inputs.size(); ++i) {
    const auto given = bench.given.find(i);
    data.inputs.push_back(
        given != bench.given.end()
            ? given->second
            : RandomInput(dtype, bench.inputs[i], bench.constant[i] ? bench.spread : 1, i + 1));
    data.types.push_back(data.inputs.back().type());
  }
  if (bench.result.rank() > 0) {
    data.output = Tensor(dtype, bench.result);
    return data;
  }
  ShapeQuery shapes{.attributes = bench.attributes, .fusion = bench.fusion};
  for (const TensorType& type : data.types) {
    shapes.inputs.push_back(&type);
    shapes.constants.push_back(nullptr);
  }
  data.output = Tensor(InfoOf(bench.op).shape_rule(shapes).at(0));
  return data;
}

Prepared Prepare(const KernelBench& bench, const KernelEntry& entry, DType dtype) {
  Prepared data = DataOf(bench, dtype);
  data.state = entry.prepare(QueryOf(bench, data));
  const std::size_t bytes = entry.scratch_bytes != nullptr ? entry.scratch_bytes(*data.state) : 0;
  data.scratch = Tensor(DType::kUInt8, Shape{static_cast<std::int64_t>(bytes)});
  return data;
}

std::vector<const KernelEntry*> EntriesFor(const KernelBench& bench, DType dtype) {
  const Prepared data = DataOf(bench, dtype);
  const KernelQuery query = QueryOf(bench, data);
  std::vector<const KernelEntry*> entries;
  for (const auto& table : AllKernelTables()) {
    for (const KernelEntry& entry : table) {
      if (entry.op == bench.op && entry.dtypes.Has(dtype) && !entry.is_reference &&
          !entry.emulates && (entry.isa & DetectIsa()) == entry.isa &&
          (entry.refusal == nullptr || entry.refusal(query).empty())) {
        entries.push_back(&entry);
      }
    }
  }
  return entries;
}

double RelativeDistance(const Tensor& got, const Tensor& want) {
  double difference = 0;
  double norm = 0;
  for (std::int64_t i = 0; i < got.ElementCount(); ++i) {
    const double w = DoubleAt(want.dtype(), want.data(), i);
    const double d = DoubleAt(got.dtype(), got.data(), i) - w;
    difference += d * d;
    norm += w * w;
  }
  return std::sqrt(difference / norm);
}

KernelWork WorkOf(const KernelBench& bench, const Prepared& data) {
  KernelWork work{.operations = bench.operations,
                  .written = static_cast<double>(data.output.size_bytes())};
  for (const Tensor& input : data.inputs) {
    work.read += static_cast<double>(input.size_bytes());
  }
  return work;
}

bool IsChosen(const KernelEntry& entry, KernelQuery query, ImplMode mode) {
  query.impl_mode = mode;
  return SelectKernel(query).entry == &entry;
}

// Bytes that the caches of the machine do not hold (32 MiB of L3).
constexpr double kColdBytes = 96e6;

// Copies of the prepared entry to take turns with: one, or many with weights of their own.
std::vector<Prepared> Copies(const KernelBench& bench, const KernelEntry& entry, DType dtype) {
  std::vector<Prepared> copies;
  copies.push_back(Prepare(bench, entry, dtype));
  double weights = 0;
  for (std::size_t i = 1; i < copies[0].inputs.size(); ++i) {
    weights += static_cast<double>(copies[0].inputs[i].size_bytes());
  }
  while (bench.cold && static_cast<double>(copies.size()) * weights < kColdBytes) {
    copies.push_back(Prepare(bench, entry, dtype));
  }
  return copies;
}

// The relative distance that is none.
double AllowedDistance(const KernelBench& bench) {
  return bench.operands.empty() ? kSameResult : 0;
}

void Measure(benchmark::State& state, const KernelBench& bench, const KernelEntry& entry,
             DType dtype) {
  const ThreadPool pool(1);
  pool.Run([&] {
    std::vector<Prepared> copies = Copies(bench, entry, dtype);
    Prepared& data = copies[0];
    data.Run(entry);
    const DType judged = bench.operands.empty() ? DType::kFloat32 : dtype;
    const auto entries = EntriesFor(bench, judged);
    const KernelEntry& judge = bench.operands.empty() ? *entries.front() : *entries.back();
    Prepared expected = Prepare(bench, judge, judged);
    expected.Run(judge);
    const double distance = RelativeDistance(data.output, expected.output);
    if (!(distance <= AllowedDistance(bench))) {
      state.SkipWithError(fmt::format("result is off by {:.2g}", distance).c_str());
    }
    KernelWork work = WorkOf(bench, data);
    work.resident = bench.cold ? kColdBytes : 0;
    const double roof = RoofSeconds(entry, work);
    std::size_t turn = 0;
    for (auto _ : state) {
      copies[turn].Run(entry);
      turn = turn + 1 == copies.size() ? 0 : turn + 1;
    }
    using benchmark::Counter;
    state.counters["ops"] = Counter(bench.operations, Counter::kIsIterationInvariantRate);
    state.counters["bytes"] = Counter(work.read + work.written, Counter::kIsIterationInvariantRate);
    state.counters["of_roof"] = Counter(roof, Counter::kIsIterationInvariantRate);
    const KernelQuery query = QueryOf(bench, data);
    state.counters["precise_choice"] = IsChosen(entry, query, ImplMode::kHighPrecision) ? 1 : 0;
    state.counters["fast_choice"] = IsChosen(entry, query, ImplMode::kHighPerformance) ? 1 : 0;
  });
}

}  // namespace

std::vector<ShapeLine> ReadShapes(const std::string& file, std::size_t values_per_line) {
  const std::string path = std::string(HALFTONE_BENCH_SHAPES) + "/" + file;
  std::ifstream stream(path);
  if (!stream) {
    throw Error(ErrorKind::kIo, fmt::format("cannot open '{}'", path));
  }
  std::vector<ShapeLine> lines;
  std::string text;
  for (int number = 1; std::getline(stream, text); ++number) {
    if (text.empty() || text[0] == '#') {
      continue;
    }
    std::istringstream words(text);
    ShapeLine line;
    words >> line.name;
    for (std::int64_t value = 0; words >> value;) {
      line.values.push_back(value);
    }
    if (line.values.size() != values_per_line) {
      throw Error(ErrorKind::kModel, fmt::format("'{}', line {}: expected a name and {} numbers",
                                                 path, number, values_per_line));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void RegisterKernelBench(const KernelBench& bench) {
  const std::vector<DType> dtypes =
      bench.operands.empty() ? std::vector{DType::kFloat32, DType::kFloat16, DType::kBFloat16}
                             : std::vector{bench.operands[0].dtype()};
  for (const DType dtype : dtypes) {
    for (const KernelEntry* entry : EntriesFor(bench, dtype)) {
      const std::string name = fmt::format("{}/{}/{}", bench.name, entry->name, ShortNameOf(dtype));
      benchmark::RegisterBenchmark(name.c_str(), [bench, entry, dtype](benchmark::State& state) {
        Measure(state, bench, *entry, dtype);
      })->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace halftone
