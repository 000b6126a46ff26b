//! The evaluation of a query by looking at every document.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use search::{Bounds, FieldRef, Matcher, Path, PhrasePart, Presence, Query, Scorer, Similar, Value};

use super::model::{Indexed, Model, Primitive};

/// True if a document matches, and its scores.
type Outcome = Option<Vec<f64>>;

impl Model {
    /// Returns the living documents that match, with their scores.
    pub(crate) fn evaluate(&self, query: &Query, scorers: &[Scorer]) -> BTreeMap<String, Vec<f32>> {
        let mut all = Vec::new();
        self.segments.iter().flatten().for_each(|entry| collect(&entry.indexed, &mut all));
        let evaluation = Evaluation { all, scorers };
        let living = self.segments.iter().flatten().filter(|entry| entry.lives);
        let outcome = living.filter_map(|entry| {
            let scores = evaluation.query(query, &entry.indexed, 1.0)?;
            Some((entry.key.clone(), scores.into_iter().map(|score| score as f32).collect()))
        });
        outcome.collect()
    }
}

fn collect<'m>(document: &'m Indexed, all: &mut Vec<&'m Indexed>) {
    all.push(document);
    document.nested.iter().for_each(|(_, nested)| collect(nested, all));
}

struct Evaluation<'m> {
    /// All documents and nested documents, also those that do not live.
    all: Vec<&'m Indexed>,
    scorers: &'m [Scorer],
}

