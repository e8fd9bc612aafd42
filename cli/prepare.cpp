// foldproof prepare: fills the PTX cache, so that a later audit starts at once. Called by the build.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "command/compilation.h"
#include "command/shared_options.h"
#include "command/source_options.h"
#include "command/subjects.h"

namespace foldproof {

Run attach_prepare(CLI::App& app, Console& console) {
  struct Arguments {
    std::string path;
    unsigned jobs = default_jobs();
    SourceOptions source;
  };
  auto a = std::make_shared<Arguments>();
  app.add_option("PATH", a->path, "Folder, source file or contract (default: the bundled catalogue)");
  add_jobs(app, a->jobs);
  a->source.attach(app);
  return [a, &console] {
    ProgressLine line;
    auto subjects = load_subjects({a->path, {}, {}, a->source.trust()}, a->source.compile_options(), console);
    // Programs that cannot run here are not worth the minutes that they take, unless one was requested.
    if (subjects.size() > 1) skip_without_gpu(subjects);
    compile_subjects(subjects, a->source.compile_options(), a->jobs, console, line);
    line.clear();
    const auto skipped = static_cast<std::size_t>(
        std::ranges::count_if(subjects, [](const Subject& subject) { return subject.image == nullptr; }));
    const std::size_t prepared = subjects.size() - skipped;
    console.print_as_asked(
        [&] {
          return Json{{"prepared", prepared}, {"skipped", skipped}};
        },
        [&] {
          return fmt::format("prepared: {} of {} sources{}\n", prepared, subjects.size(),
                             skipped == 0 ? "" : "; the others cannot run here");
        });
    return int{exit_ok};
  };
}

}  // namespace foldproof
