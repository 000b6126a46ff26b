//! PageRank: the importance of vertices by that of those with edges to them.

use errors::{Error, Result};
use rayon::prelude::*;

use super::gather;
use super::weights::{self, Needs, WEIGHTED};
use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::{Adjacency, Graph, Sides};
use crate::parallel::{self, CHUNK};
use crate::parameters::{DIRECTION, Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(super) const PAGE_RANK: Algorithm = Algorithm {
    name: "pageRank",
    about: "Ranks vertices by the ranks of those with edges to them.",
    definition: "rank(v) = (1 - d)·t(v) + d·Σ rank(u)·w(u,v)/w(u) over the edges u→v, with d the \
                 damping and w(u) the sum of u's weights; without weights each edge counts 1 (Page, \
                 Brin, Motwani, Winograd: The PageRank Citation Ranking, 1999). t(v) and the first \
                 rank are 1/n; with `sources` they are the same for each source and 0 elsewhere; with \
                 `seedAttribute` they are its values over their sum, and 0 without a value. A sink has \
                 no edge, or only weights of 0. With `sinks` = spread, d·Σ rank(sinks)·t(v) is added, \
                 so that ranks sum up to 1 (LDBC Graphalytics); with drop it is lost (ArangoDB's \
                 Pregel). With `startAttribute` the first rank of a vertex is its value, where it is a \
                 number from 0. It stops when the ranks' absolute changes sum up to less than \
                 `tolerance`, or with `norm` = greatest, when each is less; 0 runs all iterations. \
                 Parallel edges and loops count one by one. Negative and infinite weights are refused.",
    parameters: &[
        Parameter {
            name: "damping",
            kind: Kind::Number { default: 0.85, min: 0.0, max: 1.0 },
            about: "The part of a rank that follows edges.",
        },
        Parameter {
            name: "maxIterations",
            kind: Kind::Count { default: 50, min: 1, max: 1_000_000 },
            about: "Maximum number of iterations.",
        },
        Parameter {
            name: "tolerance",
            kind: Kind::Number { default: 1e-6, min: 0.0, max: f64::MAX },
            about: "The sum of the changes of all ranks below which it stops; 0 runs all iterations.",
        },
        Parameter {
            name: "norm",
            kind: Kind::Choice(&["sum", "greatest"]),
            about: "The changes that are compared with `tolerance`: their sum, or the greatest one.",
        },
        Parameter {
            name: "sources",
            kind: Kind::Vertices { max: 100_000 },
            about: "Vertices from which rank comes; all by default.",
        },
        Parameter {
            name: "seedAttribute",
            kind: Kind::Attribute,
            about: "A vertex attribute whose values say how much rank comes from each vertex.",
        },
        Parameter {
            name: "startAttribute",
            kind: Kind::Attribute,
            about: "A vertex attribute with the ranks at which it starts.",
        },
        Parameter {
            name: "sinks",
            kind: Kind::Choice(&["spread", "drop"]),
            about: "The rank of vertices without edges is spread like the first ranks, or dropped.",
        },
        WEIGHTED,
        DIRECTION,
    ],
    columns: &["rank"],
    is_by_vertex: true,
    memory: |vertices, edges| vertices * 64 + edges * 12,
    run,
};

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let vertices = graph.vertex_count();
    let is_weighted = parameters.flag(WEIGHTED.name) && graph.is_weighted();
    if is_weighted {
        weights::check(graph, work, Needs::FromZero)?;
    }
    let _arrays = work.reserve_for::<[f64; 5]>(vertices)?;
    let origins = origins(graph, parameters)?;
    let ahead = graph.sides(work, parameters.direction())?;
    let mut shares = vec![0.0; vertices];
    parallel::fill(work, &mut shares, |first, part| {
        for (share, vertex) in part.iter_mut().zip(first as u32..) {
            let sum = if is_weighted { ahead.weight(vertex) } else { ahead.degree(vertex) as f64 };
            if sum.is_infinite() {
                return Err(Error::bad_parameter(format!(
                    "the weights of vertex {vertex} sum up to infinity; pageRank takes finite sums"
                )));
            }
            *share = if sum > 0.0 { (1.0 / sum).min(f64::MAX) } else { 0.0 };
        }
        Ok(())
    })?;
    let first_of = |vertex: usize| origins.as_ref().map_or(1.0 / vertices as f64, |of| of[vertex]);
    let mut ranks: Vec<f64> = (0..vertices).map(first_of).collect();
    if let Some(name) = parameters.attribute("startAttribute") {
        let values = graph.attribute(name)?;
        for (vertex, rank) in ranks.iter_mut().enumerate() {
            let given = values.number(vertex).filter(|given| *given >= 0.0 && given.is_finite());
            *rank = given.unwrap_or(*rank);
        }
    }
    let mut state = State {
        behind: graph.sides(work, parameters.direction().reversed())?,
        is_weighted,
        damping: parameters.number("damping"),
        spreads: parameters.choice("sinks") == "spread",
        takes_greatest: parameters.choice("norm") == "greatest",
        sent: ranks.iter().zip(&shares).map(|(rank, share)| rank * share).collect(),
        next_sent: vec![0.0; vertices],
        in_sinks: ranks.iter().zip(&shares).filter(|(_, share)| **share == 0.0).map(|(rank, _)| rank).sum(),
        ranks,
        shares,
        origins,
    };
    let (limit, tolerance) = (parameters.count("maxIterations"), parameters.number("tolerance"));
    let (mut iterations, mut change) = (0, f64::INFINITY);
    while iterations < limit && (tolerance == 0.0 || change >= tolerance) {
        change = state.step(work)?;
        iterations += 1;
        work.set_progress(iterations, limit);
    }
    let table = Table::by_vertex(work)?.with_column("rank", Column::Number(state.ranks))?;
    Ok(table
        .with_statistic("iterations", Statistic::Count(iterations))
        .with_statistic("converged", Statistic::Flag(change < tolerance || change == 0.0))
        .with_statistic("change", Statistic::Number(change)))
}

