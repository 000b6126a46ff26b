//! Leiden: Louvain with refined, connected communities.

use errors::Result;

use super::level::Level;
use super::moving::move_vertices;
use super::refinement::refine;
use crate::algorithm::Algorithm;
use crate::graph::Graph;
use crate::parameters::Parameters;
use crate::table::Table;
use crate::work::{Checks, Work};

pub(in crate::algorithms) const LEIDEN: Algorithm = Algorithm {
    name: "leiden",
    about: "Finds connected communities of high modularity.",
    definition: "Traag, Waltman, van Eck (2019): vertices move as in Louvain; then each community \
                 is refined into well connected parts, which become the vertices of the next level, \
                 and which begin there in the communities of before. Every community is connected: \
                 one that is not when the algorithm ends is split. Modularity, directions, parallel \
                 edges, loops, weights and numbers are those of louvain.",
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
    let _charge = work.reserve_for::<(u32, u32, u32)>(vertices)?;
    // The part of each vertex of the graph, which is a vertex of the level.
    let mut parts_of_vertices: Vec<u32> = (0..vertices as u32).collect();
    let mut communities = parts_of_vertices.clone();
    let mut level = super::first_level(graph, work)?;
    let mean_weight = level.total() / (graph.edge_count().max(1) * 2) as f64;
    let (mut levels, mut is_converged) = (0, false);
    let mut modularity = level.modularity(work, &communities, resolution)?;
    while levels < max_levels {
        work.set_progress(levels, max_levels);
        let seed = seed ^ (levels << 32);
        let moves = move_vertices(&level, work, &mut communities, resolution, seed)?;
        let count = super::renumber(work, &mut communities)?;
        let before = modularity;
        modularity = level.modularity(work, &communities, resolution)?;
        levels += u64::from(moves > 0);
        if count == level.len() || (levels > 1 && modularity - before <= tolerance) {
            is_converged = true;
            break;
        }
        let mut parts = refine(&level, work, &communities, (resolution, mean_weight), seed)?;
        let part_count = super::renumber(work, &mut parts)?;
        if part_count == level.len() {
            is_converged = true;
            break;
        }
        level = level.merged(work, &parts, part_count)?;
        let mut next = vec![0; part_count];
        parts.iter().zip(&communities).for_each(|(part, community)| next[*part as usize] = *community);
        communities = next;
        parts_of_vertices.iter_mut().for_each(|part| *part = parts[*part as usize]);
    }
    let mut result = parts_of_vertices;
    result.iter_mut().for_each(|part| *part = communities[*part as usize]);
    drop(level);
    let level = Level::of_graph(graph, work)?;
    let count = split(&level, work, &mut result)?;
    let modularity = level.modularity(work, &result, resolution)?;
    super::table(work, &result, count, (levels, is_converged), modularity)
}

/// Splits communities that are not connected, and numbers all. Returns how many there are.
fn split(level: &Level<'_>, work: &Work, communities: &mut [u32]) -> Result<usize> {
    const NONE: u32 = u32::MAX;
    let _charge = work.reserve_for::<(u32, u32)>(communities.len())?;
    let mut numbers = vec![NONE; communities.len()];
    let mut reached = Vec::with_capacity(communities.len());
    let (mut count, mut checks) = (0, Checks::default());
    for first in 0..communities.len() as u32 {
        if numbers[first as usize] != NONE {
            continue;
        }
        numbers[first as usize] = count;
        reached.push(first);
        while let Some(vertex) = reached.pop() {
            checks.note(work, level.degree(vertex) + 1)?;
            level.for_each(vertex, |target, _| {
                let is_same = communities[target as usize] == communities[vertex as usize];
                if is_same && numbers[target as usize] == NONE {
                    numbers[target as usize] = count;
                    reached.push(target);
                }
            });
        }
        count += 1;
    }
    communities.copy_from_slice(&numbers);
    Ok(count as usize)
}
