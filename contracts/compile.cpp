#include "contracts/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "base/text.h"
#include "contracts/call.h"
#include "contracts/compile_commands.h"
#include "contracts/declarations.h"
#include "contracts/keys.h"
#include "contracts/nvcc/cache.h"
#include "contracts/nvcc/flags.h"
#include "contracts/nvcc/run.h"
#include "contracts/nvcc/toolkit.h"
#include "contracts/nvcc/unit.h"
#include "contracts/signature.h"
#include "devices/host_program.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

/// Converts "compute_90", "sm_90" or "sm_90a" to the form that nvcc -ptx requires.
std::string checked_arch(const std::string& arch) {
  const std::size_t number = arch.starts_with("compute_") ? 8 : arch.starts_with("sm_") ? 3 : arch.size();
  const std::size_t end = std::min(arch.find_first_not_of("0123456789", number), arch.size());
  const std::string_view feature = std::string_view(arch).substr(end);
  const bool known =
      end - number >= 2 && end - number <= 3 && (feature.empty() || feature == "a" || feature == "f");
  if (!known)
    throw InputError(fmt::format("unknown architecture \"{}\"; write one such as compute_90", arch));
  return "compute_" + arch.substr(number);
}

fs::path checked_source(const fs::path& source) {
  std::error_code error;
  if (!fs::exists(source, error)) throw InputError("the file does not exist", {source.string()});
  if (!fs::is_regular_file(source, error)) throw InputError("not a regular file", {source.string()});
  fs::path absolute = resolved_path(source);
  if (absolute.extension() == ".ptx") return absolute;
  check_path_for_nvcc(absolute);
  if (read_text_file(absolute, largest_source).find('\0') != std::string::npos)  // nvcc takes minutes
    throw InputError("the file contains a zero byte; a source is text", {source.string()});
  return absolute;
}

fs::path cache_folder(const CompileOptions& options) {
  return options.cache.empty() ? default_cache() : options.cache;
}

fs::path existing_nvcc(const CompileOptions& options) {
  const auto nvcc = find_nvcc(options.nvcc);
  if (!nvcc) lack_nvcc(options.nvcc);
  return *nvcc;
}

/// Compiles the unit, or takes its PTX from the cache. A program is built every time: no key could cover all
/// that the host compiler, the assembler and the linker read.
CompiledSource compiled(const Unit& unit, const CompileOptions& options) {
  const fs::path nvcc = existing_nvcc(options);
  const NvccRun run(unit, nvcc, options.deadline);
  if (unit.host) return {unit.entries, Image(unit.source.string(), "", run.program())};
  const PtxCache cache(cache_folder(options));
  const auto image = [&](std::string ptx) { return Image(unit.source.string(), std::move(ptx)); };
  const std::string settings =
      settings_of(unit, nvcc_version(nvcc, options.deadline) + compiler_identity(nvcc));
  // A source that was never compiled like this is not preprocessed first: its compilation leaves the text.
  const std::string compiled_before = cache.hash(unit.source.string() + settings);
  const auto own_text = [&](const std::string& text) { return lines_of_file(text, unit.source.string()); };
  if (is_cacheable(unit) && cache.is_marked(compiled_before)) {
    const std::string text = run.preprocessed();
    if (auto cached = cache.find(cache.hash(settings + text)))
      return {std::move(cached->lowered), image(std::move(cached->ptx)), own_text(text), run.files_read()};
  }
  UnitPtx made = run.ptx();
  const std::string text = run.text_compiled().value_or("");
  if (!text.empty()) {
    cache.keep(cache.hash(settings + text), {made.lowered, made.ptx});
    cache.mark(compiled_before);
  }
  return {std::move(made.lowered), image(std::move(made.ptx)), own_text(text), run.files_read()};
}

std::string machine_code_of(const ptx::Source& ptx, const CompileOptions& options) {
  const auto nvcc = options.machine.empty() ? std::nullopt : find_nvcc(options.nvcc);
  if (!nvcc) return "";
  return machine_code(ptx, options.machine, *nvcc, cache_folder(options), options.deadline);
}