impl Evaluation<'_> {
    fn unscored(&self, matches: bool) -> Outcome {
        matches.then(|| vec![0.0; self.scorers.len()])
    }

    fn query(&self, query: &Query, document: &Indexed, boost: f64) -> Outcome {
        match query {
            Query::All => self.unscored(true),
            // Sets and lists of keys are made by callers, not generated.
            Query::None | Query::Documents(_) | Query::Keys(_) => None,
            Query::Value(path, value) => {
                self.unscored(values(document, path).any(|own| compare(own, value) == Some(Ordering::Equal)))
            }
            Query::ValueRange(path, bounds) => {
                self.unscored(values(document, path).any(|own| within(own, bounds)))
            }
            Query::Exists(path, presence) => {
                let name = presence_name(presence);
                self.unscored(document.fields.get(path).is_some_and(|field| field.present.contains(&name)))
            }
            Query::Tokens(field, matcher) => self.tokens(field, matcher, document, boost),
            Query::Phrase(field, parts) => self.phrase(field, parts, document, boost),
            Query::NgramMatch { field, grams, threshold } => {
                self.ngrams(field, grams, *threshold, document, boost)
            }
            Query::And(queries) => {
                let outcomes: Option<Vec<_>> =
                    queries.iter().map(|query| self.query(query, document, boost)).collect();
                outcomes.map(|outcomes| self.sum(outcomes))
            }
            Query::AtLeast(0, _) => self.unscored(true),
            Query::AtLeast(count, queries) => {
                let outcomes = queries.iter().filter_map(|query| self.query(query, document, boost));
                let outcomes: Vec<_> = outcomes.collect();
                (outcomes.len() >= *count).then(|| self.sum(outcomes))
            }
            Query::Not(query) => self.unscored(self.query(query, document, boost).is_none()),
            Query::Boost(query, factor) => self.query(query, document, boost * f64::from(*factor)),
            Query::Nested { path, query, counts } => {
                let nested = document.nested.iter().filter(|(own, _)| own == path);
                let outcomes: Vec<_> =
                    nested.filter_map(|(_, nested)| self.query(query, nested, boost)).collect();
                counts.contains(&(outcomes.len() as u32)).then(|| self.sum(outcomes))
            }
        }
    }

    fn sum(&self, outcomes: Vec<Vec<f64>>) -> Vec<f64> {
        let zero = vec![0.0; self.scorers.len()];
        outcomes.into_iter().fold(zero, |sum, scores| sum.iter().zip(scores).map(|(a, b)| a + b).collect())
    }

    fn tokens(&self, field: &FieldRef, matcher: &Matcher, document: &Indexed, boost: f64) -> Outcome {
        let matching = self.matching(field, matcher);
        let own = tokens(document, field);
        let present: BTreeSet<&String> =
            own.iter().map(|(token, _)| token).filter(|token| matching.contains(*token)).collect();
        if present.is_empty() {
            return None;
        }
        let scores = present.into_iter().map(|token| {
            let frequency = own.iter().filter(|(own, _)| own == token).count();
            self.scores(field, &[self.having(field, &[token])], frequency, own.len(), boost)
        });
        Some(self.sum(scores.collect()))
    }

    fn phrase(&self, field: &FieldRef, parts: &[PhrasePart], document: &Indexed, boost: f64) -> Outcome {
        let own = tokens(document, field);
        if !field.analysis.features.position || !field.analysis.features.frequency {
            return None;
        }
        let matching: Vec<_> = parts.iter().map(|part| self.matching(field, &part.matcher)).collect();
        let starts = |start: i64| {
            let mut place = start;
            parts.iter().zip(&matching).enumerate().all(|(index, (part, matching))| {
                place += if index == 0 { 0 } else { part.skip + 1 };
                own.iter().any(|(token, position)| i64::from(*position) == place && matching.contains(token))
            })
        };
        let positions: BTreeSet<u32> = own.iter().map(|(_, position)| *position).collect();
        let frequency = positions.iter().filter(|position| starts(i64::from(**position))).count();
        if frequency == 0 || parts.is_empty() {
            return None;
        }
        let all = self.documents_with(field);
        let counts: Vec<usize> = matching
            .iter()
            .map(|tokens| tokens.iter().map(|token| self.having(field, &[token])).sum::<usize>().min(all))
            .collect();
        Some(self.scores(field, &counts, frequency, own.len(), boost))
    }

    fn ngrams(
        &self,
        field: &FieldRef,
        grams: &[String],
        threshold: f64,
        document: &Indexed,
        boost: f64,
    ) -> Outcome {
        if !field.analysis.features.position || grams.is_empty() {
            return None;
        }
        let own = tokens(document, field);
        let mut table = vec![vec![0_usize; grams.len() + 1]; own.len() + 1];
        for (row, (token, _)) in own.iter().enumerate() {
            for (column, gram) in grams.iter().enumerate() {
                table[row + 1][column + 1] = if token == gram {
                    table[row][column] + 1
                } else {
                    table[row][column + 1].max(table[row + 1][column])
                };
            }
        }
        let longest = table[own.len()][grams.len()];
        if longest == 0 || (longest as f64 / grams.len() as f64) < threshold - 1e-9 {
            return None;
        }
        let counts: Vec<usize> = grams.iter().map(|gram| self.having(field, &[gram])).collect();
        Some(self.scores(field, &counts, 1, own.len(), boost))
    }

    /// Returns the tokens of a field, in all documents, that match.
    fn matching(&self, field: &FieldRef, matcher: &Matcher) -> BTreeSet<String> {
        let all: BTreeSet<&String> =
            self.all.iter().flat_map(|document| tokens(document, field)).map(|(token, _)| token).collect();
        let matches = |token: &str| match matcher {
            Matcher::AnyOf(tokens) => tokens.iter().any(|own| own == token),
            Matcher::Prefix(prefix) => token.starts_with(prefix.as_str()),
            Matcher::Range(bounds) => {
                let compare = |bound: &String| Some(token.as_bytes().cmp(bound.as_bytes()));
                satisfies(bounds, compare)
            }
            Matcher::Like(pattern) => {
                like(&token.chars().collect::<Vec<_>>(), &pattern.chars().collect::<Vec<_>>())
            }
            Matcher::Levenshtein(similar) => {
                distance_to(similar, token).is_some_and(|distance| distance <= usize::from(similar.distance))
            }
        };
        let mut matching: Vec<&String> = all.into_iter().filter(|token| matches(token)).collect();
        if let Matcher::Levenshtein(similar) = matcher
            && similar.max_terms > 0
        {
            matching.sort_by_key(|token| (distance_to(similar, token), *token));
            matching.truncate(similar.max_terms);
        }
        matching.into_iter().cloned().collect()
    }

    /// Returns the number of documents with one of these tokens.
    fn having(&self, field: &FieldRef, wanted: &[&String]) -> usize {
        let has =
            |document: &&&Indexed| tokens(document, field).iter().any(|(token, _)| wanted.contains(&token));
        self.all.iter().filter(has).count()
    }

    fn documents_with(&self, field: &FieldRef) -> usize {
        let name = format!("analyzer {}", field.analysis.name);
        let own = |document: &&&Indexed| {
            document.fields.get(&field.path).is_some_and(|field| field.present.contains(&name))
        };
        self.all.iter().filter(own).count()
    }

    fn scores(
        &self,
        field: &FieldRef,
        having: &[usize],
        frequency: usize,
        length: usize,
        boost: f64,
    ) -> Vec<f64> {
        let features = field.analysis.features;
        if !features.frequency {
            return vec![0.0; self.scorers.len()];
        }
        let all = self.documents_with(field) as f64;
        let total: usize = self.all.iter().map(|document| tokens(document, field).len()).sum();
        let average = total as f64 / all;
        let (frequency, length) = (frequency as f64, length as f64);
        let score = |scorer: &Scorer| match *scorer {
            Scorer::Bm25 { k, b } => {
                let (k, b) = (f64::from(k), if features.norm { f64::from(b) } else { 0.0 });
                let idf = having.iter().map(|n| (1.0 + (all - *n as f64 + 0.5) / (*n as f64 + 0.5)).ln());
                idf.sum::<f64>() * (k + 1.0) * frequency / (frequency + k * (1.0 - b + b * length / average))
            }
            Scorer::Tfidf { normalize } => {
                let idf = having.iter().map(|n| 1.0 + ((all + 1.0) / (*n as f64 + 1.0)).ln());
                let norm = if normalize && features.norm { length.sqrt() } else { 1.0 };
                idf.sum::<f64>() * frequency.sqrt() / norm
            }
        };
        self.scorers.iter().map(|scorer| score(scorer) * boost).collect()
    }
}

