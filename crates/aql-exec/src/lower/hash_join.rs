//! Detection of hash joins in the filter of a scan.

use aql_plan::{CollectionScan, Expression, VariableId, join_equality};
use aql_value::Program;
use errors::Result;

use super::Lowering;
use crate::operator::{HashJoin, JoinCondition, JoinKey};

impl Lowering<'_> {
    /// Returns a hash join that can replace repeated scans.
    ///
    /// The filter must have an equality between an attribute of the document and the row around the
    /// scan.
    pub(super) fn hash_join(&self, scan: &CollectionScan) -> Result<Option<HashJoin>> {
        let source = &scan.source;
        if !scan.can_join_by_hash() {
            return Ok(None);
        }
        let (mut keys, mut build, mut residual) = (Vec::new(), Vec::new(), Vec::new());
        for conjunct in scan.conjuncts() {
            if let Some((path, probe)) = join_equality(conjunct, source.out) {
                keys.push(JoinKey { path, probe: self.compile(probe)? });
            } else if reads_only(conjunct, source.out) {
                build.push(conjunct);
            } else {
                residual.push(conjunct);
            }
        }
        let condition =
            JoinCondition { keys, build: self.conjunction(&build)?, residual: self.conjunction(&residual)? };
        Ok(Some(HashJoin::new(condition)))
    }

    fn conjunction(&self, conjuncts: &[&Expression]) -> Result<Option<Program>> {
        match conjuncts {
            [] => Ok(None),
            [only] => self.compile(only).map(Some),
            several => self.compile(&Expression::And(several.iter().copied().cloned().collect())).map(Some),
        }
    }
}

/// Returns true if the condition depends on nothing of the row but the document.
fn reads_only(conjunct: &Expression, document: VariableId) -> bool {
    let mut variables = conjunct.variables();
    variables.remove(document);
    variables.is_empty()
}
