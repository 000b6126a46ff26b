//! The scans that a hash join can replace: scans within a loop, joined by equality with its rows.

use crate::expression::{CompareOperator, Expression};
use crate::node::CollectionScan;
use crate::variable::VariableId;

/// Path of an attribute of the scan's documents.
pub type JoinPath = Box<[Box<str>]>;

impl CollectionScan {
    /// Returns true if a hash table can hold the documents, by attributes that the filter compares
    /// with the row around the scan.
    pub fn can_join_by_hash(&self) -> bool {
        let source = &self.source;
        !self.random
            && !source.read_own_writes
            && source.limit.is_none()
            && source.filter_projections.is_empty()
            && self.conjuncts().iter().any(|conjunct| join_equality(conjunct, source.out).is_some())
    }

    /// Returns the conditions of the filter, all of which must hold.
    pub fn conjuncts(&self) -> &[Expression] {
        match &self.source.filter {
            Some(Expression::And(conjuncts)) => conjuncts,
            Some(other) => std::slice::from_ref(other),
            None => &[],
        }
    }
}

/// Returns path and value of `document.path == value`, in either direction. The value varies with
/// the row around the scan.
pub fn join_equality(conjunct: &Expression, document: VariableId) -> Option<(JoinPath, &Expression)> {
    let Expression::Compare { operator: CompareOperator::Equal, left, right } = conjunct else { return None };
    let sides = |path: &Expression, value: &Expression| -> Option<JoinPath> {
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
