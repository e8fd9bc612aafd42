#include "properties/execution/job.h"

#include <fmt/format.h>

#include <algorithm>

#include "contracts/sizes.h"
#include "oracles/number.h"
#include "properties/distributions.h"
#include "properties/execution/reduction.h"
#include "properties/execution/uses.h"
#include "properties/generation/domain.h"
#include "properties/instance_job.h"

namespace foldproof {
namespace {

/// Larger buffers are not meant for test cases and would leave no memory for others.
constexpr std::uint64_t most_buffer_bytes = std::uint64_t{1} << 35;
/// Far more than any reduction needs, even one lane at a time: a case that runs longer is reported as not
/// ending.
constexpr std::uint64_t least_instruction_limit = 10'000'000;
constexpr std::uint64_t most_instructions_of_an_element = 2000;
/// For each read of an element by a group of lanes, in kernels where every thread reads every element.
constexpr std::uint64_t most_instructions_of_a_look = 16;
/// Of a warp that computes one of many results together with the others of its block.
constexpr std::uint64_t most_instructions_of_a_share = 256;
/// Takes about a minute, the time after which an endless loop is reported.
constexpr std::uint64_t largest_instruction_limit = std::uint64_t{1} << 30;
/// Content of an output that a kernel must leave untouched.
constexpr std::byte untouched_pattern{0xa5};

std::uint32_t dimension(const Expression& expression, const Variables& variables, std::string_view what,
                        const Position& where) {
  const std::int64_t value = expression.evaluate(variables);
  if (value < 1)
    throw InputError(
        fmt::format(
            "the {} \"{}\" is {}; a launch requires at least 1 (write \"max(1, …)\" if there may be no work)",
            what, expression.text(), value),
        where);
  if (value > std::int64_t{0xffffffff})
    throw InputError(fmt::format("the {} \"{}\" is {}, which exceeds the limit of a launch", what,
                                 expression.text(), value),
                     where);
  return static_cast<std::uint32_t>(value);
}

Dim3 extent(const std::array<Expression, 3>& expressions, const Variables& variables, std::string_view what,
            const Position& where) {
  return {dimension(expressions[0], variables, what, where),
          dimension(expressions[1], variables, what, where),
          dimension(expressions[2], variables, what, where)};
}

/// Elements times their size; counts are not negative.
std::uint64_t bytes_of(const std::string& buffer, const Expression& count, const Variables& variables,
                       Element type) {
  const auto elements = static_cast<std::uint64_t>(count.evaluate(variables));
  const std::uint64_t most = most_buffer_bytes / size_of(type);
  if (elements > most)
    throw InputError(fmt::format("the buffer \"{}\" requires {} elements of {}; the maximum is {}", buffer,
                                 elements, name(type), most),
                     count.where());
  return elements * size_of(type);
}

/// The bytes that a buffer holds before a call; empty if it is undefined.
std::vector<std::byte> initial_bytes(BufferContract::Initial initial, Element type, std::uint64_t bytes,
                                     Operator op) {
  using Initial = BufferContract::Initial;
  if (initial == Initial::undefined || initial == Initial::any) return {};
  std::vector<std::byte> content(bytes);
  if (initial == Initial::identity)
    for (std::size_t i = 0; i < bytes / size_of(type); ++i) store(type, content, i, identity(op, type));
  return content;
}

/// Builds one job; the references that it holds need not live longer.
class Assembly {
 public:
  Assembly(const Instance& instance, const Case& c, const std::vector<std::byte>& input)
      : instance_(instance), case_(c), input_(input) {
    add_input_and_output();
    add_operands();
    for (const BufferContract& buffer : instance.buffers) add(buffer);
    for (const AdditionalOutput& additional : instance.additional_outputs) read_back(additional);
  }

  FindBuffer finder() const {
    return [this](const std::string& name) {
      const auto place = places_.find(name);
      if (place == places_.end())
        throw InputError(fmt::format("the argument \"{}\" requires a [reduction], which defines it", name));
      return place->second;
    };
  }

  /// Adds the resets before every call but the first.
  void reset() {
    for (const std::uint32_t buffer : resets_) prepared_.job.steps.emplace_back(JobReset{buffer});
  }

