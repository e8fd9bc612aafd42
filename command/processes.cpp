#include "command/processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <list>
#include <optional>
#include <vector>

#include "base/files.h"

namespace foldproof {

namespace {

namespace fs = std::filesystem;

// --- messages from a task's process to its parent: a kind, a length and that many bytes

enum class Message : char {
  progress = 'p',
  so_far = 's',
  result = 'r',
  wrong_input = 'i',
  unsupported = 'u',
  failed = 'f'
};

struct Header {
  Message message;
  std::uint64_t bytes;
};

void write_all(int to, const void* bytes, std::size_t size) {
  const auto* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(to, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);  // The parent is gone.
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

void send(int to, Message message, const std::string& body) {
  Header header{};
  header.message = message;
  header.bytes = body.size();
  write_all(to, &header, sizeof header);
  write_all(to, body.data(), body.size());
}

std::string pack(const std::string& sentence, const Position& at) {
  return fmt::format("{}\n{}\n{}\n{}", at.line, at.column, at.file, sentence);
}

void unpack(const std::string& body, Outcome& outcome) {
  std::size_t from = 0;
  const auto field = [&] {
    const std::size_t end = body.find('\n', from);
    std::string text = body.substr(from, end - from);
    from = end + 1;
    return text;
  };
  outcome.position.line = static_cast<unsigned>(std::stoul(field()));
  outcome.position.column = static_cast<unsigned>(std::stoul(field()));
  outcome.position.file = field();
  outcome.text = body.substr(from);
}

// --- the child's side

/// A task makes and frees the same tens of megabytes for every case. The kernel clears each page that it
/// gives: a sixth of an audit's time went there.
void keep_freed_memory() {
  constexpr int megabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * megabyte);  // the most that it takes
  mallopt(M_TRIM_THRESHOLD, 2047 * megabyte);
  mallopt(M_TOP_PAD, 16 * megabyte);
}

volatile std::sig_atomic_t end_is_asked_for = 0;

[[noreturn]] void work_and_exit(const Tasks& tasks, std::size_t task, int to) {
  keep_freed_memory();
  try {
    const Telling tell{[to](std::uint64_t done) { send(to, Message::progress, std::to_string(done)); },
                       [to](const std::string& so_far) { send(to, Message::so_far, so_far); }};
    send(to, Message::result, tasks.work(task, tell));
  } catch (const InputError& error) {
    send(to, Message::wrong_input, pack(error.sentence(), error.position()));
  } catch (const Unsupported& error) {
    send(to, Message::unsupported, pack(error.sentence(), error.position()));
  } catch (const std::bad_alloc&) {
    send(to, Message::failed, "it ran out of memory");
  } catch (const std::exception& error) {
    send(to, Message::failed, fmt::format("Foldproof itself failed: {}", error.what()));
  }
  std::fflush(stderr);
  _exit(0);
}

// --- the parent's side

struct Child {
  std::size_t task;
  unsigned slot;
  pid_t id;
  int from;
  std::string received;
  std::uint64_t done = 0;
  std::string so_far;
  std::optional<Outcome> outcome;
};

/// A process group of its own, so that what the task itself starts (nvcc) ends with it; and temporary files
/// where this process can remove them, whatever ends that one.
Child start(const Tasks& tasks, std::size_t task, unsigned slot, const fs::path& temporary,
            const sigset_t& former_mask) {
  if (tasks.starting) tasks.starting(task, slot);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("no pipe can be made: {}", std::strerror(errno)));
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t id = fork();
  if (id < 0) throw std::runtime_error(fmt::format("no process can be started: {}", std::strerror(errno)));
  if (id == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_DFL);
    if (tasks.can_end_early) std::signal(SIGTERM, [](int) { end_is_asked_for = 1; });
    sigprocmask(SIG_SETMASK, &former_mask, nullptr);
    close(ends[0]);
    make_temporary_folders_in(temporary);
    work_and_exit(tasks, task, ends[1]);
  }
  setpgid(id, id);
  close(ends[1]);
  return {task, slot, id, ends[0], {}, 0, {}, {}};
}

/// The first that no child has.
unsigned free_slot(const std::list<Child>& children) {
  unsigned slot = 0;
  while (std::ranges::find(children, slot, &Child::slot) != children.end()) ++slot;
  return slot;
}

void take(Child& child, Message message, const std::string& body) {
  using Ending = Outcome::Ending;
  Outcome outcome;
  switch (message) {
    case Message::progress: child.done = std::stoull(body); return;
    case Message::so_far: child.so_far = body; return;
    case Message::result: outcome = {Ending::finished, body, {}, {}}; break;
    case Message::failed: outcome = {Ending::crashed, body, {}, child.so_far}; break;
    case Message::wrong_input:
      outcome.ending = Ending::wrong_input;
      unpack(body, outcome);
      break;
    case Message::unsupported:
      outcome.ending = Ending::unsupported;
      unpack(body, outcome);
      break;
  }
  child.outcome = std::move(outcome);
}

