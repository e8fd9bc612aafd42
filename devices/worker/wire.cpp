#include "devices/worker/wire.h"

#include <fmt/format.h>

#include <concepts>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <variant>

namespace foldproof {
namespace {

template <class T, class Of>
concept Either = std::same_as<std::remove_const_t<T>, Of>;

// What is sent of each structure, in order: fields(x, wire) calls wire(x.first_field, …), to write or to
// read.

void fields(Either<Dim3> auto& d, auto& wire) { wire(d.x, d.y, d.z); }
void fields(Either<ThreadId> auto& id, auto& wire) { wire(id.block, id.thread); }
void fields(Either<Position> auto& p, auto& wire) { wire(p.file, p.line, p.column); }
void fields(Either<EntryInfo> auto& entry, auto& wire) { wire(entry.name, entry.parameter_bytes); }
void fields(Either<PointerPatch> auto& p, auto& wire) { wire(p.at, p.buffer, p.offset); }
void fields(Either<JobArgument> auto& argument, auto& wire) { wire(argument.bytes, argument.pointers); }
void fields(Either<JobReset> auto& step, auto& wire) { wire(step.buffer); }
void fields(Either<JobBuffer> auto& b, auto& wire) {
  wire(b.name, b.bytes, b.initial, b.offset, b.read_back);
}
void fields(Either<LaunchShape> auto& shape, auto& wire) {
  wire(shape.grid, shape.block, shape.cluster, shape.shared_bytes, shape.cooperative);
}
void fields(Either<JobLaunch> auto& step, auto& wire) {
  wire(step.entry, step.shape, step.arguments, step.where);
}
void fields(Either<Schedule> auto& schedule, auto& wire) { wire(schedule.order, schedule.seed); }
void fields(Either<CoRunningLoad> auto& load, auto& wire) { wire(load.occupancy_limit, load.busy_kernel); }
void fields(Either<Job> auto& job, auto& wire) {
  wire(job.buffers, job.steps, job.order, job.limits.warp_instructions);
}
void fields(Either<Finding> auto& f, auto& wire) {
  wire(f.kind, f.severity, f.message, f.at, f.other, f.threads);
}
void fields(Either<JobResult> auto& r, auto& wire) {
  wire(r.contents, r.findings, r.warp_instructions, r.printed, r.completed, r.unsupported);
}

class Writer {
 public:
  explicit Writer(ByteWriter& to) : to_(to) {}

  void operator()(const auto&... values) { (put(values), ...); }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      to_.number(static_cast<std::uint64_t>(value));
    else
      fields(value, *this);
  }
  void put(const std::string& text) { to_.text(text); }
  void put(const std::vector<std::byte>& content) { to_.bytes(content); }
  template <class T>
  void put(const std::vector<T>& list) {
    put(std::span<const T>(list));
  }
  template <class T>
  void put(std::span<const T> list) {
    to_.number(list.size());
    for (const T& one : list) put(one);
  }
  template <class T>
  void put(const std::optional<T>& maybe) {
    put(maybe.has_value());
    if (maybe) put(*maybe);
  }
  template <class... T>
  void put(const std::variant<T...>& one) {
    to_.number(one.index());
    std::visit([&](const auto& held) { put(held); }, one);
  }

  ByteWriter& to_;
};

constexpr Schedule::Order last(Schedule::Order) { return Schedule::Order::random; }
constexpr Kind last(Kind) { return Kind::unsupported; }
constexpr Severity last(Severity) { return Severity::error; }

class Reader {
 public:
  explicit Reader(ByteReader& from) : from_(from) {}

  void operator()(auto&... values) { (get(values), ...); }

 private:
  template <class T>
  void get(T& value) {
    if constexpr (std::is_integral_v<T>)
      value = narrow<T>();
    else if constexpr (std::is_enum_v<T>)
      value = enumerator(last(T{}));
    else
      fields(value, *this);
  }
  void get(bool& value) { value = from_.number() != 0; }
  void get(std::string& text) { text = from_.text(); }
  void get(std::vector<std::byte>& content) { content = from_.bytes(); }
  template <class T>
  void get(std::vector<T>& list) {
    for (std::uint64_t left = from_.length(); left > 0; --left) get(list.emplace_back());
  }
  template <class T>
  void get(std::optional<T>& maybe) {
    if (from_.number() != 0) get(maybe.emplace());
  }
  template <class A, class B>
  void get(std::variant<A, B>& one) {
    from_.number() == 0 ? get(one.template emplace<A>()) : get(one.template emplace<B>());
  }
  void get(CoRunningLoad& load) {
    const std::uint64_t limit = from_.number();
    if (limit > tightest_occupancy_limit)
      throw ProtocolError{fmt::format("an occupancy limit of {} eighths", limit)};
    load = {static_cast<std::uint8_t>(limit), from_.number() != 0};
  }

  template <class T>
  T narrow() {
    const std::uint64_t value = from_.number();
    if (value > std::numeric_limits<T>::max())
      throw ProtocolError{fmt::format("number {} is too large", value)};
    return static_cast<T>(value);
  }
  template <class Enumeration>
  Enumeration enumerator(Enumeration last) {
    const std::uint64_t value = from_.number();
    if (value > static_cast<std::uint64_t>(last))
      throw ProtocolError{fmt::format("invalid enumerator {}", value)};
    return static_cast<Enumeration>(value);
  }

  ByteReader& from_;
};

template <class T>
T read(ByteReader& from) {
  T value;
  Reader{from}(value);
  return value;
}

/// Throws ProtocolError if a step refers to a buffer that the job does not have.
void check_buffers(const Job& job) {
  const auto check = [&](std::uint64_t buffer) {
    if (buffer >= job.buffers.size()) throw ProtocolError{fmt::format("nonexistent buffer {}", buffer)};
  };
  for (const JobBuffer& buffer : job.buffers)
    if (buffer.initial.size() > buffer.bytes) throw ProtocolError{"more initial bytes than a buffer has"};
  for (const JobStep& step : job.steps) {
    if (const auto* reset = std::get_if<JobReset>(&step)) {
      check(reset->buffer);
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

}  // namespace

void write(ByteWriter& to, const JobArgument& argument) { Writer{to}(argument); }

std::uint64_t key_of(const Image& image) {
  return std::hash<std::string>{}(image.ptx.text()) ^ (std::hash<std::string>{}(image.machine_code) << 1);
}

void write(ByteWriter& to, const Position& position) { Writer{to}(position); }
Position read_position(ByteReader& from) { return read<Position>(from); }

void write(ByteWriter& to, const Image& image) {
  Writer{to}(image.name(), image.ptx.text(), image.machine_code);
}
Image read_image(ByteReader& from) {
  const std::string name = from.text();
  Image image(name, from.text());
  image.machine_code = from.text();
  return image;
}

void write(ByteWriter& to, const std::vector<EntryInfo>& entries) { Writer{to}(entries); }
std::vector<EntryInfo> read_entries(ByteReader& from) { return read<std::vector<EntryInfo>>(from); }

void write(ByteWriter& to, std::span<const Job> jobs) { Writer{to}(jobs); }
std::vector<Job> read_jobs(ByteReader& from, const std::shared_ptr<const Image>& image) {
  auto jobs = read<std::vector<Job>>(from);
  for (Job& job : jobs) {
    check_buffers(job);
    job.image = image;
  }
  return jobs;
}

void write(ByteWriter& to, const std::vector<JobResult>& results) { Writer{to}(results); }
std::vector<JobResult> read_results(ByteReader& from) { return read<std::vector<JobResult>>(from); }

}  // namespace foldproof
