//! The options, in the order of the help text: general ones first, then section by section.

use super::{Definition, Kind};

const fn option(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Definition {
    Definition { name, kind, default, help, is_list: false, is_secret: false }
}

const fn list(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Definition {
    Definition { is_list: true, ..option(name, kind, default, help) }
}

const fn secret(name: &'static str, help: &'static str) -> Definition {
    Definition { is_secret: true, ..option(name, Kind::Text, "", help) }
}

const API_ACCESS: Kind = Kind::Choice(&["disabled", "jwt", "admin", "public"]);
const ENGINES: Kind = Kind::Choice(&["auto", "rocksdb", "memory"]);

/// All of them. Names that ArangoDB has mean the same here.
pub(crate) const DEFINITIONS: &[Definition] = &[
    option("configuration", Kind::Text, "", "file with more options, `none` for none"),
    option(
        "memory-limit",
        Kind::Number,
        "",
        "bytes that the whole process stays within; default: half of what the machine or its container has",
    ),
    option("storage-engine", ENGINES, "auto", "where data is kept; `memory` forgets everything at the end"),
    option("database.directory", Kind::Text, "./data", "folder of the data"),
    option(
        "database.extended-names",
        Kind::Bool,
        "true",
        "names of databases, collections and indexes may have most characters of Unicode",
    ),
    option(
        "database.wait-for-sync",
        Kind::Bool,
        "false",
        "writes to collections that do not say otherwise wait until they are on disk",
    ),
    option(
        "http.compress-response-threshold",
        Kind::Number,
        "0",
        "bytes from which replies are compressed for clients that accept it; 0 never",
    ),
    option(
        "http.keep-alive-timeout",
        Kind::Seconds,
        "300",
        "seconds after which a connection without a request is closed",
    ),
    option("http.max-body-size", Kind::Number, "1GiB", "most bytes of a request's body"),
    option(
        "http.return-queue-time-header",
        Kind::Bool,
        "true",
        "say in replies how long requests wait for a thread",
    ),
    list("http.trusted-origin", Kind::Text, "", "web page that may send credentials; `*` for all"),
    option(
        "log.file",
        Kind::Text,
        "",
        "file that the log is appended to, instead of the standard error output",
    ),
    list("log.level", Kind::Text, "info", "fatal, error, warning, info, debug or trace; or topic=level"),
    list("log.output", Kind::Text, "", "`-` (standard output), `+` (standard error output) or file://PATH"),
    option("log.use-json-format", Kind::Bool, "false", "write each entry as a JSON object"),
    option(
        "query.global-memory-limit",
        Kind::Number,
        "",
        "bytes that all queries together may use; default: a share of --memory-limit",
    ),
    option(
        "query.max-runtime",
        Kind::Seconds,
        "0",
        "seconds after which a query ends that sets no limit itself; 0 never",
    ),
    option("query.memory-limit", Kind::Number, "0", "bytes that one query may use; 0 is no limit of its own"),
    option("query.memory-limit-override", Kind::Bool, "true", "queries may ask for a higher limit"),
    option("query.slow-threshold", Kind::Seconds, "10", "seconds from which a query is listed as slow"),
    option("query.tracking", Kind::Bool, "true", "list running and slow queries"),
    option("query.tracking-with-bindvars", Kind::Bool, "true", "list queries with their bind parameters"),
    option(
        "rocksdb.max-background-jobs",
        Kind::Number,
        "",
        "threads for flushes and compactions; default: the number of cores",
    ),
    option("rocksdb.max-open-files", Kind::Number, "512", "most table files that are held open"),
    option(
        "rocksdb.sync-interval",
        Kind::Number,
        "100",
        "milliseconds after which a commit is on disk that did not wait for it",
    ),
    option("server.authentication", Kind::Bool, "true", "requests must say who makes them"),
    list("server.endpoint", Kind::Text, "tcp://127.0.0.1:8529", "address to listen on, as tcp://HOST:PORT"),
    secret("server.jwt-secret", "secret that tokens are signed with"),
    option("server.jwt-secret-keyfile", Kind::Text, "", "file with the secret that tokens are signed with"),
    option("server.maximal-queue-size", Kind::Number, "4096", "most requests that may wait for a thread"),
    option("server.maximal-threads", Kind::Number, "", "most worker threads; default: at least 32"),
    option("server.options-api", API_ACCESS, "jwt", "who may read /_admin/options"),
    secret(
        "server.password",
        "password of the user root when the store is new (also: ARANGO_ROOT_PASSWORD); default: empty",
    ),
    option(
        "server.session-timeout",
        Kind::Seconds,
        "3600",
        "seconds that a token from /_open/auth is good for",
    ),
    option("server.storage-engine", ENGINES, "auto", "as --storage-engine"),
    option("server.support-info-api", API_ACCESS, "admin", "who may read /_admin/support-info"),
    option("temp.path", Kind::Text, "", "folder of temporary files; default: the system's"),
];
