//! Similarity of vertices by the neighbours that they share.

use errors::Result;
use owner::Charge;
use rayon::prelude::*;

use super::pool::{Pool, threads};
use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::{Adjacency, Direction, Graph, Rows};
use crate::parallel;
use crate::parameters::{DIRECTION, Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::{Checks, Work};

pub(super) const NODE_SIMILARITY: Algorithm = Algorithm {
    name: "nodeSimilarity",
    about: "Finds for each vertex the vertices whose neighbours are most alike.",
    definition: "With A and B as the sets of neighbours of two vertices in `direction`: |A ∩ B| \
                 divided by |A ∪ B| (jaccard), by the lesser of |A| and |B| (overlap), or by the \
                 root of |A| |B| (cosine). Loops, parallel edges and weights make no difference. \
                 Neighbours with more than `maxDegree` edges, against the direction, are in A and B \
                 but not in A ∩ B; this bounds the work. Each vertex has at most `topK` rows, the \
                 most similar first and then in the order of vertices; pairs with nothing in common \
                 have none.",
    parameters: &[
        Parameter {
            name: "metric",
            kind: Kind::Choice(&["jaccard", "overlap", "cosine"]),
            about: "The measure of similarity.",
        },
        DIRECTION,
        Parameter {
            name: "topK",
            kind: Kind::Count { default: 10, min: 1, max: 1_000_000 },
            about: "Maximum number of rows of each vertex.",
        },
        Parameter {
            name: "cutoff",
            kind: Kind::Number { default: 0.0, min: 0.0, max: 1.0 },
            about: "The least similarity of a row.",
        },
        Parameter {
            name: "maxDegree",
            kind: Kind::Count { default: 1_000, min: 1, max: u64::MAX },
            about: "Maximum number of edges of a neighbour that counts as common.",
        },
    ],
    columns: &["vertex", "other", "similarity"],
    is_by_vertex: false,
    memory: |vertices, edges| edges * 36 + vertices * (24 + 320 + 8 * threads()),
    run,
};

/// The vertices that a thread takes at a time. Fewer than elsewhere, since each is much work.
const CHUNK: usize = 256;

/// A row: the vertex, the other, and their similarity.
type Row = (u32, u32, f64);

/// The arrays of a thread.
struct Counts {
    /// The common neighbours of a vertex with each other one.
    common: Vec<u32>,
    others: Vec<u32>,
    _charge: Charge,
}

/// The measure, which is the same for all vertices.
struct Measure<'g> {
    forward: Rows<'g>,
    backward: Rows<'g>,
    sizes: Vec<u32>,
    metric: &'static str,
    top: usize,
    cutoff: f64,
    max_degree: u64,
}

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let vertices = graph.vertex_count();
    let (forward, backward) = match parameters.direction() {
        Direction::Outbound => (Direction::Outbound, Direction::Inbound),
        Direction::Inbound => (Direction::Inbound, Direction::Outbound),
        Direction::Any => (Direction::Any, Direction::Any),
    };
    let rows = |direction| match direction {
        Direction::Any => graph.simple_rows(work),
        _ => graph.rows(work, direction),
    };
    let forward = rows(forward)?;
    let backward = if backward == Direction::Any { Rows::OfGraph(&forward) } else { rows(backward)? };
    let _charge = work.reserve_for::<u32>(vertices)?;
    let mut sizes = vec![0; vertices];
    parallel::fill(work, &mut sizes, |first, part| {
        for (size, vertex) in part.iter_mut().zip(first as u32..) {
            *size = neighbours(&forward, vertex).count() as u32;
        }
        Ok(())
    })?;
    let measure = Measure {
        forward: Rows::OfGraph(&forward),
        backward,
        sizes,
        metric: parameters.choice("metric"),
        top: parameters.count("topK") as usize,
        cutoff: parameters.number("cutoff"),
        max_degree: parameters.count("maxDegree"),
    };
    let pool = Pool::default();
    let make = || {
        let charge = work.reserve_for::<[u32; 2]>(vertices)?;
        Ok(Counts { common: vec![0; vertices], others: Vec::with_capacity(vertices), _charge: charge })
    };
    let parts: Result<Vec<(Vec<Row>, Charge)>> = (0..vertices.div_ceil(CHUNK))
        .into_par_iter()
        .map(|i| {
            let range = (i * CHUNK) as u32..vertices.min((i + 1) * CHUNK) as u32;
            pool.with(make, |counts| measure.rows_of(work, range, counts))
        })
        .collect();
    table(work, parts?)
}

fn table(work: &Work, parts: Vec<(Vec<Row>, Charge)>) -> Result<Table> {
    let count = parts.iter().map(|(rows, _)| rows.len()).sum();
    let charge = work.reserve_for::<Row>(count)?;
    let (mut vertices, mut others) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut similarities = Vec::with_capacity(count);
    for (rows, _) in parts {
        vertices.extend(rows.iter().map(|row| row.0));
        others.extend(rows.iter().map(|row| row.1));
        similarities.extend(rows.iter().map(|row| row.2));
    }
    drop(charge);
    Ok(Table::of_rows(work)?
        .with_column("vertex", Column::Vertex(vertices))?
        .with_column("other", Column::Vertex(others))?
        .with_column("similarity", Column::Number(similarities))?
        .with_statistic("pairs", Statistic::Count(count as u64)))
}

