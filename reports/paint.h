// Terminal colours, or none.
#pragma once

#include <string>
#include <string_view>

namespace foldproof {

enum class Color : unsigned char { plain, bold, dim, red, green, yellow, cyan };

class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string operator()(Color color, std::string_view text) const {
    if (!on_ || color == Color::plain) return std::string(text);
    constexpr std::string_view codes[] = {"0", "1", "2", "1;31", "32", "33", "36"};
    return "\x1b[" + std::string(codes[static_cast<std::size_t>(color)]) + "m" + std::string(text) +
           "\x1b[0m";
  }

 private:
  bool on_;
};

}  // namespace foldproof
