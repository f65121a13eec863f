// Components: code that kernels are made of, each with a version of its own.
//
// A measurement holds for the versions of the components that its kernels name. Functions cannot be
// hashed. A change of a component's results, refusals or cost must therefore increase its version,
// and so the version of every kernel that names it.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

namespace halftone {

// A constant that stands beside a piece of code and counts its changes. The name identifies the
// code. The address cannot: under the undefined-behaviour sanitizer, gcc 12 compares no addresses
// in constant expressions.
struct Component {
  std::string_view name;    // "tile.highway": unique
  int version = 1;          // never decreased
  std::string_view change;  // what the last version changed, for people; empty at 1
};

// Up to kMost components, each once, in the order in which they were added.
class ComponentList {
 public:
  static constexpr std::size_t kMost = 8;

  constexpr ComponentList() = default;

  constexpr ComponentList(std::initializer_list<const Component*> components) {
    for (const Component* component : components) {
      Add(*component);
    }
  }

  // A ninth component does not compile: the index is out of range.
  constexpr void Add(const Component& component) {
    for (const Component* other : all()) {
      if (other->name == component.name) {
        return;
      }
    }
    components_.at(size_++) = &component;
  }

  constexpr void Add(const ComponentList& others) {
    for (const Component* component : others.all()) {
      Add(*component);
    }
  }

  [[nodiscard]] constexpr std::span<const Component* const> all() const {
    return std::span(components_).first(size_);
  }

 private:
  std::array<const Component*, kMost> components_{};
  std::size_t size_ = 0;
};

}  // namespace halftone
