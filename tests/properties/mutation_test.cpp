// Each mutation on minimal PTX, compared with changes derived by hand.
#include "properties/mutation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"

namespace foldproof {
namespace {

Image kernel(const std::string& body) {
  return {"k.ptx",
          ".version 9.0\n.target sm_90\n.address_size 64\n"
          ".visible .entry k(.param .u64 k_out) {\n"
          ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n.reg .pred %p<9>;\n" +
              body + "\nret;\n}\n"};
}

Instance launching_k() {
  Instance instance;
  instance.launches.emplace_back();
  instance.launches.back().lowered = "k";
  return instance;
}

/// "change -> statement" for every mutant of this kind.
std::vector<std::string> changes(const std::string& mutation, const std::string& body) {
  std::vector<std::string> found;
  for (const Mutant& mutant : mutants_of(launching_k(), kernel(body)))
    if (mutant.mutation == mutation)
      found.push_back(mutant.change + " -> " + mutant.edits.front().replacement);
  return found;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("barriers are deleted; a deleted reduction leaves each thread its own predicate") {
  CHECK(changes("delete-barrier", "bar.sync 0;") == Lines{"delete the barrier -> "});
  CHECK(changes("delete-barrier", "barrier.cluster.wait;") ==
        Lines{"delete the wait at the cluster barrier -> "});
  CHECK(changes("delete-barrier", "bar.red.popc.u32 %r1, 0, !%p1;") ==
        Lines{"delete the barrier -> selp.u32 %r1, 0, 1, %p1;"});
  CHECK(changes("delete-barrier", "bar.warp.sync -1;").empty());
  CHECK(changes("delete-warp-barrier", "bar.warp.sync -1;") == Lines{"delete the warp barrier -> "});
}

TEST_CASE("fences are deleted, and narrowed by one scope") {
  CHECK(changes("delete-fence", "membar.gl;") == Lines{"delete the fence -> "});
  CHECK(changes("narrow-fence", "fence.acq_rel.sys;") ==
        Lines{"narrow the fence from the system to the device -> fence.acq_rel.gpu;"});
  CHECK(changes("narrow-fence", "membar.gl;") ==
        Lines{"narrow the fence from the device to the block -> membar.cta;"});
  CHECK(changes("narrow-fence", "membar.cta;").empty());
}

TEST_CASE("a constant mask loses its lowest or its highest lane") {
  CHECK(changes("clear-mask-bit", "bar.warp.sync 0xff0;") ==
        Lines{"remove lane 4 from the mask 0xff0 -> bar.warp.sync 0xfe0;",
              "remove lane 11 from the mask 0xff0 -> bar.warp.sync 0x7f0;"});
  CHECK(changes("clear-mask-bit", "mov.b32 %r9, 3;\nvote.sync.ballot.b32 %r1, %p1, %r9;").size() == 2);
  CHECK(changes("clear-mask-bit", "activemask.b32 %r8;\nbar.warp.sync %r8;").empty());
}

TEST_CASE("memory order and scope of accesses are weakened") {
  CHECK(changes("drop-volatile", "ld.volatile.global.u32 %r1, [%rd1+4];") ==
        Lines{"drop volatile from the load -> ld.global.u32 %r1, [%rd1+4];"});
  CHECK(changes("weaken-order", "ld.acquire.gpu.global.u32 %r1, [%rd1];") ==
        Lines{"weaken acquire to relaxed in the load -> ld.relaxed.gpu.global.u32 %r1, [%rd1];"});
  CHECK(changes("weaken-order", "st.relaxed.gpu.global.u32 [%rd1], %r1;") ==
        Lines{"turn the relaxed store into a plain store -> st.global.u32 [%rd1], %r1;"});
  CHECK(changes("narrow-scope", "atom.acq_rel.global.add.u32 %r1, [%rd1], 1;") ==
        Lines{"narrow the scope of the atomic to the block -> atom.acq_rel.cta.global.add.u32 %r1, [%rd1], "
              "1;"});
  CHECK(changes("narrow-scope", "atom.shared.add.u32 %r1, [%rd1], 1;").empty());
}

TEST_CASE("an atomic becomes a load, the operation and a store, all with the same guard") {
  CHECK(
      changes("split-atomic", "@%p1 red.global.add.f32 [%rd1], %f1;") ==
      Lines{"turn the atomic (add) into a load, the operation and a store -> { .reg .b32 %mutated<2>; .reg "
            ".pred %mutatedp; @%p1 ld.global.b32 %mutated0, [%rd1]; @%p1 add.f32 %mutated1, %mutated0, %f1; "
            "@%p1 st.global.b32 [%rd1], %mutated1; }"});
}

TEST_CASE("integer comparisons are forced, and shifted by one") {
  CHECK(changes("force-compare", "setp.lt.u32 %p1, %r1, %r2;") ==
        Lines{"make the comparison (lt) always true -> setp.eq.u32 %p1, 0, 0;",
              "make the comparison (lt) always false -> setp.ne.u32 %p1, 0, 0;"});
  CHECK(changes("shift-compare", "setp.lt.u32 %p1, %r1, %r2;") ==
        Lines{"compare with le instead of lt -> setp.le.u32 %p1, %r1, %r2;"});
  CHECK(changes("shift-compare", "setp.ne.s32 %p1, %r1, 0;") ==
        Lines{"compare with 1 instead of 0 (ne) -> setp.ne.s32 %p1, %r1, 1;"});
  CHECK(changes("force-compare", "setp.lt.f32 %p1, %f1, %f2;").empty());
}

TEST_CASE("shuffles, shifts and the operation itself are changed") {
  CHECK(changes("shift-lane", "shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;") ==
        Lines{"shuffle by 17 instead of 16 -> shfl.sync.down.b32 %r1|%p1, %r2, 17, 31, -1;",
              "shuffle by 15 instead of 16 -> shfl.sync.down.b32 %r1|%p1, %r2, 15, 31, -1;"});
  CHECK(changes("shift-amount", "shr.u32 %r1, %r2, 1;") ==
        Lines{"shift by 2 instead of 1 -> shr.u32 %r1, %r2, 2;"});
  CHECK(changes("swap-extremum", "max.s32 %r1, %r2, %r3;") ==
        Lines{"use min instead of max -> min.s32 %r1, %r2, %r3;"});
  CHECK(changes("subtract", "add.f32 %f1, %f2, %f3;") ==
        Lines{"subtract instead of adding -> sub.f32 %f1, %f2, %f3;"});
  CHECK(changes("subtract", "add.s32 %r1, %r2, %r3;").empty());
}

TEST_CASE("a source line that the compiler repeats is one mutant with several edits") {
  const Image image = kernel(
      ".loc 1 7 3\nbar.sync 0;\n.loc 1 8 3\nbar.sync 0;\n.loc 1 7 3\nbar.sync 0;\n"
      "ret;\n}\n.file 1 \"/src/k.cu\"\n.visible .entry unused() { bar.sync 0;");
  const auto mutants = mutants_of(launching_k(), image);
  REQUIRE(mutants.size() == 2);
  CHECK(mutants[0].at == Position{"/src/k.cu", 7, 3});
  CHECK(mutants[0].edits.size() == 2);
  CHECK(mutants[1].edits.size() == 1);
  const Image changed = mutated(image, mutants[1].edits[0]);
  CHECK(changed.ptx.text().size() == image.ptx.text().size() - std::string("bar.sync 0;").size());
}

TEST_CASE("the search for mutants ends when its caller says so") {
  const Image image = kernel("bar.sync 0;\nbar.sync 1;\nbar.sync 2;");
  CHECK(mutants_of(launching_k(), image).size() == 3);
  CHECK(mutants_of(launching_k(), image, [](std::size_t mutants) { return mutants < 2; }).size() == 2);
  CHECK(mutants_of(launching_k(), image, [](std::size_t) { return false; }).empty());
}

TEST_CASE("the score is the share of killed mutants among killed and survived ones") {
  MutationReport report;
  for (const MutantStatus status :
       {MutantStatus::killed, MutantStatus::killed, MutantStatus::killed, MutantStatus::survived,
        MutantStatus::equivalent, MutantStatus::invalid, MutantStatus::skipped}) {
    report.mutants.emplace_back();
    report.mutants.back().status = status;
  }
  CHECK(score({&report, 1}) == 75.0);
  CHECK_FALSE(score({}));
}

TEST_CASE("the exit status depends on the floor, invalid annotations and mutants not tried") {
  MutationReport report;
  report.mutants.resize(3);
  report.mutants[0].status = MutantStatus::killed;
  report.mutants[1].status = MutantStatus::survived;
  report.mutants[2].status = MutantStatus::invalid;
  const auto status = [&](std::optional<double> floor) { return exit_status({&report, 1}, floor); };
  CHECK(status({}) == 0);
  CHECK(status(50) == 0);
  CHECK(status(51) == 1);
  report.mutants[2].status = MutantStatus::skipped;
  CHECK(status({}) == 0);
  CHECK(status(50) == 3);
  CHECK(status(51) == 1);
  report.reason = "its process was ended";
  CHECK(status({}) == 3);
  report.wrong_equivalents.emplace_back("it was noticed");
  CHECK(status({}) == 1);
}

/// A source with a barrier in lines 3 and 5; the second one has a comment.
struct TwoBarriers : TemporaryFolder {
  TwoBarriers() {
    std::ofstream(file()) << "a();\n\nbar();\nb();\nbar();  // of the end\n";
    mutant.mutation = "delete-barrier";
    mutant.at = {file(), 5, 3};
  }
  std::string file() const { return (path() / "k.cu").string(); }
  Mutant mutant;
};

Contract with_equivalent(const std::string& code, std::uint64_t occurrence = 0) {
  Contract contract;
  contract.equivalents.push_back({"delete-barrier", "k.cu", code, occurrence, "", 1, "nothing follows", {}});
  return contract;
}

TEST_CASE("an annotation must fit a survivor and cover all of its surviving statements") {
  const TwoBarriers source;
  Contract contract = with_equivalent("of the end");
  MutationReport report;
  report.mutants.emplace_back();
  MutantReport& mutant = report.mutants.back();
  mutant.mutation = source.mutant.mutation;
  mutant.at = source.mutant.at;
  mutant.status = MutantStatus::survived;
  mutant.alive = 2;
  EquivalentMutants(contract).apply(report);
  CHECK(mutant.status == MutantStatus::survived);
  mutant.alive = 1;
  EquivalentMutants(contract).apply(report);
  CHECK(mutant.status == MutantStatus::equivalent);
  CHECK(report.wrong_equivalents.empty());
  mutant.status = MutantStatus::killed;
  EquivalentMutants(contract).apply(report);
  CHECK(report.wrong_equivalents.size() == 1);
  contract.equivalents[0].mutation = "delete-bariers";
  CHECK_THROWS_AS(EquivalentMutants(contract).check({}), InputError);
}

TEST_CASE("an annotation refers to a statement, even if edits move its line") {
  TwoBarriers source;
  const Contract contract = with_equivalent("bar();  // of the end");
  EquivalentMutants(contract).check({&source.mutant, 1});
  CHECK(EquivalentMutants(contract).include(source.mutant, 1));
  std::ofstream(source.file()) << "// a comment\n\na();\nbar();\nbar();\nb();\nbar();  // of the end\n";
  CHECK_FALSE(EquivalentMutants(contract).include(source.mutant, 1));
  source.mutant.at.line = 7;
  CHECK(EquivalentMutants(contract).include(source.mutant, 1));
}

TEST_CASE("an annotation must identify one statement") {
  const TwoBarriers source;
  const auto error = [&](const std::string& code, std::uint64_t occurrence) -> std::string {
    try {
      const Contract contract = with_equivalent(code, occurrence);
      EquivalentMutants(contract).check({&source.mutant, 1});
    } catch (const InputError& wrong) {
      return wrong.sentence();
    }
    return "";
  };
  CHECK(error("bar();", 2).empty());
  CHECK(error("bar();", 0) ==
        "\"bar();\" matches lines 3, 5 of k.cu; quote more of the line, or choose one with \"occurrence\"");
  CHECK(error("bar();", 3) == "k.cu contains \"bar();\" only 2 times");
  CHECK(error("c();", 0) == "k.cu does not contain \"c();\"");
  CHECK(error("bar();", 1) ==
        "the kernel has no mutant \"delete-barrier\" of k.cu: bar(); (1); `foldproof mutate` lists its "
        "mutants");
}

TEST_CASE("an annotation of one file is not compared with the mutants of another, which may not exist") {
  TwoBarriers source;
  source.mutant.at.file = "/nowhere/other.cu";
  const Contract contract = with_equivalent("of the end");
  CHECK_FALSE(EquivalentMutants(contract).include(source.mutant, 1));
  CHECK_THROWS_AS(EquivalentMutants(contract).check({&source.mutant, 1}), InputError);
}

TEST_CASE("a source is read once, however many annotations and mutants it has") {
  constexpr unsigned statements = 300;
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "k.cu").string();
  std::ofstream text(file);
  Contract contract;
  MutationReport report;
  std::vector<Mutant> mutants(statements);
  for (unsigned i = 0; i < statements; ++i) {
    const std::string code = fmt::format("bar();  // {};", i);
    text << code << "\n";
    contract.equivalents.push_back({"delete-barrier", "k.cu", code, 0, "", 1, "nothing follows", {}});
    mutants[i].mutation = "delete-barrier";
    mutants[i].at = {file, i + 1, 1};
    report.mutants.push_back(untried(mutants[i]));
    report.mutants.back().status = MutantStatus::survived;
  }
  for (int line = 0; line < 50'000; ++line) text << "  x += a[i];  // more\n";
  text.close();

  const auto begin = std::chrono::steady_clock::now();
  const EquivalentMutants equivalents(contract);
  equivalents.check(mutants);
  for (const Mutant& mutant : mutants) CHECK(equivalents.include(mutant, 1));
  equivalents.apply(report);
  CHECK(report.count(MutantStatus::equivalent) == statements);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));  // minutes, if read for each
}

}  // namespace foldproof