fn tokens<'m>(document: &'m Indexed, field: &FieldRef) -> &'m [(String, u32)] {
    document.fields.get(&field.path).map(|field| field.tokens.as_slice()).unwrap_or_default()
}

fn values<'m>(document: &'m Indexed, path: &Path) -> impl Iterator<Item = &'m Primitive> {
    document.fields.get(path).into_iter().flat_map(|field| field.values.iter())
}

/// Compares values of one type; `None` for different types.
fn compare(own: &Primitive, value: &Value) -> Option<Ordering> {
    match (own, value) {
        (Primitive::Null, Value::Null) => Some(Ordering::Equal),
        (Primitive::Bool(own), Value::Bool(value)) => Some(own.cmp(value)),
        (Primitive::Number(own), Value::Number(value)) => own.partial_cmp(&value.to_f64()),
        _ => None,
    }
}

fn within(own: &Primitive, bounds: &Bounds<Value>) -> bool {
    satisfies(bounds, |bound| compare(own, bound))
}

fn satisfies<V>(bounds: &Bounds<V>, compare: impl Fn(&V) -> Option<Ordering>) -> bool {
    let low = bounds.low.as_ref().is_none_or(|(bound, inclusive)| match compare(bound) {
        Some(Ordering::Greater) => true,
        Some(Ordering::Equal) => *inclusive,
        _ => false,
    });
    let high = bounds.high.as_ref().is_none_or(|(bound, inclusive)| match compare(bound) {
        Some(Ordering::Less) => true,
        Some(Ordering::Equal) => *inclusive,
        _ => false,
    });
    low && high && (bounds.low.is_some() || bounds.high.is_some())
}

fn presence_name(presence: &Presence) -> String {
    match presence {
        Presence::Any => "any".to_owned(),
        Presence::Null => "null".to_owned(),
        Presence::Bool => "bool".to_owned(),
        Presence::Numeric => "numeric".to_owned(),
        Presence::String => "string".to_owned(),
        Presence::Nested => "nested".to_owned(),
        Presence::Analyzer(name) => format!("analyzer {name}"),
    }
}

fn like(text: &[char], pattern: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['%', rest @ ..] => (0..=text.len()).any(|skipped| like(&text[skipped..], rest)),
        ['_', rest @ ..] => !text.is_empty() && like(&text[1..], rest),
        ['\\', escaped @ ('_' | '%' | '\\'), rest @ ..] => {
            text.first() == Some(escaped) && like(&text[1..], rest)
        }
        // One at the end has no meaning.
        ['\\'] => text.is_empty(),
        [character, rest @ ..] => text.first() == Some(character) && like(&text[1..], rest),
    }
}

fn distance_to(similar: &Similar, token: &str) -> Option<usize> {
    let rest: Vec<char> = token.strip_prefix(similar.prefix.as_str())?.chars().collect();
    let target: Vec<char> = similar.target.chars().collect();
    Some(distance(&target, &rest, similar.transpositions))
}

fn distance(left: &[char], right: &[char], transpositions: bool) -> usize {
    let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) else {
        return left.len() + right.len();
    };
    let mut best = distance(left_rest, right_rest, transpositions) + usize::from(first != second);
    best = best.min(distance(left_rest, right, transpositions) + 1);
    best = best.min(distance(left, right_rest, transpositions) + 1);
    if let ([a, b, left @ ..], [c, d, right @ ..]) = (left, right)
        && transpositions
        && a == d
        && b == c
    {
        best = best.min(distance(left, right, transpositions) + 1);
    }
    best
}
