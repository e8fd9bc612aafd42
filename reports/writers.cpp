#include "reports/writers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "reports/json.h"
#include "reports/terminal.h"

namespace foldproof {

namespace {

namespace fs = std::filesystem;

struct Writer {
  const char* file;
  std::string (*write)(const AuditReport&);
};

constexpr Writer writers[] = {
    {"report.txt", [](const AuditReport& report) { return to_text(report, TerminalStyle{}); }},
    {"report.json", [](const AuditReport& report) { return dump(to_json(report)) + "\n"; }},
};

}  // namespace

void check_report_folder(const fs::path& folder) {
  std::error_code error, unknown;
  refuse_links(folder);
  fs::create_directories(folder, error);
  if (is_lack_of_resources(error.value()))
    throw Unsupported(fmt::format("the folder cannot be created: {}", error.message()), {folder.string()});
  if (!fs::is_directory(folder, unknown))
    throw InputError(fmt::format("{} is not a folder", folder.string()));
  for (const Writer& writer : writers) check_output(folder / writer.file);
}

void write_reports(const fs::path& folder, const AuditReport& report) {
  for (const Writer& writer : writers) try {
      write_output(folder / writer.file, writer.write(report));
    } catch (const InputError& error) {  // check_report_folder() accepted the folder
      throw Unsupported(error.sentence(), error.position());
    }
}

}  // namespace foldproof
