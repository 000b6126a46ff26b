//! Louvain.

use errors::Result;

use super::moving::move_vertices;
use crate::algorithm::Algorithm;
use crate::graph::Graph;
use crate::parameters::Parameters;
use crate::table::Table;
use crate::work::Work;

pub(in crate::algorithms) const LOUVAIN: Algorithm = Algorithm {
    name: "louvain",
    about: "Finds communities of high modularity by moving vertices and merging communities.",
    definition: "Blondel, Guillaume, Lambiotte, Lefebvre (2008): each vertex moves to the community \
                 of a neighbour while that raises the modularity; then each community becomes a \
                 vertex, and the next level begins. The modularity is the sum over communities of \
                 inside / total - resolution * (strength / total)^2. There, inside is twice the \
                 weight of its edges, strength the sum of its vertices' weighted degrees, and total \
                 that of all vertices. Directions are ignored. Weights of parallel edges add up; a \
                 loop counts twice in the degree. Weights must be finite and at least 0; without \
                 weights each edge counts as 1. Communities are numbered from 0 in the order of \
                 their first vertices.",
    parameters: super::PARAMETERS,
    columns: &["community"],
    is_by_vertex: true,
    memory: super::memory,
    run,
};

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let (resolution, seed) = (parameters.number("resolution"), parameters.count("seed"));
    let (max_levels, tolerance) = (parameters.count("maxLevels"), parameters.number("tolerance"));
    let vertices = graph.vertex_count();
    let _charge = work.reserve_for::<(u32, u32)>(vertices)?;
    let mut result: Vec<u32> = (0..vertices as u32).collect();
    let mut level = super::first_level(graph, work)?;
    let (mut levels, mut is_converged) = (0, false);
    let mut modularity = level.modularity(work, &result, resolution)?;
    while levels < max_levels {
        work.set_progress(levels, max_levels);
        let mut communities: Vec<u32> = (0..level.len() as u32).collect();
        let moves = move_vertices(&level, work, &mut communities, resolution, seed ^ (levels << 32))?;
        if moves == 0 {
            is_converged = true;
            break;
        }
        let count = super::renumber(work, &mut communities)?;
        result.iter_mut().for_each(|community| *community = communities[*community as usize]);
        levels += 1;
        let before = modularity;
        modularity = level.modularity(work, &communities, resolution)?;
        if modularity - before <= tolerance {
            is_converged = true;
            break;
        }
        level = level.merged(work, &communities, count)?;
    }
    let count = super::renumber(work, &mut result)?;
    super::table(work, &result, count, (levels, is_converged), modularity)
}
