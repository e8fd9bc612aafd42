#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "contracts/call.h"
#include "contracts/contract.h"
#include "contracts/document.h"
#include "contracts/loading/tables.h"
#include "contracts/markers.h"
#include "contracts/nvcc/flags.h"
#include "contracts/sizes.h"

namespace foldproof {

namespace {

namespace fs = std::filesystem;

void read_source(const Table& top, Contract& contract, Trust trust) {
  const fs::path folder = resolved_path(contract.file).parent_path();
  contract.source = folder / contract.file.stem().concat(".cu");
  Position named = top.where();
  if (const auto source = top.table("source")) {
    if (const auto path = source->text("path")) {
      contract.source = resolved_path(folder / path->value);
      named = path->where;
    }
    std::vector<FlagWord> flags;
    for (const Text& flag : source->texts("flags")) flags.push_back({flag.value, flag.where});
    contract.flags = harmless_flags(flags, folder);
    contract.arch = source->text_or("arch", contract.arch);
    if (const auto call = source->text("call")) {
      contract.call = DeviceCall{call->value, source->text_or("temp", ""), source->text_or("lanes", "0")};
      const bool numbered = std::ranges::all_of(contract.call->lanes, is_digit);
      if (contract.call->lanes != "all" && (!numbered || contract.call->lanes.empty()))
        throw InputError("\"lanes\" must be a thread number or \"all\"", source->where("lanes"));
    }
  }
  if (trust == Trust::limited && !is_below(contract.source, folder))
    throw InputError(fmt::format("the source {} is outside the contract's folder; pass --trust to allow it",
                                 contract.source.string()),
                     named);
  std::error_code error;
  if (!fs::is_regular_file(contract.source, error))
    throw InputError(fmt::format("the source {} does not exist; name it with \"path\" in [source]",
                                 contract.source.string()),
                     named);
  read_markers(contract);
}

Allow allow_of(const Table& table) {
  Allow allow;
  const Text kind = *table.text("kind");
  const auto known = kind_named(kind.value);
  if (!known) throw InputError(fmt::format("unknown kind of finding \"{}\"", kind.value), kind.where);
  allow.kind = *known;
  allow.at = table.text("at")->value;
  allow.reason = table.text("reason")->value;
  allow.until = table.date("until");
  allow.where = table.where();
  if (allow.at.empty() || allow.reason.empty())
    throw InputError("an [[allow]] must specify the finding (kind, at), a reason and a date (until)",
                     table.where());
  return allow;
}

/// Nothing if the key is missing.
std::optional<std::uint64_t> positive(const Table& table, std::string_view key) {
  const auto value = table.integer(key);
  if (!value) return std::nullopt;
  if (*value < 1)
    throw InputError(fmt::format("\"{}\" must be at least 1, not {}", key, *value), table.where(key));
  return static_cast<std::uint64_t>(*value);
}

Equivalent equivalent_of(const Table& table) {
  Equivalent equivalent;
  equivalent.mutation = table.text("mutation")->value;
  equivalent.file = table.text("file")->value;
  equivalent.code = table.text("code")->value;
  equivalent.occurrence = positive(table, "occurrence").value_or(0);
  equivalent.change = table.text_or("change", "");
  equivalent.statements = positive(table, "statements").value_or(1);
  equivalent.reason = table.text("reason")->value;
  equivalent.where = table.where();
  if (equivalent.file.empty() || equivalent.code.empty() || equivalent.reason.empty())
    throw InputError("an equivalent mutant must name its file, quote its statement and give a reason",
                     table.where());
  return equivalent;
}

void check_launches(const Table& top, const Contract& contract, Trust trust) {
  const bool launches = !top.tables("launch").empty();
  if (contract.call && launches)
    throw InputError("a contract has either a \"call\" or launches; remove the [[launch]] tables",
                     top.where("launch"));
  if (contract.call && !top.has("reduction"))
    throw InputError(
        "a \"call\" requires a [reduction], which specifies the types of its element and its result",
        top.where());
  if (!contract.call && !launches)
    throw InputError("the contract has no [[launch]]; add one with entry, grid, block and arguments",
                     top.where());
  std::optional<bool> host;
  for (const Table& launch : top.tables("launch")) {
    const bool is_host_function = launch.boolean("host", false);
    if (host.value_or(is_host_function) != is_host_function)
      throw InputError("a contract cannot launch both kernels and host functions; split it",
                       launch.where("host"));
    host = is_host_function;
    if (is_host_function && trust == Trust::limited)
      throw InputError("\"host\" compiles C++ and runs it on this machine; pass --trust to allow it",
                       launch.where("host"));
  }
}

/// The instance of one combination of the matrix. `calls`: the contract has a `call`, whose kernel and launch
/// are generated.
Instance build_instance(const Table& top, const Bindings& bindings, bool calls) {
  Draft draft{top, calls, Scope(bindings), {}};
  draft.instance.label = to_text(bindings);
  draft.instance.bindings = bindings;
  read_reduction(draft);
  read_domain(draft);
  read_tried(draft);
  read_sizes_of_reduction(draft);
  read_operands(draft);
  read_buffers(draft);
  read_additional_outputs(draft);
  check_identities(draft);
  read_input(draft);
  read_output(draft);
  read_launches(draft);
  read_claims(draft);
  check_small_sizes(draft.instance);
  check_indices(draft);
  return std::move(draft.instance);
}

/// Every combination is read from the whole text.
void check_size(const fs::path& file, std::size_t combinations) {
  constexpr std::uintmax_t most_bytes = std::uintmax_t{32} << 20;
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(file, error);
  if (!error && bytes * combinations > most_bytes)
    throw InputError(
        fmt::format("the matrix has {} combinations, too many for a contract of {} bytes; split the "
                    "contract",
                    combinations, bytes),
        {file.string()});
}

}  // namespace

std::optional<Operator> operator_of(const Instance& instance, std::string_view buffer) {
  const auto additional = std::ranges::find(instance.additional_outputs, buffer, &AdditionalOutput::buffer);
  if (additional != instance.additional_outputs.end()) return additional->reduction.op;
  return instance.reduction ? std::optional(instance.reduction->op) : std::nullopt;
}

bool is_host_function(const Instance& instance) {
  return std::ranges::any_of(instance.launches, &LaunchContract::host);
}

bool Contract::is_host_function() const {
  return std::ranges::any_of(instances,
                             [](const Instance& instance) { return foldproof::is_host_function(instance); });
}

bool uses_several_gpus(const Contract& contract) {
  return std::ranges::any_of(contract.instances, [](const Instance& instance) {
    return std::ranges::any_of(instance.launches, [](const LaunchContract& l) { return !l.gpus.empty(); });
  });
}

void limit_gpus(Contract& contract, unsigned present) {
  for (Instance& instance : contract.instances)
    for (const LaunchContract& launch : instance.launches)
      for (auto& [name, range] : instance.domain)
        if (!launch.gpus.empty() && name == launch.gpus)
          range.high =
              Expression::parse(fmt::format("min({}, {})", range.high.text(), present), range.high.where());
}

void read_markers(Contract& contract) {
  Markers markers = markers_in(read_text_file(contract.source, largest_source), contract.source);
  contract.expected = std::move(markers.announced);
  contract.allows = std::move(markers.allowed);
}

Contract load_contract(const fs::path& file, Trust trust) {
  if (is_kept_case(file))
    throw InputError(fmt::format("this is a stored case, not a contract; run it with `foldproof replay {}`",
                                 shell_word(file.string())),
                     {file.string()});
  const toml::table parsed = parse_toml(file);
  const auto format = parsed["format"].value<std::int64_t>();
  if (format && *format != 1)
    throw InputError(fmt::format("unknown format {}; this version of Foldproof reads format 1", *format),
                     position_of(*parsed.get("format"), file.string()));
  const Table top(parsed, "", file.string());

  Contract contract;
  contract.file = file;
  contract.id = top.text_or("id", file.stem().string());
  contract.published = top.text_or("published", "");
  contract.summary = top.text_or("summary", "");
  read_source(top, contract, trust);
  check_launches(top, contract, trust);
  const std::vector<Bindings> all = combinations(top);
  check_size(file, all.size());
  for (const Bindings& bindings : all) {
    contract.instances.push_back(build_instance(top, bindings, contract.call.has_value()));
    if (contract.call) imply_launch(contract.instances.back(), *contract.call, contract.instances.size() - 1);
  }
  for (const Table& table : top.tables("allow")) contract.allows.push_back(allow_of(table));
  for (const Table& table : top.tables("equivalent")) contract.equivalents.push_back(equivalent_of(table));
  return contract;
}

}  // namespace foldproof
