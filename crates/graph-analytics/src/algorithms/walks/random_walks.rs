//! Plain random walks.

use crate::algorithm::Algorithm;

use super::{DIRECTION, LENGTH, SEED, SOURCES, WALKS_PER_VERTEX, WEIGHTED};

pub(in crate::algorithms) const RANDOM_WALKS: Algorithm = Algorithm {
    name: "randomWalks",
    about: "Walks from vertices along random edges.",
    definition: "Each step takes an edge of the last vertex in `direction`: with equal odds, or if \
                 `weighted` in proportion to its weight, which must be finite and at least 0. \
                 Parallel edges count one by one; a loop stays at its vertex, and has double odds in \
                 direction `any`. A walk ends where no edge with a weight above 0 goes on. Rows are \
                 in the order of sources; a walk begins with its source. The memory grows with \
                 `walksPerVertex` and `length`.",
    parameters: &[SOURCES, WALKS_PER_VERTEX, LENGTH, DIRECTION, WEIGHTED, SEED],
    columns: &["source", "walk"],
    is_by_vertex: false,
    memory: super::memory,
    run: |graph, parameters, work| super::run(graph, parameters, work, None),
};
