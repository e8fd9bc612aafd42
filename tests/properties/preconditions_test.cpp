// For which blocks and addresses a kernel is right, found by launching it.
#include "properties/preconditions.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "catch.h"
#include "fake_kernel.h"

namespace foldproof {
namespace {

using VariableRanges = std::vector<std::pair<std::string, std::string>>;

Contract for_256_threads() {
  Contract contract = fake::contract(Operator::sum, Element::i32);
  for (auto& [name, range] : contract.instances.front().domain)
    if (name == "block") range = Range::parse("256", {});
  return contract;
}

Preconditions found_for(const fake::Kernel& kernel, const KnownBlocks& blocks) {
  const Contract contract = for_256_threads();
  fake::FakeRunner runner(kernel);
  return preconditions_of(contract, blocks, std::make_shared<const Image>("kernel.ptx", ""), runner);
}

/// Stores the sum, too large by `error`.
void store_sum(const fake::Launch& launch, std::uint32_t error) {
  const auto values = launch.elements<std::uint32_t>();
  launch.store(std::accumulate(values.begin(), values.end(), error));
}

/// A sum that is wrong by one in some launches.
Preconditions found(const std::function<bool(const fake::Launch&)>& is_right, const KnownBlocks& blocks = {},
                    Kind otherwise = Kind::wrong_value) {
  const auto kernel = [&](const fake::Launch& launch) {
    const bool right = is_right(launch);
    store_sum(launch, right ? 0 : 1);
    if (!right && otherwise != Kind::wrong_value) launch.findings->push_back({.kind = otherwise});
  };
  return found_for(kernel, blocks);
}

Preconditions for_blocks(const std::function<bool(std::int64_t)>& is_right, const KnownBlocks& blocks = {},
                         Kind otherwise = Kind::wrong_value) {
  return found([&](const fake::Launch& launch) { return is_right(launch.block); }, blocks, otherwise);
}

std::vector<std::string> conditions(const Preconditions& preconditions) {
  std::vector<std::string> all;
  for (const Finding& warning : preconditions.warnings) {
    CHECK(warning.severity == Severity::warning);
    all.push_back(warning.message.substr(0, warning.message.find(':')));
  }
  return all;
}

bool is_power_of_two(std::int64_t x) { return (x & (x - 1)) == 0; }

}  // namespace

TEST_CASE("a kernel that is right with every block has no precondition") {
  const Preconditions all = for_blocks([](std::int64_t) { return true; });
  CHECK(all.block == VariableRanges{{"block", "1 .. 1024"}});
  CHECK(all.warnings.empty());
  CHECK(all.assumptions ==
        std::vector<std::string>{"blocks of 1 to 1024 threads, which show no error in trial runs"});
}

TEST_CASE("preconditions on blocks are multiples of 32, powers of two, and limits") {
  const Preconditions warps = for_blocks([](std::int64_t block) { return block % 32 == 0; });
  CHECK(warps.block == VariableRanges{{"warps", "1 .. 32"}, {"block", "warps * 32"}});
  CHECK(conditions(warps) ==
        std::vector<std::string>{"if callers launch blocks whose size is not a multiple of 32"});

  const Preconditions powers =
      for_blocks([](std::int64_t block) { return is_power_of_two(block) && block >= 64; });
  CHECK(powers.block == VariableRanges{{"log2_block", "6 .. 10"}, {"block", "2 ^ log2_block"}});
  CHECK(conditions(powers) ==
        std::vector<std::string>{"if callers launch blocks of 32 or fewer threads",
                                 "if callers launch blocks whose size is not a power of two"});

  const Preconditions small = for_blocks([](std::int64_t block) { return block <= 128; });
  CHECK(small.block == VariableRanges{{"block", "1 .. 128"}});
  CHECK(conditions(small) == std::vector<std::string>{"if callers launch blocks of 129 or more threads"});

  const Preconditions one = for_blocks([](std::int64_t block) { return block == 512; });
  CHECK(one.block == VariableRanges{{"block", "512"}});
  CHECK(conditions(one) == std::vector<std::string>{"if callers launch blocks whose size is not 512"});
}

TEST_CASE("a size that a template argument says needs no warning") {
  KnownBlocks blocks;
  blocks.template_integers = {512};
  const Preconditions one = for_blocks([](std::int64_t block) { return block == 512; }, blocks);
  CHECK(one.block == VariableRanges{{"block", "512"}});
  CHECK(one.warnings.empty());
}

TEST_CASE("no author means a condition such as at most 255 threads, or 100 threads") {
  for (const Preconditions& none : {for_blocks([](std::int64_t block) { return block <= 255; }),
                                    for_blocks([](std::int64_t block) { return block == 100; }),
                                    for_blocks([](std::int64_t) { return false; })}) {
    CHECK(none.block.empty());
    CHECK(none.warnings.empty());
    CHECK(none.assumptions == std::vector<std::string>{"block size 256"});
  }
}

TEST_CASE("that a single warp does not race is not a precondition, unlike other faults with several warps") {
  const auto one_warp = [](std::int64_t block) { return block <= 32; };
  CHECK(for_blocks(one_warp, {}, Kind::shared_race).block.empty());
  CHECK(for_blocks(one_warp, {}, Kind::wrong_value).block == VariableRanges{{"block", "1 .. 32"}});
}

TEST_CASE("a launch of the source in which the kernel is wrong is left to the audit") {
  const auto warps = [](std::int64_t block) { return block % 32 == 0; };
  KnownBlocks blocks;
  blocks.launched = {64, 96};
  CHECK(for_blocks(warps, blocks).block == VariableRanges{{"warps", "1 .. 32"}, {"block", "warps * 32"}});
  blocks.launched = {48, 64};
  const Preconditions wrong = for_blocks(warps, blocks);
  CHECK(wrong.block == VariableRanges{{"block", "48"}});
  CHECK(wrong.warnings.empty());
}

TEST_CASE("no block is tried that the kernel does not accept") {
  KnownBlocks blocks;
  blocks.most = 96;
  CHECK(for_blocks([](std::int64_t block) { return block <= 96; }, blocks).block ==
        VariableRanges{{"block", "1 .. 96"}});
  blocks.is_required = true;
  CHECK(for_blocks([](std::int64_t) { return true; }, blocks).block.empty());
}

TEST_CASE("a warning is a precondition only if the usual block does not show it") {
  const auto warned = [](const std::function<bool(const fake::Launch&)>& is_quiet) {
    const auto kernel = [&](const fake::Launch& launch) {
      store_sum(launch, 0);
      if (!is_quiet(launch))
        launch.findings->push_back({.kind = Kind::global_race, .severity = Severity::warning});
    };
    return found_for(kernel, {});
  };
  CHECK(warned([](const fake::Launch&) { return false; }).block == VariableRanges{{"block", "1 .. 1024"}});
  const Preconditions one = warned([](const fake::Launch& launch) { return launch.block == 256; });
  CHECK(one.block == VariableRanges{{"block", "256"}});
  CHECK(conditions(one) == std::vector<std::string>{"if callers launch blocks whose size is not 256"});
}

TEST_CASE("an input that the kernel requires to be aligned is a precondition") {
  const Preconditions aligned =
      found([](const fake::Launch& launch) { return launch.offset == 0; }, {}, Kind::misaligned);
  CHECK(aligned.is_aligned);
  CHECK(conditions(aligned) == std::vector<std::string>{"if callers pass an unaligned input"});
  CHECK_FALSE(found([](const fake::Launch&) { return true; }).is_aligned);
}

TEST_CASE("a smaller case shows what happens, and preconditions change the domain of a contract") {
  Contract contract = for_256_threads();
  const Preconditions warps = for_blocks([](std::int64_t block) { return block % 32 == 0; });
  CHECK(warps.warnings.front().case_text.find("block=33 ") != std::string::npos);
  add(warps, contract);
  std::string names;
  for (const auto& [name, range] : contract.instances.front().domain)
    names += name + "=" + range.high.text() + " ";
  CHECK(names.find("warps=32 block=warps * 32 ") != std::string::npos);
  CHECK(contract.preconditions.size() == 1);
}

}  // namespace foldproof
