#include "contracts/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <ranges>
#include <set>

#include "base/child.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/memory.h"
#include "contracts/call.h"
#include "contracts/compile_commands.h"
#include "contracts/declarations.h"
#include "contracts/keys.h"
#include "contracts/nvcc/cache.h"
#include "contracts/nvcc/flags.h"
#include "contracts/nvcc/toolkit.h"
#include "contracts/nvcc/unit.h"
#include "contracts/signature.h"
#include "devices/host_program.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_ptx = std::size_t{256} << 20, largest_program = std::size_t{1} << 30;

/// nvcc rejected one of the requested entries; `index` identifies it.
class EntryError : public InputError {
 public:
  EntryError(const std::string& sentence, Position where, std::size_t index)
      : InputError(sentence, std::move(where)), index_(index) {}
  std::size_t index() const { return index_; }

 private:
  std::size_t index_;
};

struct Unit {
  fs::path source;
  std::vector<std::string> entries;
  std::string appendix;            ///< C++ after the source: kernels that wrap a `call`
  std::vector<std::string> flags;  ///< all flags, in order
  std::string arch;
  bool host = false;  ///< build a program that calls host functions
};

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
  fs::path absolute = fs::absolute(source, error).lexically_normal();
  if (absolute.extension() != ".ptx") check_path_for_nvcc(absolute);
  return absolute;
}

/// Everything that determines the output of nvcc, except the contents of files and the version of nvcc, which
/// the cache checks.
std::string cache_key(const Unit& unit, const PtxCache& cache) {
  std::vector<std::string> parts{unit.host ? "host unit 1" : "unit 1", unit.source.string(), unit.arch,
                                 unit.host ? host_unit(unit.source, unit.entries) : unit.appendix};
  const std::vector<std::string>* lists[] = {&unit.flags, &unit.entries};
  for (const auto* list : lists) {
    parts.push_back(std::to_string(list->size()));
    parts.insert(parts.end(), list->begin(), list->end());
  }
  for (const char* variable :
       {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "CPLUS_INCLUDE_PATH"}) {
    const char* value = std::getenv(variable);
    parts.emplace_back(value == nullptr ? "" : value);
  }
  std::string joined;
  for (const std::string& part : parts) joined += fmt::format("{}:{}", part.size(), part);
  return cache.hash(joined);
}

[[noreturn]] void refuse_entry(const Unit& unit, std::size_t index, const std::string& said) {
  if (unit.host)
    throw EntryError(
        fmt::format("the entry \"{}\" is not a function in {} that can be called on the host: {}",
                    unit.entries.at(index), unit.source.string(), said),
        {}, index);
  const auto kernels = kernels_declared(read_text_file(unit.source, largest_source));
  const auto names = kernels | std::views::transform(&DeclaredKernel::name);
  throw EntryError(
      fmt::format(
          "the entry \"{}\" does not exist in {} ({}): {}", unit.entries.at(index), unit.source.string(),
          names.empty() ? "it declares no kernel" : fmt::format("it declares {}", fmt::join(names, ", ")),
          said),
      {}, index);
}

/// nvcc needs a host compiler even for PTX. If one was named explicitly and does not work, that is a usage
/// error.
[[noreturn]] void refuse_host_compiler(const Unit& unit, const std::string& said) {
  const bool is_named = std::ranges::any_of(unit.flags, [](const std::string& flag) {
    return flag.starts_with("-ccbin") || flag.starts_with("--compiler-bindir");
  });
  if (is_named)
    throw InputError(fmt::format("nvcc cannot run the host compiler that -ccbin names ({})", said));
  throw Unsupported(
      fmt::format("nvcc found no working host compiler ({}); install g++ 12 or later (apt "
                  "install g++), or name one with --nvcc \"-ccbin PATH\"",
                  said));
}

/// Whether nvcc, its host compiler or LLVM says so.
bool is_out_of_memory(const std::string& output) {
  constexpr std::string_view sentences[] = {"out of memory allocating", "virtual memory exhausted",
                                            "error: out of memory", "ERROR: out of memory"};
  return std::ranges::any_of(sentences,
                             [&](std::string_view said) { return output.find(said) != std::string::npos; });
}

