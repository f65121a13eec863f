#include "src/export/openvino_ir.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <pugixml.hpp>
#include <utility>
#include <vector>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kMark = R"(<attribute name="precise" version="0" />)";

struct Layer {
  pugi::xml_node element;
  std::vector<std::size_t> before;  // layers that make what it reads
  bool is_marked = false;
};

// Names of a port: "a,b", with "\," for a comma in a name.
std::vector<std::string> NamesOf(std::string_view text) {
  std::vector<std::string> names(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
      names.back() += text[++i];
    } else if (text[i] == ',') {
      names.emplace_back();
    } else {
      names.back() += text[i];
    }
  }
  return names;
}

// Patches one text.
class IrPatch {
 public:
  IrPatch(std::string_view xml, std::string_view where) : xml_(xml), where_(where) {}

  ExportedText Patch(OpenVinoMarks marks) {
    Parse();
    ReadLayers();
    ReadEdges();
    ExportedText file{.losses = std::move(marks.losses), .flags = HintOf(marks)};
    MarkAll(marks, file);
    file.text = WithMarks();
    if (had_marks_ > 0) {
      file.notes.push_back(
          fmt::format("layers that have the mark already and keep it, although the plan does not "
                      "ask for it: {}",
                      had_marks_));
    }
    return file;
  }

 private:
  [[noreturn]] void Refuse(std::ptrdiff_t offset, const std::string& what) const {
    const std::string_view before = xml_.substr(0, static_cast<std::size_t>(offset));
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:{}: {}", where_, 1 + std::ranges::count(before, '\n'), what));
  }

  [[noreturn]] void Refuse(const pugi::xml_node& at, const std::string& what) const {
    Refuse(at.offset_debug(), what);
  }

  void Parse() {
    // Without translation of line ends, so that offsets are those of the text.
    const pugi::xml_parse_result parsed = document_.load_buffer(
        xml_.data(), xml_.size(), pugi::parse_minimal | pugi::parse_escapes, pugi::encoding_utf8);
    if (!parsed) {
      Refuse(std::min<std::ptrdiff_t>(parsed.offset, std::ssize(xml_)),
             fmt::format("expected XML, an IR of OpenVINO: {}", parsed.description()));
    }
    net_ = document_.child("net");
    if (!net_ || !net_.child("layers")) {
      Refuse(0, "expected <net> with <layers>, an IR of OpenVINO of version 10 or 11");
    }
  }

  void ReadLayers() {
    for (const pugi::xml_node element : net_.child("layers").children("layer")) {
      const std::string id = element.attribute("id").value();
      if (id.empty() || !by_id_.emplace(id, layers_.size()).second) {
        Refuse(element,
               fmt::format("expected a layer with an id of its own, found '{}'", Shown(id)));
      }
      for (const pugi::xml_node port : element.child("output").children("port")) {
        for (std::string& name : NamesOf(port.attribute("names").value())) {
          makers_.emplace(std::move(name), layers_.size());
        }
      }
      layers_.push_back({.element = element});
    }
  }

  std::size_t LayerAt(const pugi::xml_node& edge, const char* attribute) const {
    const auto found = by_id_.find(edge.attribute(attribute).value());
    if (found == by_id_.end()) {
      Refuse(edge, fmt::format("expected the id of a layer as {}, found '{}'", attribute,
                               Shown(edge.attribute(attribute).value())));
    }
    return found->second;
  }

  void ReadEdges() {
    for (const pugi::xml_node edge : net_.child("edges").children("edge")) {
      layers_[LayerAt(edge, "to-layer")].before.push_back(LayerAt(edge, "from-layer"));
    }
  }

  // Whether a walk to earlier layers ends there.
  [[nodiscard]] bool IsOther(const Layer& layer, const OpenVinoMarks& marks) const {
    if (std::strcmp(layer.element.attribute("type").value(), "Parameter") == 0) {
      return true;
    }
    for (const pugi::xml_node port : layer.element.child("output").children("port")) {
      for (const std::string& name : NamesOf(port.attribute("names").value())) {
        if (marks.all.contains(name)) {
          return true;
        }
      }
    }
    return false;
  }