/// Reads what is there. False once the child has closed its end.
bool receive(Child& child) {
  char buffer[65536];
  const ssize_t got = read(child.from, buffer, sizeof buffer);
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  child.received.append(buffer, static_cast<std::size_t>(got));
  Header header{};
  while (child.received.size() >= sizeof header) {
    std::memcpy(&header, child.received.data(), sizeof header);
    if (child.received.size() - sizeof header < header.bytes) break;
    take(child, header.message, child.received.substr(sizeof header, header.bytes));
    child.received.erase(0, sizeof header + header.bytes);
  }
  return got > 0;
}

Outcome end_of(Child& child) {
  close(child.from);
  int status = 0;
  while (waitpid(child.id, &status, 0) < 0 && errno == EINTR) {
  }
  if (child.outcome) return *child.outcome;
  const std::string how =
      WIFSIGNALED(status)
          ? fmt::format("its process was ended by signal {} ({})", WTERMSIG(status),
                        strsignal(WTERMSIG(status)))
          : fmt::format("its process ended with status {} before it had a result", WEXITSTATUS(status));
  return {Outcome::Ending::crashed, how, {}, child.so_far};
}

std::vector<pollfd> descriptors_of(const std::list<Child>& children) {
  std::vector<pollfd> descriptors;
  for (const Child& child : children) descriptors.push_back({child.from, POLLIN, 0});
  return descriptors;
}

/// What there is to read from each; those that have ended are no children any more. Returns how much is done.
std::uint64_t receive_all(std::list<Child>& children, const std::vector<pollfd>& descriptors,
                          const Tasks& tasks) {
  std::uint64_t done = 0;
  auto child = children.begin();
  for (const pollfd& d : descriptors) {
    const bool open = d.revents == 0 || receive(*child);
    done += child->done;
    if (!open) tasks.finished(child->task, end_of(*child));
    child = open ? std::next(child) : children.erase(child);
  }
  return done;
}

/// Asks the children for what they have, and waits for it a second.
void let_end(std::list<Child>& children, const Tasks& tasks) {
  constexpr std::chrono::milliseconds moment{50};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (const Child& child : children) kill(child.id, SIGTERM);
  while (!children.empty() && std::chrono::steady_clock::now() < deadline) {
    std::vector<pollfd> descriptors = descriptors_of(children);
    if (poll(descriptors.data(), descriptors.size(), moment.count()) > 0)
      receive_all(children, descriptors, tasks);
  }
}

/// SIGINT and SIGTERM set a flag while this object lives; they arrive only inside wait().
class Interruption {
 public:
  Interruption() {
    flag = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { flag = 1; };
    sigaction(SIGINT, &action, &former_interrupt_);
    sigaction(SIGTERM, &action, &former_terminate_);
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    sigprocmask(SIG_BLOCK, &both, &former_mask_);
  }
  ~Interruption() {
    sigprocmask(SIG_SETMASK, &former_mask_, nullptr);
    sigaction(SIGINT, &former_interrupt_, nullptr);
    sigaction(SIGTERM, &former_terminate_, nullptr);
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Waits a moment for one of `descriptors` to become readable. False when the user ended the run.
  bool wait(std::vector<pollfd>& descriptors) const {
    const timespec moment{0, 200'000'000};
    if (ppoll(descriptors.data(), descriptors.size(), &moment, &former_mask_) < 0)
      for (pollfd& d : descriptors) d.revents = 0;
    return flag == 0;
  }
  const sigset_t& former_mask() const { return former_mask_; }

 private:
  static inline volatile std::sig_atomic_t flag = 0;
  struct sigaction former_interrupt_ {
  }, former_terminate_{};
  sigset_t former_mask_{};
};

}  // namespace

std::string Outcome::reason() const {
  if (ending == Ending::interrupted) return "the run was interrupted";
  return position.file.empty() ? text : to_string(position) + ": " + text;
}

bool is_to_end() { return end_is_asked_for != 0; }

bool run_in_processes(const Tasks& tasks) {
  const Interruption interruption;
  const TemporaryFolder temporary;
  std::list<Child> children;
  std::size_t next = 0;
  bool going = true;
  while (going && (next < tasks.count || !children.empty())) {
    while (next < tasks.count && children.size() < tasks.jobs)
      children.push_back(
          start(tasks, next++, free_slot(children), temporary.path(), interruption.former_mask()));
    std::vector<pollfd> descriptors = descriptors_of(children);
    going = interruption.wait(descriptors);
    const std::uint64_t done = receive_all(children, descriptors, tasks);
    if (tasks.progress) tasks.progress(done);
  }
  if (!going && tasks.can_end_early) let_end(children, tasks);
  for (Child& child : children) {
    kill(-child.id, SIGKILL);
    end_of(child);
    tasks.finished(child.task,
                   child.outcome.value_or(Outcome{Outcome::Ending::interrupted, {}, {}, child.so_far}));
  }
  for (; next < tasks.count; ++next) tasks.finished(next, Outcome{});
  return going;
}

}  // namespace foldproof