/// The lowered name of each requested entry, among the entries of a PTX file.
std::vector<std::string> lowered_in(const ptx::Source& source, const std::vector<std::string>& wished) {
  const std::vector<EntrySignature> entries = entries_of(source.module());
  std::vector<std::string> lowered;
  for (std::size_t i = 0; i < wished.size(); ++i) {
    const EntrySignature* entry = find_entry(entries, wished[i]);
    if (entry == nullptr) throw EntryError(why_not_found(entries, wished[i], source.name()), {}, i);
    lowered.push_back(entry->lowered);
  }
  return lowered;
}

/// A .ptx file is used as it is.
CompiledSource compiled_ptx(const Unit& unit, const CompileOptions& options) {
  if (unit.host)
    throw EntryError("PTX contains no host functions; name a .cu file, or remove host = true", {}, 0);
  Image image(unit.source.string(), read_text_file(unit.source, largest_ptx));
  std::vector<std::string> lowered = lowered_in(image.ptx, unit.entries);
  image.machine_code = machine_code_of(image.ptx, options);
  return {std::move(lowered), std::move(image)};
}

/// The unit, checked, with the architecture and the flags of the options.
Unit completed(Unit unit, const std::string& arch, const CompileOptions& options) {
  for (std::size_t i = 0; i < unit.entries.size(); ++i)
    if (const auto why = why_no_entry(unit.entries[i])) throw EntryError(*why, {}, i);
  const std::string& wanted = !options.arch.empty() ? options.arch
                              : !arch.empty()       ? arch
                                                    : options.project_arch;
  unit.arch = checked_arch(wanted.empty() ? default_arch : wanted);
  unit.flags.insert(unit.flags.begin(), options.project_flags.begin(), options.project_flags.end());
  if (!options.compile_commands.empty()) {
    const auto flags = flags_from_database(options.compile_commands, unit.source);
    unit.flags.insert(unit.flags.end(), flags.begin(), flags.end());
  }
  for (const auto* flags : {&options.flags, &options.nvcc_flags})
    unit.flags.insert(unit.flags.end(), flags->begin(), flags->end());
  unit.runs_here = !options.nvcc_flags.empty() || has_flags_in_environment();
  return unit;
}

/// The spelling with parameters of the only kernel of that name; nothing if there are several, or none. The
/// kernel may share its name with other functions.
std::optional<std::string> spelling_of_only_kernel(Unit unit, const std::string& name,
                                                   const CompileOptions& options) {
  unit.entries.clear();
  unit.appendix.clear();
  const std::vector<EntrySignature> entries = entries_of(compiled(unit, options).image.ptx.module());
  const auto has_name = [&](const EntrySignature& entry) { return is_same_spelling(entry.spelled, name); };
  const auto found = std::ranges::find_if(entries, has_name);
  if (found == entries.end() || std::ranges::count_if(entries, has_name) > 1) return std::nullopt;
  return is_same_spelling(with_parameters(*found), name) ? std::nullopt
                                                         : std::optional(with_parameters(*found));
}

CompiledSource compiled_without_overloads(Unit& unit, const CompileOptions& options) {
  for (;;) {
    try {
      return compiled(unit, options);
    } catch (const OverloadedEntry& error) {
      std::string& entry = unit.entries.at(error.index());
      const auto full = spelling_of_only_kernel(unit, entry, options);
      if (!full) throw;
      entry = *full;
    }
  }
}

CompiledSource build(Unit unit, const std::string& arch, const CompileOptions& options) {
  unit.source = checked_source(unit.source);
  if (unit.source.extension() == ".ptx") return compiled_ptx(unit, options);
  unit = completed(std::move(unit), arch, options);
  CompiledSource made = compiled_without_overloads(unit, options);
  for (std::size_t i = 0; i < unit.entries.size(); ++i) {
    if (made.lowered.at(i).empty())
      refuse_entry(unit, i, "nvcc generated no code for it; is it a __global__ function?");
    const std::string spelled = signature_of(made.lowered[i]).spelled;
    if (unqualified(spelled) != unqualified(signature_of(unit.entries[i]).spelled))
      throw EntryError(fmt::format("in {}, \"{}\" names the kernel \"{}\"; use that name",
                                   unit.source.string(), unit.entries[i], spelled),
                       {}, i);
  }
  if (!unit.host) made.image.machine_code = machine_code_of(made.image.ptx, options);
  return made;
}

