// A process that is talked to over a socket at its standard input, with a time limit for every answer.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace foldproof {

/// Why a conversation ended: the process did, or it did not answer in time.
struct Ended {
  bool in_time = true;
  std::string how;  ///< as a sentence says it: "was ended by signal 11 (Segmentation fault)"
  /// Whether what it did ended it, as far as this can be known: no process is the cause of its SIGKILL.
  bool by_itself = true;
};

/// Ends the process when it goes. A fork may go on with the conversation of its parent, as long as only one
/// of them speaks.
class Connection {
 public:
  /// A program and its arguments. Throws InputError when it cannot be started.
  explicit Connection(const std::vector<std::string>& command);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// How long everything may take from now on.
  void limit(std::chrono::milliseconds time) { deadline_ = std::chrono::steady_clock::now() + time; }
  /// Throws Ended, as does receive.
  void send(const void* from, std::size_t bytes);
  void receive(void* to, std::size_t bytes);
  /// Says nothing more, and lets the process end by itself within the limit. False where it had to be ended.
  bool finish();
  /// Ends the process at once, to say how it ended, or what ended it.
  Ended end();
  /// Whether the process has not ended by itself. To be asked by who started it.
  bool is_alive();
  /// The last line that the program printed since its words were last forgotten; empty where there is none.
  std::string last_words() const;
  /// What was printed until now says nothing of what is asked next.
  void forget_words();

 private:
  void wait_until_ready(short events);
  Ended ended(const std::string& how, bool by_itself);

  int socket_ = -1, printed_ = -1;
  off_t forgotten_ = 0;  ///< bytes of what it printed
  pid_t child_ = -1;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace foldproof
