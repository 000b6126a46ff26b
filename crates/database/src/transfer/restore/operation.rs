//! The operations of a dump's data: store a document, or remove a key.
//!
//! Dumps of ArangoDB 3.9 and later hold plain documents. Older dumps wrap them:
//! `{"type": 2300, "data": {...}}` is a document (2301 an edge, before 3.0). Type 2302 is a
//! removal, which names its key in `data` or, before 3.0, as `key`.

use std::fmt;

use errors::{Error, ErrorCode, Result};
use velocypack::{Duplicates, Limits, Slice, json, validate};

/// Documents as a client sends them.
#[derive(Clone, Copy, Debug)]
pub enum RestoreBody<'a> {
    /// JSON, one value per line.
    Lines(&'a [u8]),
    /// VelocyPack values or arrays of them, one after another. Not validated.
    VelocyPack(&'a [u8]),
}

impl RestoreBody<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            RestoreBody::Lines(bytes) | RestoreBody::VelocyPack(bytes) => bytes.len(),
        }
    }
}

const DOCUMENT: u64 = 2300;
const EDGE: u64 = 2301;
const REMOVAL: u64 = 2302;

/// One step of a restore.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation<'a> {
    /// Store the document, and replace the one with its key.
    Put(Slice<'a>),
    /// Remove the document with a key, if there is one.
    Remove(&'a str),
}

impl<'a> Operation<'a> {
    /// Reads an operation. Errors: 1227, 1226, 10.
    pub(super) fn of(value: Slice<'a>) -> Result<Self> {
        if !value.is_object() {
            return Err(Error::new(ErrorCode::DocumentTypeInvalid, "expecting a JSON object"));
        }
        if value.get("_key").is_some() {
            return Ok(Operation::Put(value));
        }
        let data = value.get("data");
        let key = value.get("key").and_then(Slice::as_str);
        match value.get("type").and_then(Slice::as_u64) {
            Some(DOCUMENT | EDGE) if data.is_some_and(|data| data.get("_key").is_some()) => {
                Ok(Operation::Put(data.unwrap_or(Slice::NONE)))
            }
            Some(REMOVAL) => {
                let key = key.or_else(|| data?.get("_key")?.as_str());
                key.map(Operation::Remove).ok_or_else(|| without_key("a removal"))
            }
            Some(other) if data.is_some() && !matches!(other, DOCUMENT | EDGE) => {
                let message = format!(
                    "expecting a document, or an envelope whose 'type' is {DOCUMENT}, {EDGE} or {REMOVAL}, not {other}"
                );
                Err(Error::bad_parameter(message))
            }
            _ => Err(without_key("a document")),
        }
    }
}

fn without_key(what: &str) -> Error {
    Error::new(ErrorCode::DocumentKeyMissing, format!("{what} without '_key'"))
}

/// The position of a value in a body.
#[derive(Clone, Copy, Debug)]
enum Place {
    Line(usize),
    Value(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(formatter, "line {line}"),
            Place::Value(value) => write!(formatter, "value {value}"),
        }
    }
}

/// Calls `take` with each operation of a body, in order, until it returns false.
///
/// Errors: 600, those of [`Operation::of`] and of `take`. The message names the line.
pub(super) fn for_each(
    body: RestoreBody<'_>,
    take: &mut dyn FnMut(Operation<'_>) -> Result<bool>,
) -> Result<()> {
    match body {
        RestoreBody::Lines(text) => for_each_line(text, take),
        RestoreBody::VelocyPack(bytes) => for_each_value(bytes, take),
    }
}

fn for_each_line(text: &[u8], take: &mut dyn FnMut(Operation<'_>) -> Result<bool>) -> Result<()> {
    // Duplicates are refused, as in ArangoDB. The tool decides about them
    // (`cleanup-duplicate-attributes`).
    let mut parser = json::Parser::new(text, &Limits::default()).with_duplicates(Duplicates::Refuse);
    let mut builder = velocypack::Builder::new();
    loop {
        builder.clear();
        let start = parser.offset();
        let line = || Place::Line(line_at(text, start));
        match parser.next_value(&mut builder) {
            Ok(None) => return Ok(()),
            // The message names line and column itself.
            Err(error) => {
                return Err(Error::new(ErrorCode::HttpCorruptedJson, format!("invalid JSON: {error}")));
            }
            Ok(Some(_)) => {}
        }
        if !Operation::of(builder.as_slice()).and_then(&mut *take).map_err(|error| at(line(), error))? {
            return Ok(());
        }
    }
}

/// Visits the values one after another, and the values inside arrays.
fn for_each_value(mut bytes: &[u8], take: &mut dyn FnMut(Operation<'_>) -> Result<bool>) -> Result<()> {
    let mut number = 0;
    while !bytes.is_empty() {
        let length = Slice::new(bytes).byte_len();
        let (value, rest) = bytes.split_at_checked(length.max(1)).unwrap_or((bytes, &[]));
        let value = validate(value, &Limits::default()).map_err(|error| {
            Error::new(
                ErrorCode::HttpCorruptedJson,
                format!("invalid VelocyPack behind value {number}: {error}"),
            )
        })?;
        bytes = rest;
        let single = (!value.is_array()).then_some(value);
        let several = value.is_array().then(|| value.elements()).into_iter().flatten();
        for value in several.chain(single) {
            number += 1;
            let taken = Operation::of(value).and_then(&mut *take);
            if !taken.map_err(|error| at(Place::Value(number), error))? {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn at(place: Place, error: Error) -> Error {
    let message = format!("{place}: {}", error.message());
    error.with_message(message)
}

/// Returns the number, from 1, of the line in which the next value after `offset` begins.
fn line_at(text: &[u8], offset: usize) -> usize {
    let behind = text.get(offset..).unwrap_or_default();
    let blank = behind.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let before = text.get(..offset + blank).unwrap_or_default();
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Result<Vec<String>> {
        let mut steps = Vec::new();
        for_each(RestoreBody::Lines(text.as_bytes()), &mut |operation| {
            steps.push(match operation {
                Operation::Put(document) => document.to_json_string(),
                Operation::Remove(key) => format!("-{key}"),
            });
            Ok(true)
        })?;
        Ok(steps)
    }

    #[test]
    fn all_forms_of_lines_are_read() {
        let text = r#"{"_key":"a","type":2300,"data":1}

            {"type":2300,"data":{"_key":"b"}}
            {"type":2301,"key":"c","rev":"1","data":{"_key":"c"}}
            {"type":2302,"key":"a","rev":"1"}
            {"type":2302,"data":{"_key":"b","_rev":"x"}}"#;
        let found = steps(text).unwrap();
        assert_eq!(
            found,
            [r#"{"_key":"a","type":2300,"data":1}"#, r#"{"_key":"b"}"#, r#"{"_key":"c"}"#, "-a", "-b"]
        );
    }

    #[test]
    fn a_broken_line_is_named() {
        for (text, number, words) in [
            ("{\"_key\":\"a\"}\n\n{\"x\":1}\n", 1226, "line 3: a document without '_key'"),
            ("[]", 1227, "line 1"),
            ("{\"_key\":\"a\"}\n{\"type\":2200,\"data\":{}}", 10, "line 2"),
            ("{\"_key\":\"a\"}\n{\"_key\":", 600, "line 2"),
            ("{\"_key\":\"a\"}\n{\"_key\":\"b\",\"x\":[{\"y\":1,\"y\":1}]}", 600, "'y'"),
        ] {
            let error = steps(text).unwrap_err();
            assert!(error.number() == number && error.message().contains(words), "{error}");
        }
    }
}
