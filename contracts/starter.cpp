#include <fmt/format.h>
#include <fmt/ranges.h>

#include <initializer_list>
#include <ranges>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "contracts/guess.h"
#include "contracts/keys.h"
#include "contracts/names.h"

namespace foldproof {
namespace {

std::string extent(const std::array<Expression, 3>& extents) {
  if (extents[1].text() == "1" && extents[2].text() == "1") return toml_string(extents[0].text());
  return fmt::format("[{}, {}, {}]", toml_string(extents[0].text()), toml_string(extents[1].text()),
                     toml_string(extents[2].text()));
}

std::string spelled(const ArgumentContract& argument) {
  using Form = ArgumentContract::Form;
  const std::string type = argument.typed ? fmt::format("{}:", name(argument.type)) : "";
  switch (argument.form) {
    case Form::pointer:
      return argument.value.text() == "0" ? argument.buffer
                                          : fmt::format("{} + {}", argument.buffer, argument.value.text());
    case Form::integer: return type + argument.value.text();
    case Form::number: return fmt::format("{}:{}", name(argument.type), argument.number);
    case Form::structure: break;
  }
  return fmt::format("{{{}}}", fmt::join(argument.members | std::views::transform(spelled), ", "));
}

/// Writes lines of TOML, each followed by the meaning of its key from keys.def.
class Writer {
 public:
  void table(std::string_view name) {
    table_ = name;
    text_ += fmt::format("\n{}\n", spelled_table(name));
  }

  void comment(std::string_view sentence) { text_ += fmt::format("# {}\n", printable(sentence)); }

  void key(std::string_view name, const std::string& value) {
    const KeyRow* row = find_key(table_, name);
    const std::string setting = fmt::format("{} = {}", name, value);
    text_ += row == nullptr || row->sentence.empty() ? setting + "\n"
                                                     : fmt::format("{:<44} # {}\n", setting, row->sentence);
  }

  std::string text() && { return std::move(text_); }

