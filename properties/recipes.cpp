#include "properties/recipes.h"

#include <fmt/format.h>

#include "properties/inputs/fills.h"
#include "properties/inputs/words.h"

namespace foldproof {
namespace {

using inputs::Elements;
using inputs::Word;
using Step = void (*)(Elements&);
using Takes = RecipeInfo::Takes;

constexpr Step fills[] = {
#define FOLDPROOF_RECIPE(id, name, takes, suits, synopsis) inputs::fill_##id,
#include "properties/recipes.def"
#undef FOLDPROOF_RECIPE
};

constexpr Step changes[] = {
#define FOLDPROOF_MODIFIER(id, name, takes, suits, synopsis) inputs::modify_##id,
#include "properties/modifiers.def"
#undef FOLDPROOF_MODIFIER
};

constexpr RecipeInfo distribution_rows[] = {
#define FOLDPROOF_RECIPE(id, name, takes, suits, synopsis) \
  {name, Takes::takes, RecipeInfo::Suits::suits, true},
#include "properties/recipes.def"
#undef FOLDPROOF_RECIPE
};

constexpr RecipeInfo modifier_rows[] = {
#define FOLDPROOF_MODIFIER(id, name, takes, suits, synopsis) \
  {name, Takes::takes, RecipeInfo::Suits::suits, Takes::takes == Takes::nothing},
#include "properties/modifiers.def"
#undef FOLDPROOF_MODIFIER
};

Word read(std::string_view kind, std::span<const RecipeInfo> rows, const std::string& text, Element element) {
  const Word word = inputs::read_word(kind, rows, text);
  if (!suits(rows[word.row], element))
    throw InputError(
        fmt::format("the {} \"{}\" is not made for {} elements", kind, rows[word.row].name, name(element)));
  return word;
}

void plant(Elements& x, const Recipe& recipe) {
  for (const auto& [index, value] : recipe.planted) {
    if (index >= x.size())
      throw InputError(fmt::format("element {} is planted, but the input has {}", index, x.size()));
    x.set_bits(index, planted_bits(x.element(), value));
  }
}

}  // namespace

std::span<const RecipeInfo> recipes() { return distribution_rows; }
std::span<const RecipeInfo> modifiers() { return modifier_rows; }

std::string names_of(std::span<const RecipeInfo> rows) {
  constexpr std::string_view words[] = {"", "index", "exponent", "place"};
  std::string names;
  for (const RecipeInfo& row : rows)
    names += fmt::format("{}{}{}{}", names.empty() ? "" : ", ", row.name, row.may_be_bare ? "" : ":",
                         row.may_be_bare ? "" : words[static_cast<std::size_t>(row.takes)]);
  return names;
}

std::string recipe_names() { return names_of(recipes()); }
std::string modifier_names() { return names_of(modifiers()); }

std::string_view bare_name(std::string_view word) { return word.substr(0, word.find(':')); }

void read_words(const std::string& text, Recipe& recipe) {
  std::size_t end = std::min(text.find('+'), text.size());
  recipe.distribution = text.substr(0, end);
  inputs::read_word("distribution", recipes(), recipe.distribution);
  recipe.modifiers.clear();
  while (end < text.size()) {
    const std::size_t begin = end + 1;
    end = std::min(text.find('+', begin), text.size());
    recipe.modifiers.push_back(text.substr(begin, end - begin));
    inputs::read_word("modifier", modifiers(), recipe.modifiers.back());
  }
}

bool suits(const RecipeInfo& recipe, Element element) {
  switch (recipe.suits) {
    case RecipeInfo::Suits::any: return true;
    case RecipeInfo::Suits::with_sign: return is_float(element) || is_signed_integer(element);
    case RecipeInfo::Suits::floats: return is_float(element);
    case RecipeInfo::Suits::with_infinity: return is_float(element) && float_format(element).has_infinity;
    case RecipeInfo::Suits::with_nan: return is_float(element) && float_format(element).has_nan;
  }
  return false;
}

std::vector<std::byte> make_input(const Recipe& recipe, const InputPlan& plan) {
  const Word distribution = read("distribution", recipes(), recipe.distribution, plan.element);
  Elements elements(plan, recipe.seed);
  elements.argument = distribution.argument;
  fills[distribution.row](elements);
  for (std::size_t i = 0; i < recipe.modifiers.size(); ++i) {
    const Word modifier = read("modifier", modifiers(), recipe.modifiers[i], plan.element);
    elements.argument = modifier.argument;
    elements.random = SplitMix(mixed(recipe.seed) + i);
    if (elements.size() != 0) changes[modifier.row](elements);
  }
  plant(elements, recipe);
  return elements.take();
}

}  // namespace foldproof