/// Returns the part of the rank that comes from each vertex; `None` if it is the same for all.
fn origins(graph: &Graph, parameters: &Parameters) -> Result<Option<Vec<f64>>> {
    let (sources, attribute) = (parameters.vertices("sources"), parameters.attribute("seedAttribute"));
    let mut origins = vec![0.0; graph.vertex_count()];
    match attribute {
        Some(_) if !sources.is_empty() => {
            return Err(Error::bad_parameter("'sources' and 'seedAttribute' exclude each other"));
        }
        None if sources.is_empty() => return Ok(None),
        None => sources.iter().for_each(|source| origins[*source as usize] = 1.0),
        Some(name) => {
            let values = graph.attribute(name)?;
            for (vertex, origin) in origins.iter_mut().enumerate() {
                *origin = values.number(vertex).unwrap_or_default();
                if !(*origin >= 0.0 && origin.is_finite()) {
                    return Err(Error::bad_parameter(format!(
                        "'{name}' of vertex {vertex} is {origin}; pageRank takes finite numbers from 0"
                    )));
                }
            }
        }
    }
    // The greatest value divides first, so that the sum is finite.
    let greatest = origins.iter().copied().fold(0.0, f64::max);
    if greatest == 0.0 && !origins.is_empty() {
        let name = attribute.unwrap_or_default();
        return Err(Error::bad_parameter(format!(
            "'{name}' is greater than 0 at no vertex; at least one must have a rank"
        )));
    }
    origins.iter_mut().for_each(|origin| *origin /= greatest);
    let sum: f64 = origins.iter().sum();
    origins.iter_mut().for_each(|origin| *origin /= sum);
    Ok(Some(origins))
}

struct State<'g> {
    behind: Sides<'g>,
    is_weighted: bool,
    damping: f64,
    spreads: bool,
    takes_greatest: bool,
    ranks: Vec<f64>,
    /// The rank that each vertex sends along an edge of weight 1, and the same of the next step.
    sent: Vec<f64>,
    next_sent: Vec<f64>,
    /// One over the weights of each vertex; 0 for sinks.
    shares: Vec<f64>,
    origins: Option<Vec<f64>>,
    /// The rank of all sinks.
    in_sinks: f64,
}

impl State<'_> {
    /// Does one iteration, and returns the sum of the changes, or the greatest one.
    fn step(&mut self, work: &Work) -> Result<f64> {
        let State { behind, is_weighted, damping, sent, shares, origins, .. } = self;
        let (behind, is_weighted, damping) = (*behind, *is_weighted, *damping);
        let joined: fn(f64, f64) -> f64 =
            if self.takes_greatest { f64::max } else { |sum, change| sum + change };
        let from_sinks = if self.spreads { damping * self.in_sinks } else { 0.0 };
        let spread = 1.0 - damping + from_sinks;
        let even = spread / self.ranks.len() as f64;
        let parts: Result<Vec<(f64, f64)>> = self
            .ranks
            .par_chunks_mut(CHUNK)
            .zip(self.next_sent.par_chunks_mut(CHUNK))
            .enumerate()
            .map(|(i, (ranks, next_sent))| {
                work.check()?;
                let (mut change, mut in_sinks) = (0.0, 0.0);
                let first = i * CHUNK;
                let shares = &shares[first..];
                for (j, ((rank, next), share)) in ranks.iter_mut().zip(next_sent).zip(shares).enumerate() {
                    let vertex = first + j;
                    let base = origins.as_ref().map_or(even, |of| spread * of[vertex]);
                    let new = base + damping * received(behind, is_weighted, sent, vertex as u32);
                    change = joined(change, (new - *rank).abs());
                    in_sinks += if *share == 0.0 { new } else { 0.0 };
                    *rank = new;
                    *next = new * share;
                }
                Ok((change, in_sinks))
            })
            .collect();
        let (change, in_sinks) =
            parts?.iter().fold((0.0, 0.0), |all, part| (joined(all.0, part.0), all.1 + part.1));
        self.in_sinks = in_sinks;
        std::mem::swap(&mut self.sent, &mut self.next_sent);
        Ok(change)
    }
}

