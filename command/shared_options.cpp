#include "command/shared_options.h"

#include "command/program.h"

namespace foldproof {

void add_fail_on(CLI::App& app, std::string& value, const std::string& about) {
  app.add_option("--fail-on", value, about)
      ->check(quietly(CLI::IsMember({"error", "warning"})))
      ->type_name("error|warning");
}

void add_jobs(CLI::App& app, unsigned& value, const std::string& about) {
  app.add_option("--jobs,-j", value, about)
      ->take_last()
      ->check(quietly(CLI::Range(1U, 1024U)))
      ->type_name("N");
}

}  // namespace foldproof
