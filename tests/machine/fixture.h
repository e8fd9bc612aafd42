// Runs small PTX kernels on the emulated device: tests of the machine need only the body, without the frame
// of a kernel.
//
//   const Outcome run = run_kernel(R"(
//       add.u32 %r1, tid, 5;
//       st.global.u32 [mine], %r1;
//   )", {.buffers = {zeros(32 * 4)}});
//   CHECK(run.words(0)[3] == 8);
//
//   The body can use these registers:
//     buffer0 …              addresses of the buffers
//     tid, lane, cta, ntid   %tid.x, %laneid, %ctaid.x, %ntid.x
//     mine, mine8            buffer0 + 4, or 8, * global thread index
//   and these are unused: %p %h (16 bits) %r (32 bits) %f %rd (64 bits) %d (f64) %q (128 bits), 0 … 63 of
// each.
//   The body's first line is line 2 of the PTX text.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.h"
#include "devices/emulated/device.h"
#include "devices/emulated/runner.h"
#include "row_coverage.h"

namespace foldproof::machine_tests {

using tests::covers;

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline Bytes words(const std::vector<std::uint32_t>& values) { return bytes_of(values); }
inline Bytes doublewords(const std::vector<std::uint64_t>& values) { return bytes_of(values); }
inline Bytes zeros(std::size_t bytes) { return Bytes(bytes); }

/// The parameters of a run.
struct Setting {
  std::vector<Bytes> buffers;            ///< buffer0, buffer1 …
  std::vector<std::uint32_t> scalars{};  ///< scalar0, scalar1 …: 32-bit arguments in registers
  std::string module{};                  ///< inserted before the entry: variables and functions, on one line
  std::string directives{};              ///< directives of the entry, such as .maxntid
  Dim3 grid{1, 1, 1}, block{32, 1, 1}, cluster{0, 0, 0};
  std::uint32_t shared_bytes = 0;
  bool cooperative = false;
  Schedule schedule{};
  Limits limits{50'000'000};
};

struct Outcome {
  LaunchReport report;
  std::vector<Bytes> buffers;

  template <class T>
  std::vector<T> values(std::size_t buffer) const {
    std::vector<T> out(buffers.at(buffer).size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), buffers[buffer].data(), out.size() * sizeof(T));
    return out;
  }
  std::vector<std::uint32_t> words(std::size_t buffer = 0) const { return values<std::uint32_t>(buffer); }
};

/// The PTX text of the kernel with this body.
inline std::string text_of(const std::string& body, const Setting& setting) {
  std::string parameters, loads;
  auto add = [&](const char* name, std::size_t k, const char* type) {
    parameters += fmt::format("{}.param .{} k_{}{}", parameters.empty() ? "" : ", ", type, name, k);
    loads +=
        fmt::format(".reg .{} {}{}; ld.param.{} {}{}, [k_{}{}]; ", type, name, k, type, name, k, name, k);
  };
  for (std::size_t k = 0; k < setting.buffers.size(); ++k) add("buffer", k, "b64");
  for (std::size_t k = 0; k < setting.scalars.size(); ++k) add("scalar", k, "b32");
  std::string text = ".version 9.0 .target sm_100 .address_size 64 ";
  text += setting.module + " .visible .entry k(" + parameters + ") " + setting.directives + " { ";
  text += ".reg .pred %p<64>; .reg .b16 %h<64>; .reg .b32 %r<64>; .reg .f32 %f<64>; .reg .b64 %rd<64>; ";
  text += ".reg .f64 %d<64>; .reg .b128 %q<64>; .reg .b32 tid, lane, cta, ntid, index; ";
  text += "mov.u32 tid, %tid.x; mov.u32 lane, %laneid; mov.u32 cta, %ctaid.x; mov.u32 ntid, %ntid.x; ";
  text += loads;
  if (!setting.buffers.empty()) {
    text += ".reg .b64 mine, mine8; mad.lo.u32 index, cta, ntid, tid; ";
    text += "mul.wide.u32 mine8, index, 8; add.u64 mine8, buffer0, mine8; ";
    text += "mul.wide.u32 mine, index, 4; add.u64 mine, buffer0, mine; ";
  }
  return text + body + "}\n";
}

