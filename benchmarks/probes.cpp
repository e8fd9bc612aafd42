#include "benchmarks/probes.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "contracts/compile.h"
#include "devices/emulated/device.h"
#include "devices/runner_parts.h"

namespace foldproof {
namespace {

constexpr const char* frame =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry probe(.param .u64 out)\n{{\n"
    ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n{}\nret;\n}}\n";

/// The 32 words that a probe writes to `out`.
std::array<std::uint32_t, 32> run_probe(const std::string& body, unsigned threads) {
  emulated::Device device;
  const auto module = device.load({"probe.ptx", fmt::format(fmt::runtime(frame), body)});
  std::array<std::uint32_t, 32> words{};
  const auto bytes = std::as_writable_bytes(std::span(words));
  const Address out = device.allocate(bytes.size(), "out");
  device.write(out, bytes);
  const ArgumentBytes argument = argument_of(out);
  const LaunchReport report =
      device.launch(module, "probe", {{1, 1, 1}, {threads, 1, 1}}, std::span(&argument, 1), {}, {});
  if (!report.findings.empty()) throw InputError(report.findings.front().message);
  device.read(out, bytes);
  return words;
}

std::string refusal(const std::string& body, unsigned threads) {
  try {
    run_probe(body, threads);
    return {};
  } catch (const InputError& error) {
    return error.sentence();
  }
}

bool compiles(const std::filesystem::path& file, const std::string& source) {
  write_temporary(file, source);
  try {
    compile_source(file, {"-std=c++17"}, {});
    return true;
  } catch (const InputError& error) {
    if (error.position().line == 0) throw;  // not an error in the source
    return false;
  }
}

}  // namespace

Shuffled shuffled_past_the_end() {
  constexpr std::uint32_t lane = 20;
  const auto words = run_probe(
      "mov.u32 %r1, %laneid; shfl.sync.down.b32 %r2, %r1, 16, 31, -1; ld.param.u64 %rd1, [out]; "
      "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2;",
      32);
  return {lane, words[lane]};
}

std::string refusal_of_shared_words(unsigned words) {
  return refusal(fmt::format(".shared .b32 bins[{}]; st.shared.u32 [bins+{}], 1;", words, 4 * (words - 1)),
                 32);
}

std::string refusal_of_threads(unsigned threads) { return refusal("mov.u32 %r1, %tid.x;", threads); }

bool reduce_of_group_compiles(const std::string& group) {
  const auto source = fmt::format(
      "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
      "namespace cg = cooperative_groups;\n"
      "__global__ void fold(int* x) {{\n  auto group = {};\n"
      "  x[threadIdx.x] = cg::reduce(group, x[threadIdx.x], cg::plus<int>());\n}}\n",
      group);
  const TemporaryFolder folder;
  return compiles(folder.path() / "probe.cu", source);
}

}  // namespace foldproof