/// Returns the sum that a vertex receives over its edges.
fn received(behind: Sides<'_>, is_weighted: bool, sent: &[f64], vertex: u32) -> f64 {
    let over = |rows: &Adjacency| -> f64 {
        let targets = rows.targets(vertex);
        match rows.weights(vertex).filter(|_| is_weighted) {
            None => gather::sum(sent, targets),
            Some(weights) => gather::weighted_sum(sent, targets, weights, 1.0),
        }
    };
    behind.iter().map(over).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    fn ranks(graph: &Graph, parameters: &str) -> Vec<f64> {
        match testing::run(&PAGE_RANK, graph, parameters).unwrap().column("rank") {
            Some(Column::Number(ranks)) => ranks.clone(),
            _ => panic!("wrong column"),
        }
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
        }
    }

    /// Multiplies by the full matrix of the chain.
    fn naive(
        edges: &[(u32, u32, f64)],
        origins: &[f64],
        (damping, iterations): (f64, usize),
        spreads: bool,
    ) -> Vec<f64> {
        let n = origins.len();
        let mut matrix = vec![vec![0.0; n]; n];
        edges.iter().for_each(|(from, to, weight)| matrix[*from as usize][*to as usize] += weight);
        for row in &mut matrix {
            let sum: f64 = row.iter().sum();
            match sum > 0.0 {
                true => row.iter_mut().for_each(|cell| *cell /= sum),
                false if spreads => row.copy_from_slice(origins),
                false => {}
            }
        }
        let mut ranks = origins.to_vec();
        for _ in 0..iterations {
            let from = |to: usize| (0..n).map(|from| ranks[from] * matrix[from][to]).sum::<f64>();
            ranks = (0..n).map(|to| (1.0 - damping) * origins[to] + damping * from(to)).collect();
        }
        ranks
    }

    #[test]
    fn sinks_spread_or_lose_their_rank() {
        let graph = testing::graph(2, &[(0, 1)]);
        let two = r#""damping": 0.5, "maxIterations": 2, "tolerance": 0"#;
        // 0.25 + 0.5·0.5/2 = 0.375 and 0.25 + 0.5·0.5 + 0.125 = 0.625; then the same again.
        assert_close(&ranks(&graph, &format!("{{{two}}}")), &[0.406_25, 0.593_75]);
        assert_close(&ranks(&graph, &format!(r#"{{{two}, "sinks": "drop"}}"#)), &[0.25, 0.375]);
    }

    #[test]
    fn first_ranks_and_the_norm_are_chosen() {
        let mut graph = testing::graph(3, &[(0, 1), (1, 2)]);
        graph.set_attribute("first".to_owned(), Column::Number(vec![0.9, f64::NAN, -1.0]));
        let once = r#""damping": 0.5, "maxIterations": 1, "sinks": "drop""#;
        let even = 1.0 / 6.0;
        // Vertices without a number from 0 start at 1/n.
        assert_close(
            &ranks(&graph, &format!(r#"{{{once}, "startAttribute": "first"}}"#)),
            &[even, even + 0.45, even + even],
        );
        // The changes are 1/6, 1/12 and 1/12.
        let star = testing::graph(3, &[(0, 1), (0, 2)]);
        let change = |norm: &str| {
            let table = testing::run(&PAGE_RANK, &star, &format!(r#"{{{once}, "norm": "{norm}"}}"#)).unwrap();
            let Some(Statistic::Number(change)) = table.statistic("change") else { panic!("no change") };
            change
        };
        assert_close(&[change("sum"), change("greatest")], &[1.0 / 3.0, 1.0 / 6.0]);
    }

    #[test]
    fn it_stops_once_ranks_hardly_change() {
        let graph = testing::graph(3, &[(0, 1), (1, 2), (2, 0)]);
        let table = testing::run(&PAGE_RANK, &graph, "{}").unwrap();
        assert_eq!(table.statistic("iterations"), Some(Statistic::Count(1)));
        assert_eq!(table.statistic("converged"), Some(Statistic::Flag(true)));
        let table = testing::run(&PAGE_RANK, &graph, r#"{"tolerance": 0, "maxIterations": 9}"#).unwrap();
        assert_eq!(table.statistic("iterations"), Some(Statistic::Count(9)));
    }

    #[test]
    fn rank_comes_from_the_sources_or_the_seeds() {
        let mut graph = testing::graph(3, &[(0, 1), (1, 0), (2, 0)]);
        let all = r#""tolerance": 0, "maxIterations": 200"#;
        let from_first = ranks(&graph, &format!(r#"{{{all}, "sources": [0]}}"#));
        assert_close(&from_first, &[1.0 / 1.85, 0.85 / 1.85, 0.0]);
        graph.set_attribute("seed".into(), Column::Number(vec![5.0, f64::NAN, 0.0]));
        assert_eq!(ranks(&graph, &format!(r#"{{{all}, "seedAttribute": "seed"}}"#)), from_first);
        let both = r#"{"sources": [0], "seedAttribute": "seed"}"#;
        assert!(testing::run(&PAGE_RANK, &graph, both).is_err());
        graph.set_attribute("seed".into(), Column::Number(vec![-1.0, 0.0, 0.0]));
        assert!(testing::run(&PAGE_RANK, &graph, r#"{"seedAttribute": "seed"}"#).is_err());
        graph.set_attribute("seed".into(), Column::Number(vec![0.0; 3]));
        assert!(testing::run(&PAGE_RANK, &graph, r#"{"seedAttribute": "seed"}"#).is_err());
    }

    #[test]
    fn a_negative_weight_is_named() {
        let graph = testing::weighted(3, &[(0, 1, 1.0), (2, 1, -2.0)]);
        let error = testing::run(&PAGE_RANK, &graph, r#"{"weighted": true}"#).unwrap_err();
        assert!(error.to_string().contains("from vertex 2 to 1 has the weight -2"), "{error}");
        assert!(testing::run(&PAGE_RANK, &graph, "{}").is_ok());
        let graph = testing::weighted(2, &[(1, 0, f64::MAX), (1, 0, f64::MAX)]);
        let error = testing::run(&PAGE_RANK, &graph, r#"{"weighted": true}"#).unwrap_err();
        assert!(error.to_string().contains("weights of vertex 1"), "{error}");
        let graph = testing::weighted(2, &[(1, 0, 5e-324), (0, 1, 1.0)]);
        assert!(ranks(&graph, r#"{"weighted": true}"#).iter().all(|rank| rank.is_finite()));
    }

    #[test]
    fn small_graphs_have_ranks() {
        assert!(ranks(&testing::graph(0, &[]), "{}").is_empty());
        assert_close(&ranks(&testing::graph(1, &[]), "{}"), &[1.0]);
        assert_close(&ranks(&testing::graph(2, &[(0, 0), (1, 1)]), "{}"), &[0.5, 0.5]);
    }

    proptest! {
        #[test]
        fn ranks_are_those_of_the_matrix(
            edges in prop::collection::vec((0_u32..8, 0_u32..8, 0_u8..4), 0..25),
            source in 0_u32..8,
            (is_personal, spreads, any) in any::<(bool, bool, bool)>(),
        ) {
            let edges: Vec<(u32, u32, f64)> =
                edges.into_iter().map(|(from, to, weight)| (from, to, f64::from(weight))).collect();
            let mut both = edges.clone();
            both.extend(edges.iter().filter(|_| any).map(|(from, to, weight)| (*to, *from, *weight)));
            let mut origins = vec![if is_personal { 0.0 } else { 1.0 / 8.0 }; 8];
            if is_personal {
                origins[source as usize] = 1.0;
            }
            let sources = if is_personal { format!(r#""sources": [{source}],"#) } else { String::new() };
            let (sinks, direction) =
                (if spreads { "spread" } else { "drop" }, if any { "any" } else { "outbound" });
            let parameters = format!(
                r#"{{{sources} "sinks": "{sinks}", "direction": "{direction}", "weighted": true,
                     "damping": 0.7, "maxIterations": 7, "tolerance": 0}}"#
            );
            let found = ranks(&testing::weighted(8, &edges), &parameters);
            assert_close(&found, &naive(&both, &origins, (0.7, 7), spreads));
        }
    }
}
