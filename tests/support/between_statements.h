// Lets another process act at every moment at which it could, in one process and without a clock.
#pragma once

#include <functional>

namespace halftone::testing {

// While it lives, `act` is called before every statement that begins outside of a transaction, on
// every connection to SQLite that this process opens meanwhile: between any two things that a store
// does, and nowhere else, because what is in a transaction is one. What `act` does itself is left
// out. One at a time.
class BetweenStatements {
 public:
  explicit BetweenStatements(std::function<void()> act);
  ~BetweenStatements();

  BetweenStatements(const BetweenStatements&) = delete;
  BetweenStatements& operator=(const BetweenStatements&) = delete;

  [[nodiscard]] int moments() const { return moments_; }

  // Called by SQLite.
  void BeforeStatement();

 private:
  std::function<void()> act_;
  bool acting_ = false;
  int moments_ = 0;
};

}  // namespace halftone::testing
