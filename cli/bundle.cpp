// foldproof bundle: packs a stored case and everything that its replay reads, for a report of a false alarm.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/child.h"
#include "base/file_name.h"
#include "base/files.h"
#include "base/printable.h"
#include "base/temporary_folders.h"
#include "cli/stored_subjects.h"
#include "cli/verbs.h"
#include "command/compilation.h"
#include "command/source_options.h"
#include "contracts/compile.h"
#include "devices/image.h"
#include "properties/audit.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

constexpr const char* own_folder = "foldproof-bundle";  // in the archive
constexpr std::size_t largest_packed_file = std::size_t{64} << 20;

struct BundleCommandLine {
  std::string file, contract, output;
  SourceOptions source;
};

/// The deepest folder that contains both; both paths are absolute.
fs::path common_folder(const fs::path& one, const fs::path& other) {
  fs::path common;
  for (auto a = one.begin(), b = other.begin(); a != one.end() && b != other.end() && *a == *b; ++a, ++b)
    common /= *a;
  return common;
}

/// A folder of files that is packed as a whole:
///   NAME/k.toml, NAME/k.cu, …       as they are below the folder that contains them all
///   NAME/foldproof-cases/CASE.toml  the case, which names the contract or the source
///   NAME/foldproof-bundle/          the PTX, and what the reader must know
class Bundle {
 public:
  /// `project`: the project file; empty if there is none.
  Bundle(const StoredCase& stored, const Subject& subject, const std::string& case_file,
         const std::vector<std::string>& files_read, const std::string& project)
      : stored_(stored),
        subject_(subject),
        named_(resolved_path(stored.contract)),
        root_(common_folder(named_.parent_path(), resolved_path(subject.contract.source).parent_path())),
        case_file_(fs::path(case_file).filename().string()) {
    name_ = file_name_part(fs::path(case_file_).stem().string(), '.', '-');
    if (!project.empty()) root_ = common_folder(root_, resolved_path(project).parent_path());
    add(named_);
    add(resolved_path(subject.contract.source));
    if (!project.empty()) add(resolved_path(project));
    for (const std::string& file : files_read) add(resolved_path(file));
  }

  const std::string& name() const { return name_; }
  const std::set<std::string>& left_out() const { return left_out_; }

  bool packs(const fs::path& file) const { return files_.contains(resolved_path(file)); }

  std::vector<std::string> packed() const {
    std::vector<std::string> all;
    for (const fs::path& file : files_) all.push_back(file.lexically_relative(root_).string());
    return all;
  }

  /// The text of the archive. `flags`: the options that the replay needs.
  std::string archive(const std::string& flags) const {
    const TemporaryFolder temporary;
    const fs::path folder = temporary.path() / name_;
    for (const fs::path& file : files_)
      write(folder / file.lexically_relative(root_), read_text_file(file, largest_packed_file));
    StoredCase moved = stored_;
    moved.contract = fs::path("..") / named_.lexically_relative(root_);
    write(folder / case_store_folder / case_file_, to_toml(moved));
    write(folder / own_folder / "kernel.ptx", subject_.image->ptx.text());
    write(folder / own_folder / "README.txt", explanation(flags));
    return packed_by_tar(temporary.path());
  }

 private:
  /// Headers of the system and of the CUDA Toolkit are part of every installation.
  void add(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) return;
    const fs::path place = without_links(file);
    if (is_below(file, root_) && !file.lexically_relative(root_).empty())
      files_.insert(file);
    else if (!is_below(place, "/usr") && !is_below(place, "/opt"))
      left_out_.insert(file.string());
  }

  static void write(const fs::path& file, const std::string& text) {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    write_temporary(file, text);
  }

  std::string explanation(const std::string& flags) const {
    std::string text = fmt::format(
        "{} {}\n\nTo repeat the finding \"{}\", run in this folder:\n\n  foldproof replay {}/{}{}\n\n"
        "kernel.ptx is the PTX that nvcc generated; its first lines name the version of the compiler.\n",
        "foldproof", foldproof_version(), printable(stored_.finding), case_store_folder, case_file_, flags);
    if (!left_out_.empty()) text += "\nThe compiler also read these files, which are not included:\n\n";
    for (const std::string& file : left_out_) text += fmt::format("  {}\n", file);
    return text;
  }

  std::string packed_by_tar(const fs::path& folder) const {
    const fs::path archive = folder / "archive.tar.gz";
    const auto tar = find_program("tar");
    if (!tar) throw Unsupported("the program \"tar\", which packs the archive, is not installed");
    for (const char* variable : {"TAR_OPTIONS", "GZIP"}) unsetenv(variable);
    const ProcessResult result =
        run_process({tar->string(), "-czf", archive.string(), "-C", folder.string(), "--", name_}, folder);
    if (result.status != 0) throw Unsupported(fmt::format("tar could not pack the files: {}", result.output));
    return read_text_file(archive, std::size_t{1} << 32);
  }

  const StoredCase& stored_;
  const Subject& subject_;
  fs::path named_, root_;
  std::string case_file_, name_;
  std::set<fs::path> files_;
  std::set<std::string> left_out_;
};

/// For a contract that is guessed, the kernel is compiled by itself.
std::vector<std::string> files_read_for(const Subject& subject, const Instance& instance,
                                        const CompileOptions& options) {
  if (!subject.files_read.empty() || subject.contract.source.extension() == ".ptx") return subject.files_read;
  return compiled_entry(subject.contract.source, instance.launches.at(0).entry, options).files_read;
}

int bundle(const BundleCommandLine& a, const Console& console) {
  const StoredCase stored = load_case_of(a.file, a.contract, a.source.trust());
  const CompileOptions options = a.source.compile_options();
  auto subjects = subjects_of(stored, a.source.trust(), options, console);
  const Assignment assignment = assignment_of(subjects, stored);
  if (is_host_function(*assignment.instance))
    throw InputError("the case calls a host function, which has no PTX to pack");
  ProgressLine line;
  compile_subjects(subjects, options, 1, console, line);
  line.clear();
  const Bundle files(stored, *assignment.subject, a.file,
                     files_read_for(*assignment.subject, *assignment.instance, options), a.source.project());
  const std::string output = a.output.empty() ? files.name() + ".tar.gz" : a.output;
  check_output(output);
  if (files.packs(output)) throw InputError("--output names a file that is packed; choose another one");
  write_output(output, files.archive(a.source.words_besides_project()));
  for (const std::string& file : files.left_out())
    console.note(fmt::format("note: not packed, since it is not below the folder of the kernel: {}", file));
  console.print_as_asked(
      [&] {
        return Json{{"archive", output}, {"files", files.packed()}, {"left_out", files.left_out()}};
      },
      [&] {
        return fmt::format("{} was written; it contains the case, the PTX and {}\n", printable(output),
                           printable(fmt::format("{}", fmt::join(files.packed(), ", "))));
      });
  return 0;
}

}  // namespace

Run attach_bundle(CLI::App& app, Console& console) {
  auto a = std::make_shared<BundleCommandLine>();
  app.add_option("CASE.toml", a->file, "Case stored by an audit")->required();
  app.add_option("--contract", a->contract,
                 "Contract of the case, or its source if it has none (default: the file that the case names)")
      ->type_name("FILE");
  app.add_option("--output,-o", a->output, "Archive (default: CASE.tar.gz in the current folder)")
      ->type_name("FILE");
  a->source.attach(app);
  return [a, &console] { return bundle(*a, console); };
}

}  // namespace foldproof
