// The verbs of foldproof, each in a source of the same name.
#pragma once

#include "command/program.h"

namespace foldproof {

Run attach_audit(CLI::App& app, Console& console);
Run attach_mutate(CLI::App& app, Console& console);
Run attach_sanitize(CLI::App& app, Console& console);
Run attach_init(CLI::App& app, Console& console);
Run attach_replay(CLI::App& app, Console& console);
Run attach_bundle(CLI::App& app, Console& console);
Run attach_list(CLI::App& app, Console& console);
Run attach_exact(CLI::App& app, Console& console);
Run attach_tree(CLI::App& app, Console& console);
Run attach_explain(CLI::App& app, Console& console);
Run attach_completion(CLI::App& app, Console& console);
Run attach_manual(CLI::App& app, Console& console);
Run attach_prepare(CLI::App& app, Console& console);

}  // namespace foldproof
