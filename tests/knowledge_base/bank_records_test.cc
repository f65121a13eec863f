// Banks as records: merged, exported and imported without loss.
#include "knowledge_base/bank_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "knowledge_base/bank_export.h"
#include "knowledge_base/checksum.h"
#include "knowledge_base/merge_bank.h"
#include "knowledge_base/record_json.h"
#include "knowledge_base/sqlite_store.h"
#include "src/base/error.h"
#include "tests/knowledge_base/bank_folder.h"
#include "tests/knowledge_base/edit_bank.h"
#include "tests/knowledge_base/sample_trials.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::BankFolder;
using testing::EditBank;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MeasuredTrial;
using testing::SampleWorkload;
using testing::SetDay;
using testing::SetTimes;
using Counts = std::array<std::int64_t, kRecordKinds>;

template <typename Body>
std::string ErrorOf(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDatabase) << error.what();
    return error.what();
  }
  return "no error";
}

class BankRecordsTest : public ::testing::Test {
 protected:
  // A bank with trials of these numbers, and one row of each other table, recorded on a day of its
  // own.
  fs::path Fill(const std::string& name, const std::vector<std::uint64_t>& trials,
                const std::string& model_name = "squeezenet") {
    const fs::path database = folder_.path() / name;
    const auto store = OpenSqliteStore(database, OpenMode::kReadWrite);
    Workload workload = SampleWorkload();
    workload.model_name = model_name;
    const Hash128 key = store->AddWorkload(workload);
    for (const std::uint64_t number : trials) {
      store->AddTrial(key, MeasuredTrial(number));
    }
    store->AddTrial(key, testing::RejectedTrial(900));
    store->AddTrial(key, testing::UnresolvedTrial());
    store->AddFront(trials.empty() ? testing::SampleFront(key)
                                   : testing::SampleFront(key, {MeasuredTrial(trials.back()),
                                                                MeasuredTrial(trials.front())}));
    store->AddSensitivity(key, {4, 4}, testing::SampleSensitivity());
    store->AddOperatorTimings(testing::SampleKernels(),
                              {{testing::SampleTiming(1), testing::SampleTiming(2)}});
    store->AddOperatorProfile(testing::SampleKernels(), testing::SampleProfile(2));
    store->AddCalibration(testing::SampleCalibration(2));
    SetDay(database, ++day_);
    return database;
  }

  static AddedRecords Merge(const fs::path& from, const fs::path& into) {
    MergedBank merged = BankMerger(into).Add(from);
    if (merged.error) {
      throw *std::move(merged.error);
    }
    return merged.records;
  }

  static std::string Export(const fs::path& database) {
    std::string text = ExportHeader() + "\n";
    std::int64_t rows = 0;
    ReadBank(database, [&](const BankRecord& record) {
      text += RecordToJson(record) + "\n";
      ++rows;
    });
    return text + ExportEnd(rows) + "\n";
  }

  static AddedRecords Import(const std::string& text, const fs::path& into) {
    return AddToBank(into, [&](const RecordVisitor& visit) {
      ExportReader reader;
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        if (const auto record = reader.Read(line)) {
          visit(*record);
        }
      }
      reader.Finish();
    });
  }

  static std::vector<Trial> TrialsOf(const fs::path& database, bool history = false) {
    const auto store = OpenSqliteStore(database, OpenMode::kReadOnly);
    const Hash128 key = KeyOf(SampleWorkload());
    std::vector<Trial> trials;
    for (StoredTrial& stored : history ? store->History(key) : store->Trials(key)) {
      trials.push_back(std::move(stored.trial));
    }
    return trials;
  }

  BankFolder folder_;
  int day_ = 0;  // of the bank that was filled last
};

