// foldproof-lab bench: the speed of the parts of Foldproof itself.
#include "benchmarks/bench.h"

#include <time.h>

#include <algorithm>
#include <memory>

namespace foldproof {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Run attach_bench(CLI::App& app, Console& console) {
  struct Arguments {
    std::string what, path, measured;
    unsigned runs = 5;
  };
  auto a = std::make_shared<Arguments>();
  app.add_option("WHAT", a->what,
                 "emulated: the emulated device; oracles: exact sums compared with other algorithms; "
                 "kernels: the catalogue's f32 sums on a GPU, compared with CUB and Thrust; exact: the exact "
                 "sum on several kinds of data; gpu: small checked cases on a GPU, compared with a naive "
                 "implementation; races: "
                 "the time of the checks against the number of events, for synchronization patterns")
      ->required()
      ->check(quietly(CLI::IsMember({"emulated", "oracles", "kernels", "exact", "gpu", "races"})));
  app.add_option("PATH", a->path, "For gpu: folder or contract (default: the bundled catalogue)");
  app.add_option("--runs", a->runs, "Number of runs; the median is reported")
      ->check(quietly(CLI::Range(1U, 1000U)))
      ->type_name("N");
  app.add_option("--measured", a->measured, "For kernels: show an earlier --format json output as text")
      ->type_name("FILE");
  return [a, &console] {
    if (a->what == "gpu") return bench_gpu(a->path, console);
    if (a->what == "races") return bench_races(a->runs, console);
    if (a->what == "exact") return bench_exact(a->runs, console);
    if (a->what == "kernels") return bench_kernels(a->runs, a->measured, console);
    return a->what == "oracles" ? bench_oracles(a->runs, console) : bench_emulated(a->runs, console);
  };
}

}  // namespace foldproof
