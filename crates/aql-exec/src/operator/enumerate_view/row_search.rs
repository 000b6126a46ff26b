//! The search for one incoming row.

use std::cell::RefCell;
use std::sync::Arc;

use aql_plan::{SearchCondition, ViewOrder, ViewScorer};
use aql_value::{Batch, Charge, Column, Program, Register, Value};
use errors::{Error, Result};
use search::{Hits, Query, Scorer, SearchSnapshot};
use storage::SearchState;

use super::best::Best;
use super::highlight::{Wanted, wanted};
use super::kept::KeptHits;
use super::sorted::SortedHits;
use super::stored::StoredDocuments;
use super::{Found, ViewParts};
use crate::context::ExecutionContext;
use crate::search::{Compiler, OnlyDocument};

/// Hits between two checks for an interrupt.
const HITS_PER_CHECK: usize = 4096;

/// The default parameters of BM25.
const BM25: (f64, f64) = (1.2, 0.75);

/// A score to compute.
pub(crate) struct ScoreProgram {
    pub(crate) scorer: ViewScorer,
    /// The arguments after the document.
    pub(crate) arguments: Vec<Program>,
    pub(crate) out: Register,
}

/// The values of a search for a batch of incoming rows.
pub(super) struct Values {
    condition: Option<SearchCondition<Column>>,
    scores: Vec<Vec<Column>>,
    highlights: Vec<Column>,
}

/// The values of a search for one incoming row.
#[derive(Default)]
pub(super) struct RowValues {
    condition: Option<SearchCondition<Value>>,
    scores: Vec<Vec<Value>>,
    highlights: Vec<Value>,
}

impl Values {
    pub(super) fn evaluate(
        parts: &ViewParts,
        batch: Option<&Batch>,
        context: &mut ExecutionContext,
    ) -> Result<Self> {
        let empty = Batch::default();
        let batch = batch.unwrap_or(&empty);
        let mut evaluate = |program: &Program| context.evaluate(program, batch);
        let condition = parts.condition.as_ref().map(|condition| condition.try_map(&mut evaluate));
        let condition = condition.transpose()?;
        let mut scores = Vec::with_capacity(parts.scores.len());
        for score in &parts.scores {
            scores.push(score.arguments.iter().map(&mut evaluate).collect::<Result<_>>()?);
        }
        let highlights = parts.highlights.iter().map(|(argument, _)| evaluate(argument));
        let highlights = highlights.collect::<Result<_>>()?;
        Ok(Self { condition, scores, highlights })
    }

    pub(super) fn row(&self, row: usize) -> Result<RowValues> {
        let mut value = |column: &Column| Ok(column.get(row).clone());
        let condition = self.condition.as_ref().map(|condition| condition.try_map(&mut value));
        let scores =
            self.scores.iter().map(|score| score.iter().map(|column| column.get(row).clone()).collect());
        let highlights = self.highlights.iter().map(|column| column.get(row).clone());
        let (scores, highlights) = (scores.collect(), highlights.collect());
        Ok(RowValues { condition: condition.transpose()?, scores, highlights })
    }
}

/// The search for one incoming row.
pub(super) struct RowSearch {
    snapshot: Arc<SearchSnapshot>,
    pub(super) query: Query,
    condition: Option<SearchCondition<Value>>,
    scorers: Vec<Scorer>,
    order: Vec<ViewOrder>,
    pub(super) highlights: Vec<Vec<Wanted>>,
    rows: Rows,
    /// The hits so far, while they are kept for later rows.
    kept: Option<KeptHits>,
}

/// The hits that follow.
enum Rows {
    None,
    /// In the order of the index.
    Index(Hits),
    /// The best first.
    Best(BestRows),
    /// In the primary sort order.
    Sorted(SortedHits),
    /// Those of an earlier row, from this place on.
    Kept(KeptHits, usize),
}

/// The best hits.
struct BestRows {
    found: std::vec::IntoIter<Found>,
    /// The number of rows that are wanted.
    limit: usize,
    /// The number of hits that were looked for.
    kept: usize,
    /// The number of rows that were made of hits.
    shown: usize,
    /// True if there are no hits beside these.
    are_all: bool,
    _charge: Charge,
}

impl BestRows {
    fn missing(&self) -> usize {
        self.limit.saturating_sub(self.shown)
    }
}

