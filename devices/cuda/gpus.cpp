#include "devices/gpus.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <sstream>

#include "devices/cuda/context.h"
#include "devices/cuda/driver.h"
#include "sanitizer/error.h"

namespace foldproof {
namespace {

Gpus none(const std::string& why) { return {0, "", "", "there is no CUDA device here: " + why}; }

/// In this process.
Gpus asked() {
  try {
    const cuda::Properties first = cuda::first_gpu();
    int count = 0;
    cuda::check(cuda::driver().cuDeviceGetCount_(&count), "counting");
    return {static_cast<unsigned>(count),
            fmt::format("{}, compute capability {}.{}, driver of CUDA {}.{}", first.name,
                        first.compute_capability / 10, first.compute_capability % 10, first.driver / 1000,
                        first.driver % 1000 / 10),
            fmt::format("sm_{}", first.compute_capability), ""};
  } catch (const Unsupported& lack) {
    return {0, "", "", lack.sentence()};
  } catch (const std::exception& failure) {
    return none(failure.what());
  }
}

/// A line each.
std::string text_of(const Gpus& all) {
  return fmt::format("{}\n{}\n{}\n{}\n", all.count, all.name, all.architecture, all.lack);
}

Gpus read_from(const std::string& text) {
  Gpus all;
  std::istringstream lines(text);
  std::string count;
  std::getline(lines, count);
  std::getline(lines, all.name);
  std::getline(lines, all.architecture);
  std::getline(lines, all.lack);
  all.count = static_cast<unsigned>(std::stoul(count));
  return all;
}

[[noreturn]] void answer_and_exit(int to) {
  const std::string text = text_of(asked());
  const auto written = write(to, text.data(), text.size());
  _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
}

std::string all_of(int descriptor) {
  std::string text;
  std::array<char, 1024> part{};
  for (;;) {
    const ssize_t got = read(descriptor, part.data(), part.size());
    if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

Gpus asked_elsewhere() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return none(fmt::format("no pipe can be made: {}", strerror(errno)));
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    for (const int end : ends) close(end);
    return none(fmt::format("no process can be started to ask its driver: {}", strerror(error)));
  }
  if (child == 0) answer_and_exit(ends[1]);
  close(ends[1]);
  const std::string text = all_of(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0 || text.empty()) return none("its driver ends the process that asks for it");
  return read_from(text);
}

}  // namespace

const Gpus& gpus() {
  static const Gpus all = asked_elsewhere();
  return all;
}

const Gpus& present_gpus() {
  if (!gpus().lack.empty()) throw Unsupported(gpus().lack);
  return gpus();
}

}  // namespace foldproof