 private:
  std::string_view table_;
  std::string text_;
};

std::string text_of(const Range& range) {
  const bool is_single = range.low.text() == range.high.text();
  return is_single ? range.low.text() : fmt::format("{} .. {}", range.low.text(), range.high.text());
}

void write_reduction(Writer& out, const Reduction& reduction) {
  out.table("reduction");
  out.key("operator", toml_string(name(reduction.op)));
  out.key("input", toml_string(name(reduction.input)));
  out.key("accumulator", toml_string(name(reduction.accumulator)));
  out.key("output", toml_string(name(reduction.output)));
  out.key("result", toml_string(name_of(result_names, reduction.result)));
  const OperatorInfo& op = info(reduction.op);
  if (op.takes("functions")) out.key("functions", toml_string(name_of(function_names, reduction.functions)));
  if (op.takes("maximum")) out.key("maximum", toml_string(name_of(maximum_names, reduction.maximum)));
  if (op.takes("affine")) out.key("affine", toml_string(name_of(affine_names, reduction.affine)));
  if (is_scan(reduction.result)) out.key("scan", toml_string(name_of(scan_names, reduction.scan)));
  if (reduction.sum != SumMethod::plain) out.key("method", toml_string(name_of(sum_names, reduction.sum)));
  if (reduction.moment_method != MomentMethod::unspecified)
    out.key("method", toml_string(name_of(moment_names, reduction.moment_method)));
  if (op.takes("epsilon")) out.key("epsilon", toml_string(fmt::format("{}", reduction.epsilon)));
  if (op.takes("delta")) out.key("delta", toml_string(fmt::format("{}", reduction.delta)));
  if (reduction.correction != 0) out.key("correction", std::to_string(reduction.correction));
  if (op.takes("p")) out.key("p", toml_string(fmt::format("{}", reduction.p)));
  if (reduction.k) out.key("k", toml_string(reduction.k->text()));
  if (reduction.values) out.key("values", toml_string(text_of(*reduction.values)));
  if (reduction.formula) out.key("formula", toml_string(reduction.formula->text()));
  if (reduction.bin) out.key("bin", toml_string(reduction.bin->text()));
  if (reduction.where) out.key("where", toml_string(reduction.where->text()));
}

void write_operand(Writer& out, const OperandContract& operand) {
  out.table("operand");
  out.key("name", toml_string(operand.name));
  out.key("role", toml_string(name_of(role_names, operand.role)));
  out.key("type", toml_string(name(operand.type)));
  out.key("count", toml_string(operand.count.text()));
  if (operand.group.text() != "1") out.key("group", toml_string(operand.group.text()));
}

void write_domain(Writer& out, const Instance& instance) {
  out.table("domain");
  out.comment(find_key("", "domain")->sentence);
  for (const auto& [variable, range] : instance.domain) {
    out.key(variable, toml_string(text_of(range)));
  }
}

void write_output(Writer& out, const Instance& instance) {
  out.table("output");
  out.key("count", toml_string(instance.output_count.text()));
  if (instance.output_index) out.key("index", toml_string(instance.output_index->text()));
  if (instance.output_capacity) out.key("capacity", toml_string(instance.output_capacity->text()));
  out.key("initial", toml_string(name_of(initial_names, instance.output_initial)));
  out.key("reset", toml_string(name_of(reset_names, instance.output_reset)));
  if (instance.in_place) out.key("in_place", "true");
}

void write_buffer(Writer& out, const BufferContract& buffer) {
  out.table("buffer");
  out.key("name", toml_string(buffer.name));
  out.key("type", toml_string(name(buffer.type)));
  out.key("count", toml_string(buffer.count.text()));
  out.key("initial", toml_string(name_of(initial_names, buffer.initial)));
  out.key("reset", toml_string(name_of(reset_names, buffer.reset)));
}

void write_additional_output(Writer& out, const AdditionalOutput& additional) {
  out.table("additional_output");
  out.key("buffer", toml_string(additional.buffer));
  out.key("operator", toml_string(name(additional.reduction.op)));
  out.key("accumulator", toml_string(name(additional.reduction.accumulator)));
  out.key("result", toml_string(name_of(result_names, additional.reduction.result)));
  if (info(additional.reduction.op).takes("epsilon"))
    out.key("epsilon", toml_string(fmt::format("{}", additional.reduction.epsilon)));
  if (info(additional.reduction.op).takes("delta"))
    out.key("delta", toml_string(fmt::format("{}", additional.reduction.delta)));
  if (additional.reduction.correction != 0)
    out.key("correction", std::to_string(additional.reduction.correction));
}

void write_launch(Writer& out, const LaunchContract& launch) {
  out.table("launch");
  out.key("entry", toml_string(launch.entry));
  out.key("grid", extent(launch.grid));
  out.key("block", extent(launch.block));
  if (launch.has_cluster) out.key("cluster", extent(launch.cluster));
  if (launch.cooperative) out.key("cooperative", "true");
  out.key("shared", toml_string(launch.shared.text()));
  const auto quoted = [](const ArgumentContract& argument) { return toml_string(spelled(argument)); };
  out.key("arguments",
          fmt::format("[{}]", fmt::join(launch.arguments | std::views::transform(quoted), ", ")));
}

void write_claims(Writer& out, const Claims& claims, const std::optional<Reduction>& reduction) {
  out.table("claims");
  out.key("deterministic", claims.deterministic ? "true" : "false");
  out.key("nan", toml_string(name_of(nan_names, claims.nan)));
  out.key("empty", toml_string(name_of(empty_names, claims.empty)));
  if (reduction && info(reduction->op).takes("ties"))
    out.key("ties", toml_string(name_of(tie_names, claims.ties)));
  if (reduction && info(reduction->op).takes("masked"))
    out.key("masked", toml_string(name_of(masked_names, claims.masked)));
  if (claims.height) out.key("height", toml_string(claims.height->text()));
  out.key("flushes_subnormals", claims.flushes_subnormals ? "true" : "false");
  if (!claims.keeps_input) out.key("keeps_input", "false");
  if (const auto once = claims.uses_every_input_once)
    out.key("uses_every_input_once", *once ? "true" : "false");
}

void write_source(Writer& out, const Contract& contract) {
  out.table("source");
  out.key("path", toml_string(contract.source.filename().string()));
  if (!contract.flags.empty())
    out.key("flags",
            fmt::format("[{}]", fmt::join(contract.flags | std::views::transform(toml_string), ", ")));
  out.key("arch", toml_string(contract.arch.empty() ? default_arch : contract.arch));
}

/// A contract to complete: only the kernel is known.
std::string skeleton(const Contract& contract) {
  const NoFit& no_fit = *contract.no_fit;
  const std::string unknown = toml_string(unknown_value);
  Writer out;
  out.comment(fmt::format("Incomplete: {}.", no_fit.reason));
  out.comment("Replace each \"?\", and correct the other lines. docs/contracts.md explains all keys.");
  out.key("format", "1");
  out.key("id", toml_string(contract.id));
  out.key("summary", toml_string(contract.summary));
  write_source(out, contract);
  out.table("reduction");
  out.comment(fmt::format("operators: {}", fmt::join(all_names(operator_names), ", ")));
  out.key("operator", unknown);
  out.comment(fmt::format("types: {}", fmt::join(element_names(), ", ")));
  for (const char* key : {"input", "accumulator", "output"}) out.key(key, unknown);
  out.key("result", unknown);
  out.table("domain");
  out.comment(find_key("", "domain")->sentence);
  for (const auto& [variable, range] : std::initializer_list<std::pair<const char*, const char*>>{
           {"count", "0 .. 2^20"}, {"block", "256"}, {"grid", "ceil_div(count, block)"}})
    out.key(variable, toml_string(range));
  out.table("output");
  out.key("count", unknown);
  out.table("launch");
  out.key("entry", toml_string(contract.instances.at(0).launches.at(0).entry));
  out.key("grid", toml_string("grid"));
  out.key("block", toml_string("block"));
  out.comment(fmt::format("parameters: {}", fmt::join(no_fit.parameters, ", ")));
  const std::vector<std::string> arguments(no_fit.parameters.size(), unknown);
  out.key("arguments", fmt::format("[{}]", fmt::join(arguments, ", ")));
  return std::move(out).text();
}

}  // namespace

std::string starter_contract(const Contract& contract) {
  const Instance& instance = contract.instances.at(0);
  if (contract.no_fit && !instance.reduction) return skeleton(contract);
  Writer out;
  out.comment(contract.as.empty()
                  ? "What this kernel computes, for which sizes, and what it claims. Every line is a "
                    "guess: check it."
                  : "What this kernel computes, for which sizes, and what it claims. The sizes, the "
                    "parameters and the launch are guesses: check them.");
  if (contract.no_fit) out.comment(fmt::format("Needs correction: {}.", contract.no_fit->reason));
  out.key("format", "1");
  out.key("id", toml_string(contract.id));
  out.key("summary", toml_string(contract.summary));
  write_source(out, contract);
  if (instance.reduction) write_reduction(out, *instance.reduction);
  write_domain(out, instance);
  for (const Finding& precondition : contract.preconditions) out.comment(precondition.message);
  write_output(out, instance);
  for (const OperandContract& operand : instance.operands) write_operand(out, operand);
  for (const BufferContract& buffer : instance.buffers) write_buffer(out, buffer);
  for (const AdditionalOutput& additional : instance.additional_outputs)
    write_additional_output(out, additional);
  for (const LaunchContract& launch : instance.launches) write_launch(out, launch);
  write_claims(out, instance.claims, instance.reduction);
  return std::move(out).text();
}

}  // namespace foldproof