  PreparedJob& prepared() { return prepared_; }

 private:
  void add_input_and_output() {
    if (!instance_.reduction) return;
    const Reduction& reduction = *instance_.reduction;
    const auto bytes_for = [&](const Expression& count) {
      return bytes_of(instance_.output_name, count, case_.variables, reduction.output);
    };
    const std::uint64_t size = size_of(reduction.output), result_bytes = bytes_for(instance_.output_count);
    const std::uint64_t first = instance_.output_index ? bytes_for(*instance_.output_index) / size : 0;
    const std::uint64_t output_bytes = std::max(
        first * size + result_bytes, instance_.output_capacity ? bytes_for(*instance_.output_capacity) : 0);

    JobBuffer input = padded_input();
    if (instance_.in_place) input.bytes = std::max(input.bytes, output_bytes);
    prepared_.input = place("input", std::move(input), size_of(reduction.input));
    if (instance_.in_place) {
      add_output(prepared_.input, first, result_bytes, reduction);
      places_["output"] = {prepared_.input, size_of(reduction.output)};
      resets_.push_back(prepared_.input);
      return;
    }
    if (!instance_.claims.keeps_input) resets_.push_back(prepared_.input);
    std::vector<std::byte> initial =
        initial_bytes(instance_.output_initial, reduction.output, output_bytes, reduction.op);
    if (must_be_untouched() && initial.empty()) initial.assign(output_bytes, untouched_pattern);
    if (instance_.output_initial == BufferContract::Initial::any) {
      initial = values_of_caller(instance_, case_, result_bytes / size);
      prepared_.before = initial;
    }
    JobBuffer output{instance_.output_name, output_bytes, std::move(initial), 0, true};
    add_output(add("output", std::move(output), instance_.output_reset, size), first, result_bytes,
               reduction);
  }

  JobBuffer padded_input() {
    const Reduction& reduction = *instance_.reduction;
    const std::uint64_t size = size_of(reduction.input);
    JobBuffer input{instance_.input_name, input_.size(), input_, case_.offset * size, true};
    prepared_.elements = input_.size() / size;
    if (!instance_.input_capacity) return input;
    input.bytes = std::max(input.bytes, bytes_of(instance_.input_name, *instance_.input_capacity,
                                                 case_.variables, reduction.input));
    prepared_.padding =
        initial_bytes(instance_.input_padding, reduction.input, input.bytes - input_.size(), reduction.op);
    input.initial.insert(input.initial.end(), prepared_.padding.begin(), prepared_.padding.end());
    return input;
  }

  void add_output(std::uint32_t buffer, std::uint64_t first, std::uint64_t bytes,
                  const Reduction& reduction) {
    prepared_.outputs.push_back({buffer, bytes / size_of(reduction.output), first});
  }

  void add_operands() {
    for (const OperandContract& contract : instance_.operands) {
      const std::uint64_t bytes = bytes_of(contract.name, contract.count, case_.variables, contract.type);
      JobBuffer buffer{contract.name, bytes, make_operand(contract, instance_, case_, input_), 0, true};
      const std::uint32_t index = place(contract.name, std::move(buffer), size_of(contract.type));
      prepared_.operands.push_back(index);
      prepared_.operand_values.push_back(prepared_.job.buffers[index].initial);
    }
  }

  bool must_be_untouched() const {
    return input_.empty() && instance_.claims.empty == EmptyPolicy::untouched;
  }

  void read_back(const AdditionalOutput& additional) {
    const std::uint32_t index = places_.at(additional.buffer).index;
    JobBuffer& buffer = prepared_.job.buffers[index];
    buffer.read_back = true;
    if (must_be_untouched() && buffer.initial.empty()) buffer.initial.assign(buffer.bytes, untouched_pattern);
    add_output(index, 0, buffer.bytes, additional.reduction);
  }

  void add(const BufferContract& contract) {
    const std::uint64_t bytes = bytes_of(contract.name, contract.count, case_.variables, contract.type);
    const Operator op = operator_of(instance_, contract.name).value_or(Operator::sum);
    JobBuffer buffer{contract.name, bytes, initial_bytes(contract.initial, contract.type, bytes, op), 0,
                     false};
    add(contract.name, std::move(buffer), contract.reset, size_of(contract.type));
  }

