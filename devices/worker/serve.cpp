// The worker's side of the protocol.
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "base/bytes.h"
#include "devices/worker.h"
#include "devices/worker/wire.h"

namespace foldproof {
namespace {

/// How long a job may continue after its client has disconnected.
constexpr std::chrono::milliseconds grace{500};

/// Ends the process if the client disconnects while a job runs: a hanging kernel must not outlive its client.
/// The end of the parent process is not a reliable sign, since the parent may be a tool.
class Watchdog {
 public:
  /// Marks a job as running during its lifetime.
  class Busy {
   public:
    explicit Busy(Watchdog& watchdog) : watchdog_(watchdog) { watchdog_.is_busy_ = true; }
    ~Busy() { watchdog_.is_busy_ = false; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    Watchdog& watchdog_;
  };

  Watchdog() : thread_([this](const std::stop_token& stop) { watch(stop); }) {}
  ~Watchdog() {
    thread_.request_stop();
    const std::uint64_t once = 1;
    if (::write(end_, &once, sizeof once) < 0) std::abort();  // writing to an eventfd does not fail
    thread_.join();
    close(end_);
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch(const std::stop_token& stop) {
    std::array<pollfd, 2> watched{{{STDIN_FILENO, POLLRDHUP, 0}, {end_, POLLIN, 0}}};
    while (poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) {
    }
    if (watched[0].revents == 0) return;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop, grace, [] { return false; });
    if (is_busy_) kill(getpid(), SIGKILL);
  }

  std::atomic<bool> is_busy_ = false;
  int end_ = eventfd(0, EFD_CLOEXEC);  ///< readable when the thread must exit
  std::jthread thread_;
};

/// The number of images whose modules stay loaded.
constexpr std::size_t max_images = 16;

/// Returns false if the client has disconnected.
bool get(void* to, std::size_t bytes) { return read_all(STDIN_FILENO, to, bytes); }

bool put(const void* from, std::size_t bytes) { return write_all(STDIN_FILENO, from, bytes); }

struct Question {
  std::uint64_t number = 0;
  std::vector<std::byte> message;
};

/// std::nullopt if the client has disconnected or does not follow the protocol.
std::optional<Question> asked() {
  std::uint64_t bytes = 0;
  Question question;
  if (!get(&bytes, sizeof bytes) || !get(&question.number, sizeof question.number) || bytes > max_message)
    return std::nullopt;
  // In steps: an invalid length must not allocate memory in advance.
  constexpr std::uint64_t step = 1 << 26;
  while (question.message.size() < bytes) {
    const std::size_t had = question.message.size();
    question.message.resize(had + std::min(step, bytes - had));
    if (!get(question.message.data() + had, question.message.size() - had)) return std::nullopt;
  }
  return question;
}

bool answer(const Question& question, const ByteWriter& writer) {
  const std::uint64_t bytes = writer.message().size();
  return put(&bytes, sizeof bytes) && put(&question.number, sizeof question.number) &&
         put(writer.message().data(), bytes);
}

ByteWriter refusal(Answer kind, const std::string& sentence, const Position& position) {
  ByteWriter writer(kind);
  writer.text(sentence);
  write(writer, position);
  return writer;
}

class Server {
 public:
  explicit Server(Runner& runner) : runner_(runner) {}

  ByteWriter answer_to(const std::vector<std::byte>& message) {
    ByteReader reader(message);
    try {
      switch (static_cast<Request>(reader.number())) {
        case Request::entries: return entries(reader);
        case Request::run: return run(reader);
      }
      throw ProtocolError{"an unknown request"};
    } catch (const SpoiltDevice&) {
      return ByteWriter(Answer::not_together);
    } catch (const InputError& error) {
      return refusal(Answer::wrong_input, error.sentence(), error.position());
    } catch (const Unsupported& reason) {
      return refusal(Answer::unsupported, reason.sentence(), reason.position());
    }
  }

 private:
  ByteWriter entries(ByteReader& reader) {
    const std::uint64_t key = reader.number();
    if (reader.number() != 0) {
      if (images_.size() == max_images) images_.pop_front();
      images_.push_back({key, std::make_shared<const Image>(read_image(reader))});
    }
    const auto image = image_of(key);
    if (!image) return ByteWriter(Answer::unknown_image);
    ByteWriter writer(Answer::entries);
    write(writer, runner_.entries(image));
    return writer;
  }

  ByteWriter run(ByteReader& reader) {
    const auto image = image_of(reader.number());
    if (!image) return ByteWriter(Answer::unknown_image);
    const std::vector<Job> jobs = read_jobs(reader, image);
    reader.expect_end();
    ByteWriter writer(Answer::results);
    write(writer, runner_.run(jobs));
    return writer;
  }

  std::shared_ptr<const Image> image_of(std::uint64_t key) const {
    for (const auto& [known, image] : images_)
      if (known == key) return image;
    return nullptr;
  }

  Runner& runner_;
  std::list<std::pair<std::uint64_t, std::shared_ptr<const Image>>> images_;
};

}  // namespace

void serve(Runner& runner) {
  Watchdog watchdog;
  Server server(runner);
  try {
    while (const auto question = asked()) {
      const Watchdog::Busy busy(watchdog);
      if (!answer(*question, server.answer_to(question->message))) return;
    }
  } catch (const ProtocolError&) {  // the sender does not wait for a reply
  }
}

void serve_nothing(const Unsupported& reason) {
  while (const auto question = asked())
    if (!answer(*question, refusal(Answer::unsupported, reason.sentence(), reason.position()))) return;
}

}  // namespace foldproof