impl RowSearch {
    /// Begins the search.
    ///
    /// Errors: 10 for wrong arguments of functions.
    pub(super) fn open(
        parts: &ViewParts,
        state: &SearchState,
        values: RowValues,
        context: &mut ExecutionContext,
    ) -> Result<Self> {
        // The thread of the query works alone on its searches.
        context.statistics.search_threads = context.statistics.search_threads.max(1);
        let query = match &values.condition {
            Some(condition) => {
                let verifier = StoredDocuments { parts, state, context: RefCell::new(context) };
                let environment = verifier.context.borrow().environment.clone();
                let interrupt = verifier.context.borrow().interrupt.clone();
                let compiler = Compiler {
                    fields: &parts.fields,
                    environment: &environment,
                    interrupt: &interrupt,
                    verifier: &verifier,
                    missing_is_null: parts.is_filter,
                };
                compiler.query(condition)?
            }
            None => Query::All,
        };
        let scorers = parts.scores.iter().zip(&values.scores);
        let scorers =
            scorers.map(|(score, arguments)| scorer(score.scorer, arguments)).collect::<Result<Vec<_>>>()?;
        let mut search = Self {
            snapshot: Arc::clone(state.snapshot()),
            query,
            condition: values.condition,
            scorers,
            order: parts.order.clone(),
            highlights: values.highlights.iter().map(wanted).collect::<Result<_>>()?,
            rows: Rows::None,
            kept: parts.is_immutable.then(|| KeptHits::new(context.new_charge())),
        };
        search.rows = match parts.limit.filter(|_| !parts.order.is_empty()) {
            Some(limit) => {
                let limit = usize::try_from(limit).unwrap_or(usize::MAX);
                search.best(limit, limit, 0, context)?
            }
            None if parts.is_sorted => {
                let hits = search.hits(context)?;
                let query_on =
                    |document: &Value, context: &ExecutionContext| search.query_on(document, parts, context);
                Rows::Sorted(SortedHits::find(hits, parts.limit, parts, state, &query_on, context)?)
            }
            None => Rows::Index(search.hits(context)?),
        };
        Ok(search)
    }

    fn hits(&self, context: &ExecutionContext) -> Result<Hits> {
        Hits::new(Arc::clone(&self.snapshot), &self.query, &self.scorers, &context.interrupt)
    }

    /// Finds the best `kept` hits, without the first `skipped` of them.
    ///
    /// If they are ordered by one score, hits whose scores are certain to be lower are not looked
    /// at.
    fn best(
        &self,
        limit: usize,
        kept: usize,
        skipped: usize,
        context: &mut ExecutionContext,
    ) -> Result<Rows> {
        let ranking = match self.order.as_slice() {
            [order] if !order.ascending && kept > 0 => Some(order.score),
            _ => None,
        };
        let (snapshot, interrupt) = (Arc::clone(&self.snapshot), &context.interrupt);
        let mut hits = match ranking {
            Some(_) => Hits::ranked(snapshot, &self.query, &self.scorers, interrupt)?,
            None => Hits::new(snapshot, &self.query, &self.scorers, interrupt)?,
        };
        let mut best = Best::new(kept, &self.order);
        let mut charge = context.new_charge();
        let mut looked_at = 0;
        let mut scores = vec![0.0; self.scorers.len()];
        loop {
            let hit = match ranking {
                Some(score) => hits.advance_above(score, best.threshold(score))?,
                None => hits.advance()?,
            };
            let Some(hit) = hit else { break };
            looked_at += 1;
            if looked_at % HITS_PER_CHECK == 0 {
                context.interrupt.check()?;
            }
            for (place, score) in scores.iter_mut().enumerate() {
                *score = hits.score(place);
            }
            if best.offer(hit, &scores) {
                charge.grow(best.entry_bytes())?;
            }
        }
        context.statistics.scanned_index += looked_at as u64;
        let are_all = !best.is_full();
        let mut found = best.into_sorted().into_iter();
        found.by_ref().take(skipped).for_each(drop);
        Ok(Rows::Best(BestRows { found, limit, kept, shown: 0, are_all, _charge: charge }))
    }

    /// Returns the next hits, at most `wanted`; none after the last.
    pub(super) fn next(&mut self, wanted: usize, context: &mut ExecutionContext) -> Result<Vec<Found>> {
        let found = self.read(wanted, context)?;
        self.kept = self.kept.take().and_then(|kept| kept.with(&found));
        Ok(found)
    }