/// The distinct entries of the contract's launches, in their order.
struct Entries {
  std::vector<std::string> names;
  std::vector<Position> where;  ///< the first launch of each

  explicit Entries(const Contract& contract) {
    for (const Instance& instance : contract.instances)
      for (const LaunchContract& launch : instance.launches) {
        if (std::ranges::find(names, launch.entry) != names.end()) continue;
        names.push_back(launch.entry);
        where.push_back(launch.where);
      }
  }

  std::size_t index_of(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  }
};

}  // namespace

std::vector<std::string> checked_flags(const std::vector<std::string>& flags) {
  std::vector<std::pair<std::string, Position>> words;
  for (const std::string& flag : flags) words.emplace_back(flag, Position{});
  return checked_flags(words, fs::current_path());
}

std::vector<std::string> checked_flags(const std::vector<std::pair<std::string, Position>>& flags,
                                       const fs::path& folder) {
  std::vector<FlagWord> words;
  for (const auto& [value, where] : flags) words.push_back({value, where});
  return harmless_flags(words, folder);
}

fs::path default_cache() {
  std::error_code error;
  return ptx_folder_of(fs::read_symlink("/proc/self/exe", error));
}

fs::path ptx_folder_of(const fs::path& program) {
  std::error_code error;
  const fs::path folder = program.parent_path();
  const bool is_build_tree = fs::exists(folder / "CMakeCache.txt", error) && make_private(folder / "ptx");
  return is_build_tree ? folder / "ptx" : user_cache() / "ptx";
}

void CompiledSource::write(ByteWriter& writer) const {
  writer.number(lowered.size());
  for (const std::string& name : lowered) writer.text(name);
  for (const std::string& part : {image.name(), image.ptx.text(), image.program, image.machine_code})
    writer.text(part);
  writer.number(files_read.size());
  for (const std::string& file : files_read) writer.text(file);
}

CompiledSource CompiledSource::read(ByteReader& reader) {
  CompiledSource source;
  source.lowered.resize(reader.number());
  for (std::string& name : source.lowered) name = reader.text();
  std::string name = reader.text(), ptx = reader.text(), program = reader.text();
  source.image = Image(std::move(name), std::move(ptx), std::move(program));
  source.image.machine_code = reader.text();
  for (std::uint64_t left = reader.length(); left > 0; --left) source.files_read.push_back(reader.text());
  return source;
}

std::shared_ptr<const Image> compile_source(const fs::path& source, const std::vector<std::string>& flags,
                                            const CompileOptions& options) {
  return std::make_shared<const Image>(build({source, {}, "", flags, "", false}, "", options).image);
}

CompiledSource compiled_entry(const fs::path& source, const std::string& entry,
                              const CompileOptions& options) {
  return build({source, {entry}, "", {}, "", false}, "", options);
}

std::string preprocessed_source(const fs::path& source, const std::vector<std::string>& flags,
                                const CompileOptions& options) {
  const Unit unit = completed({checked_source(source), {}, "", flags, "", false}, "", options);
  const std::string text = NvccRun(unit, existing_nvcc(options), options.deadline).preprocessed();
  return lines_of_file(text, unit.source.string());
}

CompiledSource compiled_contract(const Contract& contract, const CompileOptions& options) {
  const Entries entries(contract);
  const std::string appendix = contract.call ? call_kernels(contract) : "";
  try {
    return build({contract.source, entries.names, appendix, contract.flags, "", contract.is_host_function()},
                 contract.arch, options);
  } catch (const EntryError& error) {
    throw InputError(error.sentence(), entries.where.at(error.index()));
  }
}

std::shared_ptr<const Image> adopt(Contract& contract, CompiledSource source) {
  const Entries entries(contract);
  for (Instance& instance : contract.instances)
    for (LaunchContract& launch : instance.launches)
      launch.lowered = source.lowered.at(entries.index_of(launch.entry));
  return std::make_shared<const Image>(std::move(source.image));
}

std::shared_ptr<const Image> compile_contract(Contract& contract, const CompileOptions& options) {
  return adopt(contract, compiled_contract(contract, options));
}

}  // namespace foldproof
