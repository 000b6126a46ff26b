//! Helpers of this crate's tests.

use std::sync::Arc;

use analyzers::{Analyzer, Definition, Input, NoQueries};
use errors::Result;
use owner::Interrupt;
use velocypack::{Builder, Limits, Slice, json};

pub(crate) fn value(text: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    json::parse(text.as_bytes(), &Limits::default(), &mut builder)
        .unwrap_or_else(|error| panic!("{error} in {text}"));
    builder.into_vec()
}

/// Reads a definition from its type, its properties and its features, both in JSON.
pub(crate) fn definition(kind: &str, properties: &str, features: &str) -> Result<Definition> {
    let text = format!(r#"{{"type": "{kind}", "properties": {properties}, "features": {features}}}"#);
    Definition::parse("test", Slice::new(&value(&text)))
}

pub(crate) fn analyzer(kind: &str, properties: &str) -> Arc<Analyzer> {
    let definition =
        definition(kind, properties, "[]").unwrap_or_else(|error| panic!("{error}: {properties}"));
    definition.open(&NoQueries).unwrap()
}

pub(crate) fn printed(definition: &Definition) -> String {
    json::to_json_string(definition.properties().unwrap().as_slice(), None)
}

/// A token with its position and its places in the input.
pub(crate) type Placed = (String, u32, u32, u32);

pub(crate) fn placed<'a>(analyzer: &Analyzer, input: impl Into<Input<'a>>) -> Vec<Placed> {
    let mut tokens = Vec::new();
    let emit = |token: analyzers::Token<'_>| {
        tokens.push((token.text()?.to_owned(), token.position, token.start, token.end));
        Ok(())
    };
    analyzer.tokens(input, &Interrupt::new(), emit).unwrap();
    tokens
}

pub(crate) fn tokens<'a>(analyzer: &Analyzer, input: impl Into<Input<'a>>) -> Vec<String> {
    placed(analyzer, input).into_iter().map(|(term, ..)| term).collect()
}
