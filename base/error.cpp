#include "base/error.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace foldproof {

std::string to_string(const Position& position) {
  if (position.line == 0) return position.file;
  if (position.column == 0) return fmt::format("{}:{}", position.file, position.line);
  return fmt::format("{}:{}:{}", position.file, position.line, position.column);
}

namespace {
std::string placed(const Position& position, const std::string& sentence) {
  return position.file.empty() ? sentence : to_string(position) + ": " + sentence;
}
}  // namespace

InputError::InputError(const std::string& sentence, Position position)
    : std::runtime_error(placed(position, shortened(sentence))),
      position_(std::move(position)),
      sentence_(shortened(sentence)) {}

Unsupported::Unsupported(const std::string& sentence, Position position)
    : std::runtime_error(placed(position, shortened(sentence))),
      position_(std::move(position)),
      sentence_(shortened(sentence)) {}

}  // namespace foldproof
