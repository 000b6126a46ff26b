//! The options of `persea import`. Names that arangoimport has mean the same.

use options::{Definition, Kind, Program, option};

use crate::common::{ENVIRONMENT_PREFIX, GENERAL, LOG, REFUSED, SERVER, WITHOUT_EFFECT};

use Kind::{Bool, Bytes, Choice, Number, Text};

/// The program.
pub(super) static PROGRAM: Program = Program {
    name: "persea import",
    usage: "--collection NAME [--OPTION VALUE ...] FILE",
    about: "Loads documents from a file or the standard input (-) into a collection: JSON arrays, JSON Lines, CSV or TSV, plain or\n\
            compressed by gzip or Zstandard.",
    tables: &[OWN, GENERAL, SERVER, LOG],
    without_effect: &[WITHOUT_EFFECT],
    refused: &[REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some("file"),
};

const TYPES: Kind = Choice(&["auto", "csv", "json", "jsonl", "tsv"]);
const COLLECTION_TYPES: Kind = Choice(&["document", "edge"]);
const ON_DUPLICATE: Kind = Choice(&["error", "update", "replace", "ignore"]);

#[rustfmt::skip]
const OWN: &[Definition] = &[
    option("auto-rate-limit", Bool, "false", "send as fast as the server keeps up with, beginning with --batch-size bytes per thread and second"),
    option("backslash-escape", Bool, "false", "CSV: a backslash takes the quote behind it literally"),
    option("batch-size", Bytes, "4194304", "bytes that are sent together"),
    option("collection", Text, "", "collection to load into"),
    option("convert", Bool, "true", "CSV, TSV: null, true, false and numbers without quotes are values, not texts"),
    option("create-collection", Bool, "false", "make the collection if it does not exist"),
    option("create-collection-type", COLLECTION_TYPES, "document", "what is made: document or edge"),
    option("create-database", Bool, "false", "make the database if it does not exist"),
    option("datatype", Text, "", "CSV, TSV: ATTRIBUTE=TYPE, where TYPE is null, boolean, number or string; comes before --convert").list(),
    option("file", Text, "", "file to read, `-` for the standard input"),
    option("from-collection-prefix", Text, "", "collection of `_from` where it is a key alone"),
    option("headers-file", Text, "", "CSV, TSV: file with the line of attributes, which the data does not have then"),
    option("ignore-missing", Bool, "false", "CSV, TSV: take rows with fewer or more values than there are attributes"),
    option("latency", Bool, "false", "show every 10 seconds how long requests took"),
    option("max-errors", Number, "20", "stop when so many rows have been rejected"),
    option("merge-attributes", Text, "", "CSV, TSV: NEW=[ATTRIBUTE]TEXT[ATTRIBUTE]...: one more attribute, made of others").list(),
    option("on-duplicate", ON_DUPLICATE, "error", "what to do with a document whose key is taken"),
    option("overwrite", Bool, "false", "empty the collection first"),
    option("overwrite-collection-prefix", Bool, "false", "the prefixes also replace collections that are named"),
    option("progress", Bool, "true", "show how much has been read"),
    option("quote", Text, "\"", "CSV: character around texts; empty for none"),
    option("rejected", Text, "", "file for rejected rows with their lines and reasons, as JSON Lines"),
    option("remove-attribute", Text, "", "leave out this attribute").list(),
    option("separator", Text, "", "CSV, TSV: what stands between values; default: a comma or a tabulator"),
    option("skip-lines", Number, "0", "leave out so many lines at the beginning (not of a JSON array)"),
    option("skip-validation", Bool, "false", "the collection's schema does not apply"),
    option("threads", Number, "8", "requests that are made at once"),
    option("to-collection-prefix", Text, "", "collection of `_to` where it is a key alone"),
    option("translate", Text, "", "CSV, TSV: FROM=TO: another name for an attribute").list(),
    option("type", TYPES, "auto", "the file's format; auto goes by its name"),
];
