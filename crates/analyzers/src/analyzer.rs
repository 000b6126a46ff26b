//! Analyzers that are ready to be used.

use std::sync::Arc;

use errors::Result;
use geometry::Shape;
use owner::Interrupt;
use velocypack::Slice;

use crate::definition::Definition;
use crate::kind::{Format, Output, Tokenizer};
use crate::query::QueryCompiler;
use crate::token::{Callback, Input, Token};

/// A function from an input to its tokens, with its definition.
pub struct Analyzer {
    definition: Definition,
    tokenizer: Box<dyn Tokenizer>,
    takes_values: bool,
    format: Option<Format>,
    runs_query: bool,
}

impl Definition {
    /// Returns the analyzer, ready to be used by many threads.
    ///
    /// Errors: of the compiler, for a query that cannot be compiled.
    pub fn open(&self, queries: &dyn QueryCompiler) -> Result<Arc<Analyzer>> {
        let kind = self.kind();
        Ok(Arc::new(Analyzer {
            definition: self.clone(),
            tokenizer: kind.open(queries)?,
            takes_values: kind.takes_values(),
            format: kind.format(),
            runs_query: kind.runs_query(),
        }))
    }
}

impl Analyzer {
    /// Returns the definition that it was opened from.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Passes every token of an input to `emit`, in order.
    ///
    /// It splits long texts into pieces, which take milliseconds, and checks the interrupt before
    /// each. A query of an analyzer of type `aql` checks it as any query does. The first error ends
    /// the analysis. A value of a type that the analyzer does not take has no tokens.
    pub fn tokens<'a>(
        &self,
        input: impl Into<Input<'a>>,
        interrupt: &Interrupt,
        emit: impl FnMut(Token<'_>) -> Result<()>,
    ) -> Result<()> {
        self.tokenizer.tokens(input.into(), &mut Callback { interrupt, emit })
    }

    /// Returns the form of the terms.
    pub fn output(&self) -> Output {
        self.tokenizer.output()
    }

    /// Returns true if the analyzer takes whole values, arrays and objects among them: the
    /// geo-spatial types. Others take texts.
    pub fn takes_values(&self) -> bool {
        self.takes_values
    }

    /// Returns true if it runs a query, which may take any time.
    pub fn runs_query(&self) -> bool {
        self.runs_query
    }

    /// Returns the form in which an index stores the shapes of a geo-spatial analyzer; `None` for
    /// other types.
    pub fn format(&self) -> Option<Format> {
        self.format
    }

    /// Returns the shape that a geo-spatial analyzer finds in a value, whose cells are the tokens.
    pub fn shape(&self, value: Slice<'_>) -> Option<Shape> {
        self.tokenizer.shape(value)
    }
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Analyzer").field("definition", &self.definition).finish_non_exhaustive()
    }
}
