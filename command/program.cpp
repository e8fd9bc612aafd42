#include "command/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/child.h"
#include "base/files.h"
#include "base/interrupts.h"
#include "base/memory.h"
#include "base/temporary_folders.h"
#include "base/text.h"
#include "command/console.h"
#include "command/project_file.h"

namespace foldproof {

namespace {

using Time = std::chrono::steady_clock::time_point;

/// CLI11 parses -std=c++17 as a bundle of one-letter options; compiler users mean --std.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (std::string& argument : arguments)
    if (argument.starts_with("-std")) argument.insert(0, "-");
  return arguments;
}

void add_output_options(CLI::App& app, Console& console) {
  const std::map<std::string, Console::Format> formats{{"text", Console::Format::text},
                                                       {"json", Console::Format::json}};
  const std::map<std::string, Console::ColorChoice> colors{{"auto", Console::ColorChoice::automatic},
                                                           {"always", Console::ColorChoice::always},
                                                           {"never", Console::ColorChoice::never}};
  // CLI::CheckedTransformer also accepts and prints the numbers of the enumerators.
  const auto one_of = [](const auto& names) {
    return CLI::Validator(
        [names](std::string& word) {
          const auto entry = names.find(word);
          if (entry == names.end())
            return fmt::format("\"{}\" is not one of {}", word, fmt::join(names | std::views::keys, ", "));
          word = std::to_string(static_cast<int>(entry->second));
          return std::string();
        },
        "");
  };
  app.add_option("--format", console.format, "Output format")
      ->transform(one_of(formats))
      ->type_name("text|json")
      ->group("Output");
  app.add_option("--color", console.color, "Coloured output")
      ->transform(one_of(colors))
      ->type_name("auto|always|never")
      ->group("Output");
}

/// The command line, quoted so that a shell accepts it again.
std::string quoted(const char* program, const std::vector<std::string>& arguments) {
  std::string command = program;
  for (const std::string& argument : arguments) command += " " + shell_word(argument);
  return command;
}

/// Whether the user requests JSON, even if the arguments do not parse.
bool wants_json(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] == "--format=json" ||
        (arguments[i] == "--format" && i + 1 < arguments.size() && arguments[i + 1] == "json"))
      return true;
  return false;
}

/// What the user may have meant by an option that CLI11 does not know: "; did you mean "--seed"?".
std::string suggested_option(const CLI::App& verb, const std::string& wrong) {
  const std::string name = wrong.substr(0, wrong.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& word : option->get_lnames()) known.push_back("--" + word);
  return correction(name, known);
}

/// CLI11's message "--seed: 1 required S missing" or "--seed: At Most 1 required but received 2" as a
/// sentence; any other unchanged.
std::string in_words(const std::string& message) {
  const std::string option = message.substr(0, message.find(':'));
  if (message.starts_with(option + ": 1 required ") && message.ends_with(" missing"))
    return option + " needs a value";
  if (message.starts_with(option + ": At Most 1 required but received "))
    return option + " was given more than once";
  return message;
}

/// A sentence for an error of CLI11, which reports a missing subcommand instead of an unknown one.
std::string sentence(const CLI::ParseError& error, const CLI::App& app, const Program& program,
                     const std::vector<std::string>& arguments) {
  const auto is_first = [&](const Verb& verb) { return verb.name == arguments.front(); };
  const std::string help = fmt::format("(see {} --help)", program.name);
  if (!arguments.empty() && !arguments.front().starts_with('-') &&
      std::ranges::none_of(program.verbs, is_first)) {
    std::vector<std::string> listed;
    for (const Verb& verb : program.verbs)
      if (verb.is_listed) listed.emplace_back(verb.name);
    return fmt::format("{} has no verb \"{}\"{} {}", program.name, arguments.front(),
                       suggestion(arguments.front(), listed), help);
  }
  const auto chosen = app.get_subcommands();
  const std::vector<std::string> extras = app.remaining(true);
  if (!chosen.empty() && !extras.empty() && extras.front().starts_with("--"))
    return fmt::format("{0} {1} has no option \"{2}\"{3} (see {0} {1} --help)", program.name,
                       chosen.front()->get_name(), extras.front(),
                       suggested_option(*chosen.front(), extras.front()));
  if (!chosen.empty() && !extras.empty())
    return fmt::format("{0} {1}: unexpected argument \"{2}\" (see {0} {1} --help)", program.name,
                       chosen.front()->get_name(), extras.front());
  std::string text = in_words(error.what());
  while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
  return text + " " + help;
}

