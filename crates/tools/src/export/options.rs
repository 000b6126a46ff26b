//! The options of `persea export`. Names that arangoexport has mean the same.

use std::path::{Path, PathBuf};

use options::{
    Choice, Flag, List, Maybe, Number, Opt, Options, Program, Seconds, Text, choice, flag, number, seconds,
    text,
};
use velocypack::{Builder, Limits, json};

use super::output::Compression;
use crate::encrypted::Files;
use crate::failure::Failure;
use crate::options::{ENVIRONMENT_PREFIX, IGNORED, encryption, general, log, server};

/// The program.
pub(super) static PROGRAM: Program = Program {
    name: "persea export",
    usage: "--collection NAME ... | --custom-query AQL | --graph-name NAME [--OPTION VALUE ...]",
    about: "Export collections, the result of a query, or a graph to files: JSON Lines, JSON, CSV, XML, XGMML or Parquet.",
    sections: &[ROWS, encryption::ROWS, general::ROWS, server::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED],
    refused: &[],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some(OUTPUT_DIRECTORY.row()),
};

const FORMS: &[(&str, Form); 6] = &[
    ("csv", Form::Csv),
    ("json", Form::Json),
    ("jsonl", Form::Lines),
    ("parquet", Form::Parquet),
    ("xgmml", Form::Xgmml),
    ("xml", Form::Xml),
];

options::section! {
    static COLLECTION: Opt<List<Text>> =
        text("collection", "", "Collection to export.").list();
    static COMPRESS_OUTPUT: Opt<Flag> =
        flag("compress-output", false, "Compress files with gzip.");
    static CUSTOM_QUERY: Opt<Maybe<Text>> =
        text("custom-query", "", "Export the result of this AQL query.").optional();
    static CUSTOM_QUERY_BINDVARS: Opt<Maybe<Text>> =
        text("custom-query-bindvars", "", "Bind parameters of the query, as a JSON object.").optional();
    static CUSTOM_QUERY_FILE: Opt<Maybe<Text>> =
        text("custom-query-file", "", "Read the query from this file.").optional();
    static CUSTOM_QUERY_MAX_RUNTIME: Opt<Seconds> =
        seconds("custom-query-max-runtime", "0", "Maximum run time of the query in seconds; 0 means no limit.");
    static DOCUMENTS_PER_BATCH: Opt<Number> =
        number("documents-per-batch", "1000", "Number of documents in a reply, if they do not arrive as one stream.");
    static ESCAPE_CSV_FORMULAE: Opt<Flag> =
        flag("escape-csv-formulae", true, "CSV: put a single quote before texts that a spreadsheet may take for formulas.");
    static FIELDS: Opt<Maybe<Text>> =
        text("fields", "", "CSV, Parquet: attributes to write, separated by commas.").optional();
    static FILE: Opt<Maybe<Text>> =
        text("file", "", "Write a single export to this file; `-` is standard output. The extension selects format and compression (.gz, .zst).").optional();
    static GRAPH_NAME: Opt<Maybe<Text>> =
        text("graph-name", "", "XGMML: named graph to export, or name for the graph of the collections.").optional();
    static OUTPUT_DIRECTORY: Opt<Text> =
        text("output-directory", "export", "Write the files to this folder.");
    static OVERWRITE: Opt<Flag> =
        flag("overwrite", false, "Overwrite existing files.");
    pub(super) static PROGRESS: Opt<Flag> =
        flag("progress", true, "Show progress.");
    static QUERY: Opt<Maybe<Text>> =
        text("query", "", "Alias of --custom-query.").optional().uncommon();
    static QUERY_MAX_RUNTIME: Opt<Seconds> =
        seconds("query-max-runtime", "0", "Alias of --custom-query-max-runtime.").uncommon();
    static RESUME: Opt<Flag> =
        flag("resume", false, "Resume an interrupted export.");
    static TYPE: Opt<Choice<Form>> =
        choice("type", FORMS, "jsonl", "Format of the files.");
    static XGMML_LABEL_ATTRIBUTE: Opt<Text> =
        text("xgmml-label-attribute", "label", "XGMML: attribute to use as the label.");
    static XGMML_LABEL_ONLY: Opt<Flag> =
        flag("xgmml-label-only", false, "XGMML: write no attributes other than the label.");
}

/// The name of the standard output.
pub(super) const STDOUT: &str = "-";

/// Formats of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Csv,
    Json,
    Lines,
    Parquet,
    Xgmml,
    Xml,
}

