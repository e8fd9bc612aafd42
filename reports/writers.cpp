#include "reports/writers.h"

#include <nlohmann/json.hpp>

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
     [](const AuditReport& report) { return without_commands(to_text(report, TerminalStyle{})); }},
    {"report.json", [](const AuditReport& report) { return json_line(to_json(report)); }},
};

}  // namespace

ReportFolder::ReportFolder(const fs::path& folder) : folder_(settled_path(folder)) {
  for (const Writer& writer : writers) folder_.check_output(writer.file);
}

void ReportFolder::write(const AuditReport& report) const {
  for (const Writer& writer : writers) try {
      folder_.write_output(writer.file, writer.write(report));
    } catch (const InputError& error) {  // the constructor accepted the folder
      throw Unsupported(error.sentence(), error.position());
    }
}

}  // namespace foldproof
