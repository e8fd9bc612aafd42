// A program that communicates over a socket at its standard input, with a time limit for every reply.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/child.h"

namespace foldproof {

/// Why a connection ended: the program exited, or it did not reply in time.
struct Ended {
  bool in_time = true;
  std::string how;  ///< completes a sentence: "was terminated by signal 11 (Segmentation fault)"
  /// Whether the program itself caused its end, as far as this can be known: SIGKILL always comes from
  /// another process.
  bool by_itself = true;
};

/// The destructor ends the program. A fork may continue its parent's connection, as long as only one of the
/// two uses it.
class Connection {
 public:
  /// Starts a program with its arguments. Throws InputError if it cannot be started.
  explicit Connection(const std::vector<std::string>& command);
  ~Connection() { end(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Sets the deadline of all following operations to `time` from now.
  void limit(std::chrono::milliseconds time) { deadline_ = std::chrono::steady_clock::now() + time; }
  /// Like receive, throws Ended if the connection ends.
  void send(const void* from, std::size_t bytes);
  void receive(void* to, std::size_t bytes);
  /// Closes the connection and lets the program exit by itself within the limit. Returns false if it had to
  /// be killed.
  bool finish();
  /// Ends the program: closes the connection, and kills it if it does not exit within 0.5 s. Returns how it
  /// ended.
  Ended end();
  /// Whether the program still runs. Only the process that started it may call this.
  bool is_alive();
  /// The last line that the program printed since forget_words(); empty if none.
  std::string last_words() const;
  /// Excludes what was printed so far from last_words(), since it does not explain a later end.
  void forget_words();

 private:
  using Sockets = std::pair<Descriptor, Descriptor>;
  static Sockets connected_sockets();

  Connection(const std::vector<std::string>& command, Sockets sockets);
  void wait_until_ready(short events);

  Descriptor socket_, printed_;
  off_t forgotten_ = 0;  ///< bytes of output that last_words() ignores
  Child child_;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace foldproof
