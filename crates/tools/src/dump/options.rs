//! The options of `persea dump`.

use options::{Definition, Exception, Kind, Program, option};

use Kind::{Bool, Bytes, Number, Text};

use crate::common::{ENVIRONMENT_PREFIX, GENERAL, LOG, REFUSED, SERVER, WITHOUT_EFFECT};

pub(super) static PROGRAM: Program = Program {
    name: "persea dump",
    usage: "[--OPTION VALUE ...]",
    about: "Writes databases into a folder, from which `persea restore` or arangorestore loads them. All collections of a database \
            are of one moment.",
    tables: &[OPTIONS, GENERAL, SERVER, LOG],
    without_effect: &[WITHOUT_EFFECT, OWN_WITHOUT_EFFECT],
    refused: &[REFUSED, OWN_REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some("output-directory"),
};

#[rustfmt::skip]
const OPTIONS: &[Definition] = &[
    option("all-databases", Bool, "false", "every database that the user may see, each in a folder of its own"),
    option("batch-size", Bytes, "64MiB", "most bytes of a batch; servers may give less"),
    option("collection", Text, "", "only this collection").list(),
    option("compress-output", Bool, "true", "pack data files by gzip"),
    option("dbserver-prefetch-batches", Number, "5", "batches that the server makes ahead").uncommon(),
    option("dbserver-worker-threads", Number, "5", "threads of the server that make batches of one collection").uncommon(),
    option("dump-data", Bool, "true", "documents, not definitions alone"),
    option("dump-views", Bool, "true", "definitions of views"),
    option("dump-vpack", Bool, "false", "VelocyPack instead of JSON in data files").uncommon(),
    option("envelope", Bool, "false", "wrap each document with its type, for arangorestore before 3.8"),
    option("force", Bool, "false", "go on with other collections after an error"),
    option("ignore-collection", Text, "", "leave out this collection").list(),
    option("include-system-collections", Bool, "false", "also collections whose names begin with an underscore; users, in the database _system"),
    option("initial-batch-size", Bytes, "8MiB", "bytes of the first chunks with --parallel-dump false; they grow to --batch-size"),
    option("maskings", Text, "", "JSON file that says which values are changed and how"),
    option("output-directory", Text, "dump", "folder to write to"),
    option("overwrite", Bool, "false", "write into a folder that has files already"),
    option("parallel-dump", Bool, "true", "several threads for one collection, where the server can do it").uncommon(),
    option("progress", Bool, "true", "show how far the dump is"),
    option("split-files", Bool, "false", "a file for each thread that works on a collection, with --parallel-dump"),
    option("threads", Number, "0", "threads that work at once; 0 is one for each core, at least two"),
];

const OWN_WITHOUT_EFFECT: &[Exception] = &[
    Exception {
        reason: "a thread of --threads fetches, packs and writes",
        names: &["local-network-threads", "local-writer-threads"],
    },
    Exception { reason: "batches are measured in bytes", names: &["docs-per-batch"] },
    Exception { reason: "it is the way of --parallel-dump, which is on", names: &["use-experimental-dump"] },
    Exception { reason: "a dump is of one moment, and whole", names: &["tick-start", "tick-end"] },
    Exception { reason: "it is for clusters", names: &["ignore-distribute-shards-like-errors"] },
    Exception { reason: "a dump opens few files at a time", names: &["descriptors-minimum"] },
];

const OWN_REFUSED: &[Exception] = &[Exception { reason: "only clusters have shards", names: &["shard"] }];
