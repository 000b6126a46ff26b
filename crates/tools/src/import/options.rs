//! The options of `persea import`. Names that arangoimport has mean the same.

use std::io;
use std::path::Path;

use options::{
    Bytes, Choice, Flag, List, Maybe, Number, Opt, Options, Program, Text, Value, bytes, choice, flag,
    number, text,
};

use super::table_options::{self, TableSettings};
use crate::console::Console;
use crate::encrypted::Files;
use crate::failure::Failure;
use crate::input;
use crate::options::{ENVIRONMENT_PREFIX, IGNORED, encryption, general, log, server};

/// The program.
pub(super) static PROGRAM: Program = Program {
    name: "persea import",
    usage: "--collection NAME [--OPTION VALUE ...] FILE",
    about: "Import documents from a file or standard input (-) into a collection: JSON arrays, JSON Lines, CSV or TSV, plain \
            or compressed with gzip or Zstandard, or Parquet.",
    sections: &[ROWS, table_options::ROWS, encryption::ROWS, general::ROWS, server::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED],
    refused: &[],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some(FILE.row()),
};

const FORMS: &[(&str, Option<Form>); 6] = &[
    ("auto", None),
    ("csv", Some(Form::Csv)),
    ("json", Some(Form::Json)),
    ("jsonl", Some(Form::Lines)),
    ("parquet", Some(Form::Parquet)),
    ("tsv", Some(Form::Tsv)),
];
const CREATES_EDGES: &[(&str, bool); 2] = &[("document", false), ("edge", true)];
const ON_DUPLICATE_NAMES: &[(&str, &str); 4] =
    &[("error", "error"), ("update", "update"), ("replace", "replace"), ("ignore", "ignore")];

options::section! {
    static AUTO_RATE_LIMIT: Opt<Flag> =
        flag("auto-rate-limit", false, "Adapt to the speed of the server, starting at --batch-size bytes per thread and second.");
    static BATCH_SIZE: Opt<Bytes> =
        bytes("batch-size", "4194304", "Size of a request in bytes.");
    static COLLECTION: Opt<Maybe<Text>> =
        text("collection", "", "Collection to import into.").optional();
    static CREATE_COLLECTION: Opt<Flag> =
        flag("create-collection", false, "Create the collection if it does not exist.");
    static CREATE_COLLECTION_TYPE: Opt<Choice<bool>> =
        choice("create-collection-type", CREATES_EDGES, "document", "Type of the new collection.");
    pub(super) static CREATE_DATABASE: Opt<Flag> =
        flag("create-database", false, "Create the database if it does not exist.");
    static FILE: Opt<Maybe<Text>> =
        text("file", "", "Read documents from this file; `-` is standard input.").optional();
    static FROM_COLLECTION_PREFIX: Opt<Maybe<Text>> =
        text("from-collection-prefix", "", "Collection to add to `_from` values that are only a key.").optional();
    static LATENCY: Opt<Flag> =
        flag("latency", false, "Print request times every 10 seconds.");
    static MAX_ERRORS: Opt<Number> =
        number("max-errors", "20", "Number of rejected rows at which the import stops.");
    static ON_DUPLICATE: Opt<Choice<&'static str>> =
        choice("on-duplicate", ON_DUPLICATE_NAMES, "error", "Action on a document whose key exists.");
    static OVERWRITE: Opt<Flag> =
        flag("overwrite", false, "Remove all documents first.");
    static OVERWRITE_COLLECTION_PREFIX: Opt<Flag> =
        flag("overwrite-collection-prefix", false, "Replace collection names that `_from` and `_to` values already have.");
    pub(super) static PROGRESS: Opt<Flag> =
        flag("progress", true, "Show progress.");
    static REJECTED: Opt<Maybe<Text>> =
        text("rejected", "", "Write rejected rows with their lines and reasons to this file, as JSON Lines.").optional();
    static REMOVE_ATTRIBUTE: Opt<List<Text>> =
        text("remove-attribute", "", "Attribute to leave out.").list();
    static SKIP_LINES: Opt<Number> =
        number("skip-lines", "0", "Number of lines to skip at the beginning (not for JSON arrays).");
    static SKIP_VALIDATION: Opt<Flag> =
        flag("skip-validation", false, "Do not validate documents against the collection's schema.");
    static THREADS: Opt<Number> =
        number("threads", "8", "Number of concurrent requests.");
    static TO_COLLECTION_PREFIX: Opt<Maybe<Text>> =
        text("to-collection-prefix", "", "Collection to add to `_to` values that are only a key.").optional();
    static TYPE: Opt<Choice<Option<Form>>> =
        choice("type", FORMS, "auto", "Format of the file; `auto` uses the file extension.");
}