[[noreturn]] void refuse(const Unit& unit, const ProcessResult& result) {
  if (const auto how = how_ended_by_signal(result)) throw Unsupported("nvcc " + *how);
  if (result.output.find("No space left on device") != std::string::npos)
    throw Unsupported("nvcc cannot write its temporary files: no space is left on the device; set TMPDIR");
  if (is_out_of_memory(result.output))
    throw Unsupported(fmt::format("nvcc needs more than {} MiB of memory, the limit of this run",
                                  memory_limit_of_programs() >> 20),
                      {unit.source.string()});
  if (const auto said = complaint_about_host_compiler(result.output)) refuse_host_compiler(unit, *said);
  const Diagnostic error = first_error(result.output, result.status);
  if (const auto index = entry_of_diagnostic(error.where.file); index && *index < unit.entries.size())
    refuse_entry(unit, *index, error.sentence);
  const Position where = error.where.file.empty() ? Position{unit.source.string(), 0, 0} : error.where;
  throw InputError(fmt::format("nvcc cannot compile this: {}", error.sentence), where);
}

/// Makes the names of the unit's globals unpredictable, so that no source can define them.
std::string random_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

/// "sum" of "ns::sum<float, 128>".
std::string_view unqualified(std::string_view spelling) {
  spelling = spelling.substr(0, spelling.find('<'));
  const std::size_t colon = spelling.rfind(':');  // "(anonymous namespace)::sum" contains a space
  if (colon != std::string_view::npos) spelling.remove_prefix(colon + 1);
  return spelling.substr(0, spelling.find(' '));
}

/// The files that the compilation read, except generated ones.
std::vector<std::string> files_read(const fs::path& rule, const fs::path& code) {
  std::vector<std::string> files;
  for (const std::string& file : prerequisites(read_text_file(rule, largest_source)))
    if (file != code.string() && !file.starts_with(generated))
      files.push_back(fs::absolute(file).string());  // not normalized: "link/.." is another folder
  return files;
}

std::vector<fs::path> include_folders(const std::vector<std::string>& flags) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < flags.size(); ++i)
    for (const std::string_view option : {"-I", "-isystem", "--include-path", "--system-include"}) {
      if (!flags[i].starts_with(option)) continue;
      std::string value = flags[i].substr(option.size());
      if (value.empty() && i + 1 < flags.size()) value = flags[i + 1];
      folders.emplace_back(value.starts_with('=') ? value.substr(1) : value);
    }
  return folders;
}

/// The outermost folders in which the compilation may have looked for the user's files: those of the include
/// options and of the files that it read, except the system's and the toolkit's.
std::vector<std::string> folders_searched(const Unit& unit, const std::vector<std::string>& files,
                                          const fs::path& nvcc) {
  std::error_code error;
  const std::string toolkit = fs::canonical(nvcc, error).parent_path().parent_path().string() + "/";
  std::set<std::string> all;
  for (const std::string& file : files)
    if (!file.starts_with("/usr/") && !file.starts_with(toolkit))
      all.insert(fs::canonical(fs::path(file).parent_path(), error).string() + "/");
  for (const fs::path& folder : include_folders(unit.flags))
    if (fs::is_directory(folder, error)) all.insert(fs::canonical(folder, error).string() + "/");
  std::vector<std::string> outermost;  // the set is sorted: a folder follows those that contain it
  for (const std::string& folder : all)
    if (outermost.empty() || !folder.starts_with(outermost.back())) outermost.push_back(folder);
  return outermost;
}

/// Options for the output: PTX with line information, or a program that contains machine code for the
/// architecture and PTX for later ones.
std::vector<std::string> wishes(const Unit& unit) {
  if (!unit.host) return {"-ptx", "-lineinfo", "-arch=" + unit.arch};
  const std::string number = unit.arch.substr(std::string_view("compute_").size());
  return {fmt::format("-gencode=arch={0},code=[{0},sm_{1}]", unit.arch, number), "-ldl"};
}

/// Stores a program next to the PTX and returns the hash of its content, which is cached in place of PTX.
std::string kept_program(const Unit& unit, const fs::path& made, const PtxCache& cache) {
  const fs::path file = cache.program_of(cache_key(unit, cache));
  const std::string content = read_text_file(made, largest_program);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (!replace_program(file, content))
    throw Unsupported(fmt::format("the program that nvcc built cannot be stored here ({}); set "
                                  "XDG_CACHE_HOME to a writable folder",
                                  std::strerror(errno)),
                      {file.string()});
  return cache.hash(content);
}

