//! Identities of expressions, charged to the query's memory because they contain constants.

use std::collections::HashSet;
use std::sync::Arc;

use aql_plan::{Expression, Identity};
use aql_value::Charge;
use errors::Result;

use crate::RuleContext;

/// Returns the identity of an expression. The charge grows by its length.
///
/// Errors: 32 for too much memory.
pub(crate) fn charged_identity(expression: &Expression, memory: &mut Charge) -> Result<Identity> {
    // An identity is not longer than the expression, apart from what is too short to matter.
    let size = expression.size_bytes() as u64;
    memory.grow(size)?;
    let identity = expression.identity();
    memory.shrink(size.saturating_sub(identity.len() as u64));
    Ok(identity)
}

/// A set of conditions by their identity.
pub(crate) struct ConditionSet {
    identities: HashSet<Identity>,
    memory: Charge,
}

impl ConditionSet {
    /// Errors: 32 for too much memory, 1500 for a query that was ended.
    pub(crate) fn new<'a>(
        conditions: impl IntoIterator<Item = &'a Expression>,
        context: &RuleContext<'_>,
    ) -> Result<Self> {
        let mut memory = Charge::new(Arc::clone(context.memory));
        let mut identities = HashSet::new();
        for condition in conditions {
            context.interrupt.check()?;
            identities.insert(charged_identity(condition, &mut memory)?);
        }
        Ok(Self { identities, memory })
    }

    /// Returns true if the condition is in the set. Errors: 32 for too much memory.
    pub(crate) fn contains(&mut self, condition: &Expression) -> Result<bool> {
        if self.identities.is_empty() {
            return Ok(false);
        }
        let before = self.memory.bytes();
        let identity = charged_identity(condition, &mut self.memory)?;
        self.memory.shrink(self.memory.bytes() - before);
        Ok(self.identities.contains(&identity))
    }
}
