//! Explain: plans and syntax trees as clients see them, in ArangoDB's form.

mod shown;
mod writer;
mod json;
mod syntax;
mod trace;
#[cfg(test)]
mod tests;

pub use json::{ExplainStatistics, explain, explain_result};
pub use syntax::explain_syntax;
pub use trace::trace;
pub use writer::WriteLimits;
