//! Searches of views and inverted indexes: one row for each document that is found, for each
//! incoming row.
//!
//! The index gives hits: keys with revisions. A hit becomes a row if the query's snapshot has the
//! document in that revision. A document that was written since then is checked again, so that an
//! update neither hides it nor returns it wrongly.

mod best;
mod covered;
mod documents;
mod highlight;
mod judge;
mod kept;
mod row_search;
mod sorted;
mod stored;

use std::sync::Arc;

use aql_plan::{SearchCondition, ViewOrder};
use aql_value::{Batch, Column, Program, Register, Value};
use errors::Result;
use storage::{Collection, Index, SearchState};

use super::Operator;
use super::document_source::ProjectionProgram;
use super::materialize::documents_wanted;
use super::outer_rows::{Fetched, OuterRows};
use super::pending_rows::PendingRows;
use crate::batch_limits::BatchLimits;
use crate::context::ExecutionContext;
use crate::search::SearchFields;
use highlight::offset_info;
use row_search::{RowSearch, Values};

pub(crate) use row_search::ScoreProgram;

pub(crate) struct EnumerateViewOperator {
    outer: OuterRows,
    parts: ViewParts,
    /// The values of the condition for the current batch of incoming rows.
    values: Option<Values>,
    /// The search for the current incoming row.
    row: Option<RowSearch>,
    /// The search for an earlier row, if it can be repeated from memory.
    known: Option<RowSearch>,
    /// Bytes of the documents fetched last, which limit the next request.
    document_bytes: usize,
    pending: PendingRows,
}

/// The parts of a search; see `aql_plan::EnumerateView`.
pub(crate) struct ViewParts {
    /// The indexes, each with the collection of its documents.
    pub(crate) indexes: Vec<(Arc<Collection>, Arc<Index>)>,
    /// The state of the indexes, which is the same for all rows; `None` without indexes.
    pub(crate) state: Option<Arc<SearchState>>,
    /// The state has exactly the documents of the query's snapshot, so hits need no check.
    pub(crate) is_exact: bool,
    /// A count of rows may be an estimate.
    pub(crate) counts_roughly: bool,
    pub(crate) fields: SearchFields,
    /// The condition; `None` for all documents.
    pub(crate) condition: Option<SearchCondition<Program>>,
    /// The condition is that of a FILTER, in which missing attributes are null.
    pub(crate) is_filter: bool,
    pub(crate) scores: Vec<ScoreProgram>,
    /// The second arguments of `OFFSET_INFO()`, and the registers of the results.
    pub(crate) highlights: Vec<(Program, Register)>,
    pub(crate) order: Vec<ViewOrder>,
    pub(crate) limit: Option<u64>,
    /// The rows come in the primary sort order.
    pub(crate) is_sorted: bool,
    /// Attributes that are passed on in place of the document.
    pub(crate) projections: Vec<ProjectionProgram>,
    /// The column of each stored attribute, and its place there.
    pub(crate) columns: Vec<(usize, usize)>,
    /// The documents of hits are needed, not only the knowledge that the query sees them.
    pub(crate) reads_documents: bool,
    /// The search is the same for every incoming row.
    pub(crate) is_immutable: bool,
    /// The register of the document; `None` if nothing reads it.
    pub(crate) out: Option<Register>,
}

/// A hit with its scores.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) hit: search::Hit,
    pub(super) scores: Box<[f32]>,
}

impl EnumerateViewOperator {
    pub(crate) fn new(outer: OuterRows, parts: ViewParts) -> Self {
        let pending = PendingRows::default();
        Self { outer, parts, values: None, row: None, known: None, document_bytes: 0, pending }
    }

    /// Begins the search for the current incoming row.
    fn open(&self, state: &SearchState, context: &mut ExecutionContext) -> Result<RowSearch> {
        let values = self.values.as_ref().map(|values| values.row(self.outer.row())).transpose()?;
        RowSearch::open(&self.parts, state, values.unwrap_or_default(), context)
    }

