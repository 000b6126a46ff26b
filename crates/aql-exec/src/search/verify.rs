//! Conditions that an index answers only roughly: documents decide.

use aql_value::Value;
use errors::Result;
use search::Query;

/// A test of a document.
pub(crate) type Test<'t> = &'t dyn Fn(&Value) -> Result<bool>;

/// The documents behind an index.
pub(crate) trait Verifier {
    /// Returns the query of those candidates whose documents pass the test.
    fn verify(&self, candidates: &Query, test: Test<'_>) -> Result<Query>;
}

/// A single document, which is the only one of an index.
pub(crate) struct OnlyDocument<'d>(pub(crate) &'d Value);

impl Verifier for OnlyDocument<'_> {
    fn verify(&self, candidates: &Query, test: Test<'_>) -> Result<Query> {
        Ok(if test(self.0)? { candidates.clone() } else { Query::None })
    }
}
