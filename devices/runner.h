// A batch of jobs in, their results out: all that the property engine sees of a device.
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
#include "devices/order.h"

namespace foldproof {

/// Device memory of one job. Bytes beyond `initial` are memory that nobody wrote.
struct JobBuffer {
  std::string name;
  std::uint64_t bytes = 0;
  std::vector<std::byte> initial;  ///< at most `bytes` long
  std::uint64_t offset = 0;        ///< start inside its allocation, in bytes: a misaligned view
  bool read_back = false;          ///< its bytes belong to the result
  /// 0: every bit of it counts. Else nobody told more of its layout than elements of so many bytes, and what
  /// may be padding of structures is no error.
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
  std::string entry;  ///< as PTX spells it
  LaunchShape shape;
  std::vector<JobArgument> arguments;
  Position where = {};  ///< who asks for it: where a launch that is refused is said to be wrong
};

/// Writes `bytes` to the start of a buffer between launches.
struct JobWrite {
  std::uint32_t buffer = 0;
  std::vector<std::byte> bytes;
};

/// Elements whose way through a job is traced, into the elements of an output.
struct TraceRequest {
  std::uint32_t input = 0, output = 0;  ///< indices of buffers
  Element input_element{}, output_element{};
  std::uint64_t input_count = 0, output_count = 0;
};

using JobStep = std::variant<JobLaunch, JobWrite>;

/// Depends on no job before it: buffers are its own, and the module's variables begin as loaded.
struct Job {
  std::shared_ptr<const Image> image;
  std::vector<JobBuffer> buffers;
  std::vector<JobStep> steps;
  LaunchOrder order;
  Limits limits;
  std::optional<TraceRequest> trace;
  /// Jobs of one group, such as those of a case, are wanted together or not at all. 0: of none.
  std::uint64_t group = 0;
};

inline constexpr std::uint64_t uncounted_cost = 1 << 20;

/// When `completed` is false, a finding ended the job, or one of its group, early and the contents mean
/// nothing. Bytes that nobody wrote, and padding, hold UndefinedFill::poison.
struct JobResult {
  std::vector<std::vector<std::byte>> contents;  ///< one per buffer; empty where not read back
  std::vector<Finding> findings;
  std::optional<std::uint64_t> warp_instructions;  ///< executed; absent where the device does not count them
  /// What the job takes of a budget of runs: its warp instructions, or as many as a small job has where they
  /// are not counted.
  std::uint64_t cost = uncounted_cost;
  std::string printed;
  bool completed = true;                         ///< every step ran to its end
  std::shared_ptr<const ProvenanceTrace> trace;  ///< where the job asks for it, and the device can
  std::optional<std::string> unsupported;        ///< why the job could not run
};

/// What there is to know of a runner before it has run anything.
struct Capabilities {
  /// It sees what launches do; else only what they leave in memory, and how they end.
  bool observes_launches = true;
  /// What it obeys of a job's order is a Schedule; else a CoRunningLoad.
  bool obeys_schedules = true;
  /// As many jobs as it is worth handing over at once.
  std::size_t jobs_together = 1;
};

/// Runs jobs on a device. A result stands at its job's index. Behind a job that ends in a timeout no other
/// needs to be run: then there are fewer results than jobs. Behind one with a fatal finding none of its group
/// needs to be: their results are not completed.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual Capabilities capabilities() const { return {}; }
  /// Throws InputError for a launch beyond the device's limits.
  virtual std::vector<JobResult> run(const std::vector<Job>& jobs) = 0;
  /// The kernels of an image and the sizes of their parameters. Throws Unsupported where the device cannot
  /// load it.
  virtual std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) = 0;
};

}  // namespace foldproof
