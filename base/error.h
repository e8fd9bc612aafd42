// Errors that stop a run before it can check anything. Each is one sentence: what is wrong, where, and what
// to do. A sentence longer than longest_sentence (base/printable.h) is cut.
#pragma once

#include <compare>
#include <stdexcept>
#include <string>
#include <utility>

namespace foldproof {

/// A place in a file. `line` and `column` count from 1; 0 means unknown.
struct Position {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  auto operator<=>(const Position&) const = default;
};

/// "file:line:column"; unknown parts are omitted.
std::string to_string(const Position& position);

/// Invalid usage, contract, source or external data (exit status 2).
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& sentence, Position position = {});
  /// Where the input is wrong; `file` is empty if no file is at fault.
  const Position& position() const { return position_; }
  /// The sentence without its position.
  const std::string& sentence() const { return sentence_; }

 private:
  Position position_;
  std::string sentence_;
};

/// Something that Foldproof cannot do here: an instruction that the device does not support, a device that is
/// not available (exit status 3).
class Unsupported : public std::runtime_error {
 public:
  explicit Unsupported(const std::string& sentence, Position position = {});
  const Position& position() const { return position_; }
  const std::string& sentence() const { return sentence_; }

 private:
  Position position_;
  std::string sentence_;
};

}  // namespace foldproof
