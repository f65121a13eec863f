// Queries with extents beyond 32 bits: no entry of oneDNN takes them, none ends the process, and
// something else, or a sentence, comes instead. Nothing here has the memory that it speaks of.
#include "kernels/onednn/library_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/kernel_table.h"
#include "src/base/error.h"
#include "src/ir/layout.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

using Dims = std::vector<std::int64_t>;

constexpr std::int64_t kHuge[] = {(std::int64_t{1} << 31) - 1, std::int64_t{1} << 31,
                                  std::int64_t{1} << 32};

// A constant of any size, of which nobody may read an element.
Tensor Unread(TensorType type) {
  alignas(Tensor::kAlignment) static const std::byte kBytes[Tensor::kAlignment] = {};
  return {std::move(type), std::shared_ptr<const std::byte[]>(kBytes, [](const std::byte*) {})};
}

// A call as it stands in a model; weights and parameters are constant, channels of convolutions
// last where the query is made.
struct Call {
  OpKind op = OpKind::kConv;
  DType dtype = DType::kFloat32;
  Dims x, w;
  std::map<std::string, Dims> attributes = {};
};

bool IsQuantized(const Call& call) {
  return call.dtype == DType::kUInt8;
}

bool IsConv(OpKind op) {
  return op == OpKind::kConv || op == OpKind::kConvInteger || op == OpKind::kQLinearConv;
}

// Owns what a KernelQuery points to.
class Query {
 public:
  explicit Query(const Call& call) {
    for (const auto& [name, values] : call.attributes) {
      if (name == "group") {
        attributes_.Set(name, values.at(0));
      } else {
        attributes_.Set(name, values);
      }
    }
    const DType weights = IsQuantized(call) ? DType::kInt8 : call.dtype;
    const TensorType w{weights, Shape(call.w)};
    const Tensor scale = Tensor::From<float>({}, std::vector<float>{1});
    const Tensor u8(DType::kUInt8, Shape{});
    const Tensor s8(DType::kInt8, Shape{});
    types_.push_back({call.dtype, Shape(call.x)});
    constants_.emplace_back();
    if (call.op == OpKind::kQLinearConv || call.op == OpKind::kQLinearMatMul) {
      for (const Tensor& constant : {scale, u8, Unread(w), scale, s8, scale, u8}) {
        Add(constant);
      }
    } else {
      Add(Unread(w));
    }
    ShapeQuery shapes{.attributes = attributes_, .inputs = {}, .constants = {}};
    for (std::size_t i = 0; i < types_.size(); ++i) {
      shapes.inputs.push_back(&types_[i]);
      shapes.constants.push_back(constants_[i] ? &*constants_[i] : nullptr);
    }
    output_ = InfoOf(call.op).shape_rule(shapes).at(0);
    if (IsConv(call.op)) {
      types_[0].shape = ChannelsLastOf(types_[0].shape);
      output_.shape = ChannelsLastOf(output_.shape);
    }
    query_ = {.op = call.op,
              .attributes = &attributes_,
              .layout = {.channels_last = IsConv(call.op)},
              .inputs = shapes.inputs,
              .constants = shapes.constants,
              .outputs = {&output_}};
  }

  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  [[nodiscard]] const KernelQuery& operator*() const { return query_; }

 private:
  void Add(const Tensor& constant) {
    types_.push_back(constant.type());
    constants_.emplace_back(constant);
  }

  Attributes attributes_;
  std::vector<TensorType> types_;
  std::vector<std::optional<Tensor>> constants_;
  TensorType output_;
  KernelQuery query_;
};

// The answers of the entries of oneDNN that this CPU has for the call, by name; empty: taken.
std::map<std::string, std::string> Refusals(const Call& call) {
  const Query query(call);
  std::map<std::string, std::string> found;
  for (const auto& table : AllKernelTables()) {
    for (const KernelEntry& entry : table) {
      const bool serves = entry.op == call.op && entry.dtypes.Has(call.dtype) &&
                          (entry.isa & DetectIsa()) == entry.isa;
      if (serves && entry.name.find(".onednn") != std::string_view::npos) {
        found[std::string(entry.name)] = entry.refusal(*query);
      }
    }
  }
  return found;
}

std::vector<Call> WithEachDType(const Call& call) {
  std::vector<Call> calls;
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    calls.push_back(call);
    calls.back().dtype = dtype;
  }
  return calls;
}

