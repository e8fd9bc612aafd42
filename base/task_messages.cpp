#include "base/task_messages.h"

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "base/bytes.h"

namespace foldproof {

namespace {

struct Header {
  TaskMessage message;
  std::uint64_t bytes;
};

}  // namespace

void send_message(int to, TaskMessage message, const std::string& body) {
  Header header{};
  header.message = message;
  header.bytes = body.size();
  if (!write_all(to, &header, sizeof header) || !write_all(to, body.data(), body.size())) _exit(1);
}

std::optional<std::pair<TaskMessage, std::string>> take_message(std::string& received) {
  Header header{};
  if (received.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, received.data(), sizeof header);
  if (received.size() - sizeof header < header.bytes) return std::nullopt;
  std::pair message(header.message, received.substr(sizeof header, header.bytes));
  received.erase(0, sizeof header + header.bytes);
  return message;
}

std::string pack_sentence(const std::string& sentence, const Position& at) {
  ByteWriter writer;
  writer.text(sentence);
  writer.text(at.file);
  writer.number(at.line);
  writer.number(at.column);
  return {reinterpret_cast<const char*>(writer.message().data()), writer.message().size()};
}

std::pair<std::string, Position> unpack_sentence(const std::string& body) {
  ByteReader reader(std::as_bytes(std::span(body)));
  std::string sentence = reader.text();
  Position at;
  at.file = reader.text();
  at.line = static_cast<unsigned>(reader.number());
  at.column = static_cast<unsigned>(reader.number());
  return {std::move(sentence), std::move(at)};
}

}  // namespace foldproof
