// SIGINT and SIGTERM as a request to end, which a process can poll and wait for.
#pragma once

#include <functional>
#include <thread>

#include "base/bytes.h"

namespace foldproof {

/// Thrown by a function that cannot complete because the user interrupted the run.
struct Interrupted {};

/// Receives SIGINT and SIGTERM in a thread of its own while it exists. Only one can exist in a process; a
/// fork does not inherit it.
///
///   signal ──► is a GracefulEnd alive? ──no──► end_now()
///                      │ yes
///                      └──► interrupt_descriptor() becomes readable; end_now() after 1.7 s
class InterruptHandler {
 public:
  /// Blocks both signals in the calling thread and in the threads that it starts later. `end_now` is called
  /// in the handler's thread, and must not return.
  explicit InterruptHandler(std::function<void()> end_now);
  ~InterruptHandler();
  InterruptHandler(const InterruptHandler&) = delete;
  InterruptHandler& operator=(const InterruptHandler&) = delete;

 private:
  void handle();

  std::function<void()> end_now_;
  Descriptor signals_;
  Descriptor stop_;
  std::thread thread_;
};

/// While one exists, an interrupted process gets time to end by itself.
class GracefulEnd {
 public:
  GracefulEnd();
  ~GracefulEnd();
  GracefulEnd(const GracefulEnd&) = delete;
  GracefulEnd& operator=(const GracefulEnd&) = delete;
};

/// Whether the process has a handler that has received a signal.
bool is_interrupted();

/// Readable once the handler has received a signal; -1 without a handler.
int interrupt_descriptor();

/// Restores the default effect of both signals. For a new fork.
void default_interrupts();

}  // namespace foldproof
