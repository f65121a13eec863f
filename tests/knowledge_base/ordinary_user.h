// Permissions do not bind root, so that a test acts as somebody else for a while.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

namespace halftone::testing {

class AsOrdinaryUser {
 public:
  AsOrdinaryUser() : switched_(::geteuid() == 0 && ::seteuid(65534) == 0) {}

  ~AsOrdinaryUser() {
    if (switched_ && ::seteuid(0) != 0) {
      ADD_FAILURE() << "cannot become root again";
    }
  }

  AsOrdinaryUser(const AsOrdinaryUser&) = delete;
  AsOrdinaryUser& operator=(const AsOrdinaryUser&) = delete;

 private:
  bool switched_;
};

}  // namespace halftone::testing
