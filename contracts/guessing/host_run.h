// Runs a host function of a source for one set of samples, and records its launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "contracts/guess.h"
#include "contracts/guessing/host_functions.h"
#include "contracts/guessing/host_samples.h"
#include "contracts/guessing/host_values.h"
#include "contracts/guessing/source_text.h"
#include "contracts/guessing/source_values.h"

namespace foldproof {

/// A run that exceeds its limit of steps has no result. Code that is not understood leaves the variables that
/// it assigns unknown.
class HostRun {
 public:
  /// All must outlive this. `endless`: bodies of loops that are not repeated any more, since they were
  /// repeated too often.
  HostRun(const SourceText& text, SourceValues& constants, HostFunctions& functions, HostSamples& samples,
          std::set<std::size_t>& endless)
      : text_(text), constants_(constants), functions_(functions), samples_(samples), endless_(endless) {}

  /// Whether it ran to its end.
  bool run(const HostFunction& function);

  /// By the index of the kernel's name; impossible launches are left out.
  const std::map<std::size_t, std::vector<HostCall>>& calls() const { return calls_; }
  /// Parts whose launches may be missing.
  const std::vector<TokenRange>& not_understood() const { return not_understood_; }
  std::size_t steps() const { return steps_; }

 private:
  static constexpr unsigned deepest = 200;  ///< statements, parentheses and calls in each other

  enum class Flow { next, breaks, continues, returns, exits };
  struct Variable {
    HostValue value;
    HostType type;
  };
  struct Name {
    std::string_view name;
    std::size_t variable = 0;  ///< index
  };
  struct Argument {
    HostValue value;
    std::optional<std::size_t> variable = {};  ///< whose value it is
  };
  struct Loop {
    std::size_t begin = 0;
    std::optional<TokenRange> condition = {}, step = {};
    std::size_t body = 0;
    bool tests_first = true;
  };
  struct Operator {
    std::string_view spelled;
    int precedence = 0;
  };
  struct Target {
    std::size_t variable = 0;
    std::optional<std::size_t> axis = {};
    std::string_view operation;  ///< empty for "="
    std::size_t end = 0;         ///< the index after the assignment operator
  };
  /// While it exists, `part` is read; then, what was read before, from `next` on.
  class Reading {
   public:
    Reading(HostRun& run, TokenRange part, std::size_t next) : run_(run), next_(next), end_(run.end_) {
      run.at_ = part.begin;
      run.end_ = part.end;
    }
    ~Reading() {
      run_.at_ = next_;
      run_.end_ = end_;
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    HostRun& run_;
    std::size_t next_, end_;
  };

  // host_statements.cpp
  void skip_statement();
  std::size_t end_of_simple(std::size_t at) const;
  std::size_t end_of_label(std::size_t at) const;
  Flow statement();
  Flow statement_at(std::size_t at);
  Flow statements(TokenRange range);
  Flow block();
  Flow branch();
  Flow loop();
  Loop for_loop(TokenRange head);
  Flow run_loop(const Loop& loop);
  Flow run_unknown_loop(const Loop& loop);
  Flow run_range_loop(TokenRange head, std::size_t colon, std::size_t body);
  Flow choice();
  Flow choose(const HostValue& value, const std::vector<std::size_t>& labels, TokenRange body);
  Flow result();
  Flow jump();
  Flow simple();
  Flow either(const std::function<Flow()>& first, const std::function<Flow()>& second);
  Flow joined(Flow a, Flow b, const std::vector<Variable>& after_a, const HostValue& result_of_a);
  std::optional<bool> condition(TokenRange range);
  void forget_assigned(TokenRange range);
  void misunderstand(TokenRange range);

  // host_declarations.cpp
  std::optional<std::size_t> end_of_type(std::size_t at) const;
  bool is_declaration(std::size_t at) const;
  void declaration();
  void structured_binding();
  std::optional<HostValue> initializer(const HostType& type, std::size_t name);
  void bind(TokenRange parameters, const std::vector<Argument>& arguments, bool is_called);
  void declare(std::size_t name, const HostType& type, HostValue value);

