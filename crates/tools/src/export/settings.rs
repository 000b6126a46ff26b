//! What the options mean for an export.

use std::path::{Path, PathBuf};

use options::Options;
use velocypack::{Builder, Limits, json};

use super::output::Compression;
use crate::Failure;

/// The standard output as a file.
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

    /// The ending of files.
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

    /// Whether an export that was broken off can go on: whole lines are whole documents with their keys.
    pub(super) fn is_resumable(self) -> bool {
        matches!(self, Form::Json | Form::Lines)
    }
}

/// A query to export.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) text: String,
    /// An object in VelocyPack.
    pub(super) parameters: Vec<u8>,
    /// No limit where it is 0.
    pub(super) max_runtime_seconds: f64,
}

/// What is exported.
#[derive(Clone, Debug)]
pub(super) enum Subject {
    /// Each to a file of its own.
    Collections(Vec<String>),
    Query(Query),
    /// A graph by its name; of these collections, or, where there are none, a named graph.
    Graph(String, Vec<String>),
}

/// An export.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) subject: Subject,
    pub(super) form: Form,
    pub(super) compression: Compression,
    pub(super) directory: PathBuf,
    /// Instead of the names in the folder.
    pub(super) file: Option<String>,
    pub(super) overwrite: bool,
    pub(super) resume: bool,
    pub(super) batch_rows: u64,
    /// None where none were named.
    pub(super) fields: Vec<String>,
    pub(super) escape_formulae: bool,
    pub(super) label_attribute: String,
    pub(super) label_only: bool,
}

impl Settings {
    /// Reads the options. Errors say which one is wrong and what would be right.
    pub(super) fn read(options: &Options) -> Result<Self, Failure> {
        let file = options.text("file").map(str::to_owned).filter(|file| !file.is_empty());
        let (form, compression) = form(options, file.as_deref())?;
        let fields = options.text("fields").unwrap_or_default().split(',').map(str::trim);
        let settings = Settings {
            subject: subject(options, form)?,
            form,
            compression,
            directory: options.text("output-directory").unwrap_or("export").into(),
            file,
            overwrite: options.flag("overwrite"),
            resume: options.flag("resume"),
            batch_rows: options.number("documents-per-batch").max(1),
            fields: fields.filter(|field| !field.is_empty()).map(str::to_owned).collect(),
            escape_formulae: options.flag("escape-csv-formulae"),
            label_attribute: options.text("xgmml-label-attribute").unwrap_or("label").to_owned(),
            label_only: options.flag("xgmml-label-only"),
        };
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), Failure> {
        let wrong = |text: &str| Err(Failure::option(text));
        if self.form == Form::Csv && self.fields.is_empty() {
            return wrong("--type csv needs --fields: the attributes to write, with commas between them");
        }
        if !self.fields.is_empty() && !matches!(self.form, Form::Csv | Form::Parquet) {
            return wrong("--fields is for CSV and Parquet");
        }
        if self.form == Form::Parquet && self.compression != Compression::None {
            return wrong("a Parquet file is compressed within; it cannot be compressed as a whole");
        }
        if self.form == Form::Parquet && self.file.as_deref() == Some(STDOUT) {
            return wrong("a Parquet file cannot be written to the standard output");
        }
        if self.resume && self.file.as_deref() == Some(STDOUT) {
            return wrong("--resume cannot see what went to the standard output");
        }
        match &self.subject {
            Subject::Collections(names) if self.file.is_some() && names.len() > 1 => {
                wrong("--file is for one collection; --output-directory takes several")
            }
            _ => Ok(()),
        }
    }

    /// Where something goes that has a name; nothing for the standard output.
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

/// A name that stays within its folder.
fn safe(name: &str) -> String {
    let name = name.replace(['/', '\0'], "_");
    if name.starts_with('.') { format!("_{name}") } else { name }
}

fn form(options: &Options, file: Option<&str>) -> Result<(Form, Compression), Failure> {
    let named = options.text("type").and_then(Form::from_name).unwrap_or(Form::Lines);
    let by_option = match options.flag("compress-output") {
        true => Compression::Gzip,
        false => Compression::None,
    };
    let Some(file) = file.filter(|file| *file != STDOUT) else { return Ok((named, by_option)) };
    let (plain, compression) = match (file.strip_suffix(".gz"), file.strip_suffix(".zst")) {
        (Some(plain), _) => (plain, Compression::Gzip),
        (_, Some(plain)) => (plain, Compression::Zstd),
        _ => (file, by_option),
    };
    if options.is_given("type") {
        return Ok((named, compression));
    }
    let ending = Path::new(plain).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let form = Form::from_name(&ending.to_ascii_lowercase());
    let form = form.ok_or_else(|| {
        Failure::option(format!("the ending of {file} does not say what shall be written; --type does"))
    })?;
    Ok((form, compression))
}

fn subject(options: &Options, form: Form) -> Result<Subject, Failure> {
    let wrong = |text: &str| Err(Failure::option(text));
    let collections: Vec<String> =
        options.all("collection").into_iter().filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let graph = options.text("graph-name").filter(|name| !name.is_empty());
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
    let given = |name: &str| options.text(name).filter(|text| !text.is_empty()).map(str::to_owned);
    let text = match (given("custom-query").or_else(|| given("query")), given("custom-query-file")) {
        (Some(_), Some(_)) => {
            return Err(Failure::option("give --custom-query or --custom-query-file, not both"));
        }
        (None, Some(path)) => Some(std::fs::read_to_string(&path).map_err(|error| {
            Failure::option(format!("--custom-query-file: {path} cannot be read: {error}"))
        })?),
        (text, None) => text,
    };
    let Some(text) = text else {
        return match options.is_given("custom-query-bindvars") {
            true => {
                Err(Failure::option("--custom-query-bindvars needs --custom-query or --custom-query-file"))
            }
            false => Ok(None),
        };
    };
    let mut parameters = Builder::new();
    let given = given("custom-query-bindvars").unwrap_or_else(|| "{}".to_owned());
    let parsed = json::parse(given.as_bytes(), &Limits::default(), &mut parameters);
    if parsed.is_err() || !parameters.as_slice().is_object() {
        let text = format!("--custom-query-bindvars must be a JSON object, not {given:?}");
        return Err(Failure::option(text));
    }
    let limits = ["custom-query-max-runtime", "query-max-runtime"].map(|name| options.seconds(name));
    let max_runtime_seconds = limits.into_iter().find(|limit| *limit > 0.0).unwrap_or(0.0);
    Ok(Some(Query { text, parameters: parameters.into_vec(), max_runtime_seconds }))
}
