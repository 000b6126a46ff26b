//! Physical operators, one file each.

mod collect_count;
mod collect_distinct;
mod collect_hash;
mod collect_sorted;
mod document_source;
mod enumerate_collection;
mod enumerate_list;
mod enumerate_object;
mod enumerate_paths;
mod graph;
mod group_spill;
mod group_table;
mod groups;
mod hash_join;
mod index_distinct;
mod index_lookup;
mod into;
mod join_table;
mod limit;
mod materialize;
mod modification;
mod no_results;
mod outer;
mod row_steps;
mod shortest_path;
mod singleton;
mod sort;
mod subquery;
mod surplus;
mod traversal;
mod window;

pub(crate) use collect_count::CollectCountOperator;
pub(crate) use collect_distinct::CollectDistinctOperator;
pub(crate) use collect_hash::CollectHashOperator;
pub(crate) use collect_sorted::CollectSortedOperator;
pub(crate) use document_source::{CoveredValue, DocumentFilter, ProjectionProgram, Source};
pub(crate) use enumerate_collection::EnumerateCollectionOperator;
pub(crate) use enumerate_list::{EnumerateListOperator, ListInput};
pub(crate) use enumerate_object::EnumerateObjectOperator;
pub(crate) use enumerate_paths::{EnumeratePathsOperator, PathsKind};
pub(crate) use graph::{
    Conditions, EdgeAccessProgram, EdgeLookupProgram, ElementOutput, GraphReader, PathParts, PathPrograms,
    PathReader, PruneProgram, RowOutputs, StepProgram, TraversalPrograms, WeightProgram,
};
pub(crate) use groups::{GroupAggregate, GroupKey, GroupOutput, Groups};
pub(crate) use hash_join::{HashJoin, JoinCondition, JoinKey};
pub(crate) use index_distinct::IndexDistinctOperator;
pub(crate) use index_lookup::{
    ByRow, ByRowOptions, BySingleKey, ByUniqueKey, ByWalk, Coverage, Fetch, IndexLookupOperator,
    LookupProgram, LookupStrategy, RangePrograms,
};
pub(crate) use into::IntoMembers;
pub(crate) use limit::LimitOperator;
pub(crate) use materialize::MaterializeOperator;
pub(crate) use modification::{
    InsertWriter, ModificationOperator, RemoveWriter, UpdateWriter, UpsertWriter, WriteTarget,
};
pub(crate) use no_results::NoResultsOperator;
pub(crate) use outer::Outer;
pub(crate) use row_steps::{RowAction, RowStep, RowStepsOperator};
pub(crate) use shortest_path::ShortestPathOperator;
pub(crate) use singleton::SingletonOperator;
pub(crate) use sort::{GroupedSortOperator, SortKey, SortOperator, SortOrder};
pub(crate) use subquery::{SubqueryMode, SubqueryOperator, SubqueryParts};
pub(crate) use traversal::{TraversalOperator, TraversalParts};
pub(crate) use window::{WindowAggregate, WindowOperator, WindowParts};

use crate::context::ExecutionContext;
use aql_value::{Batch, Result};

/// The most that may be answered at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    /// Rows; at least 1.
    pub rows: usize,
    /// Bytes of documents read from storage, after which a scan ends its batch.
    pub bytes: usize,
    /// Operators may ask for more rows than they answer, to find those that pass a filter. Not where computing a row
    /// has to wait for the writes of the rows before.
    pub read_ahead: bool,
}

impl BatchLimits {
    /// Rows of a batch where the whole input is wanted.
    pub const FULL_ROWS: usize = 1024;
    /// Bytes of documents in a batch.
    pub const FULL_BYTES: usize = 1 << 20;

    /// For consumers that take everything.
    pub const FULL: Self = Self { rows: Self::FULL_ROWS, bytes: Self::FULL_BYTES, read_ahead: true };

    /// What to ask for after a batch of which nothing was left: more.
    fn grown(self, full: Self) -> Self {
        if !self.read_ahead {
            return self;
        }
        Self { rows: self.rows.saturating_mul(GROWTH).min(full.rows).max(self.rows), ..self }
    }

    /// The same for a query with a memory limit: no batch may take more than a small part of it.
    pub(crate) fn within(self, limit_bytes: Option<u64>) -> Self {
        let share = limit_bytes.map_or(u64::MAX, |limit| limit / SHARES_OF_LIMIT);
        Self { bytes: self.bytes.min(usize::try_from(share).unwrap_or(usize::MAX)).max(1), ..self }
    }

    /// The same with at most `rows` rows, and at least 1.
    pub fn of_rows(self, rows: usize) -> Self {
        Self { rows: rows.clamp(1, self.rows), ..self }
    }
}

/// A batch of documents takes at most this part of the query's memory limit.
const SHARES_OF_LIMIT: u64 = 32;

/// Each batch is so many times larger than the one before, up to the largest.
pub(crate) const GROWTH: usize = 4;

/// One step of a query at run time.
pub(crate) trait Operator: Send {
    /// The next rows: at least one and at most as many as asked for; `None` when there are no more, and again every
    /// time after that.
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>>;

    /// As [`Operator::next_batch`], for consumers that will take everything.
    fn next_full_batch(&mut self, context: &mut ExecutionContext) -> Result<Option<Batch>> {
        let limits = context.full;
        self.next_batch(context, limits)
    }

    /// Forgets everything and starts over with these rows in the place of the single one that a query starts from.
    fn restart(&mut self, outer: Batch);

    /// Lets go of what pins memory in the storage engine. The next batch goes on where the last one ended.
    fn release(&mut self);
}
