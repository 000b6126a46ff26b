//! Explain: plans and syntax trees as clients see them, in ArangoDB's form.

mod json;
mod shown;
mod syntax;
#[cfg(test)]
mod tests;
mod trace;
mod writer;

pub use json::{ExplainStatistics, explain, explain_result};
pub use syntax::explain_syntax;
pub use trace::trace;
pub use writer::WriteLimits;