/// The maximum length of one row in bytes, in any form.
pub(super) const MAX_ROW_BYTES: usize = 512 << 20;

/// The maximum number of threads.
const MAX_THREADS: u64 = 1_024;

/// The minimum and maximum size of a batch in bytes.
const MIN_BATCH_BYTES: u64 = 1_024;
const MAX_BATCH_BYTES: u64 = 512 << 20;

/// The rows of a batch if each rejected one must be known: the server explains this many in a
/// reply.
const EXPLAINED_ROWS: usize = 10_000;

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One array of objects, or one object per line.
    Json,
    /// One object per line.
    Lines,
    /// Values between commas, with quotes.
    Csv,
    /// Values between tabs, without quotes.
    Tsv,
    /// Columns of rows.
    Parquet,
}

impl Form {
    /// Returns true if the server gets arrays of values, and not objects.
    pub(super) fn is_table(self) -> bool {
        match self {
            Form::Csv | Form::Tsv => true,
            Form::Json | Form::Lines | Form::Parquet => false,
        }
    }
}

/// The settings of an import.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) file: String,
    /// The form of all files: encrypted or not.
    pub(super) files: Files,
    pub(super) form: Form,
    pub(super) collection: String,
    pub(super) create_collection: bool,
    pub(super) creates_edges: bool,
    pub(super) overwrite: bool,
    pub(super) on_duplicate: &'static str,
    pub(super) from_prefix: String,
    pub(super) to_prefix: String,
    pub(super) overwrite_prefix: bool,
    pub(super) skip_validation: bool,
    pub(super) skip_lines: u64,
    pub(super) removed: Vec<String>,
    pub(super) batch_bytes: usize,
    /// The maximum number of rows in a batch, if it matters.
    pub(super) batch_rows: Option<usize>,
    pub(super) threads: usize,
    pub(super) max_errors: u64,
    pub(super) rejected: Option<String>,
    pub(super) auto_rate: bool,
    pub(super) latency: bool,
    pub(super) table: TableSettings,
}

