//! The options of `persea restore`.

use options::{Definition, Exception, Kind, Program, option};

use Kind::{Bool, Bytes, Number, Text};

use crate::common::{ENVIRONMENT_PREFIX, GENERAL, LOG, REFUSED, SERVER, WITHOUT_EFFECT};

pub(super) static PROGRAM: Program = Program {
    name: "persea restore",
    usage: "[--OPTION VALUE ...]",
    about: "Loads what `persea dump` or arangodump has written, of any version from 2.x on.",
    tables: &[OPTIONS, GENERAL, SERVER, LOG],
    without_effect: &[WITHOUT_EFFECT, OWN_WITHOUT_EFFECT],
    refused: &[REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some("input-directory"),
};

#[rustfmt::skip]
const OPTIONS: &[Definition] = &[
    option("all-databases", Bool, "false", "every database of the folder, each from a folder of its own"),
    option("batch-size", Bytes, "16MiB", "bytes of a request, at least 128 KiB"),
    option("cleanup-duplicate-attributes", Bool, "false", "of attributes that a document has twice, take the first; otherwise the server refuses it"),
    option("collection", Text, "", "only this collection").list(),
    option("continue", Bool, "false", "go on where a restore from this folder broke off"),
    option("create-collection", Bool, "true", "create collections and their indexes; otherwise they must be there, and stay as they are"),
    option("create-database", Bool, "false", "create a database that is missing"),
    option("enable-revision-trees", Bool, "true", "set syncByRevision for collections of old dumps").uncommon(),
    option("force", Bool, "false", "go on after errors that concern one collection, and with a dump that is not whole"),
    option("force-same-database", Bool, "false", "refuse the dump of a database with another name"),
    option("import-data", Bool, "true", "documents, not definitions alone"),
    option("import-structure", Bool, "true", "collections, indexes and views, not documents alone"),
    option("include-system-collections", Bool, "false", "also collections whose names begin with an underscore; users, in the database _system"),
    option("initial-connect-retries", Number, "3", "attempts to reach the server").uncommon(),
    option("input-directory", Text, "dump", "folder to read from"),
    option("overwrite", Bool, "true", "drop collections that are there; with false they are used as they are"),
    option("progress", Bool, "true", "show how far the restore is"),
    option("threads", Number, "0", "threads that work at once; 0 is one for each core, at least two"),
    option("view", Text, "", "only this view").list(),
];

const OWN_WITHOUT_EFFECT: &[Exception] = &[
    Exception {
        reason: "it is for clusters",
        names: &[
            "default-number-of-shards",
            "default-replication-factor",
            "ignore-distribute-shards-like-errors",
            "number-of-shards",
            "replication-factor",
            "write-concern",
        ],
    },
    Exception { reason: "whether lines are wrapped is seen from them", names: &["envelope"] },
    Exception {
        reason: "no more buffers are kept than there are threads",
        names: &["max-unused-buffers-capacity"],
    },
    Exception { reason: "a restore opens few files at a time", names: &["descriptors-minimum"] },
];
