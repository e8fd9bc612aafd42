#include "benchmarks/instruction_comparison.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"

namespace foldproof {
namespace {

using Words = std::vector<std::uint64_t>;

static_assert(operand_sets % lanes_per_block == 0);

Words words_of(const std::vector<std::byte>& bytes) {
  Words words(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint64_t));
  return words;
}

JobBuffer input_of(const FormGroup& group) {
  const Words words = operands_for(group.source_types(), group.extremes());
  JobBuffer buffer;
  buffer.name = "input";
  buffer.bytes = words.size() * sizeof(std::uint64_t);
  const auto bytes = std::as_bytes(std::span(words));
  buffer.initial.assign(bytes.begin(), bytes.end());
  return buffer;
}

JobBuffer output_for(const FormGroup& group) {
  JobBuffer buffer;
  buffer.name = "output";
  buffer.bytes = sizeof(std::uint64_t) * operand_sets * group.words_per_form() * group.forms.size();
  buffer.read_back = true;
  return buffer;
}

Job job_of(const FormGroup& group, const std::shared_ptr<const Image>& image) {
  Job job;
  job.image = image;
  job.buffers = {input_of(group), output_for(group)};
  for (const FormKernel& kernel : kernels_of(group)) {
    JobLaunch launch{kernel.entry, {{operand_sets / lanes_per_block, 1, 1}, {lanes_per_block, 1, 1}}, {}, {}};
    for (std::uint32_t buffer = 0; buffer < 2; ++buffer)
      launch.arguments.push_back({ArgumentBytes(8), {{.at = 0, .buffer = buffer, .offset = 0}}});
    job.steps.emplace_back(launch);
  }
  return job;
}

/// What the job leaves in its output. Throws Unsupported if the job did not run to its end.
Words output_of(Runner& runner, const Job& job, const char* device) {
  const std::vector<JobResult> results = runner.run({job});
  const auto fail = [&](const std::string& why) {
    throw Unsupported(fmt::format("{} does not run the forms: {}", device, why), {job.image->name()});
  };
  if (results.empty()) fail("it gave no result");
  const JobResult& result = results.front();
  if (result.unsupported) fail(*result.unsupported);
  if (!result.findings.empty()) fail(result.findings.front().message);
  if (!result.completed) fail("it did not complete them");
  return words_of(result.contents.at(1));
}

bool is_nan_of_f64(std::uint64_t bits) { return (bits & ~(1ull << 63)) > 0x7FF0000000000000; }

/// What the form left for one operand set.
enum class Agreement : std::uint8_t { equal, other_nan, different };

/// The results of one group, word by word: of each form and destination, one word per operand set.
struct Results {
  const FormGroup& group;
  const Words& input;
  const Words& emulated;
  const Words& real;

  std::size_t at(std::size_t form, unsigned word, std::size_t set) const {
    return (form * group.words_per_form() + word) * operand_sets + set;
  }

  Agreement agreement(std::size_t form, std::size_t set) const {
    Agreement agreement = Agreement::equal;
    unsigned word = 0;
    for (const RegisterOperand& destination : group.destinations)
      for (unsigned part = 0; part < destination.value.words; ++part, ++word) {
        const std::uint64_t here = emulated[at(form, word, set)], there = real[at(form, word, set)];
        if (here == there) continue;
        if (destination.value.type != isa::Type::f64 || !is_nan_of_f64(here) || !is_nan_of_f64(there))
          return Agreement::different;
        agreement = Agreement::other_nan;
      }
    return agreement;
  }

  std::string describe(std::size_t form, std::size_t set) const {
    const MeasuredForm& measured = group.forms[form];
    std::string text = measured.text;
    if (measured.table) text += fmt::format(" with table {}", *measured.table);
    text += " of";
    for (std::size_t k = 0; k < input.size() / operand_sets; ++k)
      text += fmt::format(" 0x{:x}", input[k * operand_sets + set]);
    text += ": the emulated device gives";
    for (unsigned word = 0; word < group.words_per_form(); ++word)
      text += fmt::format(" 0x{:x}", emulated[at(form, word, set)]);
    text += " and the GPU";
    for (unsigned word = 0; word < group.words_per_form(); ++word)
      text += fmt::format(" 0x{:x}", real[at(form, word, set)]);
    return text;
  }
};

void add_form(const Results& results, std::size_t form, GpuEvidence& evidence) {
  ++evidence.forms;
  if (evidence.why_open.empty()) evidence.why_open = why_open(results.group.forms[form].form);
  for (std::size_t set = 0; set < operand_sets; ++set) {
    const Agreement agreement = results.agreement(form, set);
    ++evidence.operand_sets;
    evidence.equal += agreement == Agreement::equal;
    evidence.other_nan += agreement == Agreement::other_nan;
    if (agreement == Agreement::different && evidence.difference.empty())
      evidence.difference = results.describe(form, set);
  }
}

/// The driver's reason without the position: "Feature 'add.f32x2' requires .target sm_100 or higher".
std::string reason_of(const InputError& refusal) {
  const std::string& text = refusal.sentence();
  const std::size_t error = text.find("error");
  const std::size_t colon = error == std::string::npos ? error : text.find(':', error);
  if (colon == std::string::npos) return text;
  const std::size_t first = text.find_first_not_of(' ', colon + 1);
  return first == std::string::npos ? text : text.substr(first, text.find('\n', first) - first);
}

FormGroup part_of(const FormGroup& group, std::size_t first, std::size_t count) {
  FormGroup part = group;
  const auto begin = group.forms.begin() + static_cast<std::ptrdiff_t>(first);
  part.forms.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  return part;
}

/// The devices, and the target of the PTX.
struct FormComparison {
  Runner& emulated;
  Runner& gpu;
  const std::string& target;

  void compare(const FormGroup& group, GpuEvidence& evidence) const;
  void run(const FormGroup& group, const std::shared_ptr<const Image>& image, GpuEvidence& evidence) const;
};

void FormComparison::compare(const FormGroup& group, GpuEvidence& evidence) const {
  const auto image =
      std::make_shared<const Image>(fmt::format("{} of ptx.def", group.row->id), module_text(group, target));
  try {
    gpu.entries(image);
  } catch (const InputError& refusal) {
    if (group.forms.size() == 1) {
      ++evidence.refused[reason_of(refusal)];
      return;
    }
    const std::size_t half = group.forms.size() / 2;
    compare(part_of(group, 0, half), evidence);
    compare(part_of(group, half, group.forms.size() - half), evidence);
    return;
  }
  run(group, image, evidence);
}

void FormComparison::run(const FormGroup& group, const std::shared_ptr<const Image>& image,
                         GpuEvidence& evidence) const {
  const Job job = job_of(group, image);
  Job on_gpu = job;
  on_gpu.order = adapted(job.order, false);
  const Words input = words_of(job.buffers.front().initial);
  const Words here = output_of(emulated, job, "the emulated device");
  const Words there = output_of(gpu, on_gpu, "the GPU");
  if (here.size() != there.size()) throw Unsupported("the devices left outputs of different sizes");
  const Results results{group, input, here, there};
  for (std::size_t form = 0; form < group.forms.size(); ++form) add_form(results, form, evidence);
}

}  // namespace

GpuEvidence compared(const FormGroup& group, Runner& emulated, Runner& gpu, const std::string& target) {
  GpuEvidence evidence;
  evidence.row = named_row(*group.row, group.type, group.type2);
  FormComparison{emulated, gpu, target}.compare(group, evidence);
  return evidence;
}

}  // namespace foldproof