  /// `argument` is the contract's name for the buffer.
  std::uint32_t add(const std::string& argument, JobBuffer buffer, BufferContract::Reset reset,
                    std::uint64_t element_bytes) {
    const auto index = static_cast<std::uint32_t>(prepared_.job.buffers.size());
    if (reset == BufferContract::Reset::each_call) resets_.push_back(index);
    return place(argument, std::move(buffer), element_bytes);
  }

  std::uint32_t place(const std::string& argument, JobBuffer buffer, std::uint64_t element_bytes) {
    const auto index = static_cast<std::uint32_t>(prepared_.job.buffers.size());
    places_[argument] = {index, element_bytes};
    prepared_.job.buffers.push_back(std::move(buffer));
    return index;
  }

  const Instance& instance_;
  const Case& case_;
  const std::vector<std::byte>& input_;
  PreparedJob prepared_;
  std::map<std::string, BufferPlace> places_;
  std::vector<std::uint32_t> resets_;  ///< indices into job.buffers
};

LaunchShape shape_of(const LaunchContract& launch, const Variables& variables) {
  LaunchShape shape;
  shape.grid = extent(launch.grid, variables, "grid", launch.where);
  shape.block = extent(launch.block, variables, "block", launch.where);
  if (launch.has_cluster) shape.cluster = extent(launch.cluster, variables, "cluster", launch.where);
  const std::int64_t shared = launch.shared.evaluate(variables);
  if (shared < 0 || shared > largest_shared_memory)
    throw InputError(fmt::format("the dynamic shared memory \"{}\" is {} bytes; a block can have 0 to {}",
                                 launch.shared.text(), shared, largest_shared_memory),
                     launch.where);
  shape.shared_bytes = static_cast<std::uint32_t>(shared);
  shape.cooperative = launch.cooperative;
  return shape;
}

/// `outputs`: number of output elements. Every block may clear and write its own copy of them, and all
/// threads of one block may compute them one after the other.
std::uint64_t instruction_limit(const std::vector<JobStep>& launches, std::uint64_t elements,
                                std::uint64_t outputs, const LaunchOrder& order) {
  constexpr std::uint64_t lanes_of_a_warp = 32, most_counted = 1 << 24;  // products stay below 2^64
  const std::uint64_t lanes_that_travel_together = order == usual(order) ? lanes_of_a_warp : 1;
  std::uint64_t threads = 0, blocks = 0, largest_block = 0;
  for (const JobStep& step : launches) {
    const LaunchShape& shape = std::get<JobLaunch>(step).shape;
    const std::uint64_t blocks_here = std::min(shape.grid.volume(), most_counted);
    threads += blocks_here * shape.block.volume();
    blocks += blocks_here;
    largest_block = std::max(largest_block, shape.block.volume());
  }
  threads = std::min(threads, most_counted);
  elements = std::min(elements, most_counted);
  outputs = std::min(outputs, most_counted);
  const std::uint64_t looks =
      elements * (threads / lanes_that_travel_together + 1) + outputs * std::min(blocks, most_counted);
  const std::uint64_t shares = outputs * (largest_block / lanes_that_travel_together + 1);
  return std::min(largest_instruction_limit,
                  least_instruction_limit + most_instructions_of_an_element * (elements + threads) +
                      most_instructions_of_a_look * looks + most_instructions_of_a_share * shares);
}

/// The operator to whose rules the elements are adapted. The largest magnitude shows among zeros, as a sum
/// does.
Operator generated_for(Operator op) {
  if (needs_every_element(op)) return Operator::bit_and;
  return takes_magnitudes(op) ? Operator::sum : underlying(op);
}

}  // namespace

std::vector<std::byte> input_of(const Instance& instance, const Case& c) {
  check_sizes(instance, c.variables);
  if (!instance.reduction) return {};
  const auto count = static_cast<std::uint64_t>(c.variables.at("count"));
  const Reduction& reduction = *instance.reduction;
  InputPlan plan{generated_for(reduction.op), reduction.input, reduction.accumulator, count,
                 reduction.output};
  plan.tile = static_cast<std::uint64_t>(tile_of(c.variables));
  plan.row = needs_columns(reduction.result) && reduction.result != ResultShape::columns
                 ? result_layout(reduction, c.variables).columns
                 : 0;
  plan.p = reduction.p;
  plan.is_nonnegative = takes_probabilities(reduction.op);
  plan.values = values_of(instance, c.variables);
  return make_input(c.input, plan);
}

bool permits_planted(const Instance& instance, const Case& c) {
  const auto values = values_of(instance, c.variables);
  return std::ranges::all_of(c.input.planted, [&](const Planted& planted) {
    return is_permitted(planted, instance.reduction->input, values);
  });
}

JobBuilder::JobBuilder(const Instance& instance, std::shared_ptr<const Image> image,
                       const std::vector<EntryInfo>& entries)
    : instance_(instance), image_(std::move(image)) {
  for (const LaunchContract& launch : instance.launches) {
    const auto entry = std::ranges::find(entries, launch.lowered, &EntryInfo::name);
    if (entry == entries.end())
      throw InputError(fmt::format("{} contains no kernel \"{}\"", image_->name(), launch.entry),
                       launch.where);
    if (entry->parameter_bytes.size() != launch.arguments.size())
      throw InputError(fmt::format("the kernel \"{}\" takes {} arguments, but the contract passes {}",
                                   launch.entry, entry->parameter_bytes.size(), launch.arguments.size()),
                       launch.where);
    parameter_bytes_.push_back(entry->parameter_bytes);
  }
}

PreparedJob JobBuilder::build(const Case& c, const std::vector<std::byte>& input) const {
  check_sizes(instance_, c.variables);
  Assembly assembly(instance_, c, input);
  std::vector<JobStep> launches;
  for (std::size_t i = 0; i < instance_.launches.size(); ++i) {
    const LaunchContract& launch = instance_.launches[i];
    JobLaunch step{
        launch.lowered, launch.host ? LaunchShape{} : shape_of(launch, c.variables), {}, launch.where};
    for (std::size_t a = 0; a < launch.arguments.size(); ++a)
      step.arguments.push_back(
          lay_out(launch.arguments[a], parameter_bytes_[i][a], c.variables, assembly.finder(), launch.where));
    launches.emplace_back(std::move(step));
  }
  PreparedJob& prepared = assembly.prepared();
  if (instance_.claims.empty == EmptyPolicy::untouched)
    for (PreparedOutput& output : prepared.outputs)
      output.untouched = prepared.job.buffers[output.buffer].initial;
  prepared.calls = c.calls;
  for (std::uint64_t call = 0; call < c.calls; ++call) {
    if (call != 0) assembly.reset();
    prepared.job.steps.insert(prepared.job.steps.end(), launches.begin(), launches.end());
  }
  prepared.job.image = image_;
  prepared.job.order = c.order;
  const std::uint64_t input_elements =
      instance_.reduction ? input.size() / size_of(instance_.reduction->input) : 0;
  const std::uint64_t results = prepared.outputs.empty() ? 0 : prepared.outputs.front().count;
  prepared.job.limits.warp_instructions = instruction_limit(launches, input_elements, results, c.order);
  return std::move(prepared);
}

Job instance_job(const Instance& instance, const std::shared_ptr<const Image>& image, Runner& runner,
                 const Variables& variables, const std::vector<std::byte>& input) {
  Case c;
  c.variables = variables;
  return JobBuilder(instance, image, runner.entries(image)).build(c, input).job;
}

Job instance_job(const Instance& instance, const std::shared_ptr<const Image>& image, Runner& runner,
                 const Case& c) {
  return JobBuilder(instance, image, runner.entries(image)).build(c, input_of(instance, c)).job;
}

Job traced_job(const Instance& instance, const std::shared_ptr<const Image>& image, Runner& runner,
               const Case& given) {
  const Domain domain(instance, largest_given_count);
  const Case c = domain.completed(given);
  domain.check(c.variables);
  PreparedJob prepared = JobBuilder(instance, image, runner.entries(image)).build(c, input_of(instance, c));
  request_trace(instance, prepared);
  return std::move(prepared.job);
}

}  // namespace foldproof
