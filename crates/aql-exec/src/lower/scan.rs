//! Lowering of scans.

use std::sync::Arc;

use aql_plan::{
    CollectionScan, DocumentSource, Expression, IndexAccess, IndexInfo, IndexLookup, IndexRange, IndexScan,
    NearVector, Projection, ProjectionSource, VariableId,
};
use aql_value::Register;
use catalog::IndexId;
use catalog::index::Bound;
use errors::{Error, ErrorCode, Result};
use storage::{Collection, Index};

use super::{Lowering, Step};
use crate::operator::{
    ByRow, ByRowOptions, BySingleKey, ByUniqueKey, ByWalk, CoveredValue, DocumentFilter,
    EnumerateCollectionOperator, Fetch, IndexLookupOperator, LookupProgram, LookupStrategy,
    NearVectorOperator, NearVectorParts, Operator, OuterRows, ProjectionProgram, RangePrograms, Source,
};

impl Lowering<'_> {
    pub(super) fn enumerate_collection(
        &self,
        input: Box<dyn Operator>,
        carry: Box<[Register]>,
        scan: &CollectionScan,
        count: Option<VariableId>,
    ) -> Result<Box<dyn Operator>> {
        let source = self.counting_source(&scan.source, None, count)?;
        let join = self.hash_join(scan)?;
        let outer = OuterRows::new(input, with_filter_reads(carry, &source));
        Ok(Box::new(EnumerateCollectionOperator::new(outer, source, scan.random, join)))
    }

    pub(super) fn index_scan(
        &self,
        input: Box<dyn Operator>,
        carry: Box<[Register]>,
        scan: &IndexScan,
        count: Option<VariableId>,
    ) -> Result<Box<dyn Operator>> {
        // With several indexes, nothing is covered.
        let source = self.counting_source(&scan.source, scan.indexes.first(), count)?;
        let mut ranges = Vec::with_capacity(scan.ranges.len());
        for range in &scan.ranges {
            let info =
                scan.indexes.get(range.index).ok_or_else(|| Error::internal("a range names no index"))?;
            ranges.push(self.range(range, handle(info, &source.collection)?)?);
        }
        let outer = OuterRows::new(input, with_filter_reads(carry, &source));
        let looks_keys_up =
            ranges.iter().any(|range| range.index.capabilities().clustered && !range.lookups.is_empty());
        index_lookup(scan, outer, ranges, Fetch::new(source, looks_keys_up))
    }

    pub(super) fn near_vector(&self, step: Step<'_>, node: &NearVector) -> Result<Box<dyn Operator>> {
        let mut source = self.counting_source(&node.source, Some(&node.index), None)?;
        if node.counts_all {
            source.limit = None;
        }
        let options = node.options.as_ref().map(|options| self.compile(options)).transpose()?;
        let mut carry = with_filter_reads(step.carry, &source).into_vec();
        carry.extend(options.iter().flat_map(|program| program.registers_read()).copied());
        let parts = NearVectorParts {
            index: handle(&node.index, &source.collection)?,
            vector: self.register(node.vector)?,
            options,
            distance: self.register(node.distance)?,
            source,
        };
        Ok(Box::new(NearVectorOperator::new(OuterRows::new(step.input, carry.into()), parts)))
    }

    /// Lowers a source. It counts its documents if there is a variable for their number.
    pub(super) fn counting_source(
        &self,
        source: &DocumentSource,
        index: Option<&IndexInfo>,
        count: Option<VariableId>,
    ) -> Result<Source> {
        let mut source = self.source(source, index)?;
        if let Some(count) = count {
            source.count_into = Some(self.register(count)?);
        }
        Ok(source)
    }

    fn source(&self, source: &DocumentSource, index: Option<&IndexInfo>) -> Result<Source> {
        let fields = index.map_or(0, |index| index.fields.len());
        let filter = match &source.filter {
            Some(filter) => Some(DocumentFilter {
                program: self.compile(filter)?,
                projections: self.projections(&source.filter_projections, fields)?,
            }),
            None => None,
        };
        Ok(Source {
            collection: self.context.data.collection(&source.collection)?,
            out: self.register(source.out)?,
            projections: self.projections(&source.projections, fields)?,
            filter,
            produces_result: source.produces_result,
            count_into: source.count_into.map(|id| self.register(id)).transpose()?,
            read_own_writes: source.read_own_writes,
            limit: source.limit,
            coverage: source.coverage(),
        })
    }

    /// Lowers projections. Stored values follow `fields` others in the covered values of an entry.
    pub(super) fn projections(
        &self,
        projections: &[Projection],
        fields: usize,
    ) -> Result<Vec<ProjectionProgram>> {
        let lower = |projection: &Projection| {
            Ok(ProjectionProgram {
                path: projection.path.clone().into(),
                out: self.register(projection.out)?,
                covered: covered(projection.source, fields),
            })
        };
        projections.iter().map(lower).collect()
    }

    pub(super) fn range(&self, range: &IndexRange, index: Arc<Index>) -> Result<RangePrograms> {
        let lookup = |lookup: &IndexLookup| {
            Ok(match lookup {
                IndexLookup::Equal(expression) => LookupProgram::Equal(self.compile(expression)?),
                IndexLookup::In(expression) => LookupProgram::In(self.compile(expression)?),
            })
        };
        let mut compile = |expression: &Expression| self.compile(expression);
        Ok(RangePrograms {
            index,
            first_field: range.first_field,
            lookups: range.lookups.iter().map(lookup).collect::<Result<_>>()?,
            lower: Bound::try_map(&range.lower, &mut compile)?,
            upper: Bound::try_map(&range.upper, &mut compile)?,
            search: range.search.as_ref().map(|search| search.try_map(&mut compile)).transpose()?,
        })
    }
}

