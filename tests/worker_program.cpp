// A worker for tests, using the emulated device; it misbehaves as the name of a job's first buffer requests.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "devices/emulated/runner.h"
#include "devices/worker.h"

using namespace foldproof;

namespace {

class Misbehaving final : public Runner {
 public:
  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    for (const Job& job : jobs) misbehave(job.buffers.empty() ? "" : job.buffers.front().name, jobs.size());
    return runner_->run(jobs);
  }
  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    return runner_->entries(image);
  }

 private:
  static void misbehave(const std::string& name, std::size_t jobs) {
    if (name == "speaks") std::fputs("I have no complaint\n", stderr);
    if (name == "hangs")
      for (;;) pause();
    if (name == "is killed") raise(SIGKILL);
    if (name.starts_with("is killed once: ")) {
      const std::filesystem::path mark = name.substr(std::string_view("is killed once: ").size());
      if (std::filesystem::exists(mark)) return;
      std::ofstream(mark) << "once";
      raise(SIGKILL);
    }
    if (name == "babbles" && write(STDIN_FILENO, "nonsense and more of it", 23) != 23) std::abort();
    if (name == "answers somebody else") {
      const std::uint64_t length = 8, number = 1, answer = 1;
      for (const std::uint64_t* word : {&length, &number, &answer})
        if (write(STDIN_FILENO, word, sizeof *word) != sizeof *word) std::abort();
    }
    if (name == "spoils" && jobs > 1) throw SpoiltDevice{};
  }

  std::unique_ptr<Runner> runner_ = emulated::make_runner();
};

}  // namespace

int main(int argc, char**) {
  if (argc > 1) {
    serve_nothing(Unsupported("there is none here"));
    return 0;
  }
  Misbehaving runner;
  serve(runner);
  return 0;
}
