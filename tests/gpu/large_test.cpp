// Sums in the GPU's memory: the exact sum and kernels under test.
#include "properties/large_audit.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "contracts/compile.h"
#include "devices/gpus.h"
#include "gpu/program.h"
#include "oracles/number.h"
#include "oracles/tally.h"
#include "properties/distributions.h"
#include "properties/exact_on_gpu.h"
#include "properties/large_inputs.h"

using namespace foldproof;

namespace {

namespace fs = std::filesystem;

CompileOptions options() {
  CompileOptions options;
  options.machine = present_gpus().architecture;
  return options;
}

struct Compilation {
  explicit Compilation(const fs::path& file)
      : contract(load_contract(file, Trust::full)), image(compile_contract(contract, options())) {}
  Contract contract;
  std::shared_ptr<const Image> image;
};

const Compilation& exact() {
  static const Compilation only(fs::path(FOLDPROOF_KERNELS) / "careful" / "exact.toml");
  return only;
}

std::shared_ptr<const Image> image_of(const char* file) {
  return compile_source(fs::path(FOLDPROOF_KERNELS) / file, {}, options());
}

LargeAuditTools tools() {
  return {&exact().contract, exact().image, image_of("large_inputs.cu"), image_of("compare_bytes.cu")};
}

std::vector<std::byte> elements_of(Element element, const DistributionInfo& distribution, std::size_t count) {
  const Element wide = element == Element::f64 ? element : Element::f32;
  return make_input(
      {std::string(distribution.name), count},
      {.op = Operator::sum, .element = element, .accumulator = wide, .count = count, .output = wide});
}

std::vector<std::byte> in_memory(cuda::Context& context, const cuda::Memory& memory, std::size_t bytes) {
  std::vector<std::byte> all(bytes);
  context.read(memory.address(), all);
  context.wait();
  return all;
}

/// Compares the exact sums of the GPU and the CPU for elements of all types and distributions.
void check_exact_sums(std::size_t count) {
  cuda::Context context;
  ExactOnGpu on_gpu(context, exact().contract, exact().image);
  for (const Element element :
       {Element::f64, Element::f32, Element::f16, Element::bf16, Element::e4m3, Element::e5m2})
    for (const DistributionInfo& distribution : distributions())
      for (const std::size_t offset : {0UL, 1UL}) {  // elements after an address aligned for vector loads
        if (!suits(distribution, element)) continue;
        CAPTURE(std::string(name(element)), count, std::string(distribution.name), offset);
        const std::vector<std::byte> elements = elements_of(element, distribution, count);
        const cuda::Memory memory(elements.size() + 16);
        const Address start = memory.address() + offset * size_of(element);
        context.write(start, elements);
        const ExactOnGpu::Sum sum = on_gpu.sum(element, start, static_cast<std::int64_t>(count));
        const Tally expected = tally(element, elements);
        CHECK(sum.specials.give_nan() == expected.specials.give_nan());
        CHECK(sum.specials.give_infinity() == expected.specials.give_infinity());
        if (!expected.specials.nan && !expected.specials.have_infinity()) CHECK(sum.finite == expected.sum());
      }
}

}  // namespace

TEST_CASE("The exact sums of the GPU and the CPU agree for hostile elements", "[gpu][large]") {
  for (const std::size_t count : {0UL, 1UL, 31UL, 4097UL}) check_exact_sums(count);
}

TEST_CASE("The exact sums of the GPU and the CPU agree for a million hostile elements",
          "[gpu][large][hardware]") {
  check_exact_sums((1UL << 20) + 3);
}

TEST_CASE("The claimed properties of a large input hold for its elements", "[gpu][large]") {
  cuda::Context context;
  LargeInputMaker maker(context, *image_of("large_inputs.cu"));
  constexpr std::size_t count = 100'001;
  for (const Element element :
       {Element::f64, Element::f32, Element::f16, Element::bf16, Element::e4m3, Element::e5m2})
    for (const LargeInput& how : large_inputs()) {
      CAPTURE(std::string(name(element)), std::string(how.name));
      const std::size_t bytes = count * size_of(element);
      const cuda::Memory memory(bytes);
      maker.make(how, false, element, memory.address(), count, 7);
      const Tally known = tally(element, in_memory(context, memory, bytes)),
                  claimed = tally_but_for_sums(how, element, count);
      CHECK(known.finite == count);
      CHECK(known.nonzero > 0);
      CHECK(known.lowest_place >= claimed.lowest_place);
      CHECK(known.highest_place <= claimed.highest_place);
      CHECK(known.widest <= claimed.widest);
      CHECK((known.negative == Dyadic{}) == (how.signs == Signs::none));
      maker.make(how, true, element, memory.address(), count, 7);
      CHECK(tally(element, in_memory(context, memory, bytes)).positive == known.magnitude());
    }
}

