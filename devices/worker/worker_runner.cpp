// The side of whoever has jobs: a worker is asked, watched and replaced.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "devices/process/connection.h"
#include "devices/worker.h"
#include "devices/worker/wire.h"

namespace foldproof {
namespace {

/// What shrinking and reports count where there are no instructions to count: of a job, of one that costs a
/// process, of one that is waited for in vain.
constexpr std::uint64_t instructions_a_job = 1 << 20, instructions_a_process = 1 << 23,
                        instructions_a_timeout = 1 << 25;
/// A kernel that does not end in two cases mostly does in none.
constexpr unsigned most_timeouts = 2;
/// A longer answer is none.
constexpr std::uint64_t most_answer = std::uint64_t{1} << 36;

std::uint64_t bytes_of(const Job& job) {
  std::uint64_t bytes = 0;
  for (const JobBuffer& buffer : job.buffers) bytes += buffer.bytes;
  return bytes;
}

[[noreturn]] void refuse(Answer answer, WireReader& reader) {
  const std::string sentence = reader.text();
  const Position position = read_position(reader);
  if (answer == Answer::unsupported) throw Unsupported(sentence, position);
  throw InputError(sentence, position);
}

}  // namespace

/// Messages to one process and back.
class Worker::Conversation {
 public:
  explicit Conversation(const std::vector<std::string>& command) : connection_(command) {}

  /// Throws Ended where there is no answer in time, and for a refusal what it says.
  std::pair<Answer, std::vector<std::byte>> ask(const WireWriter& request, std::chrono::milliseconds limit) {
    connection_.limit(limit);
    std::uint64_t bytes = request.message().size();
    connection_.send(&bytes, sizeof bytes);
    connection_.send(request.message().data(), bytes);
    connection_.receive(&bytes, sizeof bytes);
    if (bytes > most_answer) throw Garbled{fmt::format("an answer of {} bytes", bytes)};
    std::vector<std::byte> message(bytes);
    connection_.receive(message.data(), bytes);
    WireReader reader(message);
    const auto answer = static_cast<Answer>(reader.number());
    if (answer == Answer::wrong_input || answer == Answer::unsupported) refuse(answer, reader);
    return {answer, std::move(message)};
  }

  void end() { connection_.end(); }
  bool is_alive() { return connection_.is_alive(); }

 private:
  Connection connection_;
};

Worker::Worker(const WorkerOptions& options)
    : conversation_(std::make_unique<Conversation>(options.command)) {}

Worker::~Worker() = default;

bool Worker::is_alive() { return conversation_->is_alive(); }

class WorkerRunner final : public Runner {
 public:
  WorkerRunner(WorkerOptions options, std::shared_ptr<Worker> first)
      : options_(std::move(options)), worker_(std::move(first)) {}

