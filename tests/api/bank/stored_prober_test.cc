// What the bank keeps of probes.
#include "src/api/bank/stored_prober.h"

#include <gtest/gtest.h>

#include <memory>

#include "knowledge_base/store.h"
#include "tests/support/chain_network.h"

namespace halftone {
namespace {

// Gives `given` and counts the calls.
class GivenProber : public Prober {
 public:
  Sensitivity Probe(const Decisions& decisions, std::span<const double> /*losses*/) override {
    ++calls;
    Sensitivity sensitivity = given;
    for (const DecisionGroup& group : decisions.groups()) {
      sensitivity.groups.emplace_back().choices.resize(group.choices.size());
    }
    return sensitivity;
  }

  Sensitivity given;
  int calls = 0;
};

class StoredProberTest : public ::testing::Test {
 protected:
  // Calls of a prober that gives this, in two searches of one network.
  int Calls(const Sensitivity& given) {
    GivenProber prober;
    prober.given = given;
    StoredProber stored(prober, store_.get(), key_);
    stored.Probe(decisions_, {});
    const Sensitivity second = stored.Probe(decisions_, {});
    EXPECT_EQ(second.groups.size(), decisions_.groups().size());
    return prober.calls;
  }

  Graph graph_ = testing::ChainNetwork(2);
  TargetSpec target_ = testing::ChainTarget();
  Decisions decisions_{graph_, target_};
  std::unique_ptr<TrialStore> store_ = MakeMemoryStore();
  Hash128 key_ = store_->AddWorkload({.model_name = "m", .tool_version = "1"});
};

TEST_F(StoredProberTest, ANetworkIsProbedOnce) {
  EXPECT_EQ(Calls({.groups = {}, .weights = {1}}), 1);
}

TEST_F(StoredProberTest, StoppedProbesAreNotKept) {
  EXPECT_EQ(Calls({.groups = {}, .weights = {1}, .complete = false}), 2);
}

// They lack choices that a longer search has time for.
TEST_F(StoredProberTest, ProbesOfAShortSearchAreNotKept) {
  EXPECT_EQ(Calls({.groups = {}, .weights = {1}, .in_full = false}), 2);
}

}  // namespace
}  // namespace halftone
