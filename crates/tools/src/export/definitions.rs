//! The options of `persea export`. Names that arangoexport has mean the same.

use options::{Definition, Kind, Program, option};

use crate::common::{ENVIRONMENT_PREFIX, GENERAL, LOG, REFUSED, SERVER, WITHOUT_EFFECT};

use Kind::{Bool, Choice, Number, Seconds, Text};

/// The program.
pub(super) static PROGRAM: Program = Program {
    name: "persea export",
    usage: "--collection NAME ... | --custom-query AQL | --graph-name NAME [--OPTION VALUE ...]",
    about: "Writes collections, the result of a query, or a graph to files: JSON Lines, JSON, CSV, XML, XGMML or Parquet.",
    tables: &[OWN, GENERAL, SERVER, LOG],
    without_effect: &[WITHOUT_EFFECT],
    refused: &[REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some("output-directory"),
};

const TYPES: Kind = Choice(&["csv", "json", "jsonl", "parquet", "xgmml", "xml"]);

#[rustfmt::skip]
const OWN: &[Definition] = &[
    option("collection", Text, "", "collection to write").list(),
    option("compress-output", Bool, "false", "compress files by gzip"),
    option("custom-query", Text, "", "AQL query whose result is written"),
    option("custom-query-bindvars", Text, "", "its bind parameters, a JSON object"),
    option("custom-query-file", Text, "", "file with the query"),
    option("custom-query-max-runtime", Seconds, "0", "seconds that the query may take; 0 is no limit"),
    option("documents-per-batch", Number, "1000", "documents that are fetched together, where they do not come in one stream"),
    option("escape-csv-formulae", Bool, "true", "CSV: a single quote before texts that spreadsheets may take for formulas"),
    option("fields", Text, "", "CSV, Parquet: attributes to write, with commas between them"),
    option("file", Text, "", "file for the one thing that is exported, `-` for the standard output; its ending says type and compression (.gz, .zst)"),
    option("graph-name", Text, "", "XGMML: named graph, or a name for the graph of the collections"),
    option("output-directory", Text, "export", "folder for the files"),
    option("overwrite", Bool, "false", "replace files that are there"),
    option("progress", Bool, "true", "show how much has been written"),
    option("query", Text, "", "as --custom-query").uncommon(),
    option("query-max-runtime", Seconds, "0", "as --custom-query-max-runtime").uncommon(),
    option("resume", Bool, "false", "go on where an export was broken off"),
    option("type", TYPES, "jsonl", "format of the files"),
    option("xgmml-label-attribute", Text, "label", "XGMML: attribute that becomes the label"),
    option("xgmml-label-only", Bool, "false", "XGMML: write no other attributes"),
];
