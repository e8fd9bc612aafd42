// Programs that call host functions: their code, and the Foldproof side of the protocol described in
// server.inc.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/connection.h"
#include "base/files.h"
#include "base/temporary_folders.h"
#include "devices/host_program.h"
#include "devices/runner_parts.h"
#include "devices/undefined_fill.h"
#include "devices/worker/wire.h"

namespace foldproof {
namespace {

using std::chrono::milliseconds;

/// The code of the program.
constexpr const char* server =
#include "devices/host/server.inc"
    ;

constexpr std::string_view greeting = "FOLDPROO";
/// Limits on the length of names and sentences and on the number of list elements: a program that exceeds
/// them does not follow the protocol.
constexpr std::uint64_t max_text = 1 << 20, max_listed = 1 << 16;

/// CUDA errors with their own kind of finding.
enum Error : std::uint64_t { illegal_address = 700, misaligned_address = 716, launch_timeout = 702 };

/// One process of a program, and the entries that it listed.
class Program {
 public:
  Program(const std::string& content, milliseconds limit) : connection_({stored(content)}), limit_(limit) {
    connection_.limit(limit_);
    std::string heard(greeting.size(), '\0');
    connection_.receive(heard.data(), heard.size());
    if (heard != greeting) throw ProtocolError{"it did not send its startup message"};
    for (std::uint64_t left = number(max_listed, "entries"); left > 0; --left) {
      EntryInfo entry{text(), {}};
      for (std::uint64_t more = number(max_listed, "parameters"); more > 0; --more)
        entry.parameter_bytes.push_back(
            static_cast<std::uint32_t>(number(max_listed, "bytes of a parameter")));
      entries_.push_back(std::move(entry));
    }
  }

  const std::vector<EntryInfo>& entries() const { return entries_; }

  /// Returns the job's result. Throws Ended or ProtocolError; the object is unusable then.
  JobResult run(const Job& job) {
    connection_.limit(limit_);
    const ByteWriter message = written(job);
    connection_.send(message.message().data(), message.message().size());
    switch (number(2, "outcomes")) {
      case 0: return take_contents(job);
      case 1: return take_error(job);
      default: number(max_listed, "steps"); return unsupported_job(job, with_last_words(text()));
    }
  }

  Ended end() { return connection_.end(); }

 private:
  /// Returns the path of the program's file.
  std::string stored(const std::string& content) const {
    const std::filesystem::path file = folder_.path() / "program";
    if (!replace_program(file, content))
      throw Unsupported(fmt::format("the host program cannot be stored ({}); set TMPDIR to a writable folder",
                                    std::strerror(errno)),
                        {file.string()});
    return file.string();
  }

  ByteWriter written(const Job& job) const {
    ByteWriter writer;
    writer.number(job.buffers.size());
    for (const JobBuffer& buffer : job.buffers) {
      writer.number(buffer.bytes);
      writer.number(buffer.offset);
      writer.number(buffer.read_back ? 1 : 0);
      std::vector<std::byte> content = buffer.initial;
      for (std::size_t at = content.size(); at < buffer.bytes; ++at)
        content.push_back(UndefinedFill{}.byte(at));
      writer.bytes(content);
    }
    writer.number(job.steps.size());
    for (const JobStep& step : job.steps) std::visit([&](const auto& one) { write(writer, one); }, step);
    return writer;
  }

  static void write(ByteWriter& writer, const JobReset& step) {
    writer.number(1);
    writer.number(step.buffer);
  }

  void write(ByteWriter& writer, const JobLaunch& step) const {
    const auto entry = std::ranges::find(entries_, step.entry, &EntryInfo::name);
    if (entry == entries_.end())
      throw InputError(fmt::format("the host program has no entry \"{}\"", step.entry), step.where);
    writer.number(0);
    writer.number(static_cast<std::uint64_t>(entry - entries_.begin()));
    writer.number(step.arguments.size());
    for (const JobArgument& argument : step.arguments) foldproof::write(writer, argument);
  }

