// Where a verb's words go: its result to standard output as text or JSON, everything else to standard error.
#pragma once

#include <chrono>
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
  std::string command;  ///< the command line, quoted for a shell

  bool json() const { return format == Format::json; }
  /// Whether standard output takes colours: a terminal without NO_COLOR, unless --color says otherwise.
  bool colored() const;
  /// Columns of the terminal, at most 100; 100 where there is none.
  unsigned width() const;

  /// The verb's one result. Throws Unsupported when standard output does not take it all.
  void print(const Json& json) const;
  void print(const std::string& text) const;
  /// The one that `format` asks for; the other is not made.
  template <typename MakeJson, typename MakeText>
  void print_as_asked(const MakeJson& make_json, const MakeText& make_text) const {
    if (json())
      print(make_json());
    else
      print(make_text());
  }
  /// A line that is no result, on standard error.
  void note(const std::string& line) const;
  /// One sentence with its place and the quoted source line, on standard error.
  void complain(const std::string& sentence, const Position& position) const;
  /// Complains, and in JSON prints the object that stands for a run that could not begin.
  void fail(const std::string& sentence, const Position& position) const;
};

/// A line on standard error that is rewritten in place; shown only on a terminal, and only once a run has
/// taken two seconds.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const std::string& text);
  /// Leaves the terminal as it was.
  void clear();
  /// Seconds since the line was made.
  double elapsed() const;

 private:
  std::chrono::steady_clock::time_point begin_, last_;
  bool terminal_;
  bool shown_ = false;
};

}  // namespace foldproof
