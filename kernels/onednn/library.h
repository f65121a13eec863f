// oneDNN for kernels ("library" in names): the engine, one thread per call, calls with named
// operands.
//
// Only files of this folder include oneDNN's headers.
//
// Threads. Debian builds oneDNN on libgomp, whose pool would compete with ours. oneDNN takes the
// number of threads from OpenMP's setting of the calling thread, when a primitive is made and again
// when it runs, so both need a OneLibraryThread. Work is split between threads outside oneDNN
// (kernels/parallel.h).
//
// Allocations. oneDNN holds the operands of a call in a map and in objects of its own. So a call of
// a primitive allocates 12 pieces, 2.7 KB together (measured with 2.6.3), which takes well below 1
// us; no option turns this off. All memory that grows with the problem belongs to halftone: weights
// are packed in prepare(), scratchpads are passed in. Only entries of this folder, and entries that
// run them (KernelEntry::calls), call the allocator in run(). If it fails, std::bad_alloc ends the
// process (std::terminate()).
#pragma once

#include <dnnl.hpp>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "src/ir/dtype.h"

namespace halftone {

// While an object of this class lives, OpenMP regions that its thread starts have one thread.
class OneLibraryThread {
 public:
  OneLibraryThread() noexcept;
  ~OneLibraryThread();
  OneLibraryThread(const OneLibraryThread&) = delete;
  OneLibraryThread& operator=(const OneLibraryThread&) = delete;

 private:
  int threads_before_;
};

// The CPU engine, made by the first call.
const dnnl::engine& LibraryEngine();

// oneDNN's type of float32 or bfloat16.
dnnl::memory::data_type LibraryTypeOf(DType dtype);

// Attributes of every primitive here: the caller passes the scratchpad.
dnnl::primitive_attr LibraryAttributes();

// Throws std::bad_alloc if 8 MiB are not free. oneDNN needs room for the description and the
// generated code of a primitive, and uses the pointers to both without a check.
void RequireRoomForLibrary();

// Throws std::bad_alloc for lack of memory, else Error kUnsupported.
[[noreturn]] void ThrowTranslated(const dnnl::error& error);

// True if `implementation`, a name that oneDNN gives (impl_info_str()), is generated code. False
// for oneDNN's plain loops, which are as slow as halftone's references, and for its older matrix
// product, which packs B in each run into its own memory.
bool IsGeneratedCode(std::string_view implementation);

// Operand of a call: a name (DNNL_ARG_...), and either prepared memory (a constant, shared by all
// runs) or a layout and an address.
struct LibraryOperand {
  int name = 0;
  const dnnl::memory* prepared = nullptr;
  const dnnl::memory::desc* layout = nullptr;
  void* data = nullptr;
};

inline constexpr std::size_t kLibraryOperands = 6;

// Runs a primitive on this thread, with at most kLibraryOperands operands. Makes oneDNN's objects
// for the operands in each call, because they hold addresses and several runs may share one state.
// Requires a OneLibraryThread.
void CallLibrary(const dnnl::primitive& primitive,
                 std::span<const LibraryOperand> operands) noexcept;

// Returns make(), which makes primitives and memory of oneDNN. Translates its errors:
// std::bad_alloc for lack of memory, else Error kUnsupported.
template <typename Make>
auto WithLibraryErrors(const Make& make) {
  RequireRoomForLibrary();
  try {
    return make();
  } catch (const dnnl::error& error) {
    ThrowTranslated(error);
  }
}

// Reason why the primitive of the description that describe() returns is not used: oneDNN does not
// have it, or has no generated code for it. Empty if it is used. Throws std::bad_alloc for lack of
// memory.
template <typename Describe>
std::string_view RefusalOfPrimitive(const Describe& describe) {
  RequireRoomForLibrary();
  try {
    return IsGeneratedCode(describe().impl_info_str()) ? "" : "oneDNN has no generated code for it";
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) {
      throw std::bad_alloc();
    }
    return "oneDNN does not have it";
  }
}

// Copies the constant `source` from layout `from` to layout `to`. Throws dnnl::error.
dnnl::memory Relaid(const dnnl::memory::desc& from, const void* source,
                    const dnnl::memory::desc& to);

// Reason why Relaid() is impossible: oneDNN has no such copy. Empty if it is possible. Throws
// std::bad_alloc for lack of memory.
std::string_view RefusalOfRelaying(const dnnl::memory::desc& from, const dnnl::memory::desc& to);

// Bytes that differ between layouts, a part of the key of packed weights
// (kernels/packed_weights.h).
std::string KeyOf(const dnnl::memory::desc& layout);

}  // namespace halftone
