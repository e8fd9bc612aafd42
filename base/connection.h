// A program that is talked to over a socket at its standard input, with a time limit for every answer.
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

/// Why a conversation ended: the program did, or it did not answer in time.
struct Ended {
  bool in_time = true;
  std::string how;  ///< as in a sentence: "was ended by signal 11 (Segmentation fault)"
  /// Whether the program itself caused its end, as far as this can be known: SIGKILL always comes from
  /// outside.
  bool by_itself = true;
};

/// Ends the program when it is destroyed. A fork may go on with the conversation of its parent, as long as
/// only one of them speaks.
class Connection {
 public:
  /// Starts a program with its arguments. Throws InputError when it cannot be started.
  explicit Connection(const std::vector<std::string>& command);
  ~Connection() { end(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Sets how long everything may take from now on.
  void limit(std::chrono::milliseconds time) { deadline_ = std::chrono::steady_clock::now() + time; }
  /// Throws Ended, as does receive.
  void send(const void* from, std::size_t bytes);
  void receive(void* to, std::size_t bytes);
  /// Says nothing more, and lets the program end by itself within the limit. Returns false where it had to be
  /// killed.
  bool finish();
  /// Ends the program at once. Returns how it ended.
  Ended end();
  /// Whether the program still runs. Only the process that started it may ask.
  bool is_alive();
  /// The last line that the program printed since its words were last forgotten; empty where there is none.
  std::string last_words() const;
  /// Forgets what was printed until now: it does not explain a later end.
  void forget_words();

 private:
  using Sockets = std::pair<Descriptor, Descriptor>;
  static Sockets connected_sockets();

  Connection(const std::vector<std::string>& command, Sockets sockets);
  void wait_until_ready(short events);

  Descriptor socket_, printed_;
  off_t forgotten_ = 0;  ///< bytes of what it printed
  Child child_;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace foldproof