/// The option before an empty argument, or in one such as "--store=", whose value CLI11 would take from the
/// next argument.
std::optional<std::string> option_without_text(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool follows_option = i > 0 && arguments[i - 1].size() > 2 && arguments[i - 1].starts_with("--") &&
                                arguments[i - 1].find('=') == std::string::npos;
    if (argument.empty() && follows_option) return arguments[i - 1];
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1)
      return argument.substr(0, argument.size() - 1);
  }
  return std::nullopt;
}

/// The name of an option or argument with an empty value, which an unset variable of a shell leaves.
std::optional<std::string> option_with_empty_value(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& value : option->results())
      if (value.empty()) return option->get_name();
  return std::nullopt;
}

/// A missing standard descriptor would be given to the next file that is opened. In its place, a file that
/// cannot be written makes writing fail.
void occupy_standard_descriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(standard, F_GETFD) < 0) open("/dev/null", O_RDONLY);
}

/// Writing then fails with an error, instead of ending this process.
void ignore_signals_of_writing() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

volatile std::sig_atomic_t status_at_end = exit_interrupted;

/// Ends this process with that status at the time `by`, whatever it then waits for: printing blocks on a full
/// pipe that no process reads. It has at least the 0.1 s that a message takes.
void end_by(Time by, Exit status) {
  using namespace std::chrono;
  status_at_end = status;
  std::signal(SIGALRM, [](int) { _exit(status_at_end); });
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarm_only, nullptr);
  const auto left = std::max<microseconds>(100ms, ceil<microseconds>(by - steady_clock::now()));
  const itimerval expiration{{}, {duration_cast<seconds>(left).count(), (left % 1s).count()}};
  setitimer(ITIMER_REAL, &expiration, nullptr);
}

/// Ends this process with a message. A print in progress has until `by`.
[[noreturn]] void end_early(const Console& console, Exit status, const std::string& sentence, Time by) {
  kill_children();
  remove_temporary_folders();
  end_by(by, status);
  console.fail_for_good(sentence);
  _exit(status);
}

/// Called by the interrupt handler.
[[noreturn]] void end_now(const Console& console, EndReason reason, Time by) {
  if (reason == EndReason::out_of_time)
    end_early(console, exit_unable, "the time budget was exhausted while reading the input", by);
  end_early(console, exit_interrupted, "the run was interrupted", by);
}

/// Reading what others wrote must not take the machine's memory; tasks and programs may use more.
void limit_memory_for_reading() {
  const std::uint64_t all = memory_share(1, 1);
  limit_memory(std::max(all / 3, std::uint64_t{1} << 30), all);
}

/// The message for an exception that is not one of Foldproof's errors.
std::string sentence_of_current_exception() {
  if (!std::current_exception()) return "internal error: std::terminate was called without an exception";
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return fmt::format("the input needs more than {} MiB of memory", memory_limit() >> 20);
  } catch (const std::exception& error) {
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again)
      return "cannot start a thread; raise the limits on memory or processes (ulimit)";
    return std::string("internal error: ") + error.what();
  } catch (...) {
    return "internal error: an unknown exception";
  }
}

int guarded(const Run& run, const Console& console) {
  try {
    return run();
  } catch (const InputError& error) {
    console.fail(error.sentence(), error.position());
    return exit_usage;
  } catch (const Unsupported& error) {
    console.fail(error.sentence(), error.position());
    return exit_unable;
  } catch (const Interrupted&) {
    console.fail("the run was interrupted", {});
    return exit_interrupted;
  } catch (...) {
    console.fail(sentence_of_current_exception(), {});
    return exit_unable;
  }
}

