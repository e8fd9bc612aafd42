#include "base/interrupts.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
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

constexpr std::chrono::milliseconds grace{1700}, late_interrupt_grace{700};
/// How long the process may take to end afterwards.
constexpr std::chrono::milliseconds last_moment{200};

std::atomic<int> descriptor{-1};
std::atomic<int> timer{-1};  ///< expires at the deadline of the TimeLimit
std::atomic<bool> interrupted{false};
std::atomic<int> graceful{0};
volatile std::sig_atomic_t received_reason = 0;

struct Reason {
  EndReason reason;
  int signal;
};
constexpr Reason reasons[] = {
    {EndReason::interrupted, SIGTERM}, {EndReason::out_of_time, SIGUSR1}, {EndReason::too_slow, SIGUSR2}};

constexpr int handled_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGXCPU};

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

InterruptHandler::InterruptHandler(EndNow end_now) : end_now_(std::move(end_now)) {
  const sigset_t signals = set_of_handled_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signals_ = Descriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  stop_ = Descriptor(eventfd(0, EFD_CLOEXEC));
  descriptor = eventfd(0, EFD_CLOEXEC);
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  if (signals_.number() < 0 || stop_.number() < 0 || descriptor < 0 || timer < 0)
    throw Unsupported("too many open files");
  interrupted = false;
  thread_ = std::thread([this] { handle(); });
}

InterruptHandler::~InterruptHandler() {
  eventfd_write(stop_.number(), 1);
  thread_.join();
  close(descriptor.exchange(-1));
  close(timer.exchange(-1));
  interrupted = false;
  signalfd_siginfo repeated{};
  while (read(signals_.number(), &repeated, sizeof repeated) > 0) {
  }
  default_interrupts();
}

InterruptHandler::Event InterruptHandler::next_event() {
  pollfd waits[] = {{stop_.number(), POLLIN, 0}, {signals_.number(), POLLIN, 0}, {timer, POLLIN, 0}};
  constexpr int moment = 50;  // in milliseconds
  nfds_t count = 3;
  while (true) {
    if (poll(waits, count, count == 3 ? -1 : moment) < 0) continue;
    if (waits[0].revents != 0) return Event::stop;
    if (waits[1].revents != 0) return Event::signal;
    const bool is_late = count == 3 && waits[2].revents != 0;
    if (is_late && graceful == 0) return Event::time_limit;
    count = is_late ? 2 : 3;  // an expired timer remains readable: ask again in a moment
  }
}

bool InterruptHandler::is_stopped_within(std::chrono::milliseconds time) const {
  pollfd stop{stop_.number(), POLLIN, 0};
  int ready = 0;
  while ((ready = poll(&stop, 1, static_cast<int>(time.count()))) < 0) {
  }
  return ready > 0;
}

void InterruptHandler::handle() {
  const Event event = next_event();
  const auto begin = std::chrono::steady_clock::now();
  if (event == Event::stop) return;
  // Descendants whose parents end now become children of this process, so that kill_children() can wait for
  // them.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (event == Event::time_limit) return end_now_(EndReason::out_of_time, begin + last_moment);
  // Asked first: a GracefulEnd may end right after the descriptor becomes readable.
  const bool gives_grace = graceful > 0;
  interrupted = true;
  eventfd_write(descriptor, 1);
  if (gives_grace && is_stopped_within(grace)) return;  // further signals change nothing
  end_now_(EndReason::interrupted, begin + grace + last_moment);
}

GracefulEnd::GracefulEnd() { ++graceful; }
GracefulEnd::~GracefulEnd() { --graceful; }

TimeLimit::TimeLimit(Deadline deadline) {
  if (!deadline || timer < 0) return;
  using namespace std::chrono;
  // std::chrono::steady_clock counts by CLOCK_MONOTONIC. A time of zero would disarm the timer.
  const auto since =
      std::max(nanoseconds(1), nanoseconds(deadline->time_since_epoch() + late_interrupt_grace));
  itimerspec expiration{};
  expiration.it_value.tv_sec = duration_cast<seconds>(since).count();
  expiration.it_value.tv_nsec = (since % seconds(1)).count();
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &expiration, nullptr);
}

TimeLimit::~TimeLimit() {
  constexpr itimerspec none{};
  if (timer >= 0) timerfd_settime(timer, 0, &none, nullptr);
}

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
  for (std::atomic<int>* own : {&descriptor, &timer})
    if (const int inherited = own->exchange(-1); inherited >= 0) close(inherited);
  interrupted = false;
  graceful = 0;
  default_interrupts();
  sigset_t none;  // the parent process may have blocked signals; forked processes must receive all of them
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace foldproof