    /// Returns the search for another row, after the last hit; `None` unless it was kept.
    pub(super) fn again(mut self) -> Option<Self> {
        let kept = match (self.kept.take(), std::mem::replace(&mut self.rows, Rows::None)) {
            (Some(kept), _) | (None, Rows::Kept(kept, _)) => kept,
            _ => return None,
        };
        self.rows = Rows::Kept(kept, 0);
        Some(self)
    }

    fn read(&mut self, wanted: usize, context: &mut ExecutionContext) -> Result<Vec<Found>> {
        match &mut self.rows {
            Rows::None => Ok(Vec::new()),
            Rows::Kept(kept, position) => {
                let found = kept.part(*position, wanted);
                *position += found.len();
                context.statistics.scanned_index += found.len() as u64;
                Ok(found)
            }
            Rows::Sorted(sorted) => Ok(sorted.next(wanted)),
            Rows::Index(hits) => {
                let mut found = Vec::new();
                while found.len() < wanted {
                    let Some(hit) = hits.advance()? else { break };
                    let scores = (0..self.scorers.len()).map(|scorer| hits.score(scorer)).collect();
                    found.push(Found { hit, scores });
                }
                context.statistics.scanned_index += found.len() as u64;
                Ok(found)
            }
            Rows::Best(best) => {
                let wanted_now = wanted.min(best.missing());
                let next: Vec<Found> = best.found.by_ref().take(wanted_now).collect();
                if !next.is_empty() || best.missing() == 0 || best.are_all {
                    return Ok(next);
                }
                // Some of the best are not visible to the query: the next ones follow.
                let (limit, shown, kept) = (best.limit, best.shown, best.kept);
                self.rows = self.best(limit, kept.saturating_mul(2), kept, context)?;
                self.note_shown(shown);
                self.read(wanted, context)
            }
        }
    }

    /// Returns the number of hits that follow. They are the number of rows if the state is exact.
    pub(super) fn count_rest(self, parts: &ViewParts, context: &mut ExecutionContext) -> Result<u64> {
        let mut hits = match self.rows {
            Rows::Index(hits) => hits,
            Rows::Sorted(sorted) => return Ok(sorted.len() as u64),
            Rows::Kept(kept, position) => return Ok(kept.len().saturating_sub(position) as u64),
            Rows::None | Rows::Best(_) => return Ok(0),
        };
        let interrupt = context.interrupt.clone();
        let mut check = || interrupt.check();
        let count = match parts.counts_roughly {
            true => hits.estimate_rest(&mut check)?,
            false => hits.count_rest(&mut check)?,
        };
        context.statistics.scanned_index += count;
        Ok(count)
    }

    /// Returns the query for a document that is the only one of an index.
    pub(super) fn query_on(
        &self,
        document: &Value,
        parts: &ViewParts,
        context: &ExecutionContext,
    ) -> Result<Query> {
        let Some(condition) = &self.condition else { return Ok(Query::All) };
        let compiler = Compiler {
            fields: &parts.fields,
            environment: &context.environment,
            interrupt: &context.interrupt,
            verifier: &OnlyDocument(document),
            missing_is_null: parts.is_filter,
        };
        compiler.query(condition)
    }

    /// Counts rows that were made of the hits.
    pub(super) fn note_shown(&mut self, rows: usize) {
        if let Rows::Best(best) = &mut self.rows {
            best.shown += rows;
        }
    }
}

/// Returns the function that scores documents.
///
/// Errors: 10 for parameters of other types.
fn scorer(scorer: ViewScorer, arguments: &[Value]) -> Result<Scorer> {
    let invalid = |position: usize, expected: &str| {
        Error::bad_parameter(format!("argument {position} of {}() must be {expected}", scorer.name()))
    };
    let number = |index: usize, default: f64| match arguments.get(index) {
        None => Ok(default as f32),
        Some(value) if value.is_number() => Ok(value.to_f64() as f32),
        Some(_) => Err(invalid(index + 2, "a number")),
    };
    match scorer {
        ViewScorer::Bm25 => Ok(Scorer::Bm25 { k: number(0, BM25.0)?, b: number(1, BM25.1)? }),
        ViewScorer::Tfidf => {
            let normalize = match arguments.first() {
                None => false,
                Some(value) => value.as_bool().ok_or_else(|| invalid(2, "a boolean"))?,
            };
            Ok(Scorer::Tfidf { normalize })
        }
    }
}
