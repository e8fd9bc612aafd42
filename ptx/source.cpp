#include "ptx/source.h"

#include <mutex>
#include <optional>
#include <utility>

#include "ptx/parse.h"

namespace foldproof::ptx {

struct Source::Shared {
  std::string name, text;
  std::mutex parsing;
  std::optional<Module> module;
};

Source::Source(std::string name, std::string text) : shared_(std::make_shared<Shared>()) {
  shared_->name = std::move(name);
  shared_->text = std::move(text);
}

const std::string& Source::name() const { return shared_->name; }
const std::string& Source::text() const { return shared_->text; }

const Module& Source::module() const {
  const std::lock_guard lock(shared_->parsing);
  if (!shared_->module) shared_->module = parse(shared_->text, shared_->name);
  return *shared_->module;
}

}  // namespace foldproof::ptx
