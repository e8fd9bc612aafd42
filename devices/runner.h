// Runners: the property engine's interface to a device. A batch of jobs in, their results out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "devices/image.h"
#include "devices/launch.h"
#include "devices/schedule.h"
#include "devices/undefined_fill.h"

namespace foldproof {

/// Device memory of one job. Bytes beyond `initial` are undefined.
struct JobBuffer {
  std::string name;
  std::uint64_t bytes = 0;
  std::vector<std::byte> initial;  ///< at most `bytes` long
  std::uint64_t offset = 0;        ///< start inside its allocation, in bytes: a misaligned view
  bool read_back = false;          ///< its bytes are part of the result
  /// 0: every bit counts. Otherwise only the element size in bytes is known, and possible padding of
  /// structures is not an error.
  std::uint32_t loose_element = 0;
};

/// A pointer to a buffer, patched into an argument.
struct PointerPatch {
  std::uint32_t at = 0;      ///< byte offset inside the argument
  std::uint32_t buffer = 0;  ///< index into Job::buffers
  std::uint64_t offset = 0;  ///< bytes past the buffer's start
};

struct JobArgument {
  ArgumentBytes bytes;
  std::vector<PointerPatch> pointers;
};

struct JobLaunch {
  std::string entry;  ///< PTX name
  LaunchShape shape;
  std::vector<JobArgument> arguments;
  Position where = {};  ///< position to report for a launch that is refused
};

/// Restores a buffer's initial state between launches: JobBuffer::initial, followed by undefined bytes.
struct JobReset {
  std::uint32_t buffer = 0;  ///< index into Job::buffers
};

/// Consecutive elements of a buffer.
struct BufferElements {
  std::uint32_t buffer = 0;  ///< index into Job::buffers
  Element element{};
  std::uint64_t count = 0;
  std::uint64_t first = 0;  ///< index of the first one
};

/// The elements of the input are traced into those of the outputs.
struct TraceRequest {
  BufferElements input;
  std::vector<BufferElements> outputs;
};

using JobStep = std::variant<JobLaunch, JobReset>;

/// Independent of earlier jobs: it has its own buffers, and the module's variables start with their initial
/// values.
struct Job {
  std::shared_ptr<const Image> image;
  std::vector<JobBuffer> buffers;
  std::vector<JobStep> steps;
  LaunchOrder order;
  Limits limits;
  std::optional<TraceRequest> trace;
  /// Jobs of one group, such as those of a case, are useful only together. 0: no group.
  std::uint64_t group = 0;
  /// After an accepted load or store that was out of bounds or misaligned, the emulated device goes on: what
  /// was read is undefined, and what was written is lost. Other devices cannot.
  AcceptsFinding accepts = {};
};

inline constexpr std::uint64_t uncounted_cost = 1 << 17;

/// If `completed` is false, a finding ended the job, or another job of its group, early, and the contents are
/// meaningless. Undefined bytes and padding hold UndefinedFill::poison.
struct JobResult {
  std::vector<std::vector<std::byte>> contents;  ///< one per buffer; empty if not read back
  /// One list per buffer that is read back: its bytes without information, which were never written or are
  /// padding. Empty if the device does not know them.
  std::vector<std::vector<ByteRange>> idle = {};
  std::vector<Finding> findings;
  std::optional<std::uint64_t> warp_instructions;  ///< executed; absent if the device does not count them
  /// The job's share of a budget of runs: its warp instructions, or the count of a small job if they are not
  /// counted.
  std::uint64_t cost = uncounted_cost;
  std::string printed;
  bool completed = true;                         ///< every step ran to completion
  std::shared_ptr<const ProvenanceTrace> trace;  ///< if the job requests it and the device supports it
  std::optional<std::string> unsupported;        ///< why the job could not run
};

/// The static properties of a runner.
struct Capabilities {
  /// It observes what launches do; otherwise only the contents of memory afterwards, and how launches end.
  bool observes_launches = true;
  /// It applies a job's Schedule; otherwise its CoRunningLoad.
  bool obeys_schedules = true;
  /// The number of jobs worth submitting at once.
  std::size_t jobs_together = 1;
};

/// Runs jobs on a device. A result has its job's index. After a job that ends in a timeout, the remaining
/// jobs need not be run: there are fewer results than jobs then. After a job with a fatal finding, the rest
/// of its group need not be run: their results are not completed.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual Capabilities capabilities() const { return {}; }
  /// Throws InputError for a launch beyond the device's limits.
  virtual std::vector<JobResult> run(const std::vector<Job>& jobs) = 0;
  /// The kernels of an image and the sizes of their parameters. Throws Unsupported if the device cannot load
  /// it.
  virtual std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) = 0;
};

}  // namespace foldproof
