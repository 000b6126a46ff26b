//! Places of matches in texts.
//!
//! An index stores no offsets. A text is analyzed again, and its tokens are compared with the
//! conditions of the query.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::analysis::{Analysis, text_of_term};
use crate::path::Path;
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
pub fn highlights(query: &Query, path: &Path, text: &str, limits: HighlightLimits) -> Vec<Range<u32>> {
    let mut search = Search { path, text, limits, found: Vec::new() };
    search.visit(query);
    search.found.sort_by_key(|bytes| (bytes.start, bytes.end));
    search.found.dedup();
    search.found
}

struct Search<'t> {
    path: &'t Path,
    text: &'t str,
    limits: HighlightLimits,
    found: Vec<Range<u32>>,
}

impl Search<'_> {
    fn visit(&mut self, query: &Query) {
        match query {
            Query::And(queries) | Query::AtLeast(_, queries) => {
                queries.iter().for_each(|query| self.visit(query));
            }
            Query::Boost(query, _) => self.visit(query),
            Query::Tokens(field, matcher) if field.path == *self.path => {
                let tokens = self.tokens(&field.analysis);
                let matching = tokens.values().flatten().filter(|placed| matcher.matches(&placed.token));
                let places: Vec<_> = matching.map(|placed| placed.bytes.clone()).collect();
                self.take(places, self.limits.term);
            }
            Query::Phrase(field, parts) if field.path == *self.path => {
                let places = phrases(&self.tokens(&field.analysis), parts);
                self.take(places, self.limits.phrase);
            }
            Query::NgramMatch { field, grams, .. } if field.path == *self.path => {
                let tokens = self.tokens(&field.analysis);
                let matching = tokens.values().flatten().filter(|placed| grams.contains(&placed.token));
                let places = joined(matching.map(|placed| placed.bytes.clone()));
                self.take(places, self.limits.ngram);
            }
            _ => {}
        }
    }

    fn take(&mut self, places: Vec<Range<u32>>, limit: usize) {
        self.found.extend(places.into_iter().take(limit));
    }

    /// Returns the tokens of the text; none if the analysis has no offsets.
    fn tokens(&self, analysis: &Analysis) -> Tokens {
        let mut tokens = Tokens::new();
        if analysis.features.offset {
            // A failure of the analyzer ends the tokens, as it did when the text was indexed.
            let _ = analysis.analyzer.tokens(
                self.text,
                || Ok(()),
                |token| {
                    let placed = Placed {
                        token: text_of_term(token.term).into_owned(),
                        bytes: token.start..token.end,
                    };
                    tokens.entry(i64::from(token.position)).or_default().push(placed);
                    Ok(())
                },
            );
        }
        tokens
    }
}

/// Returns the places of a phrase, from its first to its last token.
fn phrases(tokens: &Tokens, parts: &[PhrasePart]) -> Vec<Range<u32>> {
    let mut places = Vec::new();
    for start in tokens.keys() {
        let mut position = *start;
        let mut place: Option<Range<u32>> = None;
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                position = position.saturating_add(part.skip).saturating_add(1);
            }
            let at = tokens.get(&position).into_iter().flatten();
            let Some(found) = at.into_iter().find(|placed| part.matcher.matches(&placed.token)) else {
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
    places
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
