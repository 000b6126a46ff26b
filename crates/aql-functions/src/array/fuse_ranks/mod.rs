//! `FUSE_RANKS()`: one list of the best entries of several ranked lists.

mod options;

use std::cmp::Ordering;

use aql_value::{BoundedBlock, EvaluationContext, Value};
use errors::{Error, ErrorCode, Result};

use self::options::{By, Options, refused};
use crate::argument::{check_interrupt, check_round, value};
use crate::memory::{Growth, Names, room_for_bytes};

/// Maximum number of lists.
const LISTS_MAX: usize = 64;

/// Maximum number of distinct entries. More end the query with error 1504.
///
/// Sorting them takes less than a second, and nothing interrupts it.
const ENTRIES_MAX: usize = 250_000;

/// An entry of any list.
struct Fused {
    id: Value,
    /// The document, if a list has it; null otherwise.
    document: Value,
    score: f64,
}

/// The scores of the entries of one list. The list's order tells which end is the better one.
#[derive(Clone, Copy)]
struct ScoreRange {
    best: f64,
    worst: f64,
}

/// `FUSE_RANKS(lists, options)`: the entries of all lists by their fused score, the best first.
///
/// A list has its best entry first. An entry is an `_id`, a document, or an object with `id` and
/// `score`. If a list has an entry twice, the first counts. The score is the sum over the lists
/// that have the entry:
///
/// ```text
/// by "rank"   weight / (k + rank)
/// by "score"  weight · (score - worst) / (best - worst)
/// ```
///
/// Each row has `id`, `score`, `ranks` (the rank in each list, from 1; null in lists without the
/// entry), and `document` if a list has documents. Rows of equal scores are ordered by their `id`.
///
/// Source of the first: Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet
/// and individual Rank Learning Methods", 2009.
///
/// Errors: 1542 for arguments of other types or shapes, 1504 for too many entries.
pub(super) fn fuse_ranks(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let lists = value(arguments, 0);
    if !lists.is_array() || lists.len() > LISTS_MAX {
        return Err(refused(&format!("the lists must be an array of at most {LISTS_MAX} arrays")));
    }
    let options = Options::of(value(arguments, 1), lists.len())?;
    let mut fusion = Fusion::new(lists.len(), context);
    for (number, list) in lists.elements().enumerate() {
        if !list.is_array() {
            return Err(refused(&format!("list {} is no array", number + 1)));
        }
        fusion.add(&list, number, &options, context)?;
    }
    fusion.into_rows(options.limit, context)
}

/// The entries of the lists so far.
struct Fusion<'a> {
    lists: usize,
    entries: Vec<Fused>,
    /// The rank of each entry in each list; 0 if the list does not have it.
    ranks: Vec<u32>,
    places: Names<'a, String>,
    growth: Growth<'a>,
}

impl<'a> Fusion<'a> {
    fn new(lists: usize, context: &EvaluationContext<'a>) -> Self {
        Fusion {
            lists,
            entries: Vec::new(),
            ranks: Vec::new(),
            places: Names::new(context),
            growth: Growth::new(context.memory, size_of::<Fused>() + lists * size_of::<u32>()),
        }
    }

    /// Adds the entries of a list.
    fn add(
        &mut self,
        list: &Value,
        number: usize,
        options: &Options,
        context: &EvaluationContext<'_>,
    ) -> Result<()> {
        let weight = options.weights.get(number).copied().unwrap_or(1.0);
        let range = match options.by {
            By::Rank => None,
            By::Score => Some(ScoreRange::of(list, number, context)?),
        };
        for (index, element) in list.elements().enumerate() {
            check_round(context, index)?;
            let expected = "be an _id, a document, or an object with a string `id`";
            let (id, document) = identity(&element).ok_or_else(|| unknown_entry(number, index, expected))?;
            let place = self.place_of(&id)?;
            if document.is_object() {
                self.note_document(place, document);
            }
            let Some(rank) = self.ranks.get_mut(place * self.lists + number) else { continue };
            if *rank != 0 {
                continue;
            }
            *rank = u32::try_from(index + 1).unwrap_or(u32::MAX);
            let share = match range {
                None => 1.0 / (options.k + (index + 1) as f64),
                Some(range) => range.share(score_of(&element, number, index)?),
            };
            if let Some(entry) = self.entries.get_mut(place) {
                entry.score += weight * share;
            }
        }
        Ok(())
    }

