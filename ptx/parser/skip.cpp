#include "ptx/parser/skip.h"

#include "ptx/parser/constant.h"

namespace foldproof::ptx {

void skip_pragma(Cursor& cursor) {
  do cursor.expect(Token::Kind::string, "a string after .pragma");
  while (cursor.accept_symbol(","));
  cursor.expect_symbol(";", "after .pragma");
}

void skip_prototype_attributes(Cursor& cursor) {
  while (cursor.at(Token::Kind::dotted)) {
    const bool has_number = cursor.at_dotted("abi_preserve") || cursor.at_dotted("abi_preserve_control");
    if (!has_number && !cursor.at_dotted("noreturn")) cursor.fail_expected("'.noreturn' or ';'");
    cursor.take();
    if (has_number) parse_count32(cursor, "The number of registers that are preserved");
  }
}

}  // namespace foldproof::ptx
