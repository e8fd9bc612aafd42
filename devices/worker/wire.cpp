#include "devices/worker/wire.h"

#include <fmt/format.h>

#include <functional>
#include <limits>

namespace foldproof {
namespace {

template <typename T>
T narrow(ByteReader& from) {
  const std::uint64_t value = from.number();
  if (value > std::numeric_limits<T>::max())
    throw ProtocolError{fmt::format("number {} is too large", value)};
  return static_cast<T>(value);
}

template <typename Enumeration>
Enumeration enumerator(ByteReader& from, Enumeration last) {
  const std::uint64_t value = from.number();
  if (value > static_cast<std::uint64_t>(last))
    throw ProtocolError{fmt::format("invalid enumerator {}", value)};
  return static_cast<Enumeration>(value);
}

/// Reads a list: its length, then elements, each read by `one`.
template <typename One>
auto list_of(ByteReader& from, const One& one) {
  std::vector<decltype(one())> all;
  for (std::uint64_t left = from.length(); left > 0; --left) all.push_back(one());
  return all;
}

void write(ByteWriter& to, const Dim3& d) {
  for (const std::uint32_t extent : {d.x, d.y, d.z}) to.number(extent);
}

Dim3 read_extent(ByteReader& from) {
  Dim3 d;
  for (std::uint32_t* extent : {&d.x, &d.y, &d.z}) *extent = narrow<std::uint32_t>(from);
  return d;
}

void write(ByteWriter& to, const JobBuffer& buffer) {
  to.text(buffer.name);
  to.number(buffer.bytes);
  to.bytes(buffer.initial);
  to.number(buffer.offset);
  to.number(buffer.read_back ? 1 : 0);
}

JobBuffer read_buffer(ByteReader& from) {
  JobBuffer buffer;
  buffer.name = from.text();
  buffer.bytes = from.number();
  buffer.initial = from.bytes();
  buffer.offset = from.number();
  buffer.read_back = from.number() != 0;
  return buffer;
}

JobArgument read_argument(ByteReader& from) {
  JobArgument argument;
  argument.bytes = from.bytes();
  argument.pointers = list_of(from, [&] {
    PointerPatch pointer;
    pointer.at = narrow<std::uint32_t>(from);
    pointer.buffer = narrow<std::uint32_t>(from);
    pointer.offset = from.number();
    return pointer;
  });
  return argument;
}

void write(ByteWriter& to, const JobWrite& step) {
  to.number(step.buffer);
  to.bytes(step.bytes);
}

void write(ByteWriter& to, const JobLaunch& step) {
  to.text(step.entry);
  const LaunchShape& shape = step.shape;
  write(to, shape.grid), write(to, shape.block), write(to, shape.cluster);
  to.number(shape.shared_bytes);
  to.number(shape.cooperative ? 1 : 0);
  to.number(step.arguments.size());
  for (const JobArgument& argument : step.arguments) write(to, argument);
  write(to, step.where);
}

JobLaunch read_launch(ByteReader& from) {
  JobLaunch step;
  step.entry = from.text();
  step.shape.grid = read_extent(from);
  step.shape.block = read_extent(from);
  step.shape.cluster = read_extent(from);
  step.shape.shared_bytes = narrow<std::uint32_t>(from);
  step.shape.cooperative = from.number() != 0;
  step.arguments = list_of(from, [&] { return read_argument(from); });
  step.where = read_position(from);
  return step;
}

JobStep read_step(ByteReader& from) {
  if (from.number() == 0) return read_launch(from);
  JobWrite step;
  step.buffer = narrow<std::uint32_t>(from);
  step.bytes = from.bytes();
  return step;
}

void write(ByteWriter& to, const Schedule& schedule) {
  to.number(static_cast<std::uint64_t>(schedule.order));
  to.number(schedule.seed);
}

void write(ByteWriter& to, const CoRunningLoad& load) {
  to.number(load.occupancy_limit);
  to.number(load.busy_kernel ? 1 : 0);
}

LaunchOrder read_order(ByteReader& from) {
  if (from.number() == 0) {
    const auto order = enumerator(from, Schedule::Order::random);
    return Schedule{order, from.number()};
  }
  const std::uint64_t limit = from.number();
  if (limit > tightest_occupancy_limit)
    throw ProtocolError{fmt::format("an occupancy limit of {} eighths", limit)};
  return CoRunningLoad{static_cast<std::uint8_t>(limit), from.number() != 0};
}

void write(ByteWriter& to, const Job& job) {
  to.number(job.buffers.size());
  for (const JobBuffer& buffer : job.buffers) write(to, buffer);
  to.number(job.steps.size());
  for (const JobStep& step : job.steps) {
    to.number(step.index());
    std::visit([&](const auto& one) { write(to, one); }, step);
  }
  to.number(job.order.index());
  std::visit([&](const auto& one) { write(to, one); }, job.order);
  to.number(job.limits.warp_instructions);
}

/// Throws ProtocolError if a step refers to a buffer that the job does not have.
void check_buffers(const Job& job) {
  const auto check = [&](std::uint64_t buffer) {
    if (buffer >= job.buffers.size()) throw ProtocolError{fmt::format("nonexistent buffer {}", buffer)};
  };
  for (const JobBuffer& buffer : job.buffers)
    if (buffer.initial.size() > buffer.bytes) throw ProtocolError{"more initial bytes than a buffer has"};
  for (const JobStep& step : job.steps) {
    if (const auto* write = std::get_if<JobWrite>(&step)) {
      check(write->buffer);
      if (write->bytes.size() > job.buffers[write->buffer].bytes)
        throw ProtocolError{"more bytes to write than a buffer has"};
      continue;
    }
    for (const JobArgument& argument : std::get<JobLaunch>(step).arguments)
      for (const PointerPatch& pointer : argument.pointers) {
        check(pointer.buffer);
        if (pointer.at + sizeof(Address) > argument.bytes.size())
          throw ProtocolError{"an address that does not fit into its argument"};
      }
  }
}

Job read_job(ByteReader& from) {
  Job job;
  job.buffers = list_of(from, [&] { return read_buffer(from); });
  job.steps = list_of(from, [&] { return read_step(from); });
  job.order = read_order(from);
  job.limits.warp_instructions = from.number();
  check_buffers(job);
  return job;
}

void write(ByteWriter& to, const Finding& finding) {
  to.number(static_cast<std::uint64_t>(finding.kind));
  to.number(static_cast<std::uint64_t>(finding.severity));
  to.text(finding.message);
  write(to, finding.at);
  to.number(finding.other ? 1 : 0);
  if (finding.other) write(to, *finding.other);
  to.number(finding.threads.size());
  for (const ThreadId& id : finding.threads) write(to, id.block), write(to, id.thread);
}

Finding read_finding(ByteReader& from) {
  Finding finding;
  finding.kind = enumerator(from, Kind::unsupported);
  finding.severity = enumerator(from, Severity::error);
  finding.message = from.text();
  finding.at = read_position(from);
  if (from.number() != 0) finding.other = read_position(from);
  finding.threads = list_of(from, [&] {
    ThreadId id;
    id.block = read_extent(from);
    id.thread = read_extent(from);
    return id;
  });
  return finding;
}

JobResult read_result(ByteReader& from) {
  JobResult result;
  result.contents = list_of(from, [&] { return from.bytes(); });
  result.findings = list_of(from, [&] { return read_finding(from); });
  if (from.number() != 0) result.warp_instructions = from.number();
  result.printed = from.text();
  result.completed = from.number() != 0;
  if (from.number() != 0) result.unsupported = from.text();
  return result;
}

}  // namespace

void write(ByteWriter& to, const JobArgument& argument) {
  to.bytes(argument.bytes);
  to.number(argument.pointers.size());
  for (const PointerPatch& pointer : argument.pointers) {
    to.number(pointer.at);
    to.number(pointer.buffer);
    to.number(pointer.offset);
  }
}

std::uint64_t key_of(const Image& image) {
  return std::hash<std::string>{}(image.ptx.text()) ^ (std::hash<std::string>{}(image.machine_code) << 1);
}

void write(ByteWriter& to, const Position& position) {
  to.text(position.file);
  to.number(position.line);
  to.number(position.column);
}

Position read_position(ByteReader& from) {
  Position position;
  position.file = from.text();
  position.line = narrow<unsigned>(from);
  position.column = narrow<unsigned>(from);
  return position;
}

void write(ByteWriter& to, const Image& image) {
  to.text(image.name());
  to.text(image.ptx.text());
  to.text(image.machine_code);
}

Image read_image(ByteReader& from) {
  const std::string name = from.text();
  Image image(name, from.text());
  image.machine_code = from.text();
  return image;
}

void write(ByteWriter& to, const std::vector<EntryInfo>& entries) {
  to.number(entries.size());
  for (const EntryInfo& entry : entries) {
    to.text(entry.name);
    to.number(entry.parameter_bytes.size());
    for (const std::uint32_t bytes : entry.parameter_bytes) to.number(bytes);
  }
}

std::vector<EntryInfo> read_entries(ByteReader& from) {
  return list_of(from, [&] {
    EntryInfo entry;
    entry.name = from.text();
    entry.parameter_bytes = list_of(from, [&] { return narrow<std::uint32_t>(from); });
    return entry;
  });
}

void write(ByteWriter& to, std::span<const Job> jobs) {
  to.number(jobs.size());
  for (const Job& job : jobs) write(to, job);
}

std::vector<Job> read_jobs(ByteReader& from, const std::shared_ptr<const Image>& image) {
  return list_of(from, [&] {
    Job job = read_job(from);
    job.image = image;
    return job;
  });
}

void write(ByteWriter& to, const std::vector<JobResult>& results) {
  to.number(results.size());
  for (const JobResult& result : results) {
    to.number(result.contents.size());
    for (const auto& content : result.contents) to.bytes(content);
    to.number(result.findings.size());
    for (const Finding& finding : result.findings) write(to, finding);
    to.number(result.warp_instructions ? 1 : 0);
    if (result.warp_instructions) to.number(*result.warp_instructions);
    to.text(result.printed);
    to.number(result.completed ? 1 : 0);
    to.number(result.unsupported ? 1 : 0);
    if (result.unsupported) to.text(*result.unsupported);
  }
}

std::vector<JobResult> read_results(ByteReader& from) {
  return list_of(from, [&] { return read_result(from); });
}

}  // namespace foldproof
