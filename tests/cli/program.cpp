#include "cli/program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace foldproof::test {

namespace {

std::string read_file(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void redirect(int descriptor, const std::string& file) {
  const int to = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(to, descriptor);
}

[[noreturn]] void become_program(const std::vector<std::string>& arguments, const How& how,
                                 const Folder& folder) {
  redirect(STDOUT_FILENO, how.out.empty() ? folder.path("out") : how.out);
  redirect(STDERR_FILENO, how.err.empty() ? folder.path("err") : how.err);
  if (!how.folder.empty() && chdir(how.folder.c_str()) != 0) _exit(99);
  setenv("NO_COLOR", "1", 1);
  for (const std::string& variable : how.environment) {
    const std::size_t equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
  }
  std::vector<char*> words{const_cast<char*>(how.program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execv(how.program.c_str(), words.data());
  _exit(99);
}

/// The parent of a process; nothing if the process has ended.
std::optional<pid_t> parent_of(pid_t id) {
  const std::string text = read_file("/proc/" + std::to_string(id) + "/stat");
  const std::size_t name_end = text.rfind(')');  // ID (NAME) STATE PARENT …
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(name_end + 1));
  char state = 0;
  pid_t parent = 0;
  rest >> state >> parent;
  return state == 'Z' ? std::nullopt : std::optional(parent);
}

std::vector<pid_t> running_children() {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (const pid_t id = std::stoi(name); parent_of(id) == getpid()) children.push_back(id);
  }
  return children;
}

/// While it exists, processes whose parents have ended become children of this process.
class Adoption {
 public:
  Adoption() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Adoption() { prctl(PR_SET_CHILD_SUBREAPER, 0); }
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;

  /// Kills the adopted processes and returns how many were running.
  std::size_t end_adopted() const {
    std::size_t running = 0;
    while (waitpid(-1, nullptr, WNOHANG) >= 0)
      for (const pid_t child : running_children()) {
        ++running;
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
      }
    return running;
  }
};

void wait_until_exists(const std::string& file) {
  using namespace std::chrono_literals;
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (!std::filesystem::exists(file)) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error(file + " was not created");
    std::this_thread::sleep_for(1ms);
  }
}

bool interrupts(const How& how) { return how.interrupt_after.count() > 0 || !how.interrupt_once.empty(); }

void interrupt(pid_t id, const How& how) {
  std::this_thread::sleep_for(how.interrupt_after);
  if (!how.interrupt_once.empty()) wait_until_exists(how.interrupt_once);
  kill(id, SIGINT);
}

}  // namespace

Ran run(const std::vector<std::string>& arguments, const How& how) {
  const Folder folder;
  std::optional<Adoption> adoption;
  if (interrupts(how)) adoption.emplace();
  const pid_t id = fork();
  if (id == 0) become_program(arguments, how, folder);
  if (interrupts(how)) interrupt(id, how);
  const auto interrupted = std::chrono::steady_clock::now();
  int status = 0;
  waitpid(id, &status, 0);
  Ran ran{WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), read_file(folder.path("out")),
          read_file(folder.path("err"))};
  if (adoption)
    ran.after_interrupt = {std::chrono::steady_clock::now() - interrupted, adoption->end_adopted()};
  return ran;
}

RanJson run_json(std::vector<std::string> arguments, const How& how) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const Ran ran = run(arguments, how);
  if (ran.out.empty() || ran.out.back() != '\n' || ran.out.find('\n') != ran.out.size() - 1)
    throw std::runtime_error("standard output is not one line: " + ran.out + "\nstandard error: " + ran.err);
  return {ran.status, nlohmann::json::parse(ran.out), ran.err, ran.after_interrupt};
}

Ran run_laboratory(const std::vector<std::string>& arguments, How how) {
  how.program = FOLDPROOF_LABORATORY;
  return run(arguments, how);
}

RanJson run_laboratory_json(std::vector<std::string> arguments, How how) {
  how.program = FOLDPROOF_LABORATORY;
  return run_json(std::move(arguments), how);
}

const RanJson& laboratory_output(const std::vector<std::string>& arguments) {
  static std::map<std::vector<std::string>, RanJson> outputs;
  const auto known = outputs.find(arguments);
  return known != outputs.end() ? known->second
                                : outputs.emplace(arguments, run_laboratory_json(arguments)).first->second;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "foldproof-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
  path_ = name;
}

Folder::Folder(const std::string& name) : path_(std::filesystem::path(FOLDPROOF_TEST_WORK) / name) {
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
}

Folder::~Folder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::string Folder::file(const std::string& name, const std::string& content) const {
  std::ofstream(path_ / name, std::ios::binary) << content;
  return path(name);
}

}  // namespace foldproof::test
