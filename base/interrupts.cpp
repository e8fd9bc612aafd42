#include "base/interrupts.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <utility>

#include "base/error.h"

namespace foldproof {
namespace {

constexpr std::chrono::milliseconds grace{1700};

std::atomic<int> descriptor{-1};
std::atomic<bool> interrupted{false};
std::atomic<int> graceful{0};
volatile std::sig_atomic_t received_reason = 0;

struct Reason {
  EndReason reason;
  int signal;
};
constexpr Reason reasons[] = {
    {EndReason::interrupted, SIGTERM}, {EndReason::out_of_time, SIGUSR1}, {EndReason::too_slow, SIGUSR2}};

constexpr int handled_signals[] = {SIGINT, SIGTERM, SIGHUP};

/// Whether a parent such as nohup has made the process ignore the signal.
bool is_ignored(int signal) {
  struct sigaction current {};
  return sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

sigset_t set_of_handled_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : handled_signals)
    if (!(signal == SIGHUP && is_ignored(signal))) sigaddset(&signals, signal);
  return signals;
}

/// Restores the default effect of the signals.
void default_interrupts() {
  const sigset_t signals = set_of_handled_signals();
  for (const int signal : handled_signals)
    if (sigismember(&signals, signal) == 1) std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace

InterruptHandler::InterruptHandler(std::function<void()> end_now) : end_now_(std::move(end_now)) {
  const sigset_t signals = set_of_handled_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signals_ = Descriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  stop_ = Descriptor(eventfd(0, EFD_CLOEXEC));
  descriptor = eventfd(0, EFD_CLOEXEC);
  if (signals_.number() < 0 || stop_.number() < 0 || descriptor < 0)
    throw Unsupported("no file descriptors are left");
  interrupted = false;
  thread_ = std::thread([this] { handle(); });
}

InterruptHandler::~InterruptHandler() {
  eventfd_write(stop_.number(), 1);
  thread_.join();
  close(descriptor.exchange(-1));
  interrupted = false;
  signalfd_siginfo repeated{};
  while (read(signals_.number(), &repeated, sizeof repeated) > 0) {
  }
  default_interrupts();
}

void InterruptHandler::handle() {
  pollfd waits[] = {{signals_.number(), POLLIN, 0}, {stop_.number(), POLLIN, 0}};
  const auto wait = [&](int milliseconds) {
    while (poll(waits, 2, milliseconds) < 0) {
    }
  };
  wait(-1);
  if (waits[1].revents != 0) return;
  // Descendants whose parents end now become children of this process, so that kill_children() can wait for
  // them.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Asked first: a GracefulEnd may end right after the descriptor becomes readable.
  const bool gives_grace = graceful > 0;
  interrupted = true;
  eventfd_write(descriptor, 1);
  if (gives_grace) {
    waits[0].fd = -1;  // further signals change nothing
    wait(static_cast<int>(grace.count()));
    if (waits[1].revents != 0) return;
  }
  end_now_();
}

GracefulEnd::GracefulEnd() { ++graceful; }
GracefulEnd::~GracefulEnd() { --graceful; }

bool is_interrupted() { return interrupted; }

int interrupt_descriptor() { return descriptor; }

EndReason end_reason() { return static_cast<EndReason>(received_reason); }

int signal_of(EndReason reason) { return std::ranges::find(reasons, reason, &Reason::reason)->signal; }

void receive_end_reasons() {
  for (const Reason& row : reasons)
    std::signal(row.signal, [](int signal) {
      received_reason = static_cast<int>(std::ranges::find(reasons, signal, &Reason::signal)->reason);
    });
}

void forget_interrupts() {
  if (const int inherited = descriptor.exchange(-1); inherited >= 0) close(inherited);
  interrupted = false;
  graceful = 0;
  default_interrupts();
}

}  // namespace foldproof
