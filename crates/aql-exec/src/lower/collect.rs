//! Lowering of COLLECT.

use aql_plan::{Collect, CollectInto, CollectMethod, IntoContent};
use aql_value::Register;
use errors::{Error, Result};

use super::Lowering;
use crate::aggregate::aggregator;
use crate::operator::{
    CollectCountOperator, CollectDistinctOperator, CollectHashOperator, CollectSortedOperator,
    GroupAggregate, GroupKey, GroupOutput, Groups, Input, IntoMembers, Operator,
};

impl Lowering<'_> {
    /// Lowers a COLLECT. `carry`: registers read after the grouping.
    pub(super) fn collect(
        &self,
        input: Input,
        carry: Box<[Register]>,
        collect: &Collect,
    ) -> Result<Box<dyn Operator>> {
        let mut keys = Vec::with_capacity(collect.groups.len());
        for group in &collect.groups {
            keys.push(GroupKey { input: self.register(group.input)?, out: self.register(group.out)? });
        }
        let groups = Groups::new(self.aggregates(collect)?, self.gathered(collect)?);
        let output = self.group_output(&keys, &carry, collect)?;
        Ok(match (collect.method, input) {
            (CollectMethod::Hash, input) => Box::new(CollectHashOperator::new(input, output, groups)),
            (CollectMethod::Sorted, input @ Input::Parallel(_)) if keys.is_empty() => {
                Box::new(CollectHashOperator::new(input, output, groups))
            }
            (CollectMethod::Count, input) => {
                let aggregate = collect.aggregates.first();
                let out = aggregate.ok_or_else(|| Error::internal("COLLECT counts into no variable"))?.out;
                Box::new(CollectCountOperator::new(input, output, self.register(out)?))
            }
            (CollectMethod::Sorted, Input::Serial(input)) => {
                Box::new(CollectSortedOperator::new(input, output, groups))
            }
            (CollectMethod::Distinct, Input::Serial(input)) => {
                Box::new(CollectDistinctOperator::new(input, keys, carry))
            }
            (_, Input::Parallel(_)) => return Err(Error::internal("a COLLECT that threads cannot share")),
        })
    }

    /// Returns the output of the groups. A carried register that the grouping does not set is kept
    /// of the rows or belongs to the outer query.
    fn group_output(&self, keys: &[GroupKey], carry: &[Register], collect: &Collect) -> Result<GroupOutput> {
        let mut set: Vec<Register> = keys.iter().map(|key| key.out).collect();
        for aggregate in &collect.aggregates {
            set.push(self.register(aggregate.out)?);
        }
        if let Some(into) = &collect.into {
            set.push(self.register(into.out)?);
        }
        let mut kept = Vec::with_capacity(collect.kept.len());
        for variable in &collect.kept {
            kept.push(self.register(*variable)?);
        }
        let is_outer = |register: &&Register| !set.contains(register) && !kept.contains(register);
        let outer: Vec<Register> = carry.iter().filter(is_outer).copied().collect();
        kept.retain(|register| carry.contains(register));
        Ok(GroupOutput::new(keys.to_vec(), &kept, &outer))
    }

    fn aggregates(&self, collect: &Collect) -> Result<Vec<GroupAggregate>> {
        let mut aggregates = Vec::with_capacity(collect.aggregates.len());
        for aggregate in &collect.aggregates {
            aggregates.push(GroupAggregate {
                input: aggregate.input.map(|id| self.register(id)).transpose()?,
                out: self.register(aggregate.out)?,
                aggregator: aggregator(aggregate.function),
            });
        }
        Ok(aggregates)
    }

    fn gathered(&self, collect: &Collect) -> Result<Option<(Register, IntoMembers)>> {
        let Some(CollectInto { out, content }) = &collect.into else { return Ok(None) };
        let members = match content {
            IntoContent::Variable(id) => IntoMembers::Register(self.register(*id)?),
            IntoContent::Object(entries) => {
                let entry = |(name, id): &(Box<str>, _)| Ok((name.clone(), self.register(*id)?));
                IntoMembers::Object(entries.iter().map(entry).collect::<Result<_>>()?)
            }
        };
        Ok(Some((self.register(*out)?, members)))
    }
}