TEST_CASE("A 32-bit count is reported at 2^32 elements", "[gpu][large][hardware]") {
  const Compilation narrow(fs::path(FOLDPROOF_GPU_TESTS) / "narrow_count.toml");
  const Instance& instance = narrow.contract.instances.front();
  REQUIRE(serves_large_counts(instance));

  const KernelReport right =
      audit_large(narrow.contract, instance, narrow.image, tools(), {.largest_count = (1UL << 31) + 7});
  CHECK(right.verdict == Verdict::clean);
  CHECK(right.cases == 16);
  CHECK(right.untried_above.at("count") == (std::int64_t{1} << 31) + 7);

  const KernelReport wrong = audit_large(narrow.contract, instance, narrow.image, tools(), {});
  REQUIRE_FALSE(wrong.findings.empty());
  CHECK(wrong.findings.front().kind == Kind::wrong_value);
  CHECK(wrong.findings.front().case_text.find("count=4294967296") == 0);
}

TEST_CASE("Partial sums whose order changes from run to run are correct but not reproducible",
          "[gpu][large]") {
  const Compilation unsteady(fs::path(FOLDPROOF_GPU_TESTS) / "unsteady.toml");
  const KernelReport report = audit_large(unsteady.contract, unsteady.contract.instances.front(),
                                          unsteady.image, tools(), {.largest_count = least_large_count});
  CHECK(report.cases == large_inputs().size());
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings.front().kind == Kind::not_reproducible);
}

TEST_CASE("Subprocesses of an audit use the GPU after the audit has already used it", "[gpu][large]") {
  const TemporaryFolder folder;
  const fs::path report = folder.path() / "report.json";
  const std::string command =
      gpu_tests_program() + " audit " + FOLDPROOF_KERNELS +
      "/tree/vectorized.toml --device cuda --large --largest 2000000 --format json > " + report.string();
  CHECK(std::system(command.c_str()) == 0);
  const auto json = nlohmann::json::parse(read_text_file(report, 1 << 20));
  CHECK(json.at("kernels").size() == 6);  // one sum for each floating-point type
  for (const auto& kernel : json.at("kernels")) CHECK(kernel.at("cases") == large_inputs().size());
}

TEST_CASE("A large sum that does not end is reported and costs only its process", "[gpu][large]") {
  const TemporaryFolder folder;
  const fs::path report = folder.path() / "report.json";
  const std::string command = gpu_tests_program() + " audit " + FOLDPROOF_GPU_TESTS +
                              "/endless.toml --device cuda --large --case-limit 1s --format json > " +
                              report.string();
  CHECK(WEXITSTATUS(std::system(command.c_str())) == 1);
  const auto json = nlohmann::json::parse(read_text_file(report, 1 << 20));
  const auto& kernel = json.at("kernels").at(0);
  CHECK(kernel.at("cases") == large_inputs().size());  // of the previous size
  CHECK(kernel.at("findings").at(0).at("kind") == "timeout");
  CHECK(kernel.at("findings").at(0).at("case").get<std::string>().find("count=16777221") == 0);
}

TEST_CASE("The exact sum works with many elements per thread and a warp of one lane", "[gpu][large]") {
  cuda::Context context;
  ExactOnGpu on_gpu(context, exact().contract, exact().image);
  const DistributionInfo& distribution =
      *std::ranges::find(distributions(), "exponents", &DistributionInfo::name);
  for (const Element element : {Element::f32, Element::f64}) {
    constexpr std::size_t count = (std::size_t{1} << 20) + 3;
    const std::vector<std::byte> elements = elements_of(element, distribution, count);
    const cuda::Memory memory(elements.size());
    context.write(memory.address(), elements);
    // More than 4096 elements per thread: the bins are emptied in between.
    const ExactOnGpu::Sum sum = on_gpu.sum(element, memory.address(), count, {.threads = 33, .blocks = 1});
    CAPTURE(std::string(name(element)));
    CHECK(sum.finite == tally(element, elements).sum());
  }
}