/// Launches the entry `k` of a whole module with the setting's buffers and scalars.
inline Outcome run_module(const std::string& text, const Setting& setting) {
  emulated::Device device;
  const auto module = device.load({"test.ptx", text});
  std::vector<ArgumentBytes> arguments;
  std::vector<Address> addresses;
  for (std::size_t k = 0; k < setting.buffers.size(); ++k) {
    addresses.push_back(device.allocate(setting.buffers[k].size(), fmt::format("buffer{}", k)));
    device.write(addresses.back(), setting.buffers[k]);
    arguments.push_back(bytes_of<std::uint64_t>({addresses.back()}));
  }
  for (const std::uint32_t scalar : setting.scalars) arguments.push_back(words({scalar}));
  Outcome outcome;
  const LaunchShape shape{setting.grid, setting.block, setting.cluster, setting.shared_bytes,
                          setting.cooperative};
  outcome.report = device.launch(module, "k", shape, arguments, setting.schedule, setting.limits);
  outcome.buffers = setting.buffers;
  for (std::size_t k = 0; k < addresses.size(); ++k) device.read(addresses[k], outcome.buffers[k]);
  return outcome;
}

/// The body as a job with the setting's buffers.
inline Job job_of(const std::string& body, const Setting& setting) {
  Job job;
  job.image = std::make_shared<const Image>(Image{"test.ptx", text_of(body, setting)});
  job.order = setting.schedule;
  job.limits = setting.limits;
  JobLaunch launch{
      "k", {setting.grid, setting.block, setting.cluster, setting.shared_bytes, setting.cooperative}, {}};
  for (std::uint32_t k = 0; k < setting.buffers.size(); ++k) {
    job.buffers.push_back({fmt::format("buffer{}", k), setting.buffers[k].size(), setting.buffers[k]});
    launch.arguments.push_back({ArgumentBytes(8), {{0, k, 0}}});
  }
  for (const std::uint32_t scalar : setting.scalars) launch.arguments.push_back({words({scalar}), {}});
  job.steps.emplace_back(std::move(launch));
  return job;
}

/// Runs the body and returns the outcome, including findings.
inline Outcome try_kernel(const std::string& body, const Setting& setting) {
  return run_module(text_of(body, setting), setting);
}

/// Runs a body that must cause no finding.
inline Outcome run_kernel(const std::string& body, const Setting& setting) {
  Outcome outcome = try_kernel(body, setting);
  for (const Finding& finding : outcome.report.findings) UNSCOPED_INFO(finding.message);
  REQUIRE(outcome.report.findings.empty());
  return outcome;
}

/// The results of a body in which each thread writes one word to [mine].
inline std::vector<std::uint32_t> results(const std::string& body, Setting setting = {}) {
  const std::size_t threads = setting.grid.volume() * setting.block.volume();
  setting.buffers.insert(setting.buffers.begin(), zeros(threads * 4));
  return run_kernel(body, setting).words(0);
}

/// The only finding of a body.
inline Finding finding_of(const std::string& body, const Setting& setting) {
  const Outcome outcome = try_kernel(body, setting);
  for (const Finding& finding : outcome.report.findings) UNSCOPED_INFO(finding.message);
  REQUIRE(outcome.report.findings.size() == 1);
  return outcome.report.findings[0];
}

/// The message with which a load or launch is refused.
template <class Error>
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  FAIL("Nothing was refused");
  return {};
}

/// One word for each thread: f(0), f(1) …
template <class F>
std::vector<std::uint32_t> each(std::size_t threads, F f) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t k = 0; k < threads; ++k) values.push_back(static_cast<std::uint32_t>(f(k)));
  return values;
}

inline std::vector<std::uint32_t> all(std::size_t threads, std::uint32_t value) {
  return std::vector<std::uint32_t>(threads, value);
}

/// All five schedules, with one seed for the random one.
inline std::vector<Schedule> every_schedule() {
  std::vector<Schedule> schedules;
  for (const char* name : {"converging", "lanes-forward", "lanes-backward", "warps-backward", "random:7"})
    schedules.push_back(schedule_named(name));
  return schedules;
}

inline void check_all_schedules(const std::string& body, const std::vector<std::uint32_t>& expected,
                                Setting setting = {}) {
  for (const Schedule& schedule : every_schedule()) {
    INFO(to_string(schedule));
    setting.schedule = schedule;
    CHECK(results(body, setting) == expected);
  }
}

/// The message, with its line, with which a body is refused before anything runs.
inline std::string refused(const std::string& body, const std::string& module = "") {
  const Setting setting{.buffers = {zeros(128)}, .module = module};
  return refusal<InputError>([&] { emulated::Device().load({"test.ptx", text_of(body, setting)}); });
}

inline bool contains(const std::string& text, std::string_view part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) UNSCOPED_INFO("in: " << text);
  return found;
}

}  // namespace foldproof::machine_tests
