// Objects that a caller of the C interface has opened, by number: use of a closed one is an error,
// not a crash.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <utility>

namespace halftone {

// Error kUsage: `number` belongs to no open object.
[[noreturn]] void RefuseNumber(std::string_view noun, std::uint64_t number, bool is_closed);

// Any thread may call any function.
template <typename Object>
class OpenObjects {
 public:
  // `noun` names an object in messages: "session".
  explicit OpenObjects(std::string_view noun) : noun_(noun) {}

  // The number of the object, above 0, which no other object has or gets.
  std::uint64_t Add(std::shared_ptr<Object> object) {
    const std::unique_lock lock(mutex_);
    const std::uint64_t number = ++last_;
    objects_.emplace(number, std::move(object));
    return number;
  }

  // Error kUsage: the number belongs to no open object.
  std::shared_ptr<Object> Find(std::uint64_t number) const {
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(number);
    if (found == objects_.end()) {
      Refuse(number);
    }
    return found->second;
  }

  // Removes the object, which ends with the returned pointer. Error kUsage as Find().
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
