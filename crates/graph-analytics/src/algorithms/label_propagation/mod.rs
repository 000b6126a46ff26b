//! Label propagation: communities by the labels of most neighbours.

mod labels;
mod votes;

use errors::Result;

use self::votes::Votes;
use super::pool::Pool;
use crate::algorithm::Algorithm;
use crate::graph::{Graph, Sides};
use crate::parallel;
use crate::parameters::{Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(super) const LABEL_PROPAGATION: Algorithm = Algorithm {
    name: "labelPropagation",
    about: "Finds communities: vertices take the label that most of their neighbours have.",
    definition: "Each vertex begins with its number or its value of `startAttribute` as label, and \
                 takes in each iteration the most frequent label of its neighbours (Raghavan, Albert, \
                 Kumara, 2007). Synchronous iterations read the labels of the last one, and of equally \
                 frequent labels the smallest wins (CDLP of LDBC Graphalytics). Otherwise vertices take \
                 turns in order and see the newest labels, and keep an equally frequent label. With \
                 `keepSmaller` they keep their label in place of a greater one if no label is there \
                 twice, and only then (ArangoDB's Pregel). Numbers are ordered by value, texts by their \
                 bytes. `randomTieBreak` replaces the smallest by one that depends on `seed`, iteration \
                 and vertex. Along direction `any`, both ends of \
                 an edge see each other, and a pair of opposite edges counts twice; along `outbound`, a \
                 vertex sees those with edges to it. Parallel edges and loops count one by one. Vertices \
                 without a value of the attribute have no label until they see one. Weights have no \
                 effect.",
    parameters: &[
        Parameter {
            name: "maxIterations",
            kind: Kind::Count { default: 10, min: 1, max: 1_000_000 },
            about: "Maximum number of iterations.",
        },
        Parameter {
            name: "synchronous",
            kind: Kind::Flag { default: true },
            about: "All vertices change at once; otherwise one after another.",
        },
        Parameter {
            name: "startAttribute",
            kind: Kind::Attribute,
            about: "A vertex attribute with the first labels; the vertices' numbers by default.",
        },
        Parameter {
            name: "randomTieBreak",
            kind: Kind::Flag { default: false },
            about: "A random one of equally frequent labels wins; otherwise the smallest.",
        },
        Parameter {
            name: "keepSmaller",
            kind: Kind::Flag { default: false },
            about: "A vertex keeps its label if it is smaller than those that it sees once each.",
        },
        Parameter {
            name: "seed",
            kind: Kind::Count { default: 0, min: 0, max: u64::MAX },
            about: "The seed of random tie breaks.",
        },
        Parameter {
            name: "direction",
            kind: Kind::Choice(&["any", "outbound", "inbound"]),
            about: "Labels travel both ways, along edges, or against them.",
        },
    ],
    columns: &["label"],
    is_by_vertex: true,
    memory: |vertices, edges| vertices * 32 + vertices.min(edges) * 72 + edges * 12,
    run,
};

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let vertices = graph.vertex_count();
    let _arrays = work.reserve_for::<[u32; 2]>(vertices)?;
    let (mut codes, values) = labels::start(graph, parameters.attribute("startAttribute"), work)?;
    let sides = graph.sides(work, parameters.direction().reversed())?;
    let greatest =
        (0..vertices as u32).map(|vertex| sides.degree(vertex)).max().unwrap_or_default().min(vertices);
    let limit = parameters.count("maxIterations");
    let is_synchronous = parameters.flag("synchronous");
    let threads = if is_synchronous { rayon::current_num_threads() as u64 } else { 1 };
    let _votes = work.reserve(Votes::bytes_for(greatest).saturating_mul(threads))?;
    let pool = Pool::default();
    let mut next = if is_synchronous { codes.clone() } else { Vec::new() };
    let (mut iterations, mut is_converged) = (0, false);
    while iterations < limit && !is_converged {
        let turn = Turn {
            sides,
            keeps_smaller: parameters.flag("keepSmaller"),
            seed: parameters.flag("randomTieBreak").then(|| mixed(parameters.count("seed"), iterations)),
        };
        let changed = if is_synchronous {
            let changed = parallel::fill_and_sum(work, &mut next, |first, part| {
                pool.with(|| Ok(Votes::default()), |votes| Ok(turn.all_at_once(&codes, first, part, votes)))
            })?;
            std::mem::swap(&mut codes, &mut next);
            changed > 0.0
        } else {
            turn.one_by_one(&mut codes, &mut Votes::default(), work)?
        };
        is_converged = !changed;
        iterations += 1;
        work.set_progress(iterations, limit);
    }
    let communities = communities(&mut next, &codes);
    let table = Table::by_vertex(work)?.with_column("label", values.column(codes))?;
    Ok(table
        .with_statistic("iterations", Statistic::Count(iterations))
        .with_statistic("converged", Statistic::Flag(is_converged))
        .with_statistic("labels", Statistic::Count(communities)))
}