// The same whether a workload is compared as a whole or record by record.
TEST_F(BankRecordsTest, ARecordThatComesTwiceIsThereTwice) {
  const fs::path a = Fill("a.db", {1});
  const fs::path twice = Fill("twice.db", {1, 1});
  SetDay(twice, 1);  // as that of `a`, by ids
  SetTimes(twice, "trial", "'2026-01-01T00:00:01.000Z'");
  SetTimes(a, "trial", "'2026-01-01T00:00:01.000Z'");
  const AddedRecords first = Merge(twice, a);
  EXPECT_EQ(first.added[1], 1) << "the second of the two";
  EXPECT_EQ(first.known[1], 3);
  EXPECT_EQ(TrialsOf(a, true).size(), 4U);
  EXPECT_EQ(Merge(twice, a).added, Counts{});
  const fs::path fresh = folder_.path() / "fresh.db";
  EXPECT_EQ(Merge(twice, fresh).added[1], 4);
  EXPECT_EQ(Merge(twice, fresh).added, Counts{});
  EXPECT_EQ(Merge(a, fresh).added[1], 0);
}

TEST_F(BankRecordsTest, ManyBanksAreMergedThroughOneConnection) {
  const fs::path a = Fill("a.db", {1, 2});
  const fs::path b = Fill("b.db", {3});
  const fs::path into = folder_.path() / "into.db";
  BankMerger merger(into);
  const MergedBank first = merger.Add(a);
  EXPECT_FALSE(first.error);
  EXPECT_TRUE(merger.Add(folder_.path() / "missing.db").error);
  const MergedBank refused = merger.Add(b, [](const CpuNames& cpus) {
    EXPECT_EQ(cpus, CpuNames{SampleWorkload().cpu});
    throw Error(ErrorKind::kDatabase, "not this one");
  });
  ASSERT_TRUE(refused.error);
  EXPECT_THAT(refused.error->what(), HasSubstr("not this one"));
  EXPECT_EQ(TrialsOf(into, true).size(), 4U);
  EXPECT_EQ(merger.Add(b).records.added[1], 3);
  EXPECT_EQ(merger.Add(a).records.added, Counts{});
  EXPECT_EQ(merger.Cpus(), CpusIn(a));
}