    /// Returns the place of the entry with this id, a new one if there is none.
    fn place_of(&mut self, id: &Value) -> Result<usize> {
        let text = id.as_str().unwrap_or_default();
        let next = self.entries.len();
        if !self.places.contains(text) {
            self.places.hold(text)?;
        }
        let place = self.places.place_of(text.to_owned(), next)?;
        if place == next {
            if next == ENTRIES_MAX {
                return Err(too_many_entries());
            }
            if let Some(room) = self.growth.reach(next + 1)? {
                self.entries.reserve_exact(room - next);
                self.ranks.reserve_exact((room - next) * self.lists);
            }
            self.entries.push(Fused { id: id.clone(), document: Value::Null, score: 0.0 });
            self.ranks.resize((next + 1) * self.lists, 0);
        }
        Ok(place)
    }

    fn note_document(&mut self, place: usize, document: Value) {
        if let Some(entry) = self.entries.get_mut(place).filter(|entry| entry.document.is_null()) {
            entry.document = document;
        }
    }

    /// Returns the rows of the best entries.
    fn into_rows(self, limit: usize, context: &EvaluationContext<'_>) -> Result<Value> {
        context.interrupt.check()?;
        let _scratch = room_for_bytes(self.entries.len() * size_of::<usize>(), context)?;
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        let compare = |left: &usize, right: &usize| match (self.entries.get(*left), self.entries.get(*right))
        {
            (Some(left), Some(right)) => left.before(right),
            _ => Ordering::Equal,
        };
        if limit < order.len() {
            order.select_nth_unstable_by(limit, compare);
            order.truncate(limit);
        }
        order.sort_unstable_by(compare);
        let mut block = BoundedBlock::new(1, context.memory, context.interrupt);
        block.builder().open_array()?;
        for (round, place) in order.into_iter().enumerate() {
            check_interrupt(context.interrupt, round)?;
            let Some(entry) = self.entries.get(place) else { continue };
            block.builder().open_object()?;
            block.key("id")?;
            block.append(&entry.id)?;
            block.key("score")?;
            block.append(&Value::from_f64(entry.score))?;
            block.key("ranks")?;
            block.builder().open_array()?;
            for rank in self.ranks.iter().skip(place * self.lists).take(self.lists) {
                block.append(&if *rank == 0 { Value::Null } else { Value::from_u64(u64::from(*rank)) })?;
            }
            block.close_array()?;
            if entry.document.is_object() {
                block.key("document")?;
                block.append(&entry.document)?;
            }
            block.close_object()?;
        }
        block.close_array()?;
        block.end_value();
        Ok(block.into_value())
    }
}

impl Fused {
    /// Compares two entries; the better is the lesser.
    fn before(&self, other: &Fused) -> Ordering {
        other.score.total_cmp(&self.score).then_with(|| self.id.compare(&other.id))
    }
}

impl ScoreRange {
    /// Returns the scores of a list's ends.
    fn of(list: &Value, number: usize, context: &EvaluationContext<'_>) -> Result<ScoreRange> {
        let (mut first, mut last) = (None, 0.0);
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for (index, element) in list.elements().enumerate() {
            check_round(context, index)?;
            last = score_of(&element, number, index)?;
            first = first.or(Some(last));
            (least, greatest) = (least.min(last), greatest.max(last));
        }
        // The order of distances is ascending.
        let is_descending = first.is_none_or(|first| first >= last);
        let (best, worst) = if is_descending { (greatest, least) } else { (least, greatest) };
        Ok(ScoreRange { best, worst })
    }

    /// Returns the place of a score between the worst, which is 0, and the best, which is 1.
    fn share(self, score: f64) -> f64 {
        // Halves cannot overflow.
        let range = self.best / 2.0 - self.worst / 2.0;
        if range == 0.0 { 1.0 } else { (score / 2.0 - self.worst / 2.0) / range }
    }
}

/// Returns the id of an entry, and its document or null; `None` for something else.
fn identity(element: &Value) -> Option<(Value, Value)> {
    if element.is_string() {
        return Some((element.clone(), Value::Null));
    }
    let own = element.get("_id");
    if own.is_string() {
        return Some((own, element.clone()));
    }
    let (id, document) = (element.get("id"), element.get("document"));
    id.is_string().then_some((id, document))
}

fn score_of(element: &Value, number: usize, index: usize) -> Result<f64> {
    let score = element.get("score").as_f64().filter(|score| score.is_finite());
    score.ok_or_else(|| unknown_entry(number, index, "have a number `score`"))
}

fn unknown_entry(number: usize, index: usize, expected: &str) -> Error {
    refused(&format!("entry {} of list {} must {expected}", index + 1, number + 1))
}

fn too_many_entries() -> Error {
    let message = format!("number out of range: FUSE_RANKS() takes at most {ENTRIES_MAX} distinct entries");
    Error::new(ErrorCode::QueryNumberOutOfRange, message)
}