  // host_expressions.cpp
  HostValue value_of(TokenRange range);
  HostValue expression();
  HostValue primary();
  HostValue bracketed();
  /// Calls `item` at the beginning of each item between the brackets that open here. Returns whether it
  /// understood all of them.
  bool read_items(const std::function<void()>& item);
  HostValue list();
  HostValue lambda();
  HostValue number();
  HostValue word();
  HostValue keyword(std::string_view word);
  HostValue named();
  HostValue postfix(HostValue value, std::size_t begin);
  HostValue member(const HostValue& value, std::size_t begin);

  // host_operators.cpp
  HostValue assignment();
  std::optional<Target> target_here();
  void assign(const Target& target, const HostValue& value);
  HostValue conditional();
  std::optional<Operator> operator_here() const;
  HostValue binary(int least);
  HostValue logical(const HostValue& left, bool is_or);
  HostValue operated(std::string_view operation, const HostValue& left, const HostValue& right);
  HostValue unary();
  HostValue address();
  HostValue stepped(std::size_t variable, std::string_view operation, bool is_prefix);

  // host_calls.cpp
  std::vector<Argument> arguments(bool keeps_addresses);
  HostValue call(std::string_view name, std::size_t at, bool is_qualified);
  HostValue unknown_call(std::string_view name, std::size_t at, const std::vector<Argument>& arguments,
                         bool reads_numbers);
  /// `base`: of the names that it sees; those of a function begin with its parameters.
  HostValue call_function(const HostFunction& function, const std::vector<Argument>& arguments,
                          std::size_t base);
  HostValue call_lambda(const HostLambda& lambda, const std::vector<Argument>& arguments, bool is_called);
  bool may_assign(std::string_view name, std::size_t parameter) const;
  void launch(std::size_t name, const LaunchText& launch);

  std::string_view token(std::size_t offset = 0) const {
    return at_ + offset < end_ ? text_.token(at_ + offset) : "";
  }
  bool are(std::string_view first, std::string_view second) const {
    return token() == first && token(1) == second;
  }
  void step(std::size_t tokens = 1);
  HostType type_of(TokenRange spelled);
  std::optional<std::size_t> find(std::string_view name);
  std::size_t variable_at(std::size_t name);
  std::size_t definition_of(std::size_t name) const;
  bool is_constant(std::size_t name) const;
  bool may_change(std::size_t definition) const;
  HostValue global_value(std::size_t name);
  HostValue sample(const std::string& key);
  std::optional<bool> truth_of(const HostValue& value);

  const SourceText& text_;
  SourceValues& constants_;
  HostFunctions& functions_;
  HostSamples& samples_;
  std::set<std::size_t>& endless_;
  std::map<std::size_t, std::vector<HostCall>> calls_;
  std::vector<TokenRange> not_understood_;

  TokenRange root_;               ///< the body of the function that is run
  std::size_t at_ = 0, end_ = 0;  ///< the next token, and the end of the part that is read
  std::vector<Variable> variables_;
  std::vector<Name> names_;  ///< of the function that is called last, from `base_` on
  std::map<std::string_view, std::size_t> globals_;
  std::size_t base_ = 0;
  HostValue result_;                ///< what the function returned
  bool may_have_returned_ = false;  ///< under an unknown condition
  bool may_have_left_loop_ = false;
  bool has_exited_ = false;  ///< in an expression
  bool is_live_ = true;      ///< not skipped by "&&", "||" or "?:"
  bool keeps_addresses_ = false;
  bool has_failed_ = false;
  unsigned tries_ = 0;  ///< blocks of "try" around the statement
  std::size_t steps_ = 0, numbers_read_ = 0;
  unsigned depth_ = 0;  ///< of nested C++ constructs
};

}  // namespace foldproof
