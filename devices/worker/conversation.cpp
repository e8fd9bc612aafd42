#include "devices/worker/conversation.h"

#include <fmt/format.h>

namespace foldproof {
namespace {

/// A longer answer is none.
constexpr std::uint64_t most_answer = std::uint64_t{1} << 36;

[[noreturn]] void refuse(Answer answer, WireReader& reader) {
  const std::string sentence = reader.text();
  const Position position = read_position(reader);
  if (answer == Answer::unsupported) throw Unsupported(sentence, position);
  throw InputError(sentence, position);
}

}  // namespace

std::vector<EntryInfo> Conversation::introduce(const Image& image, std::chrono::milliseconds limit) {
  auto reply = ask_entries(image, false, limit);
  if (reply.first == Answer::unknown_image) reply = ask_entries(image, true, limit);
  if (reply.first != Answer::entries) throw Garbled{"an answer to another question"};
  WireReader reader(reply.second);
  reader.number();
  return read_entries(reader);
}

std::optional<std::vector<JobResult>> Conversation::run(std::span<const Job> jobs,
                                                        std::chrono::milliseconds limit,
                                                        std::chrono::milliseconds start) {
  const Image& image = *jobs.front().image;
  WireWriter request(Request::run);
  request.number(key_of(image));
  write(request, jobs);
  auto reply = ask(request, limit);
  if (reply.first == Answer::unknown_image) {
    introduce(image, start);
    reply = ask(request, limit);
  }
  if (reply.first == Answer::not_together) return std::nullopt;
  if (reply.first != Answer::results) throw Garbled{"an answer to another question"};
  WireReader reader(reply.second);
  reader.number();
  std::vector<JobResult> results = read_results(reader);
  reader.expect_end();
  if (results.size() != jobs.size())
    throw Garbled{fmt::format("{} results of {} jobs", results.size(), jobs.size())};
  return results;
}

std::pair<Answer, std::vector<std::byte>> Conversation::ask(const WireWriter& request,
                                                            std::chrono::milliseconds limit) {
  connection_.limit(limit);
  std::uint64_t bytes = request.message().size();
  connection_.send(&bytes, sizeof bytes);
  connection_.send(request.message().data(), bytes);
  connection_.receive(&bytes, sizeof bytes);
  if (bytes > most_answer) throw Garbled{fmt::format("an answer of {} bytes", bytes)};
  std::vector<std::byte> message(bytes);
  connection_.receive(message.data(), bytes);
  WireReader reader(message);
  const auto answer = static_cast<Answer>(reader.number());
  if (answer == Answer::wrong_input || answer == Answer::unsupported) refuse(answer, reader);
  return {answer, std::move(message)};
}

std::pair<Answer, std::vector<std::byte>> Conversation::ask_entries(const Image& image, bool whole,
                                                                    std::chrono::milliseconds limit) {
  WireWriter request(Request::entries);
  request.number(key_of(image));
  request.number(whole ? 1 : 0);
  if (whole) write(request, image);
  return ask(request, limit);
}

}  // namespace foldproof
