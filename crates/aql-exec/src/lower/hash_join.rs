//! Finds in the filter of a scan what a hash join needs.

use super::Lowering;
use crate::operator::{HashJoin, JoinCondition, JoinKey};
use aql_plan::{CollectionScan, CompareOperator, Expression, VariableId};
use aql_value::{Program, Result};

impl Lowering<'_> {
    /// A hash join that can take the place of repeated scans, if the filter has an equality between an attribute of the
    /// document and the row around the scan.
    pub(super) fn hash_join(&self, scan: &CollectionScan) -> Result<Option<HashJoin>> {
        let source = &scan.source;
        let Some(filter) = &source.filter else { return Ok(None) };
        if scan.random
            || source.read_own_writes
            || source.limit.is_some()
            || !source.filter_projections.is_empty()
        {
            return Ok(None);
        }
        let conjuncts = match filter {
            Expression::And(conjuncts) => conjuncts.as_slice(),
            other => std::slice::from_ref(other),
        };
        let (mut keys, mut build, mut residual) = (Vec::new(), Vec::new(), Vec::new());
        for conjunct in conjuncts {
            if let Some((path, probe)) = equality(conjunct, source.out) {
                keys.push(JoinKey { path, probe: self.compile(probe)? });
            } else if reads_only(conjunct, source.out) {
                build.push(conjunct);
            } else {
                residual.push(conjunct);
            }
        }
        if keys.is_empty() {
            return Ok(None);
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

/// `document.path == value`, in either direction, where the value varies with the row around the scan.
fn equality(conjunct: &Expression, document: VariableId) -> Option<(Box<[Box<str>]>, &Expression)> {
    let Expression::Compare { operator: CompareOperator::Equal, left, right } = conjunct else { return None };
    let sides = |path: &Expression, value: &Expression| -> Option<Box<[Box<str>]>> {
        let (variable, names) = path.as_attribute_path()?;
        let is_join = variable == document
            && !names.is_empty()
            && !value.reads(document)
            && !value.variables().is_empty();
        is_join.then(|| names.into_iter().map(Into::into).collect())
    };
    match sides(left, right) {
        Some(path) => Some((path, &**right)),
        None => sides(right, left).map(|path| (path, &**left)),
    }
}

/// Whether the condition depends on the document and nothing else of the row.
fn reads_only(conjunct: &Expression, document: VariableId) -> bool {
    let mut variables = conjunct.variables();
    variables.remove(document);
    variables.is_empty()
}
