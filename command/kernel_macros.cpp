#include "command/kernel_macros.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/text.h"
#include "contracts/cuda_tokens.h"

namespace foldproof {

MacrosOfKernels::MacrosOfKernels(const IncludeGraph& graph)
    : graph_(graph),
      of_toolkit_{{"CUB_DETAIL_KERNEL_ATTRIBUTES", " __global__"},
                  {"CCCL_DETAIL_KERNEL_ATTRIBUTES", " __global__"},
                  {"_CCCL_KERNEL_ATTRIBUTES", " __global__"}} {
  std::map<std::string_view, std::vector<const Macro*>> used_in;  // by words of their text
  const auto use = [&](const Macro& macro) {
    for (const std::string_view token : tokens_of(macro.text))
      if (is_letter(token.front())) used_in[token].push_back(&macro);
  };
  std::ranges::for_each(of_toolkit_, use);
  std::ranges::for_each(graph.macros_of_flags(), use);
  for (const auto& [path, file] : graph.files()) std::ranges::for_each(file.directives.macros, use);
  const auto spread = [&](std::vector<std::string_view> open, std::set<const Macro*>& to,
                          const auto& is_meant) {
    std::set<std::string_view> seen;
    while (!open.empty()) {
      const std::string_view word = open.back();
      open.pop_back();
      for (const Macro* macro : used_in[word])
        if (is_meant(*macro) && to.insert(macro).second && seen.insert(macro->name).second)
          open.push_back(macro->name);
    }
  };
  spread({"__global__"}, all_, [](const Macro&) { return true; });
  std::vector<std::string_view> with_brace;
  for (const Macro* macro : all_)
    if (macro->text.find('{') != std::string::npos && definers_.insert(macro).second)
      with_brace.push_back(macro->name);
  spread(with_brace, definers_, [&](const Macro& macro) { return all_.contains(&macro); });
}

std::set<std::string_view> MacrosOfKernels::names() const {
  std::set<std::string_view> names;
  for (const Macro* macro : all_) names.insert(macro->name);
  return names;
}

KernelMacros MacrosOfKernels::visible_in(const IncludeGraph::Path& file) const {
  KernelMacros visible;
  std::set<std::string_view> others;  // names that a host compiler may see with another meaning
  const auto show = [&](const Macro& macro) {
    if (!all_.contains(&macro))
      others.insert(macro.name);
    else
      (definers_.contains(&macro) ? visible.definers : visible.attributes).insert(macro.name);
  };
  std::ranges::for_each(of_toolkit_, show);
  std::ranges::for_each(graph_.macros_of_flags(), show);
  std::set<IncludeGraph::Path> included;
  graph_.add_included(file, included);
  graph_.add_included_by_flags(included);
  for (const auto& path : included) std::ranges::for_each(graph_.files().at(path).directives.macros, show);
  if (is_host_source(file))
    for (auto* names : {&visible.attributes, &visible.definers})
      std::erase_if(*names, [&](const std::string& name) { return others.contains(name); });
  return visible;
}

}  // namespace foldproof
