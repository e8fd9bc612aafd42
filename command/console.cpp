#include "command/console.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/printable.h"
#include "reports/paint.h"
#include "reports/quote.h"

namespace foldproof {

namespace {

constexpr unsigned widest = 100, narrowest = 60;

unsigned terminal_width(int descriptor) {
  winsize size{};
  if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return widest;
  return std::clamp<unsigned>(size.ws_col, narrowest, widest);
}

bool takes_color(int descriptor, Console::ColorChoice choice) {
  if (choice != Console::ColorChoice::automatic) return choice == Console::ColorChoice::always;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(descriptor) != 0 && (no_color == nullptr || *no_color == '\0') &&
         (term == nullptr || std::string_view(term) != "dumb");
}

/// Protects standard output and `has_printed`.
std::mutex output;
bool has_printed = false;

/// False, with the reason in errno, also if an earlier text was lost. Requires the lock of `output`.
bool written(const std::string& text) {
  static int error = 0;
  has_printed = true;
  if (error == 0 && !write_all(STDOUT_FILENO, text.data(), text.size())) error = errno;
  errno = error;
  return error == 0;
}

void print_safe(const std::string& text) {
  const std::lock_guard lock(output);
  if (!written(text))
    throw Unsupported(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

/// Whether standard error accepts PIPE_BUF bytes, now or within the time: if a pipe accepts anything, then as
/// many.
bool takes_error(std::chrono::milliseconds time) {
  pollfd error{STDERR_FILENO, POLLOUT, 0};
  return poll(&error, 1, static_cast<int>(time.count())) > 0;
}

/// Writes to standard error. A reader that waits for this process to end before it reads must not be waited
/// for: after a second without a reader, only what is accepted at once is written. A terminal is waited for.
void write_error(std::string_view text) {
  static std::atomic<bool> is_read{true};
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(text.size(), PIPE_BUF))) {
    if (!is_terminal && !takes_error(std::chrono::milliseconds(is_read ? 1000 : 0))) {
      is_read = false;
      return;
    }
    if (!write_all(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF))) return;
  }
}

void say(const std::string& text) { write_error(without_commands(text)); }

/// Whether standard error accepts a line without waiting.
bool takes_line() {
  static_assert(longest_sentence < PIPE_BUF);
  return takes_error(std::chrono::milliseconds(0));
}

std::string complaint_text(const std::string& sentence, const Position& position, bool colored) {
  const Paint paint(colored);
  const std::string place = position.file.empty() ? "" : display(position) + ": ";
  return without_commands(fmt::format("{}{}: {}\n{}", place, paint(Color::red, "error"),
                                      shortened(printable(sentence)),
                                      quote(position, "  ", terminal_width(STDERR_FILENO))));
}

/// What a run that fails prints. It is built before `output` is locked: an exception that ends the process
/// (command/program.cpp) must not leave a lock that the last message waits for.
struct Failure {
  std::string complaint;  ///< on standard error
  std::string object;     ///< on standard output; empty for text
};

/// Requires the lock of `output`.
void print_failure(const Failure& failure) {
  if (!failure.object.empty() && !has_printed) written(failure.object);
  write_error(failure.complaint);
}

Failure failure_of(const Console& console, const std::string& sentence, const Position& position) {
  const bool colored = takes_color(STDERR_FILENO, console.color);
  return {complaint_text(sentence, position, colored),
          console.json() ? json_line(error_json(shortened(sentence), position)) : ""};
}

}  // namespace

bool Console::colored() const { return takes_color(STDOUT_FILENO, color); }
unsigned Console::width() const { return terminal_width(STDOUT_FILENO); }

void Console::print(const Json& object) const { print_safe(json_line(object)); }

void Console::print(const std::string& text) const { print_safe(without_commands(text)); }

void Console::note(const std::string& line) const { say(shortened(printable(line)) + "\n"); }

void Console::progress(const std::string& line) const {
  if (takes_line()) note(line);
}

bool Console::writes(const std::function<void()>& write) const {
  try {
    write();
    return true;
  } catch (const Unsupported& error) {
    complain(error.sentence(), error.position());
    return false;
  }
}

void Console::complain(const std::string& sentence, const Position& position) const {
  write_error(complaint_text(sentence, position, takes_color(STDERR_FILENO, color)));
}

void Console::fail(const std::string& sentence, const Position& position) const {
  const Failure failure = failure_of(*this, sentence, position);
  const std::lock_guard lock(output);
  print_failure(failure);
}

void Console::fail_for_good(const std::string& sentence) const {
  const Failure failure = failure_of(*this, sentence, {});
  output.lock();
  print_failure(failure);
}

ProgressLine::ProgressLine()
    : begin_(std::chrono::steady_clock::now()), last_(begin_), terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (shown_ && takes_line()) say("\r\x1b[K");
  shown_ = false;
}

double ProgressLine::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void ProgressLine::show(const std::string& text) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - begin_ < 2s || now - last_ < 100ms || !takes_line()) return;
  last_ = now;
  shown_ = true;
  say("\r\x1b[K" + first_columns(printable(text), terminal_width(STDERR_FILENO) - 1));
}

}  // namespace foldproof
