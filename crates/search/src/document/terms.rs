//! The terms of one document, in the form in which a segment is written.

use std::time::Duration;

use analyzers::{Input, Output};
use errors::Result;
use owner::Interrupt;

use crate::analysis::{Analysis, Dictionary};
use crate::encoded_tokens::EncodedTokens;
use crate::term::{self, Presence, Value};

/// The positions that are left free between two texts of one field, so that no phrase spans both.
const POSITIONS_BETWEEN_TEXTS: u32 = 100;

/// The time that the query of an analyzer has for one text. The tokens that it has made by then
/// are those of the text: no document may hold up its index.
const QUERY_TIME_MAX: Duration = Duration::from_millis(300);

/// The terms of one document, or of one nested document.
#[derive(Debug, Default)]
pub(crate) struct DocumentTerms {
    /// The key; empty for a nested document.
    pub(crate) key: String,
    /// The revision; 0 for a nested document.
    pub(crate) revision: u64,
    /// The stored columns; empty ones for a nested document.
    pub(crate) columns: Vec<Vec<u8>>,
    /// The terms of the dictionary of documents, one after another.
    terms: Vec<u8>,
    ends: Vec<usize>,
    /// The tokens of the dictionary of frequencies.
    pub(crate) frequencies: EncodedTokens,
    /// The tokens of the dictionary of positions.
    pub(crate) positions: EncodedTokens,
    /// The fields with texts.
    fields: Vec<TextField>,
}

/// A field with texts in this document.
#[derive(Debug)]
struct TextField {
    prefix: String,
    has_norm: bool,
    tokens: u32,
    next_position: u32,
}

impl DocumentTerms {
    /// Returns the terms of the dictionary of documents.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &[u8]> {
        self.ends.iter().scan(0, |start, &end| {
            let term = self.terms.get(*start..end);
            *start = end;
            term
        })
    }

    /// Returns the number of tokens of each field that stores it, by the prefix of its tokens.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = (&str, u32)> {
        self.fields.iter().filter(|field| field.has_norm).map(|field| (field.prefix.as_str(), field.tokens))
    }

    /// Makes it the document with this key.
    pub(crate) fn finish_root(&mut self, key: &str, revision: u64) {
        self.key = key.to_owned();
        self.revision = revision;
        self.add_term(term::ROOT.as_bytes());
        self.add_term(term::key_term(key).as_bytes());
    }

    /// Adds that a path is present.
    pub(crate) fn add_presence(&mut self, path: &str, presence: &Presence) {
        self.add_term(term::presence_term(path, presence).as_bytes());
    }

    /// Adds that a path has no value, which equals null.
    pub(crate) fn add_absence(&mut self, path: &str) {
        self.add_value_term(path, &Value::Null);
    }

    fn add_value_term(&mut self, path: &str, value: &Value) {
        term::push_value_prefix(path, &mut self.terms);
        term::push_sort_key(value, &mut self.terms);
        self.ends.push(self.terms.len());
    }

    /// Adds a value that is not a text.
    pub(crate) fn add_value(&mut self, path: &str, value: &Value) {
        self.add_value_term(path, value);
        self.add_presence(path, &Presence::Any);
        let presence = match value {
            Value::Null => Presence::Null,
            Value::Bool(_) => Presence::Bool,
            Value::Number(_) => Presence::Numeric,
            Value::Text(_) => return,
        };
        self.add_presence(path, &presence);
    }

    /// Adds the terms of a text, or of a value that the analyzer takes: tokens, numbers or bools.
    ///
    /// Errors: those of the interrupt.
    pub(crate) fn add_analyzed(
        &mut self,
        path: &str,
        analysis: &Analysis,
        input: Input<'_>,
        interrupt: &Interrupt,
    ) -> Result<()> {
        if analysis.analyzer.runs_query() {
            let bounded = interrupt.clone().for_at_most(QUERY_TIME_MAX);
            return self.add_terms(path, analysis, input, &bounded).or_else(|_| interrupt.check());
        }
        self.add_terms(path, analysis, input, interrupt)
    }

    fn add_terms(
        &mut self,
        path: &str,
        analysis: &Analysis,
        input: Input<'_>,
        interrupt: &Interrupt,
    ) -> Result<()> {
        self.add_presence(path, &Presence::Any);
        self.add_presence(path, &Presence::Analyzer(analysis.name.clone()));
        let value: fn(&[u8]) -> Option<Value> = match analysis.analyzer.output() {
            Output::Text => return self.add_tokens(path, analysis, input, interrupt),
            Output::Number => |term| Some(Value::Number(f64::from_le_bytes(term.try_into().ok()?).into())),
            Output::Bool => |term| Some(Value::Bool(term.first().copied()? != 0)),
        };
        analysis.terms(input, interrupt, &mut |term, _| {
            if let Some(value) = value(term) {
                self.add_value(path, &value);
            }
        })
    }

    fn add_tokens(
        &mut self,
        path: &str,
        analysis: &Analysis,
        input: Input<'_>,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let index = self.text_field(path, analysis);
        let Some(field) = self.fields.get_mut(index) else { return Ok(()) };
        let mut encoded = match analysis.dictionary() {
            Dictionary::Documents => None,
            Dictionary::Frequencies => Some(&mut self.frequencies),
            Dictionary::Positions => Some(&mut self.positions),
        };
        if let Some(encoded) = encoded.as_deref_mut() {
            encoded.begin(&field.prefix);
        }
        let first = field.next_position;
        let done = analysis.tokens(input, interrupt, &mut |token, position| {
            let token = term::bounded(token);
            let position = first.saturating_add(position);
            match encoded.as_deref_mut() {
                Some(encoded) => encoded.push(position, &token),
                None => {
                    self.terms.extend_from_slice(field.prefix.as_bytes());
                    self.terms.extend_from_slice(token.as_bytes());
                    self.ends.push(self.terms.len());
                }
            }
            field.tokens = field.tokens.saturating_add(1);
            field.next_position = position.saturating_add(1);
        });
        field.next_position = field.next_position.saturating_add(POSITIONS_BETWEEN_TEXTS);
        done
    }

    fn text_field(&mut self, path: &str, analysis: &Analysis) -> usize {
        let prefix = term::text_prefix(path, &analysis.name);
        if let Some(index) = self.fields.iter().position(|field| field.prefix == prefix) {
            return index;
        }
        let has_norm = analysis.features.norm;
        self.fields.push(TextField { prefix, has_norm, tokens: 0, next_position: 0 });
        self.fields.len() - 1
    }

    fn add_term(&mut self, term: &[u8]) {
        self.terms.extend_from_slice(term);
        self.ends.push(self.terms.len());
    }
}
