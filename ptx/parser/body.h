// Parser of a function body: scopes, labels, declarations, instructions and calls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ptx/ast.h"
#include "ptx/parser/cursor.h"
#include "ptx/parser/line_table.h"

namespace foldproof::ptx {

class BodyParser {
 public:
  /// Prototypes and target lists found in the body are added to `function`, unknown directives to `unknown`.
  BodyParser(Cursor& cursor, LineTable& lines, Function& function, std::vector<UnknownDirective>& unknown)
      : cursor_(cursor), lines_(lines), function_(function), unknown_(unknown) {}

  /// Parses `{ … }`.
  std::unique_ptr<Scope> parse();

 private:
  std::unique_ptr<Scope> scope(unsigned depth);
  void item(Scope& scope, unsigned depth);
  void directive(Scope& scope);
  void label(Scope& scope);
  void prototype(const std::string& label);
  void targets(const std::string& label, std::map<std::string, std::vector<std::string>>& lists);
  void instruction(Scope& scope);
  Statement statement();
  CallStatement call();
  std::vector<Operand> call_operands();
  void count_registers(const Variable& variable);

  Cursor& cursor_;
  LineTable& lines_;
  Function& function_;
  std::vector<UnknownDirective>& unknown_;
  std::uint64_t registers_ = 0;
};

}  // namespace foldproof::ptx
