// Messages from a task to the pool that started it: a kind, a length and that many bytes.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/error.h"

namespace foldproof {

enum class TaskMessage : char {
  progress = 'p',
  so_far = 's',
  result = 'r',
  wrong_input = 'i',
  unsupported = 'u',
  failed = 'f'
};

/// Ends this process if the pool no longer reads.
void send_message(int to, TaskMessage message, const std::string& body);

/// Removes the first message from what was received; nothing if it is not complete.
std::optional<std::pair<TaskMessage, std::string>> take_message(std::string& received);

/// A sentence with its position as a body.
std::string pack_sentence(const std::string& sentence, const Position& at);
std::pair<std::string, Position> unpack_sentence(const std::string& body);

}  // namespace foldproof
