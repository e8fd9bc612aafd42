// Kernels written as host functions, to test audits on reductions with known faults.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "devices/runner.h"
#include "properties/audit.h"

namespace foldproof::fake {

/// A launch as a host function sees it.
struct Launch {
  std::span<const std::byte> input;
  std::span<std::byte> output;
  std::size_t count = 0;
  std::int64_t block = 1;
  Schedule schedule;         ///< if the runner obeys schedules
  CoRunningLoad load;        ///< if it does not
  std::uint64_t offset = 0;  ///< bytes by which the input is misaligned
  std::span<std::byte> writable_input;
  std::vector<Finding>* findings = nullptr;

  template <typename T>
  std::vector<T> elements() const {
    std::vector<T> values(count);
    if (count != 0) std::memcpy(values.data(), input.data(), count * sizeof(T));
    return values;
  }
  template <typename T>
  void store(T value, std::size_t index = 0) const {
    std::memcpy(output.data() + index * sizeof(T), &value, sizeof value);
  }
  template <typename T>
  T stale() const {
    T value;
    std::memcpy(&value, output.data(), sizeof value);
    return value;
  }
};

using Kernel = std::function<void(const Launch&)>;

/// Runs every launch of a job as one call of the host function. Memory that was never written holds 0xcd.
/// Counts instructions if it observes launches.
class FakeRunner final : public Runner {
 public:
  explicit FakeRunner(Kernel kernel, Capabilities capabilities = {})
      : kernel_(std::move(kernel)), capabilities_(capabilities) {}

  Capabilities capabilities() const override { return capabilities_; }
  std::vector<JobResult> run(const std::vector<Job>& jobs) override;
  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>&) override {
    return {{"kernel", {8, 8, 4}}};
  }

  std::uint64_t jobs_run = 0;

 private:
  Kernel kernel_;
  Capabilities capabilities_;
};

/// "kernel(input, output, int count)" with count 0 .. 2^20, block 1 .. 1024, one block.
Contract contract(Operator op, Element element);

/// Audits the first instance without touching the user's cache.
/// `ptx`: the text of the image, which is never run.
KernelReport audit(const Contract& contract, const Kernel& kernel, const AuditOptions& options = {},
                   const std::string& ptx = "", Capabilities capabilities = {});

/// An entry that adds up its input: a fixed tree, independent of the values.
inline const std::string adding_ptx = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 a, .param .u64 b, .param .u32 n)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  .reg .f32 %f<5>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [a];
  ld.param.u32 %r1, [n];
  setp.eq.s32 %p1, %r1, 0;
  @%p1 bra END;
  ld.global.f32 %f1, [%rd1];
  ld.global.f32 %f2, [%rd1+4];
  add.f32 %f3, %f1, %f2;
  mov.b32 %r2, %f3;
  shfl.sync.down.b32 %r3|%p2, %r2, 1, 31, -1;
  mov.b32 %f4, %r3;
  add.rn.f32 %f3, %f3, %f4;
  // here
  ld.param.u64 %rd2, [b];
  st.global.f32 [%rd2], %f3;
END:
  ret;
}
)";

/// Adds in an order drawn from the case's own numbers; every binary tree is possible.
template <typename T>
T random_tree_sum(std::vector<T> values, std::uint64_t seed) {
  if (values.empty()) return T{0};
  while (values.size() > 1) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const std::size_t i = (seed >> 33) % values.size();
    const T taken = values[i];
    values[i] = values.back();
    values.pop_back();
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    values[(seed >> 33) % values.size()] += taken;
  }
  return values.front();
}

/// A sum of f32 over a domain of these variables.
inline Instance with_domain(const std::vector<std::pair<std::string, std::string>>& ranges) {
  Instance instance = contract(Operator::sum, Element::f32).instances.front();
  instance.domain.clear();
  for (const auto& [name, range] : ranges) instance.domain.emplace_back(name, Range::parse(range, {}));
  return instance;
}

}  // namespace foldproof::fake
