#include "kernels/onednn/library.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "kernels/onednn/library_isa.h"
#include "kernels/tile/tile_registers.h"
#include "src/base/error.h"
#include "src/base/lack_of_memory.h"

// Functions of the OpenMP standard, from libgomp. Not every compiler has its header.
extern "C" {
int omp_get_max_threads(void);        // NOLINT(readability-identifier-naming): OpenMP's name
void omp_set_num_threads(int count);  // NOLINT(readability-identifier-naming): OpenMP's name
}

namespace halftone {
namespace {

// Levels that oneDNN may be limited to, best first.
struct LibraryLimit {
  IsaMask needs;
  dnnl::cpu_isa limit;
};

constexpr LibraryLimit kLibraryLimits[] = {
    {kIsaAmxBf16 | kIsaAmxInt8, dnnl::cpu_isa::avx512_core_amx},
    {kIsaAvx512Bf16, dnnl::cpu_isa::avx512_core_bf16},
    {kIsaAvx512Vnni, dnnl::cpu_isa::avx512_core_vnni},
    {kIsaAvx512, dnnl::cpu_isa::avx512_core},
    {kIsaAvx2, dnnl::cpu_isa::avx2},
    {kIsaAny, dnnl::cpu_isa::sse41},
};

// oneDNN detects the CPU itself; it must not use more than our kernels may.
const LibraryLimit& LimitOfLibrary() {
  return *std::find_if(
      std::begin(kLibraryLimits), std::end(kLibraryLimits),
      [](const LibraryLimit& row) { return (WithIncluded(row.needs) & ~DetectIsa()) == 0; });
}

// A stream keeps no state on the CPU, but may be used by one thread at a time.
const dnnl::stream& StreamOfThread() {
  thread_local const dnnl::stream kStream(LibraryEngine());
  return kStream;
}

// Throws for callers that let no exception out, so that std::terminate() knows the reason.
[[noreturn]] void ThrowLackOfMemory() {
  throw std::bad_alloc();
}

}  // namespace

IsaMask LibraryIsa() {
  return WithIncluded(LimitOfLibrary().needs);
}

OneLibraryThread::OneLibraryThread() noexcept : threads_before_(omp_get_max_threads()) {
  omp_set_num_threads(1);
}

OneLibraryThread::~OneLibraryThread() {
  omp_set_num_threads(threads_before_);
}

const dnnl::engine& LibraryEngine() {
  static const dnnl::engine kEngine = [] {
    dnnl::set_max_cpu_isa(LimitOfLibrary().limit);  // settled by the first primitive
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return kEngine;
}

dnnl::memory::data_type LibraryTypeOf(DType dtype) {
  return dtype == DType::kBFloat16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
}

dnnl::primitive_attr LibraryAttributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

void RequireRoomForLibrary() {
  constexpr std::size_t kCodeBytes = std::size_t{8} << 20;  // a kernel has 256 KiB, a call a few
  void* const room = ::mmap(nullptr, kCodeBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) {
    NoteRefusedBytes(kCodeBytes);
    throw std::bad_alloc();
  }
  ::munmap(room, kCodeBytes);
}

void ThrowTranslated(const dnnl::error& error) {
  if (error.status == dnnl_out_of_memory) {
    throw std::bad_alloc();
  }
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("oneDNN made no kernel: {} (status {}); expected memory enough for one, {}",
                  error.what(), static_cast<int>(error.status), kMoreMemory));
}

bool IsGeneratedCode(std::string_view implementation) {
  return !implementation.starts_with("gemm") &&
         implementation.find("ref") == std::string_view::npos &&
         implementation.find("simple") == std::string_view::npos;
}

void CallLibrary(const dnnl::primitive& primitive,
                 std::span<const LibraryOperand> operands) noexcept {
  ReleaseTileRegisters();  // it configures them itself
  std::array<dnnl_exec_arg_t, kLibraryOperands> args{};
  bool ok = operands.size() <= args.size();
  for (std::size_t i = 0; ok && i < operands.size(); ++i) {
    const LibraryOperand& operand = operands[i];
    args[i].arg = operand.name;
    if (operand.prepared != nullptr) {
      args[i].memory = operand.prepared->get();
    } else {
      ok = dnnl_memory_create(&args[i].memory, &operand.layout->data, LibraryEngine().get(),
                              operand.data) == dnnl_success;
    }
  }
  ok = ok && dnnl_primitive_execute(primitive.get(), StreamOfThread().get(),
                                    static_cast<int>(operands.size()), args.data()) == dnnl_success;
  if (!ok) {
    ThrowLackOfMemory();  // for a few hundred bytes
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].prepared == nullptr) {
      dnnl_memory_destroy(args[i].memory);
    }
  }
}

dnnl::memory Relaid(const dnnl::memory::desc& from, const void* source,
                    const dnnl::memory::desc& to) {
  const OneLibraryThread one;
  dnnl::memory original(from, LibraryEngine(), const_cast<void*>(source));
  dnnl::memory result(to, LibraryEngine());
  dnnl::stream stream(LibraryEngine());
  dnnl::reorder(original, result).execute(stream, original, result);
  stream.wait();
  return result;
}

std::string_view RefusalOfRelaying(const dnnl::memory::desc& from, const dnnl::memory::desc& to) {
  RequireRoomForLibrary();
  try {
    const dnnl::reorder::primitive_desc made(LibraryEngine(), from, LibraryEngine(), to);
    return "";
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) {
      throw std::bad_alloc();
    }
    return "oneDNN does not pack such weights";
  }
}

// oneDNN's own description is a plain struct. Bytes that it leaves undefined would make a key that
// nothing else has: the weights would be packed again.
std::string KeyOf(const dnnl::memory::desc& layout) {
  return {reinterpret_cast<const char*>(&layout.data), sizeof(layout.data)};
}

}  // namespace halftone
