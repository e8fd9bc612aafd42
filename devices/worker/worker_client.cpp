#include "devices/worker/worker_client.h"

#include <fmt/format.h>
#include <unistd.h>

namespace foldproof {
namespace {

/// Whether the result is possible for the job.
bool fits(const Job& job, const JobResult& result) {
  if (!result.completed) return true;  // contents are meaningless
  if (result.contents.size() != job.buffers.size()) return false;
  for (std::size_t b = 0; b < job.buffers.size(); ++b)
    if (job.buffers[b].read_back && result.contents[b].size() != job.buffers[b].bytes) return false;
  return true;
}

[[noreturn]] void refuse(Answer answer, ByteReader& reader) {
  const std::string sentence = reader.text();
  const Position position = read_position(reader);
  if (answer == Answer::unsupported) throw Unsupported(sentence, position);
  throw InputError(sentence, position);
}

}  // namespace

std::vector<EntryInfo> WorkerClient::introduce(const Image& image, std::chrono::milliseconds limit) {
  auto reply = ask_entries(image, false, limit);
  if (reply.first == Answer::unknown_image) reply = ask_entries(image, true, limit);
  if (reply.first != Answer::entries) throw ProtocolError{"a reply to another request"};
  ByteReader reader(reply.second);
  reader.number();
  return read_entries(reader);
}

std::optional<std::vector<JobResult>> WorkerClient::run(std::span<const Job> jobs,
                                                        std::chrono::milliseconds limit,
                                                        std::chrono::milliseconds start) {
  const Image& image = *jobs.front().image;
  ByteWriter request(Request::run);
  request.number(key_of(image));
  write(request, jobs);
  auto reply = ask(request, limit);
  if (reply.first == Answer::unknown_image) {
    introduce(image, start);
    reply = ask(request, limit);
  }
  if (reply.first == Answer::not_together) return std::nullopt;
  if (reply.first != Answer::results) throw ProtocolError{"a reply to another request"};
  ByteReader reader(reply.second);
  reader.number();
  std::vector<JobResult> results = read_results(reader);
  reader.expect_end();
  if (results.size() != jobs.size())
    throw ProtocolError{fmt::format("{} results of {} jobs", results.size(), jobs.size())};
  for (std::size_t j = 0; j < jobs.size(); ++j)
    if (!fits(jobs[j], results[j])) throw ProtocolError{"a result with other buffers than its job has"};
  return results;
}

std::pair<Answer, std::vector<std::byte>> WorkerClient::ask(const ByteWriter& request,
                                                            std::chrono::milliseconds limit) {
  connection_.limit(limit);
  std::uint64_t bytes = request.message().size();
  // An unread reply to a process that has exited may still be in the socket, so numbers are unique.
  const std::uint64_t number = (static_cast<std::uint64_t>(getpid()) << 32) + ++questions_;
  connection_.send(&bytes, sizeof bytes);
  connection_.send(&number, sizeof number);
  connection_.send(request.message().data(), bytes);
  std::uint64_t answered = 0;
  connection_.receive(&bytes, sizeof bytes);
  connection_.receive(&answered, sizeof answered);
  if (bytes > max_message) throw ProtocolError{fmt::format("a reply of {} bytes", bytes)};
  if (answered != number) throw ProtocolError{"a reply to another request"};
  std::vector<std::byte> message(bytes);
  connection_.receive(message.data(), bytes);
  connection_.forget_words();
  ByteReader reader(message);
  const auto answer = static_cast<Answer>(reader.number());
  if (answer == Answer::wrong_input || answer == Answer::unsupported) refuse(answer, reader);
  return {answer, std::move(message)};
}

std::pair<Answer, std::vector<std::byte>> WorkerClient::ask_entries(const Image& image, bool whole,
                                                                    std::chrono::milliseconds limit) {
  ByteWriter request(Request::entries);
  request.number(key_of(image));
  request.number(whole ? 1 : 0);
  if (whole) write(request, image);
  return ask(request, limit);
}

}  // namespace foldproof
