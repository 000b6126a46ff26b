//! `identity`: the text as a whole.

use std::sync::Arc;

use errors::Result;
use velocypack::Builder;

use super::{Kind, Tokenizer};
use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink, Token};

#[derive(Debug)]
struct Identity;

pub(super) fn read(_: &Properties<'_>) -> Result<Arc<dyn Kind>> {
    Ok(Arc::new(Identity))
}

impl Kind for Identity {
    fn print(&self, _: &mut Builder) -> velocypack::Result<()> {
        Ok(())
    }

    fn open(&self, _: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>> {
        Ok(Box::new(Identity))
    }
}

impl Tokenizer for Identity {
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()> {
        let Some(text) = input.text() else { return Ok(()) };
        sink.token(Token::new(text.as_bytes(), 0, 0, text.len()))
    }
}
