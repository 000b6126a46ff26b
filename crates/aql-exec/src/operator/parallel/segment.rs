//! The operators between a scan and the operator that consumes all of its rows, for each thread.

use std::sync::Arc;

use aql_plan::NodeId;
use aql_value::Register;

use super::morsels::CurrentMorsel;
use crate::operator::{
    EnumerateCollectionOperator, Located, Operator, OuterRows, RowStep, RowStepsOperator, SingletonOperator,
    Source,
};

/// A scan of a collection and the steps after it, from which each thread gets its own operators.
pub(crate) struct Segment {
    /// The node of the scan.
    pub(crate) node: NodeId,
    /// The documents and what is made of them.
    pub(crate) source: Source,
    /// Registers of the outer row that later operators read.
    pub(crate) carry: Box<[Register]>,
    /// Filters and calculations, in order.
    pub(crate) steps: Vec<RowStep>,
}

/// The operators of one thread.
pub(super) struct Chain {
    pub(super) root: Box<dyn Operator>,
    pub(super) morsel: Arc<CurrentMorsel>,
}

impl Segment {
    /// Creates the operators of a thread. Each morsel is a restart.
    pub(super) fn chain(&self) -> Chain {
        let morsel = Arc::<CurrentMorsel>::default();
        let outer = OuterRows::new(Box::new(SingletonOperator::new()), self.carry.clone());
        let scan = EnumerateCollectionOperator::of_morsels(outer, self.source.clone(), Arc::clone(&morsel));
        let mut root: Box<dyn Operator> = Box::new(Located::new(Box::new(scan), self.node));
        if !self.steps.is_empty() {
            root = Box::new(RowStepsOperator::new(root, self.steps.clone()));
        }
        Chain { root, morsel }
    }
}