  bool watches() const override { return false; }
  std::size_t jobs_together() const override { return options_.most_jobs; }

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results;
    timeouts_ = 0;
    for (std::span<const Job> left = jobs; !left.empty() && timeouts_ < most_timeouts;) {
      const std::span<const Job> batch = left.first(together(left));
      left = left.subspan(batch.size());
      run_batch(batch, results);
    }
    return results;
  }

  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    try {
      return introduce(*image);
    } catch (const Ended& ended) {
      abandon();
      throw InputError(fmt::format("the worker process of the device {} when it was to load this",
                                   ended.in_time ? ended.how : "did not answer"),
                       {image->name});
    } catch (const Garbled& garbled) {
      abandon();
      throw InputError(fmt::format("the worker process answers what is no answer: {}", garbled.what),
                       {image->name});
    }
  }

 private:
  using Reply = std::pair<Answer, std::vector<std::byte>>;

  /// How many of the jobs are run together: of one image, and not too large.
  std::size_t together(std::span<const Job> jobs) const {
    std::size_t count = 1;
    std::uint64_t bytes = bytes_of(jobs.front());
    for (; count < std::min(jobs.size(), options_.most_jobs); ++count) {
      bytes += bytes_of(jobs[count]);
      if (bytes > options_.most_bytes || jobs[count].image != jobs.front().image) break;
    }
    return count;
  }

  void run_batch(std::span<const Job> batch, std::vector<JobResult>& results) {
    if (batch.size() > 1) {
      if (auto all = attempt(batch)) {
        std::ranges::move(*all, std::back_inserter(results));
        return;
      }
      abandon();
    }
    for (const Job& job : batch) {
      results.push_back(run_alone(job));
      account(results.back());
      if (timeouts_ == most_timeouts) return;
    }
  }

  /// What a job with a fatal finding leaves behind is of no use.
  void account(JobResult& result) {
    const auto has = [&](auto is_meant) {
      return std::ranges::any_of(result.findings, [&](const Finding& f) { return is_meant(f.kind); });
    };
    if (!has(is_fatal)) return;
    abandon();
    const bool in_vain = has([](Kind kind) { return kind == Kind::timeout; });
    timeouts_ += in_vain ? 1 : 0;
    result.warp_instructions = in_vain ? instructions_a_timeout : instructions_a_process;
  }

  /// Nothing where one of the jobs spoils it for all.
  std::optional<std::vector<JobResult>> attempt(std::span<const Job> batch) {
    try {
      const auto [answer, message] = ask(batch);
      if (answer != Answer::results) return std::nullopt;
      std::vector<JobResult> results = results_in(message, batch.size());
      return results;
    } catch (const Ended&) {
    } catch (const Garbled&) {
    }
    return std::nullopt;
  }

  JobResult run_alone(const Job& job) {
    try {
      const auto [answer, message] = ask({&job, 1});
      if (answer != Answer::results) throw Garbled{"a single job that cannot be run together with others"};
      return std::move(results_in(message, 1).front());
    } catch (const Ended& ended) {
      return ended.in_time ? failed(job, Kind::crash,
                                    fmt::format("the process that ran it on the device {}", ended.how))
                           : failed(job, Kind::timeout,
                                    fmt::format("it did not end within {} s",
                                                std::chrono::duration<double>(options_.limit).count()));
    } catch (const Garbled& garbled) {
      return failed(job, Kind::crash,
                    fmt::format("the process that ran it answers what is no answer: {}", garbled.what));
    }
  }

  static std::vector<JobResult> results_in(const std::vector<std::byte>& message, std::size_t expected) {
    WireReader reader(message);
    reader.number();
    std::vector<JobResult> results = read_results(reader);
    reader.expect_end();
    if (results.size() != expected)
      throw Garbled{fmt::format("{} results of {} jobs", results.size(), expected)};
    for (JobResult& result : results)
      result.warp_instructions = std::max(result.warp_instructions, instructions_a_job);
    return results;
  }

  static JobResult failed(const Job& job, Kind kind, std::string message) {
    JobResult result;
    result.contents.resize(job.buffers.size());
    result.completed = false;
    Finding finding;
    finding.kind = kind;
    finding.message = std::move(message);
    for (const JobStep& step : job.steps)
      if (const auto* launch = std::get_if<JobLaunch>(&step)) finding.at = launch->where;
    result.findings.push_back(std::move(finding));
    return result;
  }

  Reply ask(std::span<const Job> jobs) {
    const Image& image = *jobs.front().image;
    WireWriter request(Request::run);
    request.number(key_of(image));
    write(request, jobs);
    Reply reply = conversation().ask(request, options_.limit);
    if (reply.first != Answer::unknown_image) return reply;
    introduce(image);
    return conversation().ask(request, options_.limit);
  }

  std::vector<EntryInfo> introduce(const Image& image) {
    Reply reply = ask_entries(image, false);
    if (reply.first == Answer::unknown_image) reply = ask_entries(image, true);
    if (reply.first != Answer::entries) throw Garbled{"an answer to another question"};
    WireReader reader(reply.second);
    reader.number();
    return read_entries(reader);
  }

  Reply ask_entries(const Image& image, bool whole) {
    WireWriter request(Request::entries);
    request.number(key_of(image));
    request.number(whole ? 1 : 0);
    if (whole) write(request, image);
    return conversation().ask(request, options_.start);
  }

  /// Ends it for everybody: whoever else holds it sees that it is not alive.
  void abandon() {
    if (worker_) worker_->conversation_->end();
    worker_.reset();
  }

  Worker::Conversation& conversation() {
    if (!worker_) worker_ = std::make_shared<Worker>(options_);
    return *worker_->conversation_;
  }

  WorkerOptions options_;
  std::shared_ptr<Worker> worker_;
  unsigned timeouts_ = 0;  ///< of this call of `run`
};

std::unique_ptr<Runner> make_worker_runner(WorkerOptions options, std::shared_ptr<Worker> first) {
  return std::make_unique<WorkerRunner>(std::move(options), std::move(first));
}

}  // namespace foldproof