/// Iterates over the neighbours of a vertex: each once, and not itself.
fn neighbours(rows: &Adjacency, vertex: u32) -> impl Iterator<Item = u32> {
    let mut last = vertex;
    rows.targets(vertex).iter().copied().filter(move |target| {
        let is_new = *target != last && *target != vertex;
        last = *target;
        is_new
    })
}

impl Measure<'_> {
    /// Returns the rows of some vertices.
    fn rows_of(
        &self,
        work: &Work,
        range: std::ops::Range<u32>,
        counts: &mut Counts,
    ) -> Result<(Vec<Row>, Charge)> {
        let mut charge = work.reserve(0)?;
        let mut rows = Vec::new();
        let mut candidates: Vec<(u32, f64)> = Vec::new();
        let mut checks = Checks::default();
        for vertex in range {
            for neighbour in neighbours(&self.forward, vertex) {
                let degree = self.backward.degree(neighbour);
                if degree as u64 > self.max_degree {
                    continue;
                }
                checks.note(work, degree + 1)?;
                for other in neighbours(&self.backward, neighbour).filter(|other| *other != vertex) {
                    let common = &mut counts.common[other as usize];
                    if *common == 0 {
                        counts.others.push(other);
                    }
                    *common += 1;
                }
            }
            candidates.clear();
            for other in counts.others.drain(..) {
                let common = std::mem::take(&mut counts.common[other as usize]);
                let similarity = self.similarity(vertex, other, common);
                if similarity >= self.cutoff {
                    candidates.push((other, similarity));
                }
            }
            let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
            if candidates.len() > self.top {
                candidates.select_nth_unstable_by(self.top, order);
                candidates.truncate(self.top);
            }
            candidates.sort_unstable_by(order);
            charge.grow((candidates.len() * size_of::<Row>()) as u64)?;
            rows.extend(candidates.iter().map(|(other, similarity)| (vertex, *other, *similarity)));
        }
        rows.shrink_to_fit();
        Ok((rows, charge))
    }

    fn similarity(&self, a: u32, b: u32, common: u32) -> f64 {
        let (a, b) = (f64::from(self.sizes[a as usize]), f64::from(self.sizes[b as usize]));
        let common = f64::from(common);
        match self.metric {
            "overlap" => common / a.min(b),
            "cosine" => common / (a * b).sqrt(),
            _ => common / (a + b - common),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    fn rows(graph: &Graph, parameters: &str) -> Vec<Row> {
        let table = testing::run(&NODE_SIMILARITY, graph, parameters).unwrap();
        let [(_, Column::Vertex(vertices)), (_, Column::Vertex(others)), (_, Column::Number(values))] =
            table.columns()
        else {
            panic!("no columns")
        };
        (0..values.len()).map(|i| (vertices[i], others[i], values[i])).collect()
    }

    #[test]
    fn common_neighbours_count() {
        let graph = testing::graph(6, &[(0, 3), (0, 4), (1, 3), (1, 3), (1, 4), (1, 5), (2, 5), (2, 2)]);
        let jaccard = [(0, 1, 2.0 / 3.0), (1, 0, 2.0 / 3.0), (1, 2, 1.0 / 3.0), (2, 1, 1.0 / 3.0)];
        assert_eq!(rows(&graph, "{}"), jaccard);
        assert_eq!(rows(&graph, r#"{"topK": 1, "cutoff": 0.5}"#), jaccard[..2]);
        let overlap = [(0, 1, 1.0), (1, 0, 1.0), (1, 2, 1.0), (2, 1, 1.0)];
        assert_eq!(rows(&graph, r#"{"metric": "overlap"}"#), overlap);
        assert_eq!(rows(&graph, r#"{"metric": "cosine", "topK": 1}"#)[0], (0, 1, 2.0 / 6.0_f64.sqrt()));
        assert_eq!(rows(&graph, r#"{"maxDegree": 1}"#), []);
    }

    #[test]
    fn small_graphs_have_no_pairs() {
        assert_eq!(rows(&testing::graph(0, &[]), "{}"), []);
        assert_eq!(rows(&testing::graph(1, &[(0, 0)]), "{}"), []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn rows_are_those_of_sets(edges in prop::collection::vec((0_u32..8, 0_u32..8), 0..25)) {
            let graph = testing::graph(8, &edges);
            for direction in ["outbound", "inbound", "any"] {
                let set = |vertex: u32| -> BTreeSet<u32> {
                    let ahead = edges.iter().filter(|e| e.0 == vertex && direction != "inbound").map(|e| e.1);
                    let behind = edges.iter().filter(|e| e.1 == vertex && direction != "outbound").map(|e| e.0);
                    ahead.chain(behind).filter(|other| *other != vertex).collect()
                };
                let mut expected = BTreeSet::new();
                for a in 0..8 {
                    for b in (0..8).filter(|b| *b != a) {
                        let common = set(a).intersection(&set(b)).count();
                        if common > 0 {
                            let similarity = common as f64 / set(a).union(&set(b)).count() as f64;
                            expected.insert((a, b, similarity.to_bits()));
                        }
                    }
                }
                let found = rows(&graph, &format!(r#"{{"direction": "{direction}"}}"#));
                let found: BTreeSet<_> = found.into_iter().map(|row| (row.0, row.1, row.2.to_bits())).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
