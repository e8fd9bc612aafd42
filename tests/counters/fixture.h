// Counts the work of a small PTX kernel; machine/fixture.h lists what is defined for its body.
//
//   const Counters c = count(R"(
//       ld.global.u32 %r1, [mine];
//   )", {.buffers = {zeros(32 * 4)}});
//   CHECK(c.global.loads.sectors == 4);
#pragma once

#include <memory>
#include <string>

#include "machine/fixture.h"
#include "sanitizer/counting_observer.h"

namespace foldproof::counter_tests {

using machine_tests::Bytes;
using machine_tests::zeros;

struct Launch {
  std::vector<Bytes> buffers{};
  Dim3 grid{1, 1, 1}, block{32, 1, 1};
};

/// Runs the body, which must cause no finding.
inline Counters count(const std::string& body, const Launch& launch = {}) {
  Counters counters;
  Observers observers;
  observers.push_back(std::make_unique<CountingObserver>(counters));
  emulated::Device device(std::move(observers));
  const machine_tests::Setting setting{.buffers = launch.buffers};
  const auto module = device.load({"test.ptx", machine_tests::text_of(body, setting)});
  std::vector<ArgumentBytes> arguments;
  for (const Bytes& buffer : launch.buffers) {
    const Address address = device.allocate(buffer.size(), "buffer");
    device.write(address, buffer);
    arguments.push_back(machine_tests::bytes_of<std::uint64_t>({address}));
  }
  const LaunchReport report = device.launch(module, "k", {launch.grid, launch.block}, arguments, {}, {});
  for (const Finding& finding : report.findings) UNSCOPED_INFO(finding.message);
  REQUIRE(report.findings.empty());
  return counters;
}

}  // namespace foldproof::counter_tests
