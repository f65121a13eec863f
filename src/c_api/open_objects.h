// Table of the objects that callers of the C interface have opened. Callers know an object by its
// number, so that the use of a closed object is an error and not a crash.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <utility>

namespace halftone {

// Throws Error kUsage: no open object has this number. `is_closed`: an object had it before.
[[noreturn]] void RefuseNumber(std::string_view noun, std::uint64_t number, bool is_closed);

// Thread safe.
template <typename Object>
class OpenObjects {
 public:
  // `noun` names an object in messages: "session".
  explicit OpenObjects(std::string_view noun) : noun_(noun) {}

  // Adds an object and returns its number, which is above 0 and is never used for another object.
  std::uint64_t Add(std::shared_ptr<Object> object) {
    const std::unique_lock lock(mutex_);
    const std::uint64_t number = ++last_;
    objects_.emplace(number, std::move(object));
    return number;
  }

  // Error kUsage if no open object has this number.
  std::shared_ptr<Object> Find(std::uint64_t number) const {
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(number);
    if (found == objects_.end()) {
      Refuse(number);
    }
    return found->second;
  }

  // Removes and returns the object, which is destroyed with its last pointer. Error kUsage as
  // Find().
  std::shared_ptr<Object> Remove(std::uint64_t number) {
    const std::unique_lock lock(mutex_);
    const auto found = objects_.find(number);
    if (found == objects_.end()) {
      Refuse(number);
    }
    std::shared_ptr<Object> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

 private:
  [[noreturn]] void Refuse(std::uint64_t number) const {
    RefuseNumber(noun_, number, number > 0 && number <= last_);
  }

  std::string_view noun_;
  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Object>> objects_;
  std::uint64_t last_ = 0;
};

}  // namespace halftone
