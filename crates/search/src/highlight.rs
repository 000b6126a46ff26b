//! Places of matches in texts.
//!
//! An index stores no offsets. A text is analyzed again, and its tokens are compared with the
//! conditions of the query.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use errors::Result;
use owner::Interrupt;

use crate::analysis::{Analysis, text_of_term};
use crate::path::Path;
use crate::pulse::Pulse;
use crate::query::{PhrasePart, Query};

/// Maximum number of places of each kind of condition.
#[derive(Clone, Copy, Debug)]
pub struct HighlightLimits {
    /// Of single tokens.
    pub term: usize,
    /// Of phrases.
    pub phrase: usize,
    /// Of n-grams.
    pub ngram: usize,
}

/// A token with its place.
struct Placed {
    token: String,
    bytes: Range<u32>,
}

/// The tokens of a text, by their positions.
type Tokens = BTreeMap<i64, Vec<Placed>>;

/// Returns the bytes of a text at `path` that match a query, ascending and each once.
///
/// Only conditions on texts are looked at whose analysis has offsets, and none below a negation.
///
/// Errors: those of the interrupt.
pub fn highlights(
    query: &Query,
    path: &Path,
    text: &str,
    limits: HighlightLimits,
    interrupt: &Interrupt,
) -> Result<Vec<Range<u32>>> {
    let pulse = Pulse::new(interrupt);
    let mut search = Search { path, text, limits, found: Vec::new(), interrupt, pulse };
    search.visit(query)?;
    search.found.sort_by_key(|bytes| (bytes.start, bytes.end));
    search.found.dedup();
    Ok(search.found)
}

struct Search<'t> {
    path: &'t Path,
    text: &'t str,
    limits: HighlightLimits,
    found: Vec<Range<u32>>,
    interrupt: &'t Interrupt,
    pulse: Pulse,
}

impl Search<'_> {
    fn visit(&mut self, query: &Query) -> Result<()> {
        match query {
            Query::And(queries) | Query::AtLeast(_, queries) => {
                queries.iter().try_for_each(|query| self.visit(query))?;
            }
            Query::Boost(query, _) => self.visit(query)?,
            Query::Tokens(field, matcher) if field.path == *self.path => {
                let tokens = self.tokens(&field.analysis)?;
                let mut places = Vec::new();
                for placed in tokens.values().flatten() {
                    if matcher.matches(&placed.token, &self.pulse)? {
                        places.push(placed.bytes.clone());
                    }
                }
                self.take(places, self.limits.term);
            }
            Query::Phrase(field, parts) if field.path == *self.path => {
                let places = phrases(&self.tokens(&field.analysis)?, parts, &self.pulse)?;
                self.take(places, self.limits.phrase);
            }
            Query::NgramMatch { field, grams, .. } if field.path == *self.path => {
                let tokens = self.tokens(&field.analysis)?;
                let grams: HashSet<&String> = grams.iter().collect();
                let matching = tokens.values().flatten().filter(|placed| grams.contains(&placed.token));
                let places = joined(matching.map(|placed| placed.bytes.clone()));
                self.take(places, self.limits.ngram);
            }
            _ => {}
        }
        Ok(())
    }

    fn take(&mut self, places: Vec<Range<u32>>, limit: usize) {
        self.found.extend(places.into_iter().take(limit));
    }

    /// Returns the tokens of the text; none if the analysis has no offsets.
    fn tokens(&self, analysis: &Analysis) -> Result<Tokens> {
        let mut tokens = Tokens::new();
        if analysis.features.offset {
            // A failure of the analyzer ends the tokens, as it did when the text was indexed.
            let done = analysis.analyzer.tokens(self.text, self.interrupt, |token| {
                let token_text = text_of_term(token.term).into_owned();
                let placed = Placed { token: token_text, bytes: token.start..token.end };
                tokens.entry(i64::from(token.position)).or_default().push(placed);
                Ok(())
            });
            if done.is_err() {
                self.interrupt.check()?;
            }
        }
        Ok(tokens)
    }
}

/// Returns the places of a phrase, from its first to its last token.
fn phrases(tokens: &Tokens, parts: &[PhrasePart], pulse: &Pulse) -> Result<Vec<Range<u32>>> {
    let mut places = Vec::new();
    for start in tokens.keys() {
        let mut position = *start;
        let mut place: Option<Range<u32>> = None;
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                position = position.saturating_add(part.skip).saturating_add(1);
            }
            let Some(found) = matching(tokens.get(&position), part, pulse)? else {
                place = None;
                break;
            };
            let bytes = found.bytes.clone();
            place = Some(match place {
                Some(place) => place.start.min(bytes.start)..place.end.max(bytes.end),
                None => bytes,
            });
        }
        places.extend(place);
    }
    Ok(places)
}

/// Returns the first of the tokens at one position that may stand there.
fn matching<'t>(
    tokens: Option<&'t Vec<Placed>>,
    part: &PhrasePart,
    pulse: &Pulse,
) -> Result<Option<&'t Placed>> {
    for placed in tokens.into_iter().flatten() {
        if part.matcher.matches(&placed.token, pulse)? {
            return Ok(Some(placed));
        }
    }
    Ok(None)
}

/// Joins places that touch or overlap.
fn joined(places: impl Iterator<Item = Range<u32>>) -> Vec<Range<u32>> {
    let mut joined: Vec<Range<u32>> = Vec::new();
    for place in places {
        match joined.last_mut().filter(|last| place.start <= last.end) {
            Some(last) => last.end = last.end.max(place.end),
            None => joined.push(place),
        }
    }
    joined
}