void check_temporary(const fs::path& folder) {
  try {
    check_path_for_nvcc(folder);
  } catch (const InputError&) {
    throw InputError(
        "the temporary folder's path contains a character that nvcc does not pass on safely; set TMPDIR to "
        "another folder",
        {folder.string()});
  }
}

CachedPtx run_nvcc(const Unit& unit, const fs::path& nvcc, const std::string& version, const PtxCache& cache,
                   Deadline deadline) {
  CompilationInputs inputs;
  for (const std::string& name : folders_searched(unit, {unit.source.string()}, nvcc))
    inputs.folders[name] = cache.listing(name).value_or("");
  const TemporaryFolder folder;
  check_temporary(folder.path());
  const fs::path code = folder.path() / "foldproof.cu";
  const fs::path rule = folder.path() / "foldproof.d";
  const fs::path output = folder.path() / (unit.host ? "foldproof" : "foldproof.ptx");
  const std::string token = random_token();
  write_temporary(code, unit.host ? host_unit(unit.source, unit.entries)
                                  : translation_unit(unit.source, unit.entries, unit.appendix, token));

  std::vector<std::string> arguments{nvcc.string()};
  std::ranges::move(wishes(unit), std::back_inserter(arguments));
  arguments.insert(arguments.end(), unit.flags.begin(), unit.flags.end());
  arguments.insert(arguments.end(), {"-I" + unit.source.parent_path().string(), "-MD", "-MF", rule.string(),
                                     "-o", output.string(), code.string()});
  inputs.started = fs::file_time_type::clock::now();
  inputs.temporary = folder.path();
  const ProcessResult result = run_process(arguments, folder.path(), deadline);
  if (result.status != 0) refuse(unit, result);
  std::error_code error;
  if (!fs::exists(output, error))
    throw Unsupported(
        fmt::format("{} ended without an error but wrote no output; is it nvcc?", nvcc.string()));

  UnitPtx made =
      unit.host ? UnitPtx{kept_program(unit, output, cache), unit.entries}
                : without_addresses(ptx::Source(unit.source.string(), read_text_file(output, largest_ptx)),
                                    unit.entries.size(), token);
  CachedPtx ptx{version, std::move(made.lowered), std::move(made.ptx)};
  inputs.files = files_read(rule, code);
  for (const std::string& name : folders_searched(unit, inputs.files, nvcc)) inputs.folders.try_emplace(name);
  cache.keep(cache_key(unit, cache), ptx, inputs);
  return ptx;
}

fs::path cache_folder(const CompileOptions& options) {
  return options.cache.empty() ? default_cache() : options.cache;
}

/// Whether the cached program still exists, unchanged.
bool is_whole(const Unit& unit, const CachedPtx& cached, const PtxCache& cache) {
  const fs::path file = cache.program_of(cache_key(unit, cache));
  const auto content = read_if_possible(file, largest_program);
  return content && cache.hash(*content) == cached.ptx;
}

CachedPtx ptx_of(const Unit& unit, const CompileOptions& options) {
  const PtxCache cache(cache_folder(options));
  const auto nvcc = find_nvcc(options.nvcc);
  if (!nvcc && !options.nvcc.empty()) lack_nvcc(options.nvcc);
  const std::string version = nvcc ? nvcc_version(*nvcc, options.deadline) : "";
  if (auto cached = cache.find(cache_key(unit, cache), version);
      cached && (!unit.host || is_whole(unit, *cached, cache)))
    return *cached;
  if (options.only_cached) throw NotCached{};
  if (!nvcc) lack_nvcc(options.nvcc);
  return run_nvcc(unit, *nvcc, version, cache, options.deadline);
}

std::shared_ptr<const Image> image_of(const fs::path& source, std::string ptx,
                                      const CompileOptions& options) {
  auto image = std::make_shared<Image>(source.string(), std::move(ptx));
  const auto nvcc = options.machine.empty() ? std::nullopt : find_nvcc(options.nvcc);
  if (nvcc)
    image->machine_code =
        machine_code(image->ptx, options.machine, *nvcc, cache_folder(options), options.deadline);
  return image;
}

