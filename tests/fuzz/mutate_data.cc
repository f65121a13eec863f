// Attributes, shapes, types and elements.
#include <algorithm>

#include "src/base/text.h"
#include "src/onnx/attribute.h"
#include "tests/fuzz/mutate_network.h"

namespace halftone::testing {
namespace {

constexpr std::int64_t kExtents[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 65};

struct Words {
  std::string_view attribute;
  std::string_view words;  // separated by blanks
};

// What the texts of the operator specification may be; each with one that none has.
constexpr Words kWords[] = {
    {"auto_pad", "NOTSET SAME_UPPER SAME_LOWER VALID SAME"},
    {"mode",
     "linear nearest cubic bilinear bicubic constant reflect edge wrap DCR CRD circular avg max "
     "area"},
    {"direction", "forward reverse bidirectional LEFT RIGHT both"},
    {"reduction", "none add mul max min mean"},
    {"coordinate_transformation_mode",
     "half_pixel tf_half_pixel_for_nn align_corners asymmetric pytorch_half_pixel "
     "half_pixel_symmetric "
     "tf_crop_and_resize output_half_pixel pixel"},
    {"nearest_mode", "round_prefer_floor round_prefer_ceil floor ceil round"},
    {"keep_aspect_ratio_policy", "stretch not_larger not_smaller keep"},
    {"padding_mode", "zeros border reflection circular"},
    {"approximate", "none tanh erf"},
    {"equation",
     "nchw,ncvw->nchv nchw,nchw->nchw nchw->wn abcd,abcd abcd->dcba ...a,...a->... ...ab,...bc "
     "iijk->ijk abcd,abcd-> nchw,ncwv->nchv ab,bc->ac a,b->ab ij->"},
};

// Extents and counts that cost time without taking memory: a large one is no finding here.
constexpr std::string_view kCostly[] = {"sampling_ratio"};

std::int64_t SmallInteger(Rng& rng) {
  return static_cast<std::int64_t>(rng.Below(9)) - 3;
}

std::int64_t AnyInteger(Rng& rng) {
  return rng.Below(8) == 0 ? WildInteger(rng) : SmallInteger(rng);
}

std::string AnyWord(std::string_view attribute, Rng& rng) {
  const auto* row = std::find_if(std::begin(kWords), std::end(kWords),
                                 [&](const Words& each) { return each.attribute == attribute; });
  if (attribute == "activations") {
    constexpr std::string_view kFunctions[] = {
        "Relu",        "Tanh", "Sigmoid",  "Affine",          "LeakyRelu", "ScaledTanh",
        "HardSigmoid", "Elu",  "Softsign", "ThresholdedRelu", "Softplus"};
    std::string text(kFunctions[rng.Below(std::size(kFunctions))]);
    for (std::size_t i = rng.Below(6); i > 0; --i) {
      text += " " + std::string(kFunctions[rng.Below(std::size(kFunctions))]);
    }
    return text;
  }
  if (row == std::end(kWords)) {
    return "word";
  }
  const auto words = Split(row->words, ' ');
  return std::string(words[rng.Below(words.size())]);
}

std::vector<std::int64_t> AnyIntegers(std::vector<std::int64_t> now, std::string_view name,
                                      Rng& rng) {
  if (now.empty() || rng.Below(6) == 0) {
    constexpr std::size_t kLengths[] = {1, 2, 2, 3, 4, 4, 6, 0};
    now.resize(kLengths[rng.Below(std::size(kLengths))]);
    // Of pads, 0 is what leaves a network valid, of the rest 1.
    std::fill(now.begin(), now.end(), name == "pads" ? 0 : 1);
  }
  if (name == "perm" || rng.Below(8) == 0) {
    rng.Shuffle(std::span(now));
    return now;
  }
  for (std::size_t i = 0; i < 1 + rng.Below(2) && !now.empty(); ++i) {
    now[rng.Below(now.size())] = AnyInteger(rng);
  }
  return now;
}

Attribute AnyAttribute(const Attributes& now, const AttributeRow& row, Rng& rng) {
  switch (row.kind) {
    case 'i': {
      const bool costly =
          std::find(std::begin(kCostly), std::end(kCostly), row.name) != std::end(kCostly);
      return costly ? SmallInteger(rng) : AnyInteger(rng);
    }
    case 'f':
      return static_cast<float>(rng.Below(2) == 0 ? rng.Uniform(-2, 2) : WildFloat(rng));
    case 's':
      return AnyWord(row.name, rng);
    case 'I':
      return AnyIntegers(now.Ints(row.name), row.name, rng);
    case 'F': {
      std::vector<float> floats(1 + rng.Below(6));
      std::generate(floats.begin(), floats.end(),
                    [&] { return static_cast<float>(rng.Uniform(-2, 2)); });
      return floats;
    }
    default:
      return WildTensor({kDTypes[rng.Below(std::size(kDTypes))].dtype, {1}}, rng);
  }
}

bool ChangeAttribute(Network& network, Rng& rng) {
  if (network.graph.nodes.empty()) {
    return false;
  }
  Node& node = network.graph.nodes[rng.Below(network.graph.nodes.size())];
  const std::vector<AttributeRow> rows = AttributeRowsOf(node.op);
  if (rows.empty()) {
    return false;
  }
  const AttributeRow& row = rows[rng.Below(rows.size())];
  if (node.attributes.Has(row.name) && rng.Below(4) == 0) {
    node.attributes.Erase(row.name);
  } else {
    node.attributes.Set(std::string(row.name), AnyAttribute(node.attributes, row, rng));
  }
  return true;
}

// The elements of `tensor`, repeated or cut, under another shape.
Tensor Reshaped(const Tensor& tensor, Shape shape, Rng& rng) {
  Tensor result = TameTensor({tensor.dtype(), std::move(shape)}, rng);
  const std::int64_t count = tensor.ElementCount();
  const std::size_t size = SizeOf(tensor.dtype());
  for (std::int64_t i = 0; count > 0 && i < result.ElementCount(); ++i) {
    std::copy_n(tensor.data() + static_cast<std::size_t>(i % count) * size, size,
                result.mutable_data() + static_cast<std::size_t>(i) * size);
  }
  return result;
}

ValueId AnyStored(const Graph& graph, Rng& rng) {
  const std::vector<ValueId> stored = StoredValues(graph);
  return stored.empty() ? kNoValue : stored[rng.Below(stored.size())];
}

// Integers that may be a shape: `from` among their elements becomes `to`.
void ReplaceElements(Tensor& tensor, std::int64_t from, std::int64_t to, Rng& rng) {
  constexpr std::int64_t kLongest = 8;
  if (tensor.dtype() != DType::kInt64 || tensor.ElementCount() > kLongest) {
    return;
  }
  Tensor changed(tensor.type());
  const auto elements = tensor.values<std::int64_t>();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const bool replace = elements[i] == from && rng.Below(4) != 0;
    changed.mutable_values<std::int64_t>()[i] = replace ? to : elements[i];
  }
  tensor = changed;
}

// One extent wherever it occurs: 6 becomes 7 in images, weights and shapes alike, so that what
// fitted still fits.
bool ChangeExtent(Network& network, Rng& rng) {
  const ValueId one = AnyStored(network.graph, rng);
  if (one == kNoValue || network.graph.value(one).type.shape.rank() == 0) {
    return false;
  }
  const Shape& shape = network.graph.value(one).type.shape;
  const std::int64_t from = shape[static_cast<int>(rng.Below(shape.dims().size()))];
  const std::int64_t to = kExtents[rng.Below(std::size(kExtents))];
  const bool everywhere = rng.Below(5) != 0;
  std::map<ValueId, Tensor> changed;
  for (const ValueId id : StoredValues(network.graph)) {
    const Tensor& tensor = StoredTensor(network, id);
    std::vector<std::int64_t> dims = tensor.shape().dims();
    for (std::int64_t& dim : dims) {
      dim = dim == from && (everywhere || rng.Below(2) == 0) ? to : dim;
    }
    Shape wanted(dims);
    if (wanted.ElementCount() > kMostNetworkElements) {
      return false;
    }
    Tensor result = Reshaped(tensor, std::move(wanted), rng);
    ReplaceElements(result, from, to, rng);
    changed.emplace(id, std::move(result));
  }
  for (auto& [id, tensor] : changed) {
    StoreTensor(network, id, std::move(tensor));
  }
  return true;
}

// Of one input or constant: an extent, one axis more or less, or a scalar.
bool ChangeShape(Network& network, Rng& rng) {
  const ValueId id = AnyStored(network.graph, rng);
  if (id == kNoValue) {
    return false;
  }
  const Tensor& tensor = StoredTensor(network, id);
  std::vector<std::int64_t> dims = tensor.shape().dims();
  const auto at = static_cast<std::ptrdiff_t>(dims.empty() ? 0 : rng.Below(dims.size()));
  switch (rng.Below(dims.empty() ? 1 : 6)) {
    case 0:
      dims.insert(dims.begin() + at, rng.Below(4) == 0 ? 2 : 1);
      break;
    case 1:
      dims.erase(dims.begin() + at);
      break;
    case 2:
      dims.clear();
      break;
    case 3:
      rng.Shuffle(std::span(dims));
      break;
    default:
      dims[static_cast<std::size_t>(at)] = kExtents[rng.Below(std::size(kExtents))];
  }
  Shape shape(dims);
  if (shape.ElementCount() > kMostNetworkElements) {
    return false;
  }
  StoreTensor(network, id, Reshaped(tensor, std::move(shape), rng));
  return true;
}

// One more axis in front of all floating inputs and constants of two axes or more.
bool ChangeRank(Network& network, Rng& rng) {
  const std::int64_t extent = rng.Below(3) == 0 ? 2 : 1;
  std::map<ValueId, Tensor> changed;
  for (const ValueId id : StoredValues(network.graph)) {
    const Tensor& tensor = StoredTensor(network, id);
    if (!IsFloating(tensor.dtype()) || tensor.shape().rank() < 2) {
      continue;
    }
    std::vector<std::int64_t> dims = tensor.shape().dims();
    dims.insert(dims.begin(), extent);
    Shape shape(dims);
    if (shape.rank() > 7 || shape.ElementCount() > kMostNetworkElements) {
      return false;
    }
    changed.emplace(id, Reshaped(tensor, std::move(shape), rng));
  }
  for (auto& [id, tensor] : changed) {
    StoreTensor(network, id, std::move(tensor));
  }
  return !changed.empty();
}

// All tensors of one type, or one of them, become of another: of floats a float, of integers an
// integer, mostly.
bool ChangeType(Network& network, Rng& rng) {
  const ValueId one = AnyStored(network.graph, rng);
  if (one == kNoValue) {
    return false;
  }
  const DType from = network.graph.value(one).type.dtype;
  const DType to = kDTypes[rng.Below(std::size(kDTypes))].dtype;
  if (from == to || (IsFloating(from) != IsFloating(to) && rng.Below(8) != 0)) {
    return false;
  }
  const bool all = rng.Below(5) != 0;
  for (const ValueId id : StoredValues(network.graph)) {
    const Tensor& tensor = StoredTensor(network, id);
    if (tensor.dtype() == from && (all || id == one)) {
      StoreTensor(network, id, Convert(tensor, to));
    }
  }
  return true;
}

// Of integers the neighbours and the extremes, of floats what arithmetic treats as special.
bool ChangeElements(Network& network, Rng& rng) {
  const ValueId id = AnyStored(network.graph, rng);
  if (id == kNoValue || StoredTensor(network, id).ElementCount() == 0) {
    return false;
  }
  const Tensor& now = StoredTensor(network, id);
  if (rng.Below(4) == 0) {
    StoreTensor(network, id, WildTensor(now.type(), rng));
    return true;
  }
  Tensor tensor(now.type());
  std::copy_n(now.data(), now.size_bytes(), tensor.mutable_data());
  for (std::size_t i = 0; i < 1 + rng.Below(3); ++i) {
    const auto at =
        static_cast<std::int64_t>(rng.Below(static_cast<std::size_t>(tensor.ElementCount())));
    if (IsFloating(tensor.dtype())) {
      StoreDouble(tensor.dtype(), tensor.mutable_data(), at, WildFloat(rng));
    } else {
      const std::int64_t element = IntegerAt(tensor.dtype(), tensor.data(), at);
      const std::int64_t near = element > -1000 && element < 1000
                                    ? element + static_cast<std::int64_t>(rng.Below(5)) - 2
                                    : 0;
      StoreInteger(tensor, at, rng.Below(3) == 0 ? WildInteger(rng) : near);
    }
  }
  StoreTensor(network, id, std::move(tensor));
  return true;
}

constexpr Mutator kMutators[] = {
    {"change_attribute", 10, ChangeAttribute},
    {"change_extent", 6, ChangeExtent},
    {"change_shape", 3, ChangeShape},
    {"change_rank", 1, ChangeRank},
    {"change_type", 3, ChangeType},
    {"change_elements", 4, ChangeElements},
};

}  // namespace

std::span<const Mutator> DataMutators() {
  return kMutators;
}

}  // namespace halftone::testing
