// The output of a verb: its result goes to standard output as text or JSON, everything else to standard
// error.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "reports/json.h"

namespace foldproof {

class Console {
 public:
  enum class Format : unsigned char { text, json };
  enum class ColorChoice : unsigned char { automatic, always, never };

  Format format = Format::text;
  ColorChoice color = ColorChoice::automatic;
  bool verbose = false;
  std::string command;  ///< the command line, quoted for a shell

  bool json() const { return format == Format::json; }
  /// Whether standard output takes colours: a terminal without NO_COLOR, unless --color overrides that.
  bool colored() const;
  /// Columns of the terminal, from 60 to 100; 100 without a terminal.
  unsigned width() const;

  /// Prints the verb's only result. Throws Unsupported if standard output does not accept all of it.
  void print(const Json& json) const;
  void print(const std::string& text) const;
  /// Prints the form that `format` selects; the other one is not created.
  template <typename MakeJson, typename MakeText>
  void print_as_asked(const MakeJson& make_json, const MakeText& make_text) const {
    if (json())
      print(make_json());
    else
      print(make_text());
  }
  /// Calls `write`, which writes the result of a run that has an exit status of its own. Returns false, after
  /// a complaint, if it throws Unsupported.
  bool writes(const std::function<void()>& write) const;
  /// Prints a line that is not the result, on standard error. On anything but a terminal, text is lost, here
  /// and below, once standard error has accepted nothing for a second.
  void note(const std::string& line) const;
  /// Prints a line about the progress of a run, on standard error. It is lost if standard error would block,
  /// such as a full pipe: a run must not wait for its reader beyond a time limit.
  void progress(const std::string& line) const;
  /// Prints one sentence with its position and the quoted source line, on standard error.
  void complain(const std::string& sentence, const Position& position) const;
  /// Complains and, in JSON, prints the object for a run that could not start, unless the verb has printed
  /// its result.
  void fail(const std::string& sentence, const Position& position) const;
  /// The same from any thread, for a process that is about to exit: if the verb is printing its result, this
  /// waits for it. Later prints block.
  void fail_for_good(const std::string& sentence) const;
};

/// A line on standard error that is rewritten in place; shown only on a terminal, and only once a run has
/// taken two seconds. Like Console::progress, it never waits.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const std::string& text);
  /// Erases the line.
  void clear();
  /// Seconds since the line was constructed.
  double elapsed() const;

 private:
  std::chrono::steady_clock::time_point begin_, last_;
  bool terminal_;
  bool shown_ = false;
};

}  // namespace foldproof
