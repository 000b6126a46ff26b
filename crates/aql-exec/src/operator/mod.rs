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
mod enumerate_view;
mod error_location;
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
mod local_groups;
mod materialize;
mod modification;
mod near_vector;
mod no_results;
mod outer_rows;
mod parallel;
mod pending_rows;
mod profiled;
mod row_steps;
mod shortest_path;
mod singleton;
mod sort;
mod subquery;
mod traversal;
mod window;

use aql_value::Batch;
use errors::Result;

use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;

pub(crate) use collect_count::CollectCountOperator;
pub(crate) use collect_distinct::CollectDistinctOperator;
pub(crate) use collect_hash::CollectHashOperator;
pub(crate) use collect_sorted::CollectSortedOperator;
pub(crate) use document_source::{CoveredValue, DocumentFilter, ProjectionProgram, Source};
pub(crate) use enumerate_collection::EnumerateCollectionOperator;
pub(crate) use enumerate_list::{EnumerateListOperator, ListInput};
pub(crate) use enumerate_object::EnumerateObjectOperator;
pub(crate) use enumerate_paths::{EnumeratePathsOperator, PathsKind};
pub(crate) use enumerate_view::{EnumerateViewOperator, ScoreProgram, ViewParts};
pub(crate) use error_location::Located;
pub(crate) use graph::{
    Conditions, EdgeAccessProgram, EdgeLookupProgram, ElementOutput, GraphReader, PathParts, PathPrograms,
    PathReader, PruneProgram, RowOutputs, StepProgram, TraversalPrograms, WeightProgram,
};
pub(crate) use groups::{GroupAggregate, GroupKey, GroupOutput, Groups};
pub(crate) use hash_join::{HashJoin, JoinCondition, JoinKey};
pub(crate) use index_distinct::IndexDistinctOperator;
pub(crate) use index_lookup::{
    ByRow, ByRowOptions, BySingleKey, ByUniqueKey, ByWalk, Fetch, IndexLookupOperator, LookupProgram,
    LookupStrategy, RangePrograms,
};
pub(crate) use into::IntoMembers;
pub(crate) use limit::LimitOperator;
pub(crate) use materialize::MaterializeOperator;
pub(crate) use modification::{
    InsertWriter, ModificationOperator, RemoveWriter, UpdateWriter, UpsertWriter, WriteTarget,
};
pub(crate) use near_vector::{NearVectorOperator, NearVectorParts};
pub(crate) use no_results::NoResultsOperator;
pub(crate) use outer_rows::OuterRows;
pub(crate) use parallel::{Input, ParallelInput, Segment};
pub(crate) use profiled::Profiled;
pub(crate) use row_steps::{RowAction, RowStep, RowStepsOperator};
pub(crate) use shortest_path::ShortestPathOperator;
pub(crate) use singleton::SingletonOperator;
pub(crate) use sort::{GroupedSortOperator, SortKey, SortOperator, SortOrder};
pub(crate) use subquery::{SubqueryMode, SubqueryOperator, SubqueryParts};
pub(crate) use traversal::{TraversalOperator, TraversalParts};
pub(crate) use window::{WindowAggregate, WindowOperator, WindowParts};

/// One step of a query at run time.
pub(crate) trait Operator: Send {
    /// Returns the next rows: at least one, and at most as many as requested.
    ///
    /// After the last row it returns `None`, every time.
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>>;

    /// Returns rows like [`Operator::next_batch`], for consumers of the whole input.
    fn next_full_batch(&mut self, context: &mut ExecutionContext) -> Result<Option<Batch>> {
        let limits = context.full;
        self.next_batch(context, limits)
    }

    /// Skips to the end, past the last row, and returns the number of rows that it passes.
    ///
    /// `None` if the operator has to make the rows to count them. It has passed none then.
    fn count_rest(&mut self, context: &mut ExecutionContext) -> Result<Option<u64>> {
        let _ = context;
        Ok(None)
    }

    /// Makes the reads of the next runs, each of which restarts with one row of `outer`.
    ///
    /// Where reads wait for messages, those of all rows are made concurrently, and then need no
    /// message when they are repeated ([`ExecutionContext::rehearse`]).
    ///
    /// Returns the rows that an operator makes of `outer` without a read, and `None` if it has made
    /// its reads or knows none. The operator must be restarted afterwards.
    fn rehearse(&mut self, outer: &Batch, context: &mut ExecutionContext) -> Result<Option<Batch>> {
        let _ = (outer, context);
        Ok(None)
    }

    /// Returns true if the rows do not depend on writes of the query, so that they may be made
    /// before earlier rows are written.
    fn may_run_ahead(&self) -> bool {
        false
    }

    /// Restarts with these rows in place of the single row that a query starts from.
    fn restart(&mut self, outer: Batch);

    /// Releases all memory that is pinned in the storage engine. The next batch resumes after the
    /// last one.
    fn release(&mut self);
}