/// The lowered name of each requested entry, among the entries of a PTX file.
std::vector<std::string> lowered_in(const Image& image, const std::vector<std::string>& wished) {
  const std::vector<EntrySignature> entries = entries_of(image.ptx.module());
  std::vector<std::string> lowered;
  for (std::size_t i = 0; i < wished.size(); ++i) {
    const EntrySignature* entry = find_entry(entries, wished[i]);
    if (entry == nullptr)
      throw EntryError(
          fmt::format("the entry \"{}\" matches no kernel or several kernels in {} (it has {})", wished[i],
                      image.name(),
                      fmt::join(entries | std::views::transform(&EntrySignature::spelled), ", ")),
          {}, i);
    lowered.push_back(entry->lowered);
  }
  return lowered;
}

struct Built {
  std::shared_ptr<const Image> image;
  std::vector<std::string> lowered;  ///< one per requested entry
};

Built build(Unit unit, const std::string& arch, const CompileOptions& options) {
  unit.source = checked_source(unit.source);
  if (unit.source.extension() == ".ptx") {
    if (unit.host)
      throw EntryError("PTX contains no host functions; name a .cu file, or remove host = true", {}, 0);
    auto image = image_of(unit.source, read_text_file(unit.source, largest_ptx), options);
    std::vector<std::string> lowered = lowered_in(*image, unit.entries);
    return {std::move(image), std::move(lowered)};
  }
  for (std::size_t i = 0; i < unit.entries.size(); ++i)
    if (const auto why = why_no_entry(unit.entries[i])) throw EntryError(*why, {}, i);
  unit.arch = checked_arch(options.arch.empty() ? arch : options.arch);
  if (!options.compile_commands.empty()) {
    const auto flags = flags_from_database(options.compile_commands, unit.source);
    unit.flags.insert(unit.flags.end(), flags.begin(), flags.end());
  }
  unit.flags.insert(unit.flags.end(), options.flags.begin(), options.flags.end());
  CachedPtx ptx = ptx_of(unit, options);
  for (std::size_t i = 0; i < unit.entries.size(); ++i) {
    if (ptx.lowered.at(i).empty())
      refuse_entry(unit, i, "nvcc generated no code for it; is it a __global__ function?");
    const std::string made = signature_of(ptx.lowered[i]).spelled;
    if (unqualified(made) != unqualified(unit.entries[i]))
      throw EntryError(fmt::format("in {}, \"{}\" stands for the kernel \"{}\"; write that name",
                                   unit.source.string(), unit.entries[i], made),
                       {}, i);
  }
  if (unit.host) {
    const PtxCache cache(cache_folder(options));
    return {std::make_shared<const Image>(unit.source.string(), "", cache.program_of(cache_key(unit, cache))),
            std::move(ptx.lowered)};
  }
  return {image_of(unit.source, std::move(ptx.ptx), options), std::move(ptx.lowered)};
}

/// Every launch of the contract, and the distinct entries that they name.
struct Launches {
  std::vector<LaunchContract*> all;
  std::vector<std::string> entries;

  explicit Launches(Contract& contract) {
    for (Instance& instance : contract.instances)
      for (LaunchContract& launch : instance.launches) {
        all.push_back(&launch);
        if (std::ranges::find(entries, launch.entry) == entries.end()) entries.push_back(launch.entry);
      }
  }

  std::size_t index_of(const LaunchContract& launch) const {
    return static_cast<std::size_t>(std::ranges::find(entries, launch.entry) - entries.begin());
  }

  Position where(std::size_t entry) const {
    const auto launch = std::ranges::find(all, entries.at(entry), [](const auto* l) { return l->entry; });
    return (*launch)->where;
  }
};

}  // namespace

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

std::shared_ptr<const Image> compile_source(const fs::path& source, const std::vector<std::string>& entries,
                                            const std::vector<std::string>& flags,
                                            const CompileOptions& options) {
  return build({source, entries, "", flags, "", false}, Contract{}.arch, options).image;
}

std::shared_ptr<const Image> compile_contract(Contract& contract, const CompileOptions& options) {
  const Launches launches(contract);
  const std::string appendix = contract.call ? call_kernels(contract) : "";
  try {
    Built built =
        build({contract.source, launches.entries, appendix, contract.flags, "", contract.is_host_function()},
              contract.arch, options);
    for (LaunchContract* launch : launches.all) launch->lowered = built.lowered[launches.index_of(*launch)];
    return std::move(built.image);
  } catch (const EntryError& error) {
    throw InputError(error.sentence(), launches.where(error.index()));
  }
}

}  // namespace foldproof
