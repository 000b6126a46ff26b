//! Any bytes as the choices of a generator: documents, indexes, and queries.
//!
//! A query must return the same results as a naive evaluator, however it is run. The generator
//! comes from the tests of `database`.

#[path = "../../../crates/database/tests/it/random_queries/choices.rs"]
#[allow(dead_code, reason = "shared with a test that uses more of it")]
mod choices;
#[path = "../../../crates/database/tests/it/random_queries/compare.rs"]
#[allow(dead_code, reason = "shared with a test that uses more of it")]
mod compare;
#[path = "../../../crates/database/tests/it/random_queries/data.rs"]
mod data;
#[path = "../../../crates/database/tests/it/random_queries/expressions.rs"]
mod expressions;
#[path = "../../../crates/database/tests/it/random_queries/generator.rs"]
mod generator;
#[path = "../../../crates/database/tests/it/random_queries/graph_generator.rs"]
mod graph_generator;
#[path = "../../../crates/database/tests/it/random_queries/modifications.rs"]
mod modifications;
#[path = "../../../crates/database/tests/it/random_queries/naive.rs"]
mod naive;
#[path = "../../../crates/database/tests/it/random_queries/naive_expression.rs"]
mod naive_expression;
#[path = "../../../crates/database/tests/it/random_queries/naive_graph.rs"]
mod naive_graph;
#[path = "../../../crates/database/tests/it/random_queries/naive_modification.rs"]
mod naive_modification;

/// The queries on each store.
const QUERIES: usize = 4;

pub(crate) fn run(bytes: &[u8]) {
    let outcome = compare::round(&mut choices::Choices::Bytes(bytes), QUERIES, 1);
    assert!(outcome.failures.is_empty(), "{}", outcome.failures.join("\n"));
}
