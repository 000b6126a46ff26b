//! Lowering of nodes that read index entries instead of documents.

use aql_plan::{Coverage, IndexCollect, Materialize};
use aql_value::Register;
use errors::{Error, Result};

use super::{Lowering, Step};
use crate::operator::{IndexDistinctOperator, Input, MaterializeOperator, Operator, Source};

impl Lowering<'_> {
    pub(super) fn materialize(&self, step: Step<'_>, node: &Materialize) -> Result<Box<dyn Operator>> {
        let source = Source {
            collection: self.context.data.collection(&node.collection)?,
            out: self.register(node.out)?,
            projections: self.projections(&node.projections, 0)?,
            filter: None,
            produces_result: true,
            count_into: None,
            read_own_writes: false,
            limit: None,
            coverage: Coverage::default(),
        };
        let others = node.others.iter().map(|other| self.context.data.collection(other));
        let (key, others) = (self.register(node.key)?, others.collect::<Result<_>>()?);
        Ok(Box::new(MaterializeOperator::new(step.input, key, others, source)))
    }

    pub(super) fn index_collect(&self, step: Step<'_>, node: &IndexCollect) -> Result<Box<dyn Operator>> {
        if node.distinct {
            return self.index_distinct(step, node);
        }
        let kept = node.collect.kept.iter().map(|id| self.register(*id));
        let mut carry = step.carry.to_vec();
        carry.extend(kept.collect::<Result<Vec<Register>>>()?);
        let scan = self.index_scan(step.input, carry.into(), &node.scan, None)?;
        self.collect(Input::Serial(scan), step.carry, &node.collect)
    }

    fn index_distinct(&self, step: Step<'_>, node: &IndexCollect) -> Result<Box<dyn Operator>> {
        let collection = self.context.data.collection(&node.scan.source.collection)?;
        let info = node.scan.indexes.first().ok_or_else(|| Error::internal("a scan without an index"))?;
        let index = super::scan::handle(info, &collection)?;
        if !index.capabilities().ordered {
            return Err(Error::internal("groups of an index that is not sorted"));
        }
        let out = node.collect.groups.iter().map(|group| self.register(group.out));
        let out: Box<[Register]> = out.collect::<Result<_>>()?;
        Ok(Box::new(IndexDistinctOperator::new(step.input, collection, index, out, step.carry)))
    }
}