/// Returns the number of distinct labels.
fn communities(space: &mut Vec<u32>, codes: &[u32]) -> u64 {
    space.clear();
    space.extend(codes.iter().filter(|code| **code != labels::NO_LABEL));
    space.sort_unstable();
    space.dedup();
    space.len() as u64
}

/// One iteration.
struct Turn<'g> {
    /// The edges over which a vertex sees others.
    sides: Sides<'g>,
    /// The seed of this iteration's tie breaks; `None` if the smallest label wins.
    seed: Option<u64>,
    /// True if a vertex keeps a label that is smaller than those that it sees once each.
    keeps_smaller: bool,
}

impl Turn<'_> {
    /// Sets the labels of vertices from `first`, and returns how many changed.
    fn all_at_once(&self, codes: &[u32], first: usize, next: &mut [u32], votes: &mut Votes) -> f64 {
        let mut changed = 0.0;
        for (label, vertex) in next.iter_mut().zip(first..) {
            let old = codes[vertex];
            *label = self.winner(codes, vertex as u32, None, votes).unwrap_or(old);
            changed += f64::from(u8::from(*label != old));
        }
        changed
    }

    /// Sets the labels of all vertices in order, and returns true if one changed.
    fn one_by_one(&self, codes: &mut [u32], votes: &mut Votes, work: &Work) -> Result<bool> {
        let mut has_changed = false;
        for vertex in 0..codes.len() {
            if vertex % 1_024 == 0 {
                work.check()?;
            }
            let old = codes[vertex];
            let new = self.winner(codes, vertex as u32, Some(old), votes).unwrap_or(old);
            has_changed |= new != old;
            codes[vertex] = new;
        }
        Ok(has_changed)
    }

    fn winner(&self, codes: &[u32], vertex: u32, kept: Option<u32>, votes: &mut Votes) -> Option<u32> {
        let seen = self.sides.iter().flat_map(|rows| rows.targets(vertex)).map(|to| codes[*to as usize]);
        let degree = self.sides.degree(vertex).min(codes.len());
        // There are no more labels than vertices.
        let kept = kept.filter(|_| !self.keeps_smaller);
        let (label, count) = match self.seed.map(|seed| mixed(seed, u64::from(vertex))) {
            None => votes.winner(seen, degree, kept, u64::from)?,
            Some(seed) => votes.winner(seen, degree, kept, |label| mixed(seed, u64::from(label)))?,
        };
        // No label is there twice. Without a label the vertex has the greatest number.
        let own = codes[vertex as usize];
        Some(if self.keeps_smaller && count == 1 { label.min(own) } else { label })
    }
}