/// Lowers an index scan to the operator with the strategy for its access.
fn index_lookup(
    scan: &IndexScan,
    outer: OuterRows,
    ranges: Vec<RangePrograms>,
    fetch: Fetch,
) -> Result<Box<dyn Operator>> {
    let IndexScan { deduplicate, ascending, ordered, .. } = *scan;
    let first = ranges.first().ok_or_else(|| Error::internal("an index scan without ranges"))?;
    let index = Arc::clone(&first.index);
    let by_row = |ordered, limit_each| {
        let lookahead = scan.source.hint.lookahead;
        ByRow::new(ByRowOptions { deduplicate, ascending, ordered, limit_each, lookahead })
    };
    Ok(match scan.access() {
        // Rows are counted one by one.
        IndexAccess::SingleKey | IndexAccess::SingleId if fetch.counts() => {
            with_strategy(outer, ranges, fetch, by_row(ordered, None))
        }
        IndexAccess::SingleKey => with_strategy(outer, ranges, fetch, BySingleKey::of_key()),
        IndexAccess::SingleId => with_strategy(outer, ranges, fetch, BySingleKey::of_id()),
        IndexAccess::UniqueKeys => {
            with_strategy(outer, ranges, fetch, ByUniqueKey::new(index, ascending, ordered, deduplicate))
        }
        IndexAccess::MergeJoin => with_strategy(outer, ranges, fetch, ByWalk::new(index)),
        IndexAccess::LimitEach(limit) => with_strategy(outer, ranges, fetch, by_row(ordered, Some(limit))),
        IndexAccess::OrderedRanges => with_strategy(outer, ranges, fetch, by_row(true, None)),
        IndexAccess::Ranges => with_strategy(outer, ranges, fetch, by_row(false, None)),
    })
}

fn with_strategy<S: LookupStrategy + 'static>(
    outer: OuterRows,
    ranges: Vec<RangePrograms>,
    fetch: Fetch,
    strategy: S,
) -> Box<dyn Operator> {
    Box::new(IndexLookupOperator::new(outer, ranges, fetch, strategy))
}

/// Returns the registers that later nodes read, and those of outer rows that the scan's filter
/// reads.
pub(super) fn with_filter_reads(carry: Box<[Register]>, source: &Source) -> Box<[Register]> {
    let Some(filter) = &source.filter else { return carry };
    let mut carry = carry.into_vec();
    carry.extend_from_slice(filter.program.registers_read());
    carry.into()
}

/// Returns the place of a projection's value in the entries of an index with a number of fields.
fn covered(source: ProjectionSource, fields: usize) -> Option<CoveredValue> {
    Some(match source {
        ProjectionSource::Document => return None,
        ProjectionSource::Key => CoveredValue::Key,
        ProjectionSource::Id => CoveredValue::Id,
        ProjectionSource::IndexField { position, consumed } => CoveredValue::Position { position, consumed },
        ProjectionSource::StoredValue { position, consumed } => {
            CoveredValue::Position { position: fields + position, consumed }
        }
    })
}

/// Returns the index in storage.
///
/// Errors: 1200 for an edge index that is not built, 1212 for another index that was dropped.
pub(super) fn handle(info: &IndexInfo, collection: &Arc<Collection>) -> Result<Arc<Index>> {
    let id = IndexId(info.id);
    collection.index(id).cloned().ok_or_else(|| {
        if id == IndexId::EDGE && collection.lacks_edge_index() {
            return storage::lacks_edge_index(collection.name());
        }
        let message = format!("index not found: '{}' of collection '{}'", info.name, collection.name());
        Error::new(ErrorCode::IndexNotFound, message)
    })
}
