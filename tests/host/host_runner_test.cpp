// Host programs without a GPU: the program's own main, with a CUDA runtime whose device memory is host
// memory.
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "devices/gpus.h"
#include "devices/host_program.h"
#include "devices/undefined_fill.h"
#include "host/fake_cuda.h"

using namespace foldproof;
namespace fs = std::filesystem;

namespace {

constexpr const char* source = R"(
#include <cuda_runtime_api.h>
#include <unistd.h>
#include <cstdio>
#include <stdexcept>
template <typename T> void sum(const T* input, T* output, unsigned long count) {
  *output = 0;
  for (unsigned long i = 0; i < count; ++i) *output += input[i];
  std::puts("what a library prints is not an answer");
}
void leave(float*) {}
void add_one(float* output) { *output += 1; }
void stray(float* output) { output[1] = 0; }
void crash(float*) { std::abort(); }
void hang(float*) { for (;;) pause(); }
void babble(float*) { if (write(0, "nonsense", 8) != 8) std::abort(); }
void refuse(float*) { throw std::runtime_error("the sentence"); }
cudaError_t fail(float*) { return cudaErrorIllegalAddress; }
cudaError_t lack(float*) { std::fprintf(stderr, "no such library\n"); return cudaErrorNotSupported; }
)";

/// The content of the program, compiled once.
const std::string& program() {
  static const std::string made = [] {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "cuda_runtime_api.h") << test::fake_cuda;
    std::ofstream(folder.path() / "program.cpp")
        << source
        << host_program_code({"sum<float>", "leave", "add_one", "stray", "crash", "hang", "babble", "refuse",
                              "fail", "lack"},
                             "entry-");
    const std::string command = "g++ -std=c++17 -I" + folder.path().string() + " -o " +
                                (folder.path() / "program").string() + " " +
                                (folder.path() / "program.cpp").string();
    REQUIRE(WEXITSTATUS(std::system(command.c_str())) == 0);
    return read_text_file(folder.path() / "program", std::size_t{1} << 28);
  }();
  return made;
}

JobArgument address(std::uint32_t buffer, std::uint64_t offset = 0) {
  return {ArgumentBytes(8), {{0, buffer, offset}}};
}

std::vector<std::byte> floats(std::initializer_list<float> values) {
  const auto bytes = std::as_bytes(std::span(values.begin(), values.size()));
  return {bytes.begin(), bytes.end()};
}

float float_in(const std::vector<std::byte>& bytes) {
  float value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// One call of a function whose only argument is the output.
Job job_of(const std::string& entry) {
  Job job;
  job.image = std::make_shared<const Image>(Image{"program", "", program()});
  job.buffers = {{"output", 4, {}, 0, true}};
  job.steps = {JobLaunch{entry, {}, {address(0)}, {"k.toml", 7, 1}}};
  return job;
}

Job sum_of(std::initializer_list<float> values, std::uint64_t offset = 0) {
  Job job = job_of("sum<float>");
  job.buffers.insert(job.buffers.begin(), {"input", 4 * values.size(), floats(values), offset, true});
  ArgumentBytes count(8);
  count[0] = static_cast<std::byte>(values.size());
  job.steps = {JobLaunch{"sum<float>", {}, {address(0), address(1), {count, {}}}, {}}};
  return job;
}

}  // namespace

TEST_CASE("a host program lists its functions and their parameter sizes") {
  const auto entries = make_host_runner()->entries(job_of("leave").image);
  REQUIRE(entries.size() == 10);
  CHECK(entries[0].name == "sum<float>");
  CHECK(entries[0].parameter_bytes == std::vector<std::uint32_t>{8, 8, 8});
}

