// oneDNN, as kernels use it: the engine, one thread per call, and calls that name their operands.
//
// Only files of this folder include the library's headers.
//
// Threads. Debian builds the library on libgomp, whose pool would fight with ours. The number of
// threads that the library uses is OpenMP's setting of the calling thread, once when a primitive is
// made and again when it runs, so a OneLibraryThread stands around both; work is split above the
// library (kernels/parallel.h).
//
// Allocations. oneDNN keeps the operands of a call in a map and in objects of its own: a call of a
// primitive allocates 12 pieces of 2.7 KB together (measured, 2.6.3; it takes well below 1 us),
// which no option turns off. All memory that grows with the problem is ours: weights are packed in
// prepare(), scratchpads are handed over. Entries of this folder are the only ones whose run()
// calls the allocator; where that fails, std::bad_alloc ends the process (std::terminate()).
#pragma once

#include <dnnl.hpp>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "src/ir/dtype.h"

namespace halftone {

// OpenMP regions that this thread starts have one thread while the object lives.
class OneLibraryThread {
 public:
  OneLibraryThread() noexcept;
  ~OneLibraryThread();
  OneLibraryThread(const OneLibraryThread&) = delete;
  OneLibraryThread& operator=(const OneLibraryThread&) = delete;

 private:
  int threads_before_;
};

// The CPU; made by the first call.
const dnnl::engine& LibraryEngine();

// f32 or bf16.
dnnl::memory::data_type LibraryTypeOf(DType dtype);

// The attributes that every primitive here has: scratch comes from the caller.
dnnl::primitive_attr LibraryAttributes();

// std::bad_alloc where the code of a primitive would find no room.
void RequireRoomForCode();
[[noreturn]] void ThrowTranslated(const dnnl::error& error);

// False for the library's plain loops, which are as slow as our references, and for its older
// matrix product, which packs B each time into memory of its own.
bool IsGeneratedCode(std::string_view implementation);

// An operand of a call: which one (DNNL_ARG_...), and either prepared memory (constants, shared by
// all runs) or how it lies at an address.
struct LibraryOperand {
  int name = 0;
  const dnnl::memory* prepared = nullptr;
  const dnnl::memory::desc* layout = nullptr;
  void* data = nullptr;
};

inline constexpr std::size_t kLibraryOperands = 6;

// Runs a primitive on this thread with at most kLibraryOperands operands. The objects that the
// library wants around operands are made for each call, because they carry addresses: prepared ones
// would belong to one run, and several runs may share one state. Call under a OneLibraryThread.
void CallLibrary(const dnnl::primitive& primitive,
                 std::span<const LibraryOperand> operands) noexcept;

// Runs `make`, which makes primitives and memory of the library, and translates its errors:
// std::bad_alloc for want of memory, else Error kUnsupported. The library generates code into
// memory that it does not look at for being there: `make` is only called where there is enough.
template <typename Make>
auto WithLibraryErrors(const Make& make) {
  RequireRoomForCode();
  try {
    return make();
  } catch (const dnnl::error& error) {
    ThrowTranslated(error);
  }
}

// A copy of `source` (constant) in another layout.
dnnl::memory Relaid(const dnnl::memory::desc& from, const void* source,
                    const dnnl::memory::desc& to);

// Different for different layouts: part of the form of packed weights (kernels/packed_weights.h).
std::string KeyOf(const dnnl::memory::desc& layout);

}  // namespace halftone