/// What on_terminate() uses. Never destroyed, since this process may end at any time.
struct LastWords {
  Console console;
  pid_t process = getpid();
  /// Freed for the message. The limit cannot always be raised instead: `ulimit -d` also sets the hard one.
  std::unique_ptr<char[]> memory = std::make_unique_for_overwrite<char[]>(std::size_t{1} << 20);
};
LastWords* last_words = nullptr;

/// Called for an exception that cannot be caught, such as std::bad_alloc in a destructor: nlohmann::json
/// allocates in its own.
[[noreturn]] void on_terminate() {
  if (getpid() != last_words->process) std::abort();  // the pool of a task reports how it ended
  std::set_terminate([] { _exit(exit_unable); });
  last_words->memory.reset();
  // Also ends this process if the exception left a lock.
  const Time by = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  end_by(by, exit_unable);
  end_early(last_words->console, exit_unable, sentence_of_current_exception(), by);
}

/// Handles interrupts and exceptions that cannot be caught from now on; the handler is never destroyed, since
/// an interrupt may arrive while this process exits. Returns an exit status.
int handle_sudden_ends(const Console& console) {
  return guarded(
      [&] {
        last_words = new LastWords{console};
        std::set_terminate(on_terminate);
        static auto& handler [[maybe_unused]] =
            *new InterruptHandler([console](EndReason reason, Time by) { end_now(console, reason, by); });
        return int{exit_ok};
      },
      console);
}

int refuse_empty(const std::string& option, const std::string& help, const Console& console) {
  console.fail(fmt::format("the value of {} is empty (see {} --help)", option, help), {});
  return exit_usage;
}

/// Help or the version, which CLI11 treats as an error.
int print_help(const CLI::App& app, const CLI::Success& asked, const Console& console) {
  return guarded(
      [&] {
        std::ostringstream help;
        const int status = app.exit(asked, help, help);
        console.print(help.str());
        return status;
      },
      console);
}

}  // namespace

std::string_view foldproof_version() { return FOLDPROOF_VERSION; }

int run(const Program& program, int argc, char** argv) {
  occupy_standard_descriptors();
  ignore_signals_of_writing();
  limit_memory_for_reading();
  umask(umask(0) & ~mode_t{S_IRWXU});  // what the program writes it can read again
  std::signal(SIGCHLD, SIG_DFL);       // a parent may have ignored it, and then no child could be waited for
  const std::vector<std::string> arguments = arguments_of(argc, argv);
  Console console;
  if (wants_json(arguments)) console.format = Console::Format::json;
  if (const int status = handle_sudden_ends(console); status != exit_ok) return status;

  CLI::App app{program.synopsis, program.name};
  app.set_version_flag("--version", std::string(program.name) + " " + std::string(foldproof_version()));
  app.require_subcommand(1);
  std::map<const CLI::App*, Run> runs;
  for (const Verb& verb : program.verbs) {
    CLI::App* sub = app.add_subcommand(verb.name, verb.synopsis);
    if (!verb.is_listed) sub->group("");
    runs[sub] = verb.attach(*sub, console);
    add_output_options(*sub, console);
  }
  console.command = quoted(program.name, arguments);
  if (const auto option = option_without_text(arguments)) return refuse_empty(*option, program.name, console);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& asked) {
    return print_help(app, asked, console);
  } catch (const CLI::ParseError& error) {
    console.fail(sentence(error, app, program, arguments), {});
    return exit_usage;
  }
  CLI::App* verb = app.get_subcommands().front();
  if (const auto option = option_with_empty_value(*verb))
    return refuse_empty(*option, fmt::format("{} {}", program.name, verb->get_name()), console);
  const auto run_with_defaults = [&] {
    if (const auto project = use_project_file(*verb))
      console.note(fmt::format("using the project file {}", display_path(project->string())));
    if (verb->get_option_no_throw("--project") != nullptr)
      for (const auto& file : project_files_below(subject_of(*verb)))
        console.note(
            fmt::format("not using the project file {}, which applies if its folder is audited by itself",
                        display_path(file.string())));
    return runs.at(verb)();
  };
  const int status = guarded(run_with_defaults, console);
  if (!is_interrupted()) return status;
  kill_children();  // those of killed tasks may not have ended yet
  remove_temporary_folders();
  return exit_interrupted;
}

}  // namespace foldproof
