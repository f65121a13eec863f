// Shape rules of recurrent operators, attention and Einsum.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/ir/einsum_equation.h"
#include "src/ir/shape_operands.h"
#include "src/ir/shape_rules.h"

namespace halftone {

using namespace shape_rules;  // NOLINT(google-build-using-namespace): this file's own helpers

namespace {

// X [steps, batch, input], W [directions, gates * hidden, input], R [directions, gates * hidden,
// hidden], B [directions, 2 * gates * hidden], sequence_lens [batch], states [directions, batch,
// hidden], P [directions, 3 * hidden]; with layout 1 the batch is the first axis of X and states.
std::vector<TensorType> RecurrentShape(const ShapeQuery& query, std::int64_t gates) {
  const Shape& x = query.inputs.at(0)->shape;
  const Shape& w = query.inputs.at(1)->shape;
  RequireRank(x, 3, "X");
  RequireRank(w, 3, "W");
  RequireRank(query.inputs.at(2)->shape, 3, "R");
  const std::string direction = query.attributes.Text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    ThrowModel(
        fmt::format("attribute 'direction': expected forward, reverse or bidirectional, got "
                    "'{}'",
                    direction));
  }
  const std::int64_t directions = direction == "bidirectional" ? 2 : 1;
  const std::int64_t hidden = query.inputs[2]->shape[2];
  const std::int64_t layout = query.attributes.Int("layout", 0);
  if (layout != 0 && layout != 1) {
    ThrowModel(fmt::format("attribute 'layout': expected 0 or 1, got {}", layout));
  }
  if (query.attributes.Int("hidden_size", hidden) != hidden) {
    ThrowModel(fmt::format("attribute 'hidden_size' is {}, R has {}",
                           query.attributes.Int("hidden_size", hidden), hidden));
  }
  RequireShape(w, {directions, gates * hidden, x[2]}, "W");
  RequireShape(query.inputs[2]->shape, {directions, gates * hidden, hidden}, "R");
  const std::int64_t steps = x[layout == 0 ? 0 : 1];
  const std::int64_t batch = x[layout == 0 ? 1 : 0];
  const Shape state =
      layout == 0 ? Shape{directions, batch, hidden} : Shape{batch, directions, hidden};
  const auto require = [&](std::size_t input, const Shape& shape, std::string_view name) {
    if (Present(query, input)) {
      RequireShape(query.inputs[input]->shape, shape, name);
    }
  };
  require(3, {directions, 2 * gates * hidden}, "B");
  require(4, {batch}, "sequence_lens");
  require(5, state, "initial_h");
  require(6, state, "initial_c");
  require(7, {directions, 3 * hidden}, "P");
  const Shape y = layout == 0 ? Shape{steps, directions, batch, hidden}
                              : Shape{batch, steps, directions, hidden};
  const DType dtype = query.inputs[0]->dtype;
  return Used(query, {{dtype, y}, {dtype, state}, {dtype, state}});
}

// Heads of an operand: stated for three axes, the second of four.
std::int64_t HeadsOf(const ShapeQuery& query, const Shape& shape, std::string_view attribute) {
  if (shape.rank() == 4) {
    return shape[1];
  }
  const std::int64_t heads = query.attributes.Int(attribute, 0);
  if (shape.rank() != 3 || heads < 1 || shape[2] % heads != 0) {
    ThrowModel(
        fmt::format("expected an operand of 4 axes, or of 3 whose last is divided by "
                    "attribute '{}', got {} and {}",
                    attribute, shape.ToString(), heads));
  }
  return heads;
}

std::int64_t HeadSize(const Shape& shape, std::int64_t heads) {
  return shape.rank() == 4 ? shape[3] : shape[2] / heads;
}

std::int64_t Length(const Shape& shape) {
  return shape[shape.rank() == 4 ? 2 : 1];
}

// K as heads [batch, heads, length, size], which a pass may leave in rows.
Shape KeysOf(const ShapeQuery& query) {
  const Shape& k = query.inputs.at(1)->shape;
  const bool rows = query.fusion.attention && query.fusion.attention->key_rows && k.rank() == 4;
  return rows ? Shape{k[0], k[2], k[1], k[3]} : k;
}

}  // namespace

std::vector<TensorType> LstmShape(const ShapeQuery& query) {
  return RecurrentShape(query, 4);
}

std::vector<TensorType> GruShape(const ShapeQuery& query) {
  return RecurrentShape(query, 3);
}

std::vector<TensorType> RnnShape(const ShapeQuery& query) {
  return RecurrentShape(query, 1);
}

