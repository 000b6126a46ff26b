//! Speaker-listener label propagation: communities that overlap.

use errors::Result;
use rayon::prelude::*;

use super::shared::random::{self, SEED};
use super::shared::reach::Reach;
use crate::algorithm::Algorithm;
use crate::column::{Column, Lists};
use crate::graph::{Direction, Graph};
use crate::parallel::{self, CHUNK};
use crate::parameters::{DIRECTION, Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(super) const SLPA: Algorithm = Algorithm {
    name: "slpa",
    about: "Finds communities that overlap: vertices remember the labels that they hear.",
    definition: "Xie, Szymanski, Liu (2011), as Pregel of ArangoDB 3.11 runs it: the memory of each \
                 vertex begins with itself as a label. In each iteration each vertex speaks one \
                 label of its memory at random, in proportion to how often it is there, along its \
                 edges in `direction`. Then each listener adds the label that it heard most often, \
                 of equal ones the least vertex. The communities of a vertex are the labels of its \
                 memory, most frequent first, of which the first `maxCommunities` stay with a \
                 frequency of at least `threshold`; the first one always does. Parallel edges count \
                 one by one; a loop lets a vertex hear itself. Weights make no difference.",
    parameters: &[
        Parameter {
            name: "maxIterations",
            kind: Kind::Count { default: 50, min: 1, max: 10_000 },
            about: "Number of iterations. The memory takes 4 bytes for each and each vertex.",
        },
        Parameter {
            name: "maxCommunities",
            kind: Kind::Count { default: 1, min: 1, max: 10_001 },
            about: "Maximum number of communities of a vertex.",
        },
        Parameter {
            name: "threshold",
            kind: Kind::Number { default: 0.0, min: 0.0, max: 1.0 },
            about: "The least frequency of a community in the memory of a vertex.",
        },
        DIRECTION,
        SEED,
    ],
    columns: &["community", "frequency", "communities"],
    is_by_vertex: true,
    memory: |vertices, edges| edges * 12 + vertices * (51 * 4 + 128),
    run,
};

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let vertices = graph.vertex_count();
    let iterations = parameters.count("maxIterations") as usize;
    let seed = parameters.count("seed");
    // Listeners look against the direction in which labels go.
    let direction = match parameters.direction() {
        Direction::Outbound => Direction::Inbound,
        Direction::Inbound => Direction::Outbound,
        Direction::Any => Direction::Any,
    };
    let reach = Reach::new(graph, work, direction)?;
    let size = iterations + 1;
    let _charge = work.reserve((vertices as u64).saturating_mul(4 * (size as u64 + 2)))?;
    let mut memory = vec![0_u32; vertices * size];
    let mut lengths = vec![1_u32; vertices];
    (0..vertices).for_each(|vertex| memory[vertex * size] = vertex as u32);
    let mut spoken = vec![0_u32; vertices];
    for iteration in 0..iterations {
        work.set_progress(iteration as u64, iterations as u64);
        parallel::fill(work, &mut spoken, |first, part| {
            for (label, vertex) in part.iter_mut().zip(first..) {
                let place = iteration as u64 * vertices as u64 + vertex as u64;
                let chosen = random::generator(seed, place).u32(..lengths[vertex]);
                *label = memory[vertex * size + chosen as usize];
            }
            Ok(())
        })?;
        let parts = memory.par_chunks_mut(CHUNK * size).zip(lengths.par_chunks_mut(CHUNK)).enumerate();
        parts.try_for_each(|(i, (memory, lengths))| -> Result<()> {
            work.check()?;
            let mut heard = Vec::new();
            for ((memory, length), vertex) in memory.chunks_mut(size).zip(lengths).zip((i * CHUNK) as u32..) {
                heard.clear();
                heard.extend(reach.targets(vertex).map(|speaker| spoken[speaker as usize]));
                heard.sort_unstable();
                if let Some((label, _)) = runs(&heard).reduce(|a, b| if b.1 > a.1 { b } else { a }) {
                    memory[*length as usize] = label;
                    *length += 1;
                }
            }
            Ok(())
        })?;
    }
    table(work, parameters, &memory, &lengths, size)
}