TEST_F(BankRecordsTest, AUnionHoldsBothAndASecondOneAddsNothing) {
  const fs::path a = Fill("a.db", {1, 2, 3});
  const fs::path b = Fill("b.db", {4, 5});
  const AddedRecords first = Merge(a, b);
  // One workload for both; what was recorded at other times is recorded twice.
  EXPECT_EQ(first.added, (Counts{0, 5, 1, 1, 2, 1, 1}));
  EXPECT_EQ(first.known, (Counts{1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(TrialsOf(b).size(), 7U) << "the rejections are the same trial";
  const std::string once = Export(b);
  const AddedRecords second = Merge(a, b);
  EXPECT_EQ(second.added, Counts{});
  EXPECT_EQ(second.known, (Counts{1, 5, 1, 1, 2, 1, 1}));
  EXPECT_EQ(Export(b), once);
}

TEST_F(BankRecordsTest, TheUnionIsTheSameWhicheverComesFirst) {
  const fs::path a = Fill("a.db", {1, 2, 3}, "name of a");
  const fs::path b = Fill("b.db", {3, 4}, "name of b");
  const fs::path ab = folder_.path() / "ab.db";
  const fs::path ba = folder_.path() / "ba.db";
  Merge(a, ab);
  Merge(b, ab);
  Merge(b, ba);
  Merge(a, ba);
  EXPECT_EQ(Export(ab), Export(ba));
  EXPECT_EQ(OpenSqliteStore(ba, OpenMode::kReadOnly)->Workloads()[0].workload.model_name,
            "name of a")
      << "the one that saw the network first";
}

// The same content at the same time, as one transaction writes it.
TEST_F(BankRecordsTest, RecordsThatAreEqualAreCounted) {
  const fs::path a = folder_.path() / "a.db";
  const OperatorTiming timing = testing::SampleTiming(1);
  OpenSqliteStore(a, OpenMode::kReadWrite)
      ->AddOperatorTimings(testing::SampleKernels(), {{timing, timing}});
  const fs::path b = folder_.path() / "b.db";
  EXPECT_EQ(Merge(a, b).added[4], 2);
  EXPECT_EQ(Export(b), Export(a));
  EXPECT_EQ(Merge(a, b).added[4], 0);
}

// Ids say when a row arrived; what counts is when it was measured.
TEST_F(BankRecordsTest, AnOlderMeasurementThatArrivesLaterIsNotTheNewest) {
  Trial older = MeasuredTrial(1);
  std::get<Measurement>(older.outcome).latency.ratio = 0.9;
  const fs::path a = folder_.path() / "a.db";
  const fs::path b = folder_.path() / "b.db";
  for (const auto& [database, trial] : {std::pair(a, older), std::pair(b, MeasuredTrial(1))}) {
    const auto store = OpenSqliteStore(database, OpenMode::kReadWrite);
    store->AddTrial(store->AddWorkload(SampleWorkload()), trial);
  }
  SetDay(a, 1);
  SetDay(b, 2);
  Merge(a, b);
  EXPECT_THAT(TrialsOf(b), ElementsAre(MeasuredTrial(1)));
  EXPECT_THAT(TrialsOf(b, true), ElementsAre(older, MeasuredTrial(1)));
}

TEST_F(BankRecordsTest, ImportGivesBackWhatWasExported) {
  const fs::path a = Fill("a.db", {1, 2, 3});
  const std::string text = Export(a);
  const fs::path b = folder_.path() / "b.db";
  EXPECT_EQ(Import(text, b).added, (Counts{1, 5, 1, 1, 2, 1, 1}));
  EXPECT_EQ(Export(b), text);
  EXPECT_EQ(TrialsOf(b, true), TrialsOf(a, true));
  const auto read = OpenSqliteStore(b, OpenMode::kReadOnly);
  const auto written = OpenSqliteStore(a, OpenMode::kReadOnly);
  const Hash128 key = KeyOf(SampleWorkload());
  EXPECT_EQ(read->Fronts(key), written->Fronts(key));
  EXPECT_EQ(read->FindSensitivity(key, {4, 4}), testing::SampleSensitivity());
  EXPECT_EQ(read->OperatorTimings(testing::SampleKernels())[1].timing, testing::SampleTiming(2));
  EXPECT_EQ(read->FindOperatorProfile(testing::SampleKernels(), "MatMul", 2),
            testing::SampleProfile(2));
  const BankCalibration calibration = testing::SampleCalibration(2);
  EXPECT_EQ(read->FindCalibration(calibration.model_hash, calibration.key), calibration);
  EXPECT_EQ(Import(text, b).added, Counts{}) << "twice adds nothing";
}

// A union: of two with one key the newer counts that time did not cut short.
TEST_F(BankRecordsTest, TheNewestWholeCalibrationOfTwoBanksCounts) {
  BankCalibration older = testing::SampleCalibration(2);
  older.quantization = "older";
  BankCalibration newer = older;
  newer.quantization = "newer";
  BankCalibration cut = older;
  cut.cut = "calibrated on 1 of 8 samples";
  cut.had_s = 3;
  std::vector<fs::path> banks;
  for (const BankCalibration& calibration : {older, newer, cut}) {
    banks.push_back(folder_.path() / (std::to_string(banks.size()) + ".db"));
    OpenSqliteStore(banks.back(), OpenMode::kReadWrite)->AddCalibration(calibration);
    SetDay(banks.back(), static_cast<int>(banks.size()));
  }
  const auto counted = [&](const fs::path& bank) {
    return OpenSqliteStore(bank, OpenMode::kReadOnly)->FindCalibration(older.model_hash, older.key);
  };
  EXPECT_EQ(Merge(banks[2], banks[0]).added[6], 1);
  EXPECT_EQ(counted(banks[0]), older);
  Merge(banks[1], banks[0]);
  EXPECT_EQ(counted(banks[0]), newer);
  EXPECT_EQ(Merge(banks[1], banks[0]).known[6], 1);
  EXPECT_EQ(OpenSqliteStore(banks[0], OpenMode::kReadOnly)->CalibrationSummaries().size(), 1U);
}

TEST_F(BankRecordsTest, ACalibrationOfTooManyBytesIsNotImported) {
  BankCalibration large = testing::SampleCalibration(2);
  large.histograms.assign(static_cast<std::size_t>(kMostCalibrationBytes) + 1, 'x');
  const std::string line = RecordToJson(CalibrationRow{"2026-01-01T00:00:00.000Z", large});
  EXPECT_EQ(ErrorOf([&] { RecordFromJson(line); }),
            "calibration: expected texts of at most 67108864 bytes, found 67108865");
}

// Older exports have no such field, and match their checksums still.
TEST_F(BankRecordsTest, ATimingNamesWhatWasComparedUnlessItIsEverything) {
  const auto line = [](int number) {
    return RecordToJson(TimingRecord{testing::SampleKernels(), "2026-01-01T00:00:00.000Z",
                                     testing::SampleTiming(number)});
  };
  EXPECT_EQ(line(1).find("compared"), std::string::npos);
  EXPECT_THAT(line(2), HasSubstr(R"("compared":"matmul.f32.highway matmul.f32.onednn")"));
  for (const int number : {1, 2}) {
    EXPECT_EQ(std::get<TimingRecord>(std::get<BankRecord>(RecordFromJson(line(number)))).timing,
              testing::SampleTiming(number));
  }
}

TEST_F(BankRecordsTest, NamesThatAreNotUtf8AreKept) {
  const fs::path a = Fill("a.db", {1}, "caf\xE9 \"x\"\n");
  const std::string text = Export(a);
  EXPECT_THAT(text, HasSubstr(R"("model_name":{"hex":"636166e9202278220a"})"));
  Import(text, folder_.path() / "b.db");
  EXPECT_EQ(OpenSqliteStore(folder_.path() / "b.db", OpenMode::kReadOnly)
                ->Workloads()[0]
                .workload.model_name,
            "caf\xE9 \"x\"\n");
}

TEST_F(BankRecordsTest, ALineThatWasChangedIsRefusedAndNothingIsAdded) {
  const std::string text = Export(Fill("a.db", {1, 2}));
  const fs::path b = folder_.path() / "b.db";
  for (const auto& [from, to] :
       {std::pair("0.1,0.2,0.3", "0.1,0.2,0.4"),
        std::pair("\"strategy\":\"greedy\"", "\"strategy\":\"greedz\""),
        std::pair("\"gain\":0.1", "\"gain\":0.2"), std::pair("\"rounds\":41", "\"rounds\":42"),
        std::pair("highway matmul.f32.onednn", "highway matmul.f32.onednm"),
        std::pair("\"matmul.f16.highway\":0.5", "\"matmul.f16.highway\":0.25"),
        std::pair("\"operators\":\"Conv,Relu\",\"quantization\"",
                  "\"operators\":\"Conv,Gelu\",\"quantization\"")}) {
    std::string changed = text;
    ASSERT_NE(changed.find(from), std::string::npos) << from;
    changed.replace(changed.find(from), std::strlen(from), to);
    EXPECT_THAT(ErrorOf([&] { Import(changed, b); }),
                HasSubstr("the record does not match its checksum: the file was changed or "
                          "damaged; export again"))
        << from;
  }
  std::string changed = text;
  changed.replace(changed.find("\"threads\":1"), 11, "\"threads\":2");
  EXPECT_THAT(ErrorOf([&] { Import(changed, b); }), HasSubstr("does not match its key"));
  EXPECT_TRUE(OpenSqliteStore(b, OpenMode::kReadWrite)->Workloads().empty());
}

TEST_F(BankRecordsTest, ErrorsOfExports) {
  const fs::path b = folder_.path() / "b.db";
  const std::string header = ExportHeader() + "\n";
  EXPECT_EQ(ErrorOf([&] { Import("", b); }), "the export is empty");
  EXPECT_THAT(ErrorOf([&] { Import("x\n", b); }),
              HasSubstr("expected the first line of `halftone bank export`"));
  EXPECT_THAT(ErrorOf([&] { Import("[]\n", b); }),
              HasSubstr("expected the first line of `halftone bank export`"));
  EXPECT_EQ(ErrorOf([&] { Import("{\"format\":2,\"halftone_bank\":\"export\"}\n", b); }),
            "the export has format 2, this halftone knows 1: use the halftone that wrote it, or a "
            "newer one");
  EXPECT_EQ(ErrorOf([&] { Import(header, b); }),
            "the export is cut short: its last line, {\"row\":\"end\",...}, is missing");
  EXPECT_EQ(ErrorOf([&] { Import(header + ExportEnd(3), b); }),
            "the export has 0 rows, its last line says 3: the file was changed");
  EXPECT_EQ(ErrorOf([&] { Import(header + ExportEnd(0) + "\n\n", b); }),
            "a line stands behind the end of the export: the file was changed");
  EXPECT_EQ(ErrorOf([&] { Import(header + "{\"row\":\"song\"}\n", b); }),
            "the row 'song' is not known: it was exported by a newer halftone");
  EXPECT_THAT(ErrorOf([&] { Import(header + "{\"row\":\"workload\"}\n", b); }),
              HasSubstr("not a line of `halftone bank export`: "));
  const Hash128 unknown = {1, 1};
  const std::string trial =
      RecordToJson(TrialRecord{unknown, "2026-01-01T00:00:00.000Z", MeasuredTrial(1)});
  EXPECT_EQ(ErrorOf([&] { Import(header + trial + "\n" + ExportEnd(1), b); }),
            "the knowledge base '" + b.string() + "': workload " + unknown.ToHex() +
                " is not in the knowledge base");
  const std::string no_time = RecordToJson(TrialRecord{unknown, "today", MeasuredTrial(1)});
  EXPECT_EQ(ErrorOf([&] { Import(header + no_time + "\n", b); }),
            "recorded_at: expected a time as 2026-01-31T12:00:00.000Z, found 'today'");
}

// A front without its trial could not be loaded.
TEST_F(BankRecordsTest, AFrontOfATrialThatNeitherBankHasIsNotAdded) {
  const fs::path b = folder_.path() / "b.db";
  StoredFront front = testing::SampleFront(KeyOf(SampleWorkload()), {MeasuredTrial(1)});
  front.recorded_at = "2026-01-01T00:00:00.000Z";
  const auto add = [&] {
    AddToBank(b, [&](const RecordVisitor& visit) {
      visit(WorkloadRecord{front.recorded_at, SampleWorkload()});
      visit(FrontRecord{front});
    });
  };
  EXPECT_EQ(ErrorOf(add), "the knowledge base '" + b.string() + "': no trial of plan " +
                              MeasuredTrial(1).plan_digest.ToHex() +
                              " with the measurement that a front names is in the knowledge base: "
                              "measure the plan again");
  EXPECT_TRUE(OpenSqliteStore(b, OpenMode::kReadWrite)->Workloads().empty());
}

// Each line but the last is one that every cut leaves incomplete.
TEST_F(BankRecordsTest, AnExportThatIsCutShortAnywhereIsRefused) {
  const std::string text = Export(Fill("a.db", {1}));
  const fs::path b = folder_.path() / "b.db";
  OpenSqliteStore(b, OpenMode::kReadWrite);
  for (std::size_t size = 0; size + 1 < text.size(); size += 101) {
    EXPECT_NE(ErrorOf([&] { Import(text.substr(0, size), b); }), "no error") << size;
  }
  EXPECT_TRUE(OpenSqliteStore(b, OpenMode::kReadOnly)->Workloads().empty());
}

}  // namespace
}  // namespace halftone
