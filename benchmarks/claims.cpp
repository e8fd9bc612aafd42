// foldproof-lab claims: generates the page docs/claims.md from a run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "benchmarks/published_claims.h"
#include "benchmarks/verbs.h"
#include "command/emulated.h"
#include "properties/representative.h"

namespace foldproof {

namespace {

constexpr std::uint64_t largest_count = 1 << 16;

/// The f32 sum, with 256 threads if the block is part of the matrix.
const Instance* chosen(const Contract& contract) {
  for (const Instance& instance : contract.instances) {
    const std::string* block = value_of(instance.bindings, "B");
    if (instance.reduction && instance.reduction->op == Operator::sum &&
        instance.reduction->input == Element::f32 && (block == nullptr || *block == "256"))
      return &instance;
  }
  return nullptr;
}

std::map<std::string, Counters> count_all(const Console& console) {
  std::vector<Subject> subjects = load_subjects({}, {}, console);
  std::erase_if(subjects, [](const Subject& subject) {
    return std::ranges::find(claimed_kernels(), subject.contract.id) == claimed_kernels().end();
  });
  ProgressLine line;
  compile_subjects(subjects, {}, default_jobs(), console, line);
  std::map<std::string, Counters> all;
  for (const Subject& subject : subjects) {
    const Instance* instance = chosen(subject.contract);
    if (!instance) continue;
    const auto result = counted(subject, *instance, representative_case(*instance, largest_count));
    if (const auto* reason = std::get_if<std::string>(&result))
      throw InputError(*reason, {subject.contract.file.string()});
    all[subject.contract.id] = std::get<Counted>(result).counters;
  }
  return all;
}

std::string verdict(const Settled& settled) {
  switch (settled.how) {
    case Settled::How::confirmed: return "confirmed";
    case Settled::How::off: return "off: " + settled.by;
    case Settled::How::measured: return "measured";
    case Settled::How::open: return "open: " + settled.by;
  }
  return {};
}

std::string kernel_row(const Evidence& e, const std::string& id) {
  const Counters& c = e.of(id);
  const auto a_block = [&](std::uint64_t value) { return e.a_block(id, value); };
  return fmt::format("| {} | {} | {:.1f} % | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", id,
                     a_block(c.warp_instructions), 100 * c.warp_efficiency(), a_block(c.divergent_branches),
                     a_block(c.shared.loads.requests), a_block(c.shared.stores.requests),
                     a_block(c.shared.loads.conflicts + c.shared.stores.conflicts),
                     ratio(c.global.loads.sectors, c.global.loads.requests), a_block(c.global.atomics.lanes),
                     a_block(c.block_barriers), a_block(c.warp_barriers),
                     a_block(c.of(InstructionClass::shuffle)));
}

std::string page(const Evidence& evidence) {
  std::string text = R"(# Published claims, measured

Written by `foldproof-lab claims --measured docs/bandwidth.json > docs/claims.md`; a test compares this page with a
fresh run. Times are those of `foldproof-lab bench kernels --format json > docs/bandwidth.json` on a machine with a
GPU. The counters are those of the emulated device, of the kernels' PTX ([`json.md`](json.md) defines them): f32 sums
of 65536 elements, blocks of 256 threads, 16 elements per thread where the grid is free. Which instructions a kernel
has is nvcc's choice, so another version may give other numbers. *Not traced*: the claim circulates, and we could not
find who published it first.

| claim | source | verdict | measured |
|---|---|---|---|
)";
  for (const Claim& claim : published_claims()) {
    const Settled settled = claim.settle(evidence);
    text += fmt::format("| {} | {} | {} | {} |\n", claim.sentence, claim.source, verdict(settled),
                        settled.measured);
  }
  text +=
      "\n## The kernels\n\n"
      "A block, but for lanes (active of live ones) and sectors (a load from global memory).\n\n"
      "| kernel | warp instructions | lanes | divergent branches | shared loads | shared stores | bank "
      "conflicts | "
      "sectors | atomics | barriers | warp barriers | shuffles |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const char* id : claimed_kernels()) text += kernel_row(evidence, id);
  return text;
}

Json claims_json(const Evidence& evidence) {
  Json claims = Json::array();
  for (const Claim& claim : published_claims()) {
    const Settled settled = claim.settle(evidence);
    claims.push_back(
        {{"claim", claim.sentence}, {"verdict", verdict(settled)}, {"measured", settled.measured}});
  }
  return Json{{"claims", claims}};
}

}  // namespace

Run attach_claims(CLI::App& app, Console& console) {
  auto measured = std::make_shared<std::string>();
  app.add_option(
         "--measured", *measured,
         "What `foldproof-lab bench kernels --format json` printed on a machine with a GPU; without it the "
         "claims about times stay open")
      ->type_name("FILE");
  return [measured, &console] {
    std::optional<Bandwidths> bandwidths;
    if (!measured->empty()) bandwidths = Bandwidths::load(*measured);
    const Evidence evidence(count_all(console), std::move(bandwidths));
    console.print_as_asked([&] { return claims_json(evidence); }, [&] { return page(evidence); });
    return exit_ok;
  };
}

}  // namespace foldproof
