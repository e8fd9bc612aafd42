// Directed graphs with as many vertices as a program has instructions: stored compactly and walked without
// recursion, since a text may have millions of instructions in a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace foldproof::emulated {

class FlowGraph {
 public:
  using Vertex = std::uint32_t;  ///< 0 … size() - 1
  static constexpr Vertex nowhere = ~Vertex{0};
  struct Edge {
    Vertex from = 0, to = 0;
  };

  FlowGraph(std::size_t vertices, std::span<const Edge> edges);

  std::size_t size() const { return successors_.begin.size() - 1; }
  std::span<const Vertex> successors(Vertex vertex) const { return successors_.of(vertex); }
  std::span<const Vertex> predecessors(Vertex vertex) const { return predecessors_.of(vertex); }
  /// The same edges in the opposite direction.
  FlowGraph reversed() const;

 private:
  FlowGraph() = default;

  /// The neighbours of vertex v are to[begin[v]] … to[begin[v + 1] - 1], in the order of the edges.
  struct Neighbours {
    std::vector<std::size_t> begin;
    std::vector<Vertex> to;
    std::span<const Vertex> of(Vertex vertex) const {
      return std::span(to).subspan(begin[vertex], begin[vertex + 1] - begin[vertex]);
    }
  };
  static Neighbours neighbours(std::size_t vertices, std::span<const Edge> edges, Vertex Edge::*at,
                               Vertex Edge::*other);

  Neighbours successors_, predecessors_;
};

/// The vertices that can be reached from a root, in the two orders of a depth-first search: as it enters
/// them, and as it leaves them.
struct DepthFirstSearch {
  DepthFirstSearch(const FlowGraph& graph, FlowGraph::Vertex root);

  std::vector<FlowGraph::Vertex> preorder, postorder;
  std::vector<FlowGraph::Vertex> parent;  ///< by vertex; nowhere for the root and for unreachable vertices
};

/// The immediate dominator of each vertex: the last vertex before it on every path from the root; nowhere for
/// the root and for unreachable vertices.
std::vector<FlowGraph::Vertex> immediate_dominators(const FlowGraph& graph, FlowGraph::Vertex root);

}  // namespace foldproof::emulated
