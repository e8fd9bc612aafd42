// A process that is talked to over a socket at its standard input, with a time limit for every answer.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>

namespace foldproof {

/// Why a conversation ended: the process did, or it did not answer in time.
struct Ended {
  bool in_time = true;
  std::string how;  ///< as a sentence says it: "was ended by signal 11 (Segmentation fault)"
};

/// Ends the process when it goes.
class Connection {
 public:
  /// Throws InputError when the program cannot be started.
  explicit Connection(const std::filesystem::path& program);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// How long everything may take from now on.
  void limit(std::chrono::milliseconds time) { deadline_ = std::chrono::steady_clock::now() + time; }
  /// Throws Ended, as does receive.
  void send(const void* from, std::size_t bytes);
  void receive(void* to, std::size_t bytes);
  /// Ends the process at once, to say how it ended, or what ended it.
  Ended end();
  /// The last line that the program printed; empty where there is none.
  std::string last_words() const;

 private:
  void wait_until_ready(short events);

  int socket_ = -1, printed_ = -1;
  pid_t child_ = -1;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace foldproof
