// Operators of the domain com.microsoft, which ONNX Runtime writes into models that it optimises or
// quantises. Each is rewritten as operators of ai.onnx in the newest opset.
#pragma once

#include <string_view>

#include "src/onnx/file_node.h"

namespace halftone {

bool IsContribDomain(std::string_view domain);

// True if ExpandContrib() knows operator `type` of that domain.
bool IsContribOperator(std::string_view type);

// Rewrites `node`, of that domain, as a node of ai.onnx at the newest opset, with helper nodes
// before it. Errors kModel, kUnsupported: the node has no equivalent there.
void ExpandContrib(FileNode& node, GraphBuilder& builder);

// Activations, products and normalisations (contrib.cc has the table of all).
void ExpandBiasGelu(FileNode& node, GraphBuilder& builder);
void ExpandFastGelu(FileNode& node, GraphBuilder& builder);
void ExpandQuickGelu(FileNode& node, GraphBuilder& builder);
void ExpandFusedConv(FileNode& node, GraphBuilder& builder);
void ExpandFusedGemm(FileNode& node, GraphBuilder& builder);
void ExpandFusedMatMul(FileNode& node, GraphBuilder& builder);
void ExpandSkipLayerNormalization(FileNode& node, GraphBuilder& builder);
void ExpandSkipRmsNormalization(FileNode& node, GraphBuilder& builder);
// This operator also occurs in the domain ai.onnx of models that ONNX Runtime wrote.
void ExpandSimplifiedLayerNormalization(FileNode& node, GraphBuilder& builder);

// Attention and its embeddings (contrib_attention.cc).
void ExpandEmbedLayerNormalization(FileNode& node, GraphBuilder& builder);
void ExpandContribAttention(FileNode& node, GraphBuilder& builder);
void ExpandMultiHeadAttention(FileNode& node, GraphBuilder& builder);
void ExpandContribRotaryEmbedding(FileNode& node, GraphBuilder& builder);

// Quantised data (contrib_quantized.cc).
void ExpandQLinearBinary(FileNode& node, GraphBuilder& builder);
void ExpandQLinearUnary(FileNode& node, GraphBuilder& builder);
void ExpandQLinearConcat(FileNode& node, GraphBuilder& builder);
void ExpandQGemm(FileNode& node, GraphBuilder& builder);
void ExpandMatMulIntegerToFloat(FileNode& node, GraphBuilder& builder);
void ExpandDynamicQuantizeMatMul(FileNode& node, GraphBuilder& builder);
void ExpandMatMulNBits(FileNode& node, GraphBuilder& builder);
void ExpandDynamicQuantizeLstm(FileNode& node, GraphBuilder& builder);  // contrib_lstm.cc

}  // namespace halftone
