#include "reports/writers.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/printable.h"
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
    {"report.txt",
     [](const AuditReport& report) { return without_commands(to_text(report, {.verbose = true})); }},
    {"report.json", [](const AuditReport& report) { return json_line(to_json(report)); }},
};

}  // namespace

ReportFolder::ReportFolder(const fs::path& folder) : folder_(settled_path(folder)) {
  for (const Writer& writer : writers) folder_.remove_output(writer.file);
}

void ReportFolder::write(const AuditReport& report) const {
  std::optional<InputError> failed;
  for (const Writer& writer : writers) try {
      folder_.write_output(writer.file, writer.write(report));
    } catch (const InputError& error) {
      failed = error;
    }
  // The constructor accepted the folder, so the user's input is not wrong.
  if (failed) throw Unsupported(failed->sentence(), failed->position());
}

}  // namespace foldproof