fn table(
    work: &Work,
    parameters: &Parameters,
    memory: &[u32],
    lengths: &[u32],
    size: usize,
) -> Result<Table> {
    let (max, threshold) = (parameters.count("maxCommunities") as usize, parameters.number("threshold"));
    let mut first = Vec::with_capacity(lengths.len());
    let mut frequencies = Vec::with_capacity(lengths.len());
    let mut communities = Lists::default();
    let _charge = work.reserve_for::<(u32, f64, usize, usize, bool)>(lengths.len())?;
    let mut growing = work.reserve(0)?;
    let mut is_first = vec![false; lengths.len()];
    for (vertex, length) in lengths.iter().enumerate() {
        if vertex % 1_024 == 0 {
            work.check()?;
        }
        let mut labels = memory[vertex * size..vertex * size + *length as usize].to_vec();
        labels.sort_unstable();
        let mut counts: Vec<(u32, usize)> = runs(&labels).collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let frequency = |count: usize| count as f64 / f64::from(*length);
        let kept = counts.iter().take(max).take_while(|(_, count)| frequency(*count) >= threshold).count();
        counts.truncate(kept.max(1));
        growing.grow((2 * counts.len() * size_of::<u32>()) as u64)?;
        // A memory is never empty.
        if let Some((label, count)) = counts.first() {
            first.push(*label);
            frequencies.push(frequency(*count));
            is_first[*label as usize] = true;
        }
        communities.push(counts.into_iter().map(|(label, _)| label));
    }
    drop(growing);
    let count = is_first.iter().filter(|is| **is).count();
    Ok(Table::by_vertex(work)?
        .with_column("community", Column::Vertex(first))?
        .with_column("frequency", Column::Number(frequencies))?
        .with_column("communities", Column::Vertices(communities))?
        .with_statistic("communities", Statistic::Count(count as u64))
        .with_statistic("iterations", Statistic::Count(size as u64 - 1)))
}

/// Iterates over the different labels of an ordered list, with their counts.
fn runs(labels: &[u32]) -> impl Iterator<Item = (u32, usize)> {
    labels.chunk_by(|a, b| a == b).filter_map(|run| Some((*run.first()?, run.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn communities(graph: &Graph, parameters: &str) -> Vec<Vec<u32>> {
        let table = testing::run(&SLPA, graph, parameters).unwrap();
        let Some(Column::Vertices(lists)) = table.column("communities") else { panic!("no column") };
        let Some(Column::Vertex(first)) = table.column("community") else { panic!("no column") };
        let lists: Vec<Vec<u32>> = (0..lists.len()).map(|i| lists.get(i).to_vec()).collect();
        assert!(lists.iter().map(|list| list[0]).eq(first.iter().copied()));
        lists
    }

    #[test]
    fn a_vertex_that_hears_nothing_keeps_itself() {
        let graph = testing::graph(2, &[(0, 1)]);
        let found = communities(&graph, r#"{"maxIterations": 3, "maxCommunities": 5}"#);
        // The listener remembers the speaker three times, and itself once.
        assert_eq!(found, [vec![0], vec![0, 1]]);
        let found = communities(&graph, r#"{"maxIterations": 3, "maxCommunities": 5, "threshold": 0.3}"#);
        assert_eq!(found, [[0], [0]]);
        assert_eq!(communities(&graph, r#"{"threshold": 1.0, "direction": "inbound"}"#), [[1], [1]]);
        assert!(communities(&testing::graph(0, &[]), "{}").is_empty());
        assert_eq!(communities(&testing::graph(1, &[(0, 0)]), "{}"), [[0]]);
    }

    #[test]
    fn cliques_are_communities() {
        let mut edges = Vec::new();
        for clique in [0, 8, 16] {
            for a in 0..8 {
                edges.extend((0..8).filter(|b| *b != a).map(|b| (clique + a, clique + b)));
            }
        }
        edges.push((7, 8));
        let graph = testing::graph(24, &edges);
        for seed in 0..5 {
            let parameters = format!(r#"{{"seed": {seed}, "direction": "any"}}"#);
            let found = communities(&graph, &parameters);
            assert_eq!(found, communities(&graph, &parameters));
            for vertex in 0..24 {
                let (own, other) = (found[vertex][0], found[vertex / 8 * 8][0]);
                assert_eq!(own, other, "seed {seed}");
            }
            assert_ne!(found[0], found[23]);
        }
    }
}