TEST_CASE("a host program runs several jobs, with misaligned and empty inputs") {
  const auto runner = make_host_runner();
  const auto results = runner->run({sum_of({1, 2, 4}), sum_of({8, 16}, 12), sum_of({})});
  REQUIRE(results.size() == 3);
  for (const JobResult& result : results) CHECK((result.completed && result.findings.empty()));
  CHECK(float_in(results[0].contents[1]) == 7);
  CHECK(float_in(results[1].contents[1]) == 24);
  CHECK(float_in(results[2].contents[1]) == 0);
  CHECK(results[0].contents[0] == floats({1, 2, 4}));
}

TEST_CASE("a reset between two calls gives a buffer its initial contents again") {
  Job job = job_of("add_one");
  job.buffers[0].initial = floats({3});
  job.steps = {job.steps[0], JobReset{0}, job.steps[0]};
  CHECK(float_in(make_host_runner()->run({job})[0].contents[0]) == 4);
}

TEST_CASE("memory that was never written holds poison, also after a reset") {
  const auto runner = make_host_runner();
  Job job = sum_of({1, 2});
  job.steps.emplace_back(JobReset{1});
  for (const auto& left : {runner->run({job_of("leave")})[0].contents[0], runner->run({job})[0].contents[1]})
    for (std::size_t at = 0; at < 4; ++at) CHECK(left[at] == UndefinedFill{}.byte(at));
}

TEST_CASE("an error in a host program is reported, and the next job runs") {
  struct Row {
    const char* entry;
    Kind kind;
    const char* words;
  };
  const Row rows[] = {{"stray", Kind::out_of_bounds, "\"output\" (4 bytes): the byte at offset 4"},
                      {"crash", Kind::crash, "was terminated by signal 6"},
                      {"babble", Kind::crash, "sent an invalid reply"},
                      {"refuse", Kind::crash, "refuse threw: the sentence"},
                      {"fail", Kind::out_of_bounds, "cudaErrorOfSomeKind"}};
  const auto runner = make_host_runner();
  for (const Row& row : rows) {
    const auto results = runner->run({job_of(row.entry), sum_of({3})});
    REQUIRE(results.size() == 2);
    REQUIRE(results[0].findings.size() == 1);
    CHECK_FALSE(results[0].completed);
    CHECK(results[0].findings[0].kind == row.kind);
    CHECK(results[0].findings[0].at == Position{"k.toml", 7, 1});
    INFO(results[0].findings[0].message);
    CHECK(results[0].findings[0].message.find(row.words) != std::string::npos);
    CHECK(float_in(results[1].contents[1]) == 3);
  }
}

TEST_CASE("a call that does not end is reported as a timeout, and the later jobs are not run") {
  const auto results = make_host_runner(std::chrono::milliseconds(300))->run({job_of("hang"), sum_of({3})});
  REQUIRE(results.size() == 1);
  REQUIRE(results[0].findings.size() == 1);
  CHECK(results[0].findings[0].kind == Kind::timeout);
}

TEST_CASE("a missing library makes the job unsupported and is not reported as a finding") {
  const JobResult result = make_host_runner()->run({job_of("lack")})[0];
  CHECK(result.findings.empty());
  REQUIRE(result.unsupported);
  CHECK(result.unsupported->find("its last output: no such library") != std::string::npos);
}

TEST_CASE("a program that is not a host program is refused") {
  const auto runner = make_host_runner(std::chrono::milliseconds(500));
  const auto refusal = [&](const char* content) {
    try {
      runner->entries(std::make_shared<const Image>(Image{"k.cu", "", content}));
    } catch (const InputError& error) {
      return std::string(error.what());
    } catch (const Unsupported& error) {
      return "unsupported: " + error.sentence();
    }
    return std::string();
  };
  CHECK(refusal("#!/bin/true\n") ==
        "unsupported: the host program of k.cu exited with status 0 before it could be called");
  CHECK(refusal("#!/nowhere/program\n").find("cannot be started") != std::string::npos);
}

TEST_CASE("without a GPU there is a reason instead of a name") {
  CHECK((gpus().count == 0) == !gpus().lack.empty());
  CHECK((gpus().count == 0) == gpus().name.empty());
}