  void MarkAll(const OpenVinoMarks& marks, ExportedText& file) {
    std::size_t found = 0;
    for (const std::string& tensor : marks.float32) {
      if (const auto maker = makers_.find(tensor); maker != makers_.end()) {
        MarkFrom(maker->second, marks);
        ++found;
      } else {
        file.losses.push_back(
            LossOf(tensor, DType::kFloat32, std::string(NameOf(marks.hint)),
                   "tensors that the IR does not name, whose operators have the type of the hint"));
      }
    }
    if (found == 0 && std::ranges::none_of(marks.all, [&](const std::string& name) {
          return makers_.contains(name);
        })) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: no layer makes any of {} of the model; expected the IR that "
                              "OpenVINO made of it, with its names",
                              where_, Counted(std::ssize(marks.all), "tensor")));
    }
  }

  void MarkFrom(std::size_t first, const OpenVinoMarks& marks) {
    std::vector<std::size_t> waiting = {first};
    while (!waiting.empty()) {
      Layer& layer = layers_[waiting.back()];
      waiting.pop_back();
      if (std::exchange(layer.is_marked, true)) {
        continue;
      }
      for (const std::size_t before : layer.before) {
        if (!layers_[before].is_marked && !IsOther(layers_[before], marks)) {
          waiting.push_back(before);
        }
      }
    }
  }

  static bool HasMark(const pugi::xml_node& layer) {
    return static_cast<bool>(
        layer.child("rt_info").find_child_by_attribute("attribute", "name", "precise"));
  }

  // Where the tag of an element begins: offsets are those of its name.
  static std::size_t TagOf(const pugi::xml_node& element) {
    return static_cast<std::size_t>(element.offset_debug()) - 1;
  }

  // White space between the line break before a position and it; empty where something else
  // stands there.
  [[nodiscard]] std::string_view IndentAt(std::size_t position) const {
    std::size_t begin = position;
    while (begin > 0 && (xml_[begin - 1] == ' ' || xml_[begin - 1] == '\t')) {
      --begin;
    }
    return begin > 0 && xml_[begin - 1] == '\n' ? xml_.substr(begin - 1, position - begin + 1)
                                                : std::string_view();
  }

  // End of the tag that begins at a position: behind its '>'.
  [[nodiscard]] std::size_t EndOfTag(std::size_t position) const {
    char quote = 0;
    for (; position < xml_.size(); ++position) {
      const char c = xml_[position];
      if (quote != 0) {
        quote = c == quote ? char{0} : quote;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        break;
      }
    }
    return position + 1;
  }

  // The first child that is an element; a null node: there is none.
  static pugi::xml_node FirstElement(const pugi::xml_node& parent) {
    return parent.find_child(
        [](const pugi::xml_node& child) { return child.type() == pugi::node_element; });
  }

  struct Edit {
    std::size_t begin;
    std::size_t end;  // of what is replaced
    std::string text;
  };

  [[nodiscard]] Edit EditOf(const pugi::xml_node& layer) const {
    if (const pugi::xml_node info = layer.child("rt_info")) {
      if (const pugi::xml_node first = FirstElement(info)) {
        const std::size_t at = TagOf(first);
        return {at, at, fmt::format("{}{}", kMark, IndentAt(at))};
      }
      const std::size_t begin = TagOf(info);
      const std::size_t end = EndOfTag(begin);
      return xml_[end - 2] == '/' ? Edit{end - 2, end, fmt::format(">{}</rt_info>", kMark)}
                                  : Edit{end, end, std::string(kMark)};
    }
    const pugi::xml_node next = layer.find_child([](const pugi::xml_node& child) {
      return child.type() == pugi::node_element && std::strcmp(child.name(), "data") != 0;
    });
    if (!next) {
      Refuse(layer, "expected a layer with <output>, as an edge begins there; found none");
    }
    const std::size_t at = TagOf(next);
    const std::string_view indent = IndentAt(at);
    return {at, at,
            fmt::format("<rt_info>{0}{1}{2}{0}</rt_info>{0}", indent, indent.empty() ? "" : "\t",
                        kMark)};
  }

  std::string WithMarks() {
    std::string text;
    std::size_t done = 0;
    for (const Layer& layer : layers_) {  // in the order of the text
      if (HasMark(layer.element)) {
        had_marks_ += layer.is_marked ? 0 : 1;
      } else if (layer.is_marked) {
        const Edit edit = EditOf(layer.element);
        text += xml_.substr(done, edit.begin - done);
        text += edit.text;
        done = edit.end;
      }
    }
    text += xml_.substr(done);
    return text;
  }

  std::string_view xml_;
  std::string_view where_;
  pugi::xml_document document_;
  pugi::xml_node net_;
  std::vector<Layer> layers_;
  std::map<std::string, std::size_t, std::less<>> by_id_;
  std::map<std::string, std::size_t, std::less<>> makers_;  // layers, by names of their tensors
  int had_marks_ = 0;
};

}  // namespace

ExportedText PatchOpenVinoIr(std::string_view xml, std::string_view where, OpenVinoMarks marks) {
  return IrPatch(xml, where).Patch(std::move(marks));
}

}  // namespace halftone