  JobResult take_contents(const Job& job) {
    JobResult result;
    result.contents.resize(job.buffers.size());
    for (std::uint64_t left = number(max_text, "stray writes"); left > 0; --left) {
      const std::uint64_t buffer = number(job.buffers.size() - 1, "buffers");
      const auto at = static_cast<std::int64_t>(number());
      if (result.completed)
        result = failed_job(job, Kind::out_of_bounds, stray_write_sentence(job.buffers[buffer], at));
    }
    for (std::size_t i = 0; i < job.buffers.size(); ++i) {
      if (!job.buffers[i].read_back) continue;
      result.contents[i].resize(job.buffers[i].bytes);
      connection_.receive(result.contents[i].data(), result.contents[i].size());
    }
    connection_.forget_words();
    return result;
  }

  JobResult take_error(const Job& job) {
    const std::uint64_t step = number(max_listed, "steps"), code = number();
    const Kind kind = code == illegal_address      ? Kind::out_of_bounds
                      : code == misaligned_address ? Kind::misaligned
                      : code == launch_timeout     ? Kind::timeout
                                                   : Kind::crash;
    return failed_job(job, kind, with_last_words(text()), step);
  }

  /// Libraries print more details to standard error than their error codes convey.
  std::string with_last_words(const std::string& sentence) const {
    const std::string words = connection_.last_words();
    return words.empty() ? sentence : fmt::format("{}; its last output: {}", sentence, words);
  }

  std::uint64_t number() {
    std::uint64_t value = 0;
    connection_.receive(&value, sizeof value);
    return value;
  }

  std::uint64_t number(std::uint64_t most, std::string_view what) {
    const std::uint64_t value = number();
    if (value > most) throw ProtocolError{fmt::format("invalid number of {}: {}", what, value)};
    return value;
  }

  std::string text() {
    std::string text(number(max_text, "bytes of text"), '\0');
    connection_.receive(text.data(), text.size());
    return text;
  }

  const TemporaryFolder folder_;
  Connection connection_;
  milliseconds limit_;
  std::vector<EntryInfo> entries_;
};

class HostRunner final : public Runner {
 public:
  explicit HostRunner(milliseconds limit) : limit_(limit) {}

  Capabilities capabilities() const override {
    return {.observes_launches = false, .obeys_schedules = false};
  }

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results;
    for (const Job& job : jobs) {
      results.push_back(run(job));
      const auto& findings = results.back().findings;
      if (std::ranges::find(findings, Kind::timeout, &Finding::kind) != findings.end())
        break;  // the next jobs would most likely take as long
    }
    return results;
  }

  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    try {
      return program_of(image).entries();
    } catch (const Ended& ended) {
      throw Unsupported(fmt::format("the host program of {} {} before it could be called", image->name(),
                                    ended.in_time ? ended.how : "did not respond"));
    } catch (const ProtocolError& error) {
      throw InputError(fmt::format("{} is not a host program: {}", image->name(), error.what));
    }
  }

 private:
  JobResult run(const Job& job) {
    try {
      JobResult result = program_of(job.image).run(job);
      if (!result.completed) program_.reset();  // the device state after an error is not reused
      return result;
    } catch (const Ended& ended) {
      program_.reset();
      return failed_job(job, "the host program", ended, limit_);
    } catch (const ProtocolError& error) {
      program_.reset();
      return failed_job(job, "the host program", error);
    }
  }

  Program& program_of(const std::shared_ptr<const Image>& image) {
    if (!program_ || image_ != image) {
      program_.reset();
      image_ = image;
      program_ = std::make_unique<Program>(image->program, limit_);
    }
    return *program_;
  }

  milliseconds limit_;
  std::shared_ptr<const Image> image_;
  std::unique_ptr<Program> program_;
};

}  // namespace

std::string host_program_code(const std::vector<std::string>& entries, const std::string& place) {
  std::string code = fmt::format(
      "#line 1 \"{}server\"\n{}\nint main() {{\n  return foldproof_host::serve({{\n", place, server);
  for (std::size_t i = 0; i < entries.size(); ++i)
    code += fmt::format("#line 1 \"{}{}\"\n::foldproof_host::entry(R\"({})\", &{}),\n", place, i, entries[i],
                        entries[i]);
  return code + "  });\n}\n";
}

std::unique_ptr<Runner> make_host_runner(milliseconds limit) { return std::make_unique<HostRunner>(limit); }

}  // namespace foldproof
