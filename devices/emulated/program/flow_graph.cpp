#include "devices/emulated/program/flow_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace foldproof::emulated {
namespace {

using Vertex = FlowGraph::Vertex;
constexpr Vertex nowhere = FlowGraph::nowhere;

/// The algorithm of T. Lengauer and R. E. Tarjan, "A fast algorithm for finding dominators in a flowgraph",
/// ACM TOPLAS 1 (1979), with simple linking: O(edges * log(vertices)). Vertices are numbered in preorder;
/// names are those of the paper. Not Boost's lengauer_tarjan_dominator_tree, which recurses along the path
/// that it compresses.
class Dominators {
 public:
  Dominators(const FlowGraph& graph, Vertex root)
      : graph_(graph),
        search_(graph, root),
        number_(graph.size(), nowhere),
        semi_(search_.preorder.size()),
        label_(search_.preorder.size()),
        ancestor_(search_.preorder.size(), nowhere),
        dominator_(search_.preorder.size(), nowhere),
        bucket_(search_.preorder.size(), nowhere),
        next_in_bucket_(search_.preorder.size(), nowhere) {
    std::iota(semi_.begin(), semi_.end(), Vertex{0});
    std::iota(label_.begin(), label_.end(), Vertex{0});
    for (Vertex n = 0; n < semi_.size(); ++n) number_[search_.preorder[n]] = n;
  }

  std::vector<Vertex> run() {
    for (auto w = static_cast<Vertex>(semi_.size()); w-- > 1;) visit(w);
    std::vector<Vertex> result(graph_.size(), nowhere);
    for (Vertex w = 1; w < semi_.size(); ++w) {
      if (dominator_[w] != semi_[w]) dominator_[w] = dominator_[dominator_[w]];
      result[search_.preorder[w]] = search_.preorder[dominator_[w]];
    }
    return result;
  }

 private:
  void visit(Vertex w) {
    const Vertex vertex = search_.preorder[w], parent = number_[search_.parent[vertex]];
    for (const Vertex from : graph_.predecessors(vertex))
      if (number_[from] != nowhere) semi_[w] = std::min(semi_[w], semi_[eval(number_[from])]);
    next_in_bucket_[w] = std::exchange(bucket_[semi_[w]], w);
    ancestor_[w] = parent;
    for (Vertex v = std::exchange(bucket_[parent], nowhere); v != nowhere; v = next_in_bucket_[v]) {
      const Vertex u = eval(v);
      dominator_[v] = semi_[u] < semi_[v] ? u : parent;
    }
  }

  /// The vertex with the least semidominator between `v` and the root of its tree, excluding that root.
  Vertex eval(Vertex v) {
    if (ancestor_[v] == nowhere) return v;
    for (Vertex u = v; ancestor_[ancestor_[u]] != nowhere; u = ancestor_[u]) path_.push_back(u);
    for (; !path_.empty(); path_.pop_back()) {
      const Vertex u = path_.back(), above = ancestor_[u];
      if (semi_[label_[above]] < semi_[label_[u]]) label_[u] = label_[above];
      ancestor_[u] = ancestor_[above];
    }
    return label_[v];
  }

  const FlowGraph& graph_;
  const DepthFirstSearch search_;
  std::vector<Vertex> number_;  ///< by vertex; the others are by number
  std::vector<Vertex> semi_, label_, ancestor_, dominator_;
  std::vector<Vertex> bucket_, next_in_bucket_;  ///< lists of the vertices with the same semidominator
  std::vector<Vertex> path_;
};

}  // namespace

FlowGraph::FlowGraph(std::size_t vertices, std::span<const Edge> edges)
    : successors_(neighbours(vertices, edges, &Edge::from, &Edge::to)),
      predecessors_(neighbours(vertices, edges, &Edge::to, &Edge::from)) {}

FlowGraph FlowGraph::reversed() const {
  FlowGraph graph;
  graph.successors_ = predecessors_;
  graph.predecessors_ = successors_;
  return graph;
}

FlowGraph::Neighbours FlowGraph::neighbours(std::size_t vertices, std::span<const Edge> edges,
                                            Vertex Edge::*at, Vertex Edge::*other) {
  Neighbours result{std::vector<std::size_t>(vertices + 1), std::vector<Vertex>(edges.size())};
  for (const Edge& edge : edges) ++result.begin[edge.*at + 1];
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  std::vector<std::size_t> next(result.begin.begin(), result.begin.end() - 1);
  for (const Edge& edge : edges) result.to[next[edge.*at]++] = edge.*other;
  return result;
}

DepthFirstSearch::DepthFirstSearch(const FlowGraph& graph, Vertex root) : parent(graph.size(), nowhere) {
  std::vector<bool> seen(graph.size());
  std::vector<std::pair<Vertex, std::size_t>>
      open;  // the vertices on the path, and how many edges were taken
  const auto enter = [&](Vertex vertex) {
    seen[vertex] = true;
    preorder.push_back(vertex);
    open.emplace_back(vertex, 0);
  };
  for (enter(root); !open.empty();) {
    auto& [vertex, taken] = open.back();
    const auto successors = graph.successors(vertex);
    if (taken == successors.size()) {
      postorder.push_back(vertex);
      open.pop_back();
      continue;
    }
    const Vertex next = successors[taken++];
    if (seen[next]) continue;
    parent[next] = vertex;
    enter(next);
  }
}

std::vector<Vertex> immediate_dominators(const FlowGraph& graph, Vertex root) {
  return Dominators(graph, root).run();
}

}  // namespace foldproof::emulated