// Each place where an extent may stand, `n` there.
std::vector<Call> CallsWith(std::int64_t n) {
  const std::vector<Call> floating = {
      {.x = {n, 16, 8, 8}, .w = {16, 16, 3, 3}},  // images
      {.x = {n, 16, 8, 8}, .w = {16, 16, 1, 1}},  // which become rows
      {.x = {1, 16, n, 8}, .w = {16, 16, 3, 3}},
      {.x = {1, 16, 8, n}, .w = {16, 16, 3, 3}},
      {.x = {1, 16, 1, n}, .w = {16, 16, 1, 3}},
      {.x = {1, n, 8, 8}, .w = {16, n, 3, 3}},
      {.x = {1, 16, 8, 8}, .w = {n, 16, 3, 3}},
      {.x = {1, n, 8, 8}, .w = {n, 1, 3, 3}, .attributes = {{"group", {n}}}},
      {.x = {1, 16, n, 8}, .w = {16, 16, n, 3}},
      {.x = {1, 16, 8, 8}, .w = {16, 16, 3, 3}, .attributes = {{"strides", {n, n}}}},
      {.x = {1, 16, n, 8}, .w = {16, 16, 2, 3}, .attributes = {{"dilations", {n - 1, 1}}}},
      {.x = {1, 16, 8, 8}, .w = {16, 16, 3, 3}, .attributes = {{"pads", {n, 0, 0, 0}}}},
      {.x = {1, 16, 8, 8}, .w = {16, 16, 3, 3}, .attributes = {{"pads", {0, 0, n, n}}}},
      {.op = OpKind::kMatMul, .x = {n, 64}, .w = {64, 64}},
      {.op = OpKind::kMatMul, .x = {n, 4, 64}, .w = {64, 64}},  // images become rows
      {.op = OpKind::kMatMul, .x = {64, n}, .w = {n, 64}},
      {.op = OpKind::kMatMul, .x = {64, 64}, .w = {64, n}},
      {.op = OpKind::kGemm, .x = {n, 64}, .w = {64, 64}},
      {.op = OpKind::kGemm, .x = {64, n}, .w = {n, 64}},
      {.op = OpKind::kGemm, .x = {64, 64}, .w = {64, n}},
  };
  std::vector<Call> calls;
  for (const Call& call : floating) {
    const std::vector<Call> each = WithEachDType(call);
    calls.insert(calls.end(), each.begin(), each.end());
    for (const OpKind op : {OpKind::kConvInteger, OpKind::kQLinearConv, OpKind::kMatMulInteger,
                            OpKind::kQLinearMatMul}) {
      if (call.op != OpKind::kGemm && IsConv(op) == IsConv(call.op)) {
        calls.push_back(call);
        calls.back().op = op;
        calls.back().dtype = DType::kUInt8;
      }
    }
  }
  return calls;
}

std::string Text(const Call& call) {
  std::string text = std::string(InfoOf(call.op).name) + " " + std::string(NameOf(call.dtype)) +
                     " " + Shape(call.x).ToString() + " with " + Shape(call.w).ToString();
  for (const auto& [name, values] : call.attributes) {
    text += " " + name;
  }
  return text;
}

// Calls for which `ask` gives no error of the shape rules; those say a sentence.
template <typename Ask>
std::size_t AskEach(const Ask& ask) {
  std::size_t asked = 0;
  for (const std::int64_t n : kHuge) {
    for (const Call& call : CallsWith(n)) {
      try {
        ask(call, n);
        ++asked;
      } catch (const Error& error) {
        EXPECT_NE(error.kind(), ErrorKind::kInternal) << Text(call) << ": " << error.what();
      }
    }
  }
  return asked;
}

// 2^31 - 1 fits: of an image that long the library gets bands. What it cannot divide it refuses.
TEST(LibraryLimits, ExtentsBeyond32BitsNeverReachTheLibrary) {
  const std::size_t asked = AskEach([](const Call& call, std::int64_t n) {
    for (const auto& [entry, refusal] : Refusals(call)) {
      EXPECT_TRUE(n <= kMostOfLibrary || !refusal.empty()) << entry << " takes " << Text(call);
    }
  });
  EXPECT_GE(asked, std::size(kHuge) * 50);
}

// What is chosen in their place, or one sentence.
TEST(LibraryLimits, OthersServeOrSayWhyNot) {
  AskEach([](const Call& call, std::int64_t n) {
    const Query query(call);
    const KernelChoice choice = SelectKernel(*query);
    EXPECT_TRUE(n <= kMostOfLibrary || choice.entry->name.find(".onednn") == std::string_view::npos)
        << Text(call);
  });
}

// Else the tests above would hold of anything.
TEST(LibraryLimits, TheSameCallsAreTakenAtOrdinaryExtents) {
  for (const Call& call : {Call{.x = {2, 16, 24, 24}, .w = {16, 16, 3, 3}},
                           Call{.x = {2, 16, 24, 24}, .w = {16, 16, 1, 1}},
                           Call{.op = OpKind::kMatMul, .x = {64, 64}, .w = {64, 64}},
                           Call{.op = OpKind::kGemm, .x = {64, 64}, .w = {64, 64}}}) {
    // The library has generated code from here on, for some of them.
    const IsaMask least = call.op == OpKind::kConv ? kIsaAvx2 : kIsaAvx512;
    if ((DetectIsa() & least) == 0) {
      continue;
    }
    bool taken = false;
    for (const auto& [entry, refusal] : Refusals(call)) {
      taken = taken || refusal.empty();
    }
    EXPECT_TRUE(taken) << Text(call);
  }
}

// Offsets of 2^32 matrices would take 64 GiB before any kernel is asked.
TEST(LibraryLimits, BatchesThatCannotBeListedAreASentence) {
  const Query query({.op = OpKind::kMatMul,
                     .x = {std::int64_t{1} << 32, 4, 8},
                     .w = {std::int64_t{1} << 32, 8, 4}});
  try {
    static_cast<void>(SelectKernel(*query));
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("expected at most 16777216 products of matrices "
                                                   "in one node, got 4294967296"));
  }
}

}  // namespace
}  // namespace halftone