    /// Returns some rows of the current incoming row; `None` if there are no more.
    fn rows(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        let Some(state) = self.parts.state.clone() else { return Ok(None) };
        let mut search = match self.row.take().or_else(|| self.known.take()) {
            Some(search) => search,
            None => self.open(&state, context)?,
        };
        let wanted = documents_wanted(limits, self.document_bytes);
        let found = search.next(wanted, context)?;
        if found.is_empty() {
            self.known = search.again();
            return Ok(None);
        }
        let query_on =
            |document: &Value, context: &ExecutionContext| search.query_on(document, &self.parts, context);
        let visible = documents::visible(&found, &self.parts, &state, &query_on, context)?;
        self.document_bytes = visible.bytes.checked_div(found.len()).unwrap_or(0);
        search.note_shown(visible.rows.len());
        let mut batch = self.outer.repeat(visible.rows.len());
        for (place, score) in self.parts.scores.iter().enumerate() {
            let value = |row: &usize| {
                let scores = found.get(*row).map(|found| &found.scores);
                let score = scores.and_then(|scores| scores.get(place)).copied().unwrap_or(0.0);
                Value::Double(f64::from(score))
            };
            batch.set_column(score.out, Column::from_values(visible.rows.iter().map(value).collect()));
        }
        for projection in &self.parts.projections {
            let column = covered::column(projection, &found, &visible, &self.parts, &state);
            batch.set_column(projection.out, column);
        }
        for ((_, out), wanted) in self.parts.highlights.iter().zip(&search.highlights) {
            let info = |document| offset_info(wanted, document, &search.query, &context.interrupt);
            let values = visible.documents.iter().map(info).collect::<Result<_>>()?;
            batch.set_column(*out, Column::from_values(values));
        }
        self.row = Some(search);
        if let Some(out) = self.parts.out {
            batch.set_column(out, Column::from_values(visible.documents));
        }
        Ok(Some(batch))
    }
}

impl Operator for EnumerateViewOperator {
    fn next_batch(&mut self, context: &mut ExecutionContext, limits: BatchLimits) -> Result<Option<Batch>> {
        if let Some(batch) = self.pending.take(limits) {
            return Ok(Some(batch));
        }
        loop {
            match self.outer.fetch(context, limits)? {
                Fetched::End => return Ok(None),
                Fetched::New => {
                    self.values = Some(Values::evaluate(&self.parts, self.outer.batch(), context)?)
                }
                Fetched::Present => {}
            }
            context.interrupt.check()?;
            match self.rows(context, limits)? {
                Some(batch) if batch.is_empty() => {}
                Some(batch) => return Ok(Some(self.pending.split(batch, limits))),
                None => self.outer.advance(),
            }
        }
    }

    fn count_rest(&mut self, context: &mut ExecutionContext) -> Result<Option<u64>> {
        let ViewParts { state: Some(state), is_exact, counts_roughly, limit, .. } = &self.parts else {
            return Ok(None);
        };
        if limit.is_some() || !(*is_exact || *counts_roughly) {
            return Ok(None);
        }
        let state = Arc::clone(state);
        let mut count = self.pending.count_rest();
        loop {
            let limits = context.full;
            match self.outer.fetch(context, limits)? {
                Fetched::End => return Ok(Some(count)),
                Fetched::New => {
                    self.values = Some(Values::evaluate(&self.parts, self.outer.batch(), context)?)
                }
                Fetched::Present => {}
            }
            let search = match self.row.take() {
                Some(search) => search,
                None => self.open(&state, context)?,
            };
            count += search.count_rest(&self.parts, context)?;
            self.outer.advance();
        }
    }

    fn restart(&mut self, outer: Batch) {
        self.values = None;
        self.row = None;
        self.pending.clear();
        self.outer.restart(outer);
    }

    fn release(&mut self) {
        self.outer.release();
    }
}
