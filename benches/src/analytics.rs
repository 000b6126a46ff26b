//! Algorithms over a graph in memory, compared with bare loops over the same arrays.
//!
//! The graph is one of Graph500's Kronecker generator, with its published probabilities. A bare
//! loop does one thing: it charges no memory, checks no interrupt, and has no options. PageRank's
//! uses all threads, the others one.

use std::sync::Arc;
use std::time::Instant;

use graph_analytics::{Edge, Graph, Parameters, Work};
use owner::{Interrupt, MemoryAccount, Owner};
use rayon::prelude::*;
use velocypack::{Builder, Limits, Slice};

use crate::report::{Report, Target};
use crate::{Failure, Setup};

/// The columns of the report.
pub(crate) const OURS: &str = "Persea";
pub(crate) const THEIRS: &str = "bare loop";

/// The probabilities of the first three quarters of the adjacency matrix, of which each is divided
/// again (Graph500 specification, A to C).
const QUARTERS: [f64; 3] = [0.57, 0.19, 0.19];

/// The edges that are made with one seed.
const EDGES_OF_SEED: usize = 1 << 16;

/// The runs of which the fastest counts; both sides take turns.
const RUNS: usize = 3;

const ITERATIONS: usize = 20;
const DAMPING: f64 = 0.85;

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let vertices = 1_usize << setup.graph_scale;
    let edges = kronecker(setup.graph_scale, vertices * setup.edge_factor);
    let start = Instant::now();
    let graph = Graph::from_edges(&work(), vertices, &edges, false)?;
    drop(edges);
    graph.incoming(&work())?;
    report.figure("rows of both directions", start.elapsed().as_secs_f64(), "s", &Target::None);
    let source =
        (0..vertices as u32).max_by_key(|vertex| graph.outgoing().degree(*vertex)).unwrap_or_default();

    let page_rank = format!(r#"{{"maxIterations": {ITERATIONS}, "tolerance": 0, "damping": {DAMPING}}}"#);
    compare(report, &graph, ("pageRank", &page_rank), || bare_page_rank(&graph).map(drop))?;
    compare(report, &graph, ("wcc", "{}"), || {
        bare_components(&graph);
        Ok(())
    })?;
    compare(report, &graph, ("bfs", &format!(r#"{{"source": {source}}}"#)), || {
        bare_search(&graph, source);
        Ok(())
    })
}

/// Runs an algorithm and a bare loop in turns, and reports their fastest times.
fn compare(
    report: &mut Report,
    graph: &Graph,
    (name, parameters): (&str, &str),
    bare: impl Fn() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..RUNS {
        let start = Instant::now();
        compute(graph, name, parameters)?;
        ours = ours.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        bare()?;
        theirs = theirs.min(start.elapsed().as_secs_f64());
    }
    let what = format!("{name} of {} edges", graph.edge_count());
    report.ratio(&what, (ours, "s"), Some(theirs), &Target::AtMost(2.0));
    Ok(())
}

fn compute(graph: &Graph, name: &str, parameters: &str) -> Result<(), Failure> {
    let algorithm = graph_analytics::find(name).ok_or("no such algorithm")?;
    let mut given = Builder::new();
    velocypack::json::parse(parameters.as_bytes(), &Limits::default(), &mut given)?;
    let resolve = |value: Slice<'_>| value.as_u64().map(|vertex| vertex as u32);
    let parameters = Parameters::parse(algorithm.parameters, given.as_slice(), &resolve)?;
    std::hint::black_box(algorithm.run(graph, &parameters, &work())?);
    Ok(())
}

fn work() -> Work {
    let memory = Arc::new(MemoryAccount::new(None, None));
    Work::new(Owner { interrupt: Interrupt::new(), memory })
}

/// Makes the edges of a Kronecker graph with `2^scale` vertices, whose numbers are shuffled.
fn kronecker(scale: u32, edges: usize) -> Vec<Edge> {
    let mut numbers: Vec<u32> = (0..1_u32 << scale).collect();
    fastrand::Rng::with_seed(1).shuffle(&mut numbers);
    let [a, b, c] = QUARTERS;
    let mut list = vec![Edge { from: 0, to: 0, weight: 1.0 }; edges];
    list.par_chunks_mut(EDGES_OF_SEED).enumerate().for_each(|(i, part)| {
        let mut random = fastrand::Rng::with_seed(2 + i as u64);
        for edge in part {
            let (mut from, mut to) = (0, 0);
            for _ in 0..scale {
                let quarter = random.f64();
                let is_lower = quarter >= a + b;
                let is_right = (a..a + b).contains(&quarter) || quarter >= a + b + c;
                from = from << 1 | usize::from(is_lower);
                to = to << 1 | usize::from(is_right);
            }
            (edge.from, edge.to) = (numbers[from], numbers[to]);
        }
    });
    list
}

fn bare_page_rank(graph: &Graph) -> Result<Vec<f64>, Failure> {
    let vertices = graph.vertex_count();
    let offsets = graph.outgoing().offsets();
    let incoming = graph.incoming(&work())?;
    let (starts, sources) = (incoming.offsets(), incoming.all_targets());
    let mut ranks = vec![1.0 / vertices as f64; vertices];
    let mut sent = vec![0.0; vertices];
    for _ in 0..ITERATIONS {
        let in_sinks: f64 = sent
            .par_iter_mut()
            .zip(&ranks)
            .enumerate()
            .map(|(vertex, (sent, rank))| match offsets[vertex + 1] - offsets[vertex] {
                0 => *rank,
                degree => {
                    *sent = rank / degree as f64;
                    0.0
                }
            })
            .sum();
        let base = (1.0 - DAMPING + DAMPING * in_sinks) / vertices as f64;
        ranks.par_iter_mut().with_min_len(1 << 10).enumerate().for_each(|(vertex, rank)| {
            let row = starts[vertex] as usize..starts[vertex + 1] as usize;
            let sum: f64 = sources[row].iter().map(|from| sent[*from as usize]).sum();
            *rank = base + DAMPING * sum;
        });
    }
    Ok(ranks)
}

/// Joins the ends of all edges, one after another, and returns the root of each vertex.
fn bare_components(graph: &Graph) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..graph.vertex_count() as u32).collect();
    let find = |parents: &mut [u32], mut vertex: u32| {
        while parents[vertex as usize] != vertex {
            parents[vertex as usize] = parents[parents[vertex as usize] as usize];
            vertex = parents[vertex as usize];
        }
        vertex
    };
    for vertex in 0..graph.vertex_count() as u32 {
        for to in graph.outgoing().targets(vertex) {
            let (one, other) = (find(&mut parents, vertex), find(&mut parents, *to));
            parents[one.max(other) as usize] = one.min(other);
        }
    }
    for vertex in 0..graph.vertex_count() as u32 {
        parents[vertex as usize] = find(&mut parents, vertex);
    }
    parents
}

/// Searches with a queue, and returns the level of each vertex and the one before it.
fn bare_search(graph: &Graph, source: u32) -> (Vec<u32>, Vec<u32>) {
    let mut levels = vec![u32::MAX; graph.vertex_count()];
    let mut parents = levels.clone();
    levels[source as usize] = 0;
    let mut queue = vec![source];
    let mut next = 0;
    while let Some(vertex) = queue.get(next).copied() {
        next += 1;
        for to in graph.outgoing().targets(vertex) {
            if levels[*to as usize] == u32::MAX {
                levels[*to as usize] = levels[vertex as usize] + 1;
                parents[*to as usize] = vertex;
                queue.push(*to);
            }
        }
    }
    (levels, parents)
}