/// Returns a random number of a seed and a counter.
fn mixed(seed: u64, counter: u64) -> u64 {
    fastrand::Rng::with_seed(seed ^ counter.wrapping_mul(0x9E37_79B9_7F4A_7C15)).u64(..)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::column::{Column, Labels, Lists, NO_COUNT};
    use crate::testing;

    fn labels_of(graph: &Graph, parameters: &str) -> Column {
        testing::run(&LABEL_PROPAGATION, graph, parameters).unwrap().column("label").cloned().unwrap()
    }

    #[test]
    fn a_smaller_label_stays_where_none_is_there_twice() {
        // A pair of vertices that see each other would swap their labels for ever.
        let pair = testing::graph(2, &[(0, 1), (1, 0)]);
        let labels = |graph: &Graph, more: &str| {
            let parameters = format!(r#"{{"direction": "outbound", "maxIterations": 3{more}}}"#);
            testing::run(&LABEL_PROPAGATION, graph, &parameters).unwrap().column("label").cloned()
        };
        assert_eq!(labels(&pair, ""), Some(Column::Count(vec![1, 0])));
        assert_eq!(labels(&pair, r#", "keepSmaller": true"#), Some(Column::Count(vec![0, 0])));
        // Twice the same greater label wins.
        let twice = testing::graph(2, &[(1, 0), (1, 0)]);
        assert_eq!(labels(&twice, r#", "keepSmaller": true"#), Some(Column::Count(vec![1, 1])));
    }

    #[test]
    fn two_vertices_swap_labels_if_they_change_at_once() {
        let graph = testing::graph(3, &[(0, 1)]);
        assert_eq!(labels_of(&graph, r#"{"maxIterations": 3}"#), Column::Count(vec![1, 0, 2]));
        let table = testing::run(&LABEL_PROPAGATION, &graph, r#"{"synchronous": false}"#).unwrap();
        assert_eq!(table.column("label"), Some(&Column::Count(vec![1, 1, 2])));
        assert_eq!(table.statistic("converged"), Some(Statistic::Flag(true)));
        assert_eq!(table.statistic("labels"), Some(Statistic::Count(2)));
    }

    #[test]
    fn labels_travel_in_the_direction() {
        let graph = testing::graph(2, &[(0, 1)]);
        assert_eq!(labels_of(&graph, r#"{"direction": "outbound"}"#), Column::Count(vec![0, 0]));
        assert_eq!(labels_of(&graph, r#"{"direction": "inbound"}"#), Column::Count(vec![1, 1]));
    }

    #[test]
    fn attributes_are_labels_in_their_own_order() {
        let mut graph = testing::graph(4, &[(0, 2), (1, 2), (2, 3)]);
        let parameters = r#"{"startAttribute": "a", "direction": "outbound", "maxIterations": 1}"#;
        let texts = |codes: Vec<u32>, texts: [&str; 2]| {
            Column::Label(Labels { codes, texts: texts.map(str::to_owned).to_vec() })
        };
        graph.set_attribute("a".into(), texts(vec![0, 1, u32::MAX, u32::MAX], ["b", "a"]));
        assert_eq!(labels_of(&graph, parameters), texts(vec![1, 0, 0, u32::MAX], ["a", "b"]));
        graph.set_attribute("a".into(), Column::Number(vec![-1.0, -2.5, f64::NAN, 7.0]));
        assert!(matches!(labels_of(&graph, parameters),
            Column::Number(numbers) if numbers == [-1.0, -2.5, -2.5, 7.0]));
        graph.set_attribute("a".into(), Column::Count(vec![900, 800, NO_COUNT, 1]));
        assert_eq!(labels_of(&graph, parameters), Column::Count(vec![900, 800, 800, 1]));
        graph.set_attribute("a".into(), Column::Flag(vec![true, true, false, true]));
        assert_eq!(labels_of(&graph, parameters), Column::Flag(vec![true, true, true, false]));
        let mut lists = Lists::default();
        (0..4).for_each(|vertex| lists.push([vertex]));
        graph.set_attribute("a".into(), Column::Vertices(lists));
        assert!(testing::run(&LABEL_PROPAGATION, &graph, parameters).is_err());
    }

    #[test]
    fn a_seed_decides_ties() {
        let edges: Vec<(u32, u32)> = (1..40).map(|from| (from, 0)).collect();
        let graph = testing::graph(40, &edges);
        let first = |seed: u32| {
            let parameters =
                format!(r#"{{"direction": "outbound", "randomTieBreak": true, "seed": {seed}}}"#);
            match labels_of(&graph, &parameters) {
                Column::Count(labels) => labels[0],
                _ => panic!("wrong column"),
            }
        };
        let winners: Vec<u64> = (0..10).map(first).collect();
        assert!(winners.iter().any(|winner| *winner != winners[0]), "{winners:?}");
        assert_eq!(first(3), first(3));
        assert!(winners.iter().all(|winner| (1..40).contains(winner)));
    }

    proptest! {
        /// Counts with one row of counts for each vertex.
        #[test]
        fn labels_are_those_of_full_counts(
            edges in prop::collection::vec((0_u32..12, 0_u32..12), 0..60),
            iterations in 1..5,
            synchronous: bool,
        ) {
            let mut labels: Vec<u64> = (0..12).collect();
            for _ in 0..iterations {
                let mut next = labels.clone();
                for vertex in 0..12_u32 {
                    let seen = if synchronous { &labels } else { &next };
                    let mut counts = [0; 12];
                    for (from, to) in &edges {
                        counts[seen[*from as usize] as usize] += i32::from(*to == vertex);
                        counts[seen[*to as usize] as usize] += i32::from(*from == vertex);
                    }
                    let most = counts.iter().copied().max().unwrap_or_default();
                    let keeps = most == 0
                        || !synchronous && counts[seen[vertex as usize] as usize] == most;
                    if !keeps {
                        next[vertex as usize] = counts.iter().position(|count| *count == most).unwrap() as u64;
                    }
                }
                labels = next;
            }
            let parameters = format!(r#"{{"maxIterations": {iterations}, "synchronous": {synchronous}}}"#);
            prop_assert_eq!(labels_of(&testing::graph(12, &edges), &parameters), Column::Count(labels));
        }
    }
}