impl Form {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "csv" => Form::Csv,
            "json" => Form::Json,
            "jsonl" | "ndjson" => Form::Lines,
            "parquet" => Form::Parquet,
            "xgmml" => Form::Xgmml,
            "xml" => Form::Xml,
            _ => return None,
        })
    }

    /// Returns the ending of file names.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Form::Csv => "csv",
            Form::Json => "json",
            Form::Lines => "jsonl",
            Form::Parquet => "parquet",
            Form::Xgmml => "xgmml",
            Form::Xml => "xml",
        }
    }

    /// Returns true if an interrupted export can resume: whole lines are whole documents with keys.
    pub(super) fn is_resumable(self) -> bool {
        matches!(self, Form::Json | Form::Lines)
    }
}

/// A query to export.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) text: String,
    /// The bind parameters, an object in VelocyPack.
    pub(super) parameters: Vec<u8>,
    /// The time limit; 0 is none.
    pub(super) max_runtime_seconds: f64,
}

/// The subject of an export.
#[derive(Clone, Debug)]
pub(super) enum Subject {
    /// Collections, each to a file of its own.
    Collections(Vec<String>),
    Query(Query),
    /// A graph by its name: of these collections, or a named graph if there are none.
    Graph(String, Vec<String>),
}

/// The settings of an export.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) subject: Subject,
    pub(super) form: Form,
    pub(super) compression: Compression,
    /// The form of all files: encrypted or not.
    pub(super) files: Files,
    pub(super) directory: PathBuf,
    /// The file that replaces the names in the folder.
    pub(super) file: Option<String>,
    pub(super) overwrite: bool,
    pub(super) resume: bool,
    pub(super) batch_rows: u64,
    /// The attributes; empty if none were named.
    pub(super) fields: Vec<String>,
    pub(super) escape_formulae: bool,
    pub(super) label_attribute: String,
    pub(super) label_only: bool,
}

impl Settings {
    /// Reads the options. Errors name the wrong one and say what would be right.
    pub(super) fn read(options: &Options) -> Result<Self, Failure> {
        let file = options.non_empty(&FILE).map(str::to_owned);
        let (form, compression) = form(options, file.as_deref())?;
        let fields = options.get(&FIELDS).unwrap_or_default().split(',').map(str::trim);
        let settings = Settings {
            subject: subject(options, form)?,
            form,
            compression,
            files: encryption::files(options)?,
            directory: options.get(&OUTPUT_DIRECTORY).into(),
            file,
            overwrite: options.get(&OVERWRITE),
            resume: options.get(&RESUME),
            batch_rows: options.get(&DOCUMENTS_PER_BATCH).max(1),
            fields: fields.filter(|field| !field.is_empty()).map(str::to_owned).collect(),
            escape_formulae: options.get(&ESCAPE_CSV_FORMULAE),
            label_attribute: options.get(&XGMML_LABEL_ATTRIBUTE).to_owned(),
            label_only: options.get(&XGMML_LABEL_ONLY),
        };
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), Failure> {
        let wrong = |text: &str| Err(Failure::option(text));
        if self.form == Form::Csv && self.fields.is_empty() {
            return wrong("--type csv requires --fields, the attributes to write, separated by commas");
        }
        if !self.fields.is_empty() && !matches!(self.form, Form::Csv | Form::Parquet) {
            return wrong("--fields is for CSV and Parquet");
        }
        if self.form == Form::Parquet && self.compression != Compression::None {
            return wrong("Parquet files are compressed internally; they cannot be compressed as a whole");
        }
        if self.form == Form::Parquet && self.file.as_deref() == Some(STDOUT) {
            return wrong("a Parquet file cannot be written to the standard output");
        }
        if self.resume && self.file.as_deref() == Some(STDOUT) {
            return wrong("--resume cannot see what went to the standard output");
        }
        if self.files.are_encrypted() {
            if self.file.as_deref() == Some(STDOUT) {
                return wrong("the standard output is not encrypted; name a file, or leave the key out");
            }
            if self.form == Form::Parquet {
                return wrong(
                    "Parquet files are read from their end, and encrypted ones from their beginning",
                );
            }
            if self.resume {
                return wrong(
                    "an encrypted export cannot be resumed: its end would be encrypted twice with one key",
                );
            }
        }
        match &self.subject {
            Subject::Collections(names) if self.file.is_some() && names.len() > 1 => {
                wrong("--file is for one collection; --output-directory takes several")
            }
            _ => Ok(()),
        }
    }