impl Settings {
    /// Reads the options. Errors name the wrong one and say what would be right.
    ///
    /// Like arangoimport, it replaces a number out of range by the nearest possible one, and
    /// ignores options without a meaning for the file's form.
    pub(super) fn read(options: &Options, console: &Console) -> Result<Self, Failure> {
        let text = |option: &Opt<Maybe<Text>>| options.get(option).unwrap_or_default().to_owned();
        let needed = |option: &Opt<Maybe<Text>>, what: &str| match options.non_empty(option) {
            Some(text) => Ok(text.to_owned()),
            None => Err(Failure::option(format!("--{} is missing: {what}", option.name))),
        };
        let file = needed(&FILE, "the file to read; - is standard input")?;
        let form = match options.get(&TYPE) {
            Some(form) => form,
            None => form_of(&file)?,
        };
        let rejected = options.non_empty(&REJECTED).map(str::to_owned);
        let settings = Settings {
            collection: needed(&COLLECTION, "the collection to load into")?,
            create_collection: options.get(&CREATE_COLLECTION),
            creates_edges: options.get(&CREATE_COLLECTION_TYPE),
            overwrite: options.get(&OVERWRITE),
            on_duplicate: options.get(&ON_DUPLICATE),
            from_prefix: text(&FROM_COLLECTION_PREFIX),
            to_prefix: text(&TO_COLLECTION_PREFIX),
            overwrite_prefix: options.get(&OVERWRITE_COLLECTION_PREFIX),
            skip_validation: options.get(&SKIP_VALIDATION),
            skip_lines: options.get(&SKIP_LINES),
            removed: options.get(&REMOVE_ATTRIBUTE).into_iter().map(str::to_owned).collect(),
            batch_bytes: bounded(options, console, &BATCH_SIZE, MIN_BATCH_BYTES, MAX_BATCH_BYTES),
            batch_rows: rejected.is_some().then_some(EXPLAINED_ROWS),
            threads: bounded(options, console, &THREADS, 1, MAX_THREADS),
            max_errors: options.get(&MAX_ERRORS).max(1),
            rejected,
            auto_rate: options.get(&AUTO_RATE_LIMIT),
            latency: options.get(&LATENCY),
            table: TableSettings::read(options, form == Form::Tsv)?,
            file,
            files: encryption::files(options)?,
            form,
        };
        if settings.form == Form::Parquet && settings.files.are_encrypted() {
            return Err(Failure::option(
                "an encrypted file is read from its beginning, and Parquet from its end; decrypt it first",
            ));
        }
        settings.warn_without_effect(options, console);
        if settings.overwrite_prefix && settings.from_prefix.is_empty() && settings.to_prefix.is_empty() {
            return Err(Failure::option(
                "--overwrite-collection-prefix requires --from-collection-prefix or --to-collection-prefix",
            ));
        }
        Ok(settings)
    }

    /// Warns of options without a meaning for the file's form.
    fn warn_without_effect(&self, options: &Options, console: &Console) {
        if self.form.is_table() {
            return;
        }
        for option in table_options::ROWS.iter().filter(|option| options.is_given(option)) {
            console.warning(&format!(
                "--{} has no effect: it applies to CSV and TSV, but {} is of another form; change this with --type",
                option.name, self.file
            ));
        }
    }

    /// Returns the failure of a read at a line.
    pub(super) fn unreadable(&self, line: u64, error: &io::Error) -> Failure {
        Failure::new(format!("{}:{line}: cannot read the file further: {error}", self.file))
    }

    /// Returns the failure of a row that exceeds the limit.
    pub(super) fn too_long(&self, line: u64) -> Failure {
        let limit = MAX_ROW_BYTES >> 20;
        Failure::new(format!("{}:{line}: the row that starts here is larger than {limit} MiB", self.file))
    }
}

/// Returns a number between bounds, with a warning if the given one is out of range.
fn bounded<V: for<'o> Value<Read<'o> = u64>>(
    options: &Options,
    console: &Console,
    option: &Opt<V>,
    least: u64,
    most: u64,
) -> usize {
    let given = options.get(option);
    let number = given.clamp(least, most);
    if number != given {
        console.warning(&format!(
            "--{} must be from {least} to {most}, not {given}; using {number}",
            option.name
        ));
    }
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns the form by the ending of the file's name.
fn form_of(file: &str) -> Result<Form, Failure> {
    if file == input::STDIN {
        // The first character tells both forms of JSON apart.
        return Ok(Form::Json);
    }
    let lower = file.to_ascii_lowercase();
    let plain = [".gz", ".zst"].iter().find_map(|ending| lower.strip_suffix(ending)).unwrap_or(&lower);
    let ending = Path::new(plain).extension().and_then(|ending| ending.to_str());
    match ending {
        Some("json") | None => Ok(Form::Json),
        Some("jsonl" | "ndjson") => Ok(Form::Lines),
        Some("csv") => Ok(Form::Csv),
        Some("tsv") => Ok(Form::Tsv),
        Some("parquet") => Ok(Form::Parquet),
        Some(ending) => Err(Failure::option(format!(
            "cannot tell the format of {file} from the extension .{ending}; use --type json, jsonl, csv, tsv or parquet"
        ))),
    }
}
