//! The algorithms, one file each.

mod shared;
mod pool;
mod weights;
mod gather;
mod components;
mod all_pairs;
mod attribute_propagation;
mod betweenness;
mod bfs;
mod bipartite;
mod closeness;
mod cuts;
mod cycles;
mod degree;
mod hits;
mod eigenvector;
mod k_core;
mod label_propagation;
mod line_rank;
mod modularity;
mod node_similarity;
mod page_rank;
mod scc;
mod shortest_paths;
mod slpa;
mod spanning_forest;
mod topological_order;
mod triangles;
mod walks;
mod wcc;

#[cfg(test)]
mod tests;

use crate::algorithm::Algorithm;

/// All algorithms, in alphabetical order.
pub const ALGORITHMS: &[&Algorithm] = &[
    &all_pairs::ALL_PAIRS,
    &cuts::ARTICULATION_POINTS,
    &attribute_propagation::ATTRIBUTE_PROPAGATION,
    &betweenness::BETWEENNESS,
    &bfs::BFS,
    &bipartite::BIPARTITE,
    &cuts::BRIDGES,
    &closeness::CLOSENESS,
    &triangles::CLUSTERING_COEFFICIENT,
    &cycles::CYCLES,
    &degree::DEGREE,
    &closeness::EFFECTIVE_CLOSENESS,
    &eigenvector::EIGENVECTOR,
    &hits::HITS,
    &k_core::K_CORE,
    &label_propagation::LABEL_PROPAGATION,
    &modularity::LEIDEN,
    &line_rank::LINE_RANK,
    &modularity::LOUVAIN,
    &walks::NODE2VEC_WALKS,
    &node_similarity::NODE_SIMILARITY,
    &page_rank::PAGE_RANK,
    &walks::RANDOM_WALKS,
    &scc::SCC,
    &shortest_paths::SHORTEST_PATHS,
    &slpa::SLPA,
    &spanning_forest::SPANNING_FOREST,
    &topological_order::TOPOLOGICAL_ORDER,
    &triangles::TRIANGLES,
    &wcc::WCC,
];

/// Returns the algorithm with a name.
pub fn find(name: &str) -> Option<&'static Algorithm> {
    ALGORITHMS.iter().copied().find(|algorithm| algorithm.name == name)
}