    /// Returns the file for a name; `None` for the standard output.
    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        match self.file.as_deref() {
            Some(STDOUT) => None,
            Some(file) => Some(PathBuf::from(file)),
            None => {
                let (ending, compressed) = (self.form.ending(), self.compression.ending());
                Some(self.directory.join(format!("{}.{ending}{compressed}", safe(name))))
            }
        }
    }
}

/// Returns a name that stays within its folder.
fn safe(name: &str) -> String {
    let name = name.replace(['/', '\0'], "_");
    if name.starts_with('.') { format!("_{name}") } else { name }
}

fn form(options: &Options, file: Option<&str>) -> Result<(Form, Compression), Failure> {
    let named = options.get(&TYPE);
    let by_option = match options.get(&COMPRESS_OUTPUT) {
        true => Compression::Gzip,
        false => Compression::None,
    };
    let Some(file) = file.filter(|file| *file != STDOUT) else { return Ok((named, by_option)) };
    let (plain, compression) = match (file.strip_suffix(".gz"), file.strip_suffix(".zst")) {
        (Some(plain), _) => (plain, Compression::Gzip),
        (_, Some(plain)) => (plain, Compression::Zstd),
        _ => (file, by_option),
    };
    if options.is_given(&TYPE) {
        return Ok((named, compression));
    }
    let ending = Path::new(plain).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let form = Form::from_name(&ending.to_ascii_lowercase());
    let form = form.ok_or_else(|| {
        Failure::option(format!("cannot tell the format from the extension of {file}; use --type"))
    })?;
    Ok((form, compression))
}

fn subject(options: &Options, form: Form) -> Result<Subject, Failure> {
    let wrong = |text: &str| Err(Failure::option(text));
    let collections: Vec<String> =
        options.get(&COLLECTION).into_iter().filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let graph = options.non_empty(&GRAPH_NAME);
    let query = query(options)?;
    if let (Form::Xgmml, Some(graph), None) = (form, graph, &query) {
        return Ok(Subject::Graph(graph.to_owned(), collections));
    }
    match (form, graph, query) {
        (Form::Xgmml, _, _) => wrong("--type xgmml needs --graph-name, and takes no query"),
        (_, Some(_), _) => wrong("--graph-name is for --type xgmml"),
        (_, _, Some(_)) if !collections.is_empty() => wrong("give --collection or --custom-query, not both"),
        (_, _, Some(query)) => Ok(Subject::Query(query)),
        _ if collections.is_empty() => wrong(
            "say what to export: --collection NAME, --custom-query AQL, or --graph-name NAME --type xgmml",
        ),
        _ => Ok(Subject::Collections(collections)),
    }
}

fn query(options: &Options) -> Result<Option<Query>, Failure> {
    let given = |option: &Opt<Maybe<Text>>| options.non_empty(option).map(str::to_owned);
    let text = match (given(&CUSTOM_QUERY).or_else(|| given(&QUERY)), given(&CUSTOM_QUERY_FILE)) {
        (Some(_), Some(_)) => {
            return Err(Failure::option("use either --custom-query or --custom-query-file, not both"));
        }
        (None, Some(path)) => Some(std::fs::read_to_string(&path).map_err(|error| {
            Failure::option(format!("--custom-query-file: {path} cannot be read: {error}"))
        })?),
        (text, None) => text,
    };
    let Some(text) = text else {
        return match options.is_given(&CUSTOM_QUERY_BINDVARS) {
            true => {
                Err(Failure::option("--custom-query-bindvars requires --custom-query or --custom-query-file"))
            }
            false => Ok(None),
        };
    };
    let mut parameters = Builder::new();
    let given = given(&CUSTOM_QUERY_BINDVARS).unwrap_or_else(|| "{}".to_owned());
    let parsed = json::parse(given.as_bytes(), &Limits::default(), &mut parameters);
    if parsed.is_err() || !parameters.as_slice().is_object() {
        let text = format!("--custom-query-bindvars must be a JSON object, not {given:?}");
        return Err(Failure::option(text));
    }
    let limits = [&CUSTOM_QUERY_MAX_RUNTIME, &QUERY_MAX_RUNTIME].map(|option| options.get(option));
    let max_runtime_seconds = limits.into_iter().find(|limit| *limit > 0.0).unwrap_or(0.0);
    Ok(Some(Query { text, parameters: parameters.into_vec(), max_runtime_seconds }))
}
