//! What the options mean for an import.

use std::io;
use std::path::Path;

use options::Options;

use crate::{Console, Failure, input};

/// Most bytes of one row, wherever it comes from.
pub(super) const MAX_ROW_BYTES: usize = 512 << 20;

/// Most threads.
const MAX_THREADS: u64 = 1_024;

/// Least and most bytes of a batch.
const MIN_BATCH_BYTES: u64 = 1_024;
const MAX_BATCH_BYTES: u64 = 512 << 20;

/// Rows of a batch where each rejected one must be known: the server explains so many in a reply.
const EXPLAINED_ROWS: usize = 10_000;

/// How a file holds its documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One array of objects, or objects line by line.
    Json,
    /// An object a line.
    Lines,
    /// Values between commas, with quotes.
    Csv,
    /// Values between tabulators, without quotes.
    Tsv,
}

/// What a column is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Datatype {
    Null,
    Boolean,
    Number,
    String,
}

/// An attribute that is made of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Merge {
    pub(super) name: String,
    pub(super) parts: Vec<MergePart>,
}

/// A part of such an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MergePart {
    Attribute(String),
    Text(String),
}

/// How rows of CSV and TSV are read.
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

/// An import.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) file: String,
    pub(super) form: Form,
    pub(super) collection: String,
    pub(super) create_collection: bool,
    pub(super) creates_edges: bool,
    pub(super) overwrite: bool,
    pub(super) on_duplicate: String,
    pub(super) from_prefix: String,
    pub(super) to_prefix: String,
    pub(super) overwrite_prefix: bool,
    pub(super) skip_validation: bool,
    pub(super) skip_lines: u64,
    pub(super) removed: Vec<String>,
    pub(super) batch_bytes: usize,
    /// Most rows of a batch, where that matters.
    pub(super) batch_rows: Option<usize>,
    pub(super) threads: usize,
    pub(super) max_errors: u64,
    pub(super) rejected: Option<String>,
    pub(super) auto_rate: bool,
    pub(super) latency: bool,
    pub(super) table: TableSettings,
}

impl Settings {
    /// Reads the options. Errors say which one is wrong and what would be right; like arangoimport, it goes on with the
    /// next number that is possible, and without what has no meaning for the file's form.
    pub(super) fn read(options: &Options, console: &Console) -> Result<Self, Failure> {
        let text = |name: &str| options.text(name).unwrap_or_default().to_owned();
        let needed = |name: &str, what: &str| match options.text(name) {
            None | Some("") => Err(Failure::option(format!("--{name} is missing: {what}"))),
            Some(text) => Ok(text.to_owned()),
        };
        let file = needed("file", "the file to read, - for the standard input")?;
        let form = form(options.text("type").unwrap_or("auto"), &file)?;
        let rejected = options.text("rejected").map(str::to_owned).filter(|path| !path.is_empty());
        let settings = Settings {
            collection: needed("collection", "the collection to load into")?,
            create_collection: options.flag("create-collection"),
            creates_edges: options.text("create-collection-type") == Some("edge"),
            overwrite: options.flag("overwrite"),
            on_duplicate: text("on-duplicate"),
            from_prefix: text("from-collection-prefix"),
            to_prefix: text("to-collection-prefix"),
            overwrite_prefix: options.flag("overwrite-collection-prefix"),
            skip_validation: options.flag("skip-validation"),
            skip_lines: options.number("skip-lines"),
            removed: options.all("remove-attribute").into_iter().map(str::to_owned).collect(),
            batch_bytes: bounded(options, console, "batch-size", MIN_BATCH_BYTES, MAX_BATCH_BYTES),
            batch_rows: rejected.is_some().then_some(EXPLAINED_ROWS),
            threads: bounded(options, console, "threads", 1, MAX_THREADS),
            max_errors: options.number("max-errors").max(1),
            rejected,
            auto_rate: options.flag("auto-rate-limit"),
            latency: options.flag("latency"),
            table: table(options, form)?,
            file,
            form,
        };
        settings.warn_without_effect(options, console);
        if settings.overwrite_prefix && settings.from_prefix.is_empty() && settings.to_prefix.is_empty() {
            return Err(Failure::option(
                "--overwrite-collection-prefix needs --from-collection-prefix or --to-collection-prefix",
            ));
        }
        Ok(settings)
    }

