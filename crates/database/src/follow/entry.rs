//! Entries of ArangoDB's log.
//!
//! Source: ArangoDB 3.12 documentation, "HTTP interface for replication", "Operation types". An
//! entry is an object with `tick`, `type`, `db`, `cuid`, `tid` and `data`, whose numbers are texts.

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Limits, Slice, json, validate};

/// A part of a log, as a server sends it.
#[derive(Clone, Copy, Debug)]
pub enum TailBody<'a> {
    /// JSON, an entry per line.
    Lines(&'a [u8]),
    /// VelocyPack objects, one after another. They are checked.
    VelocyPack(&'a [u8]),
}

/// The meaning of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    DatabaseCreated,
    DatabaseDropped,
    CollectionCreated,
    CollectionDropped,
    CollectionRenamed,
    CollectionChanged,
    Truncated,
    IndexCreated,
    IndexDropped,
    ViewCreated,
    ViewDropped,
    ViewChanged,
    Begin,
    Commit,
    Abort,
    Put,
    Remove,
}

/// An entry of a log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    pub(super) tick: u64,
    pub(super) kind: EntryKind,
    /// The transaction; 0 for an operation of its own.
    pub(super) transaction: u64,
    /// The name of the database.
    pub(super) database: &'a str,
    /// The globally unique identifier of the collection or view.
    pub(super) unique_id: &'a str,
    pub(super) data: Slice<'a>,
}

impl EntryKind {
    fn from_number(number: u64) -> Option<Self> {
        Some(match number {
            1100 => EntryKind::DatabaseCreated,
            1101 => EntryKind::DatabaseDropped,
            2000 => EntryKind::CollectionCreated,
            2001 => EntryKind::CollectionDropped,
            2002 => EntryKind::CollectionRenamed,
            2003 => EntryKind::CollectionChanged,
            2004 => EntryKind::Truncated,
            2100 => EntryKind::IndexCreated,
            2101 => EntryKind::IndexDropped,
            2110 => EntryKind::ViewCreated,
            2111 => EntryKind::ViewDropped,
            2112 => EntryKind::ViewChanged,
            2200 => EntryKind::Begin,
            2201 => EntryKind::Commit,
            2202 => EntryKind::Abort,
            2300 => EntryKind::Put,
            2302 => EntryKind::Remove,
            _ => return None,
        })
    }
}

impl<'a> Entry<'a> {
    /// Reads an entry.
    ///
    /// Errors: 10 for one that is none, or of an unknown type.
    pub(super) fn of(value: Slice<'a>) -> Result<Self> {
        let wrong = |what: &str| {
            let shown: String = value.to_json_string().chars().take(200).collect();
            Error::bad_parameter(format!("an entry of the log {what}: {shown}"))
        };
        let number = |name: &str| -> Option<u64> {
            let value = value.get(name)?;
            value.as_str().map_or_else(|| value.as_u64(), |text| text.parse().ok())
        };
        let text = |name: &str| value.get(name).and_then(Slice::as_str);
        let kind = number("type").ok_or_else(|| wrong("has no type"))?;
        Ok(Entry {
            tick: number("tick").ok_or_else(|| wrong("has no tick"))?,
            kind: EntryKind::from_number(kind).ok_or_else(|| wrong("has an unknown type"))?,
            transaction: number("tid").unwrap_or(0),
            database: text("db").or_else(|| text("database")).ok_or_else(|| wrong("names no database"))?,
            unique_id: text("cuid").unwrap_or_default(),
            data: value.get("data").unwrap_or(Slice::NONE),
        })
    }
}

/// Calls `take` with each entry of a body, in order.
///
/// Errors: 600 and 10 for damaged bodies, those of `take`.
pub(super) fn for_each(body: TailBody<'_>, take: &mut dyn FnMut(Entry<'_>) -> Result<()>) -> Result<()> {
    match body {
        TailBody::Lines(text) => {
            let (mut parser, mut builder) = (json::Parser::new(text, &Limits::default()), Builder::new());
            loop {
                builder.clear();
                let next = parser.next_value(&mut builder).map_err(|error| {
                    Error::new(ErrorCode::HttpCorruptedJson, format!("the log has invalid JSON: {error}"))
                })?;
                if next.is_none() {
                    return Ok(());
                }
                take(Entry::of(builder.as_slice())?)?;
            }
        }
        TailBody::VelocyPack(mut bytes) => {
            while !bytes.is_empty() {
                let length = Slice::new(bytes).byte_len();
                let (value, rest) = bytes
                    .split_at_checked(length)
                    .filter(|_| length > 0)
                    .ok_or_else(|| Error::bad_parameter("the log ends within an entry"))?;
                let value = validate(value, &Limits::default()).map_err(|error| {
                    Error::bad_parameter(format!("the log has invalid VelocyPack: {error}"))
                })?;
                take(Entry::of(value)?)?;
                bytes = rest;
            }
            Ok(())
        }
    }
}
