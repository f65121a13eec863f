// Acts, within one process and without a clock, at every moment at which another process could act.
#pragma once

#include <functional>

namespace halftone::testing {

// While an object lives, `act` is called before every statement that begins outside a transaction,
// on every SQLite connection that this process opens during that time. As a transaction is atomic,
// these are all moments between two actions of a store. Statements of `act` itself do not call it.
// Only one object may live at a time.
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
