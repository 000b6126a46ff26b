//! The options of `persea import` for CSV and TSV.

use options::{Flag, List, Maybe, Opt, Options, Text, flag, text};

use crate::failure::Failure;

options::section! {
    static BACKSLASH_ESCAPE: Opt<Flag> =
        flag("backslash-escape", false, "CSV: escape quotes inside of texts with a backslash.");
    static CONVERT: Opt<Flag> =
        flag("convert", true, "CSV, TSV: convert unquoted null, true, false and numbers from texts to values.");
    static DATATYPE: Opt<List<Text>> =
        text("datatype", "", "CSV, TSV: convert an attribute, as ATTRIBUTE=TYPE with a TYPE of null, boolean, number or string. Takes precedence over --convert.").list();
    static HEADERS_FILE: Opt<Maybe<Text>> =
        text("headers-file", "", "CSV, TSV: read the attribute names from this file instead of the first line of the data.").optional();
    static IGNORE_MISSING: Opt<Flag> =
        flag("ignore-missing", false, "CSV, TSV: accept rows with fewer or more values than attributes.");
    static MERGE_ATTRIBUTES: Opt<List<Text>> =
        text("merge-attributes", "", "CSV, TSV: build a new attribute from others, as NEW=[ATTRIBUTE]TEXT[ATTRIBUTE]...").list();
    static QUOTE: Opt<Text> =
        text("quote", "\"", "CSV: character around texts; empty disables quoting.");
    static SEPARATOR: Opt<Maybe<Text>> =
        text("separator", "", "CSV, TSV: separator of values. Default: a comma or a tab.").optional();
    static TRANSLATE: Opt<List<Text>> =
        text("translate", "", "CSV, TSV: rename an attribute, as FROM=TO.").list();
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Datatype {
    Null,
    Boolean,
    Number,
    String,
}

/// An attribute merged from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Merge {
    pub(super) name: String,
    pub(super) parts: Vec<MergePart>,
}

/// A part of a merged attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MergePart {
    Attribute(String),
    Text(String),
}

/// The settings of CSV and TSV.
#[derive(Clone, Debug)]
pub(super) struct TableSettings {
    pub(super) separator: Vec<u8>,
    pub(super) quote: Option<u8>,
    pub(super) backslash_escape: bool,
    pub(super) convert: bool,
    pub(super) datatypes: Vec<(String, Datatype)>,
    pub(super) translate: Vec<(String, String)>,
    pub(super) merges: Vec<Merge>,
    pub(super) headers_file: Option<String>,
    pub(super) ignore_missing: bool,
}

impl TableSettings {
    /// Reads the options. Errors name the wrong one and say what would be right.
    pub(super) fn read(options: &Options, is_tsv: bool) -> Result<Self, Failure> {
        let separator = match (options.get(&SEPARATOR).unwrap_or_default(), is_tsv) {
            ("", true) | ("\\t", _) => "\t",
            ("", _) => ",",
            (given, _) => given,
        };
        if separator.contains(['\n', '\r']) {
            return Err(Failure::option("--separator cannot be a line break"));
        }
        let quote = match options.get(&QUOTE).as_bytes() {
            _ if is_tsv => None,
            [] => None,
            [quote] if !quote.is_ascii_control() => Some(*quote),
            other => {
                let other = String::from_utf8_lossy(other);
                return Err(Failure::option(format!(
                    "--quote must be one character of ASCII, not {other:?}"
                )));
            }
        };
        if quote.is_some_and(|quote| separator.as_bytes().contains(&quote)) {
            return Err(Failure::option("--quote and --separator must be different"));
        }
        Ok(TableSettings {
            separator: separator.as_bytes().to_vec(),
            quote,
            backslash_escape: options.get(&BACKSLASH_ESCAPE),
            convert: options.get(&CONVERT),
            datatypes: all(options, &DATATYPE, datatype)?,
            translate: all(options, &TRANSLATE, translation)?,
            merges: all(options, &MERGE_ATTRIBUTES, merge)?,
            headers_file: options.non_empty(&HEADERS_FILE).map(str::to_owned),
            ignore_missing: options.get(&IGNORE_MISSING),
        })
    }
}

/// Returns all values of an option, parsed by `read`, whose error says what would be right.
fn all<T>(
    options: &Options,
    option: &Opt<List<Text>>,
    read: impl Fn(&str) -> Result<T, &'static str>,
) -> Result<Vec<T>, Failure> {
    let values = options.get(option).into_iter();
    let read = |value| {
        read(value)
            .map_err(|right| Failure::option(format!("--{} must be {right}, not {value:?}", option.name)))
    };
    values.map(read).collect()
}

fn datatype(value: &str) -> Result<(String, Datatype), &'static str> {
    const RIGHT: &str = "ATTRIBUTE=TYPE, where TYPE is null, boolean, number or string";
    let (name, kind) = value.rsplit_once('=').filter(|(name, _)| !name.is_empty()).ok_or(RIGHT)?;
    let kind = match kind.trim() {
        "null" => Datatype::Null,
        "boolean" => Datatype::Boolean,
        "number" => Datatype::Number,
        "string" => Datatype::String,
        _ => return Err(RIGHT),
    };
    Ok((name.to_owned(), kind))
}

fn translation(value: &str) -> Result<(String, String), &'static str> {
    let pair = value.split_once('=').filter(|(from, to)| !from.is_empty() && !to.is_empty());
    pair.map(|(from, to)| (from.to_owned(), to.to_owned())).ok_or("FROM=TO")
}

pub(super) fn merge(value: &str) -> Result<Merge, &'static str> {
    const RIGHT: &str = "NEW=[ATTRIBUTE]TEXT[ATTRIBUTE]..., without other brackets or equal signs";
    let (name, mut rest) = value.split_once('=').ok_or(RIGHT)?;
    if name.is_empty() || name.contains(['[', ']']) || rest.is_empty() || rest.contains('=') {
        return Err(RIGHT);
    }
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (text, behind) = rest.split_once('[').unwrap_or((rest, ""));
        if text.contains(']') {
            return Err(RIGHT);
        }
        if !text.is_empty() {
            parts.push(MergePart::Text(text.to_owned()));
        }
        if text.len() == rest.len() {
            break;
        }
        let (attribute, after) = behind.split_once(']').ok_or(RIGHT)?;
        if attribute.is_empty() || attribute.contains('[') {
            return Err(RIGHT);
        }
        parts.push(MergePart::Attribute(attribute.to_owned()));
        rest = after;
    }
    Ok(Merge { name: name.to_owned(), parts })
}
