//! Lowering of searches of views and inverted indexes.

use std::sync::Arc;

use aql_plan::{EnumerateView, SearchCondition, ViewColumn};
use errors::{Error, Result};
use search::Schema;
use storage::Index;

use super::{Lowering, Step};
use crate::operator::{CoveredValue, EnumerateViewOperator, Operator, OuterRows, ScoreProgram, ViewParts};
use crate::search::SearchFields;

impl Lowering<'_> {
    pub(super) fn enumerate_view(&self, step: Step<'_>, node: &EnumerateView) -> Result<Box<dyn Operator>> {
        let mut indexes = Vec::new();
        for found in node.indexes() {
            let collection = self.context.data.collection(&found.collection)?;
            // A collection that the user may not read looks empty, and has no such index.
            if let Some(index) = collection.index(found.index).cloned() {
                indexes.push((collection, index));
            }
        }
        // Later states may lack what the snapshot of the query has.
        let searched: Vec<Arc<Index>> = indexes.iter().map(|(_, index)| Arc::clone(index)).collect();
        let (start, interrupt) = (self.context.data.start(), &self.context.interrupt);
        // The memory of an index's first step is not the query's.
        let check = || if interrupt.is_set() { interrupt.check() } else { Ok(()) };
        let state = match searched.is_empty() {
            true => None,
            false => Some(start.search_state(&searched, &check)?),
        };
        let collections = indexes.iter().map(|(collection, _)| collection);
        let mut is_exact = state.as_ref().is_some_and(|state| start.is_state_exact(state, collections));
        for (collection, _) in &indexes {
            // Only its document tells whether a hit is visible.
            is_exact &= start.restriction(collection)?.is_none();
        }
        let schemas = indexes.iter().filter_map(|(collection, index)| {
            Some((collection.name().into(), Arc::clone(index.search_schema()?)))
        });
        let fields = SearchFields::new(schemas.collect());
        let condition = node.condition.as_ref().map(|condition| {
            SearchCondition::of(condition, node.out)?.try_map(&mut |value| self.compile(value))
        });
        let mut scores = Vec::with_capacity(node.scores.len());
        for score in &node.scores {
            let arguments = score.arguments.iter().map(|argument| self.compile(argument));
            scores.push(ScoreProgram {
                scorer: score.scorer,
                arguments: arguments.collect::<Result<_>>()?,
                out: self.register(score.out)?,
            });
        }
        let highlights = node
            .highlights
            .iter()
            .map(|highlight| Ok((self.compile(&highlight.argument)?, self.register(highlight.out)?)));
        let highlights = highlights.collect::<Result<_>>()?;
        let out = self.register(node.out)?;
        let coverage = node.coverage();
        let out = step.carry.contains(&out).then_some(out).filter(|_| !coverage.projections);
        let columns = columns(node, indexes.iter().find_map(|(_, index)| index.search_schema()));
        if !node.projections.is_empty() && !coverage.projections {
            return Err(Error::internal("a search whose indexes lack a projection"));
        }
        let projections = self.projections(&node.projections, 0)?;
        let reads_columns =
            projections.iter().any(|own| matches!(own.covered, Some(CoveredValue::Position { .. })));
        let has_columns = || {
            let last = columns.iter().map(|(column, _)| *column).max().unwrap_or(0);
            let mut segments = state.iter().flat_map(|state| state.snapshot().parts());
            is_exact && segments.all(|part| part.segment.columns() > last)
        };
        let reads_documents = out.is_some() || !node.highlights.is_empty() || reads_columns && !has_columns();
        let parts = ViewParts {
            indexes,
            state,
            is_exact,
            counts_roughly: node.options.approximate_count,
            fields,
            condition: condition.transpose()?,
            is_filter: node.hinted.is_some(),
            scores,
            highlights,
            order: node.order.clone(),
            limit: node.limit,
            is_sorted: node.sorted > 0,
            projections,
            columns,
            reads_documents,
            is_immutable: node.is_immutable,
            out,
        };
        Ok(Box::new(EnumerateViewOperator::new(OuterRows::new(step.input, step.carry), parts)))
    }
}

/// Returns the column of each attribute that the indexes store, and its place there. All indexes of
/// a view have the same columns.
fn columns(node: &EnumerateView, schema: Option<&Arc<Schema>>) -> Vec<(usize, usize)> {
    let Some(schema) = schema else { return Vec::new() };
    let attributes = node.view.stored_attributes();
    let column = |(_, column, place): (&[Box<str>], ViewColumn, usize)| match column {
        ViewColumn::Stored(column) => (schema.stored_column(column), place),
        ViewColumn::Sort => (schema.sort_values_column().unwrap_or(usize::MAX), place),
    };
    attributes.map(column).collect()
}
