#include "command/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>

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
  has_printed = true;
  std::fwrite(text.data(), 1, text.size(), stdout);
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

void print_safe(const std::string& text) {
  const std::lock_guard lock(output);
  if (!written(text))
    throw Unsupported(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
}

void say(const std::string& text) {
  const std::string safe = without_commands(text);
  std::fwrite(safe.data(), 1, safe.size(), stderr);
  std::fflush(stderr);
}

std::string json_text(const Json& object) { return json_without_commands(dump(object)) + "\n"; }

}  // namespace

bool Console::colored() const { return takes_color(STDOUT_FILENO, color); }
unsigned Console::width() const { return terminal_width(STDOUT_FILENO); }

void Console::print(const Json& object) const { print_safe(json_text(object)); }

void Console::print(const std::string& text) const { print_safe(without_commands(text)); }

void Console::note(const std::string& line) const { say(shortened(printable(line)) + "\n"); }

void Console::complain(const std::string& sentence, const Position& position) const {
  const Paint paint(takes_color(STDERR_FILENO, color));
  const std::string place = position.file.empty() ? "" : display(position) + ": ";
  say(fmt::format("{}{}: {}\n{}", place, paint(Color::red, "error"), shortened(printable(sentence)),
                  quote(position, "  ", terminal_width(STDERR_FILENO))));
}

void Console::fail(const std::string& sentence, const Position& position) const {
  const std::lock_guard lock(output);
  complain(sentence, position);
  if (json() && std::ferror(stdout) == 0) written(json_text(error_json(shortened(sentence), position)));
}

void Console::fail_for_good(const std::string& sentence) const {
  output.lock();
  complain(sentence, {});
  if (json() && !has_printed) written(json_text(error_json(shortened(sentence), {})));
}

ProgressLine::ProgressLine()
    : begin_(std::chrono::steady_clock::now()), last_(begin_), terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (shown_) say("\r\x1b[K");
  shown_ = false;
}

double ProgressLine::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void ProgressLine::show(const std::string& text) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - begin_ < 2s || now - last_ < 100ms) return;
  last_ = now;
  shown_ = true;
  say("\r\x1b[K" + first_columns(printable(text), terminal_width(STDERR_FILENO) - 1));
}

}  // namespace foldproof