    /// Tells of options that have no meaning for the file's form.
    fn warn_without_effect(&self, options: &Options, console: &Console) {
        let of_tables = [
            "backslash-escape",
            "convert",
            "datatype",
            "headers-file",
            "ignore-missing",
            "merge-attributes",
            "quote",
            "separator",
            "translate",
        ];
        if matches!(self.form, Form::Csv | Form::Tsv) {
            return;
        }
        for name in of_tables.into_iter().filter(|name| options.is_given(name)) {
            console.warning(&format!(
                "--{name} has no effect: it is for CSV and TSV, but {} is read as JSON; --type says what it is",
                self.file
            ));
        }
    }

    /// The failure that reading has in a line.
    pub(super) fn unreadable(&self, line: u64, error: &io::Error) -> Failure {
        Failure::new(format!("{}:{line}: the file cannot be read on: {error}", self.file))
    }

    /// The failure of a row that is longer than any.
    pub(super) fn too_long(&self, line: u64) -> Failure {
        let limit = MAX_ROW_BYTES >> 20;
        Failure::new(format!("{}:{line}: the row that begins here has more than {limit} MiB", self.file))
    }
}

/// A number between bounds.
fn bounded(options: &Options, console: &Console, name: &str, least: u64, most: u64) -> usize {
    let given = options.number(name);
    let number = given.clamp(least, most);
    if number != given {
        console.warning(&format!(
            "--{name} must be from {least} to {most}, not {given}; it is taken for {number}"
        ));
    }
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The form by the option, or by the ending of the file's name.
fn form(option: &str, file: &str) -> Result<Form, Failure> {
    let form = |name: &str| match name {
        "json" => Some(Form::Json),
        "jsonl" | "ndjson" => Some(Form::Lines),
        "csv" => Some(Form::Csv),
        "tsv" => Some(Form::Tsv),
        _ => None,
    };
    if let Some(form) = form(option) {
        return Ok(form);
    }
    if file == input::STDIN {
        // Both forms of JSON are told apart by their first character.
        return Ok(Form::Json);
    }
    let lower = file.to_ascii_lowercase();
    let plain = [".gz", ".zst"].iter().find_map(|ending| lower.strip_suffix(ending)).unwrap_or(&lower);
    let ending = Path::new(plain).extension().and_then(|ending| ending.to_str());
    match ending {
        Some(ending) => form(ending).ok_or_else(|| {
            Failure::option(format!(
                "the ending .{ending} of {file} does not say what it is; --type json, jsonl, csv or tsv does"
            ))
        }),
        None => Ok(Form::Json),
    }
}

fn table(options: &Options, form: Form) -> Result<TableSettings, Failure> {
    let separator = match (options.text("separator").unwrap_or_default(), form) {
        ("", Form::Tsv) | ("\\t", _) => "\t",
        ("", _) => ",",
        (given, _) => given,
    };
    if separator.contains(['\n', '\r']) {
        return Err(Failure::option("--separator cannot be a line break"));
    }
    let quote = match options.text("quote").unwrap_or_default().as_bytes() {
        _ if form == Form::Tsv => None,
        [] if options.is_given("quote") => None,
        [] => Some(b'"'),
        [quote] if !quote.is_ascii_control() => Some(*quote),
        other => {
            let other = String::from_utf8_lossy(other);
            return Err(Failure::option(format!("--quote must be one character of ASCII, not {other:?}")));
        }
    };
    if quote.is_some_and(|quote| separator.as_bytes().contains(&quote)) {
        return Err(Failure::option("--quote and --separator must be different"));
    }
    Ok(TableSettings {
        separator: separator.as_bytes().to_vec(),
        quote,
        backslash_escape: options.flag("backslash-escape"),
        convert: options.flag("convert"),
        datatypes: all(options, "datatype", datatype)?,
        translate: all(options, "translate", translation)?,
        merges: all(options, "merge-attributes", merge)?,
        headers_file: options.text("headers-file").map(str::to_owned).filter(|path| !path.is_empty()),
        ignore_missing: options.flag("ignore-missing"),
    })
}

/// All values of an option as `read` understands them; it answers what would be right.
fn all<T>(
    options: &Options,
    name: &str,
    read: impl Fn(&str) -> Result<T, &'static str>,
) -> Result<Vec<T>, Failure> {
    let values = options.all(name).into_iter();
    let read = |value| {
        read(value).map_err(|right| Failure::option(format!("--{name} must be {right}, not {value:?}")))
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
