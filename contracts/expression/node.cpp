#include "contracts/expression/node.h"

#include <fmt/format.h>

#include <utility>

namespace foldproof {

void refuse_expression(const std::string& problem, std::string_view text, std::size_t offset, Position where,
                       std::string_view advice) {
  if (where.column != 0) where.column += static_cast<unsigned>(offset);
  throw InputError(fmt::format("{} in the expression \"{}\"{}", problem, text, advice), where);
}

NodePtr node(Operation operation, std::vector<NodePtr> operands, std::size_t offset) {
  return std::make_shared<Node>(Node{operation, 0, {}, std::move(operands), offset});
}

NodePtr literal(std::int64_t value, std::size_t offset) {
  return std::make_shared<Node>(Node{Operation::literal, value, {}, {}, offset});
}

}  // namespace foldproof
