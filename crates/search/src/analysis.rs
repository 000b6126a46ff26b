//! The analysis of one field: an analyzer with the features that its tokens are stored with.

use std::borrow::Cow;
use std::sync::Arc;

use analyzers::{Analyzer, Features, Input};
use errors::Result;
use owner::Interrupt;

/// An analyzer under its name, with features.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The analyzer's full name; fields with the same name have the same tokens.
    pub name: String,
    /// The analyzer.
    pub analyzer: Arc<Analyzer>,
    /// The facts to store.
    pub features: Features,
}

/// The dictionary that has the tokens of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dictionary {
    /// Documents alone. It also has all terms that are not tokens.
    Documents,
    /// Documents and frequencies.
    Frequencies,
    /// Documents, frequencies and positions.
    Positions,
}

impl Analysis {
    /// Returns an analyzer with the features of its definition.
    pub fn of(analyzer: &Arc<Analyzer>) -> Self {
        let definition = analyzer.definition();
        let (name, features) = (definition.name().to_owned(), definition.features());
        Analysis { name, analyzer: Arc::clone(analyzer), features }
    }

    /// Returns the dictionary with the tokens of the field.
    pub(crate) fn dictionary(&self) -> Dictionary {
        match (self.features.frequency, self.features.position) {
            (false, _) => Dictionary::Documents,
            (true, false) => Dictionary::Frequencies,
            (true, true) => Dictionary::Positions,
        }
    }

    /// Passes every token of a text with its position to `emit`, in the order of positions.
    ///
    /// A text that the analyzer fails on, such as one that its query cannot take, ends there.
    /// Errors: those of the interrupt.
    pub fn tokens<'i>(
        &self,
        input: impl Into<Input<'i>>,
        interrupt: &Interrupt,
        emit: &mut dyn FnMut(&str, u32),
    ) -> Result<()> {
        self.terms(input.into(), interrupt, &mut |term, position| emit(&text_of_term(term), position))
    }

    /// Passes every term as the analyzer makes it to `emit`; see [`Analysis::tokens`].
    pub(crate) fn terms(
        &self,
        input: Input<'_>,
        interrupt: &Interrupt,
        emit: &mut dyn FnMut(&[u8], u32),
    ) -> Result<()> {
        let done = self.analyzer.tokens(input, interrupt, |token| {
            emit(token.term, token.position);
            Ok(())
        });
        // A failure of the analyzer ends the terms; one of their owner ends the work.
        if done.is_err() { interrupt.check() } else { Ok(()) }
    }
}

/// Returns a term as text. The few that are no UTF-8 become other texts, one for each.
pub(crate) fn text_of_term(term: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(term) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            Cow::Owned(std::iter::once('\u{FFFD}').chain(term.iter().map(|byte| char::from(*byte))).collect())
        }
    }
}