std::vector<TensorType> AttentionShape(const ShapeQuery& query) {
  const Shape& q = query.inputs.at(0)->shape;
  const Shape k = KeysOf(query);
  const Shape& v = query.inputs.at(2)->shape;
  const std::int64_t heads = HeadsOf(query, q, "q_num_heads");
  const std::int64_t kv_heads = HeadsOf(query, k, "kv_num_heads");
  const bool fits = kv_heads > 0 && HeadsOf(query, v, "kv_num_heads") == kv_heads &&
                    q.rank() == k.rank() && q.rank() == v.rank() && q[0] == k[0] && q[0] == v[0] &&
                    Length(k) == Length(v) && heads % kv_heads == 0 &&
                    HeadSize(q, heads) == HeadSize(k, kv_heads);
  if (!fits) {
    ThrowModel(
        fmt::format("Q {}, K {} and V {} do not fit", q.ToString(), k.ToString(), v.ToString()));
  }
  if (Present(query, 4) != Present(query, 5)) {
    ThrowModel("expected both of the inputs 'past_key' and 'past_value', or none");
  }
  if (Present(query, 4) && query.inputs[4]->shape.rank() != 4) {
    ThrowModel(fmt::format("input 'past_key': expected 4 axes, got {}",
                           query.inputs[4]->shape.ToString()));
  }
  const std::int64_t past = Present(query, 4) ? query.inputs[4]->shape[2] : 0;
  const std::int64_t total = past + Length(k);
  const std::int64_t size = HeadSize(k, kv_heads);
  const std::int64_t value_size = HeadSize(v, kv_heads);
  if (Present(query, 4)) {
    RequireShape(query.inputs[4]->shape, {q[0], kv_heads, past, size}, "past_key");
    RequireShape(query.inputs[5]->shape, {q[0], kv_heads, past, value_size}, "past_value");
  }
  if (Present(query, 3)) {
    Shape mask = query.inputs[3]->shape;
    if (mask.rank() < 1 || mask[mask.rank() - 1] > total) {
      ThrowModel(fmt::format("input 'attn_mask': expected at most {} positions, got {}", total,
                             mask.ToString()));
    }
    mask[mask.rank() - 1] = total;  // positions behind are masked
    const Shape scores{q[0], heads, Length(q), total};
    if (BroadcastShapes(mask, scores) != scores) {
      ThrowModel(fmt::format("input 'attn_mask': {} does not broadcast to {}", mask.ToString(),
                             scores.ToString()));
    }
  }
  if (Present(query, 7)) {  // only a pass writes it (fuse_attention)
    const Shape scores{q[0], heads, Length(q), total};
    const Shape& keep = query.inputs[7]->shape;
    if (!query.fusion.attention || keep.rank() == 0 || keep[keep.rank() - 1] != total ||
        BroadcastShapes(keep, scores) != scores) {
      ThrowModel(fmt::format("expected at most 7 inputs, got {}", query.inputs.size()));
    }
  }
  if (Present(query, 6)) {
    RequireShape(query.inputs[6]->shape, {q[0]}, "nonpad_kv_seqlen");
  }
  const DType dtype = query.inputs[0]->dtype;
  const Shape y =
      q.rank() == 4 ? Shape{q[0], heads, q[2], value_size} : Shape{q[0], q[1], heads * value_size};
  return Used(query, {{dtype, y},
                      {dtype, {q[0], kv_heads, total, size}},
                      {dtype, {q[0], kv_heads, total, value_size}},
                      {dtype, {q[0], heads, Length(q), total}}});
}

std::vector<TensorType> RotaryEmbeddingShape(const ShapeQuery& query) {
  const Shape& x = query.inputs.at(0)->shape;
  const std::int64_t heads = HeadsOf(query, x, "num_heads");
  const std::int64_t size = HeadSize(x, heads);
  const std::int64_t stated = query.attributes.Int("rotary_embedding_dim", 0);
  const std::int64_t rotated = stated == 0 ? size : stated;
  if (rotated < 0 || rotated > size || rotated % 2 != 0) {
    ThrowModel(
        fmt::format("expected an even number of rotated elements up to {}, got {}", size, rotated));
  }
  const Shape& cos = query.inputs.at(1)->shape;
  RequireShape(query.inputs.at(2)->shape, cos, "sin_cache");
  const Shape whole{x[0], Length(x), rotated / 2};
  const bool indexed = Present(query, 3);
  if (indexed) {
    RequireShape(query.inputs[3]->shape, {x[0], Length(x)}, "position_ids");
  }
  if (indexed ? cos.rank() != 2 || cos[1] != rotated / 2 : cos != whole) {
    ThrowModel(
        fmt::format("input 'cos_cache': {} does not fit input {}", cos.ToString(), x.ToString()));
  }
  return {*query.inputs[0]};
}

std::vector<TensorType> EinsumShape(const ShapeQuery& query) {
  std::vector<Shape> shapes;
  for (const TensorType* input : query.inputs) {
    shapes.push_back(input->shape);
  }
  const EinsumEquation equation = ParseEinsum(query.attributes.Text("equation", ""), shapes);
  std::vector<std::int64_t> dims;
  for (const int label : equation.output) {
    dims.push_back(equation.extents[static_cast<std::size_t>(label)]);
  }
  return {{query.inputs.at(0)->dtype, Shape(std::move(dims))}};
}

}  // namespace halftone
