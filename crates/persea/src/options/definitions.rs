//! The options, in the order of the help text: general ones first, then section by section.

use options::{Definition, Kind, option};

const fn list(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Definition {
    option(name, kind, default, help).list()
}

const fn secret(name: &'static str, help: &'static str) -> Definition {
    option(name, Kind::Text, "", help).secret()
}

const API_ACCESS: Kind = Kind::Choice(&["disabled", "jwt", "admin", "public"]);
const LOG_ACCESS: Kind = Kind::Choice(&["true", "false", "jwt"]);
const LEVELS: Kind = Kind::Choice(&["fatal", "error", "err", "warning", "warn", "info", "debug", "trace"]);
const ENGINES: Kind = Kind::Choice(&["auto", "rocksdb", "memory"]);
const TLS_VERSIONS: Kind = Kind::Choice(&["5", "6", "9"]);
const CACHE_MODES: Kind = Kind::Choice(&["off", "on", "demand"]);
const COMPRESSIONS: Kind = Kind::Choice(&["lz4", "zstd"]);
use Kind::{Bool, Bytes, Number, Seconds, Text};

/// All of them. Names that ArangoDB has mean the same here.
#[rustfmt::skip]
pub(super) const DEFINITIONS: &[Definition] = &[
    option("check-configuration", Bool, "false", "check the options and end"),
    option("configuration", Text, "", "file with more options, `none` for none"),
    list("define", Text, "", "NAME=VALUE: what `@NAME@` stands for in the configuration file, besides the environment"),
    option("memory-limit", Bytes, "", "bytes that the whole process stays within; default: half of what the machine or its container has"),
    option("pid-file", Text, "", "file that the number of the process is written to"),
    option("storage-engine", ENGINES, "auto", "where data is kept; `memory` forgets everything at the end"),

    option("cache.size", Bytes, "", "bytes for documents and edges that were read lately, of those for the block cache; 0 for none; default: a quarter"),

    option("database.auto-upgrade", Bool, "false", "make the store ready for this version, and end"),
    option("database.directory", Text, "./data", "folder of the data"),
    option("database.extended-names", Bool, "true", "names of databases, collections and indexes may have most characters of Unicode"),
    option("database.init-database", Bool, "false", "make a new store ready, and end"),
    secret("database.password", "as --server.password"),
    option("database.wait-for-sync", Bool, "false", "writes to collections that do not say otherwise wait until they are on disk"),

    option("http.compress-response-threshold", Bytes, "0", "bytes from which replies are compressed for clients that accept it; 0 never"),
    option("http.keep-alive-timeout", Seconds, "300", "seconds after which a connection without a request is closed"),
    option("http.max-body-size", Bytes, "1GiB", "most bytes of a request's body"),
    option("http.max-connections", Number, "16384", "most connections at once; more wait to be accepted"),
    option("http.return-queue-time-header", Bool, "true", "say in replies how long requests wait for a thread"),
    list("http.trusted-origin", Text, "", "web page that may send credentials; `*` for all"),

    option("log.api-enabled", LOG_ACCESS, "true", "who may read /_admin/log: administrators, nobody, or superusers"),
    option("log.color", Bool, "true", "levels in colours where the log goes to a terminal"),
    option("log.escape-control-chars", Bool, "true", "control characters as escapes"),
    option("log.escape-unicode-chars", Bool, "false", "characters beyond ASCII as escapes"),
    option("log.file", Text, "", "file that the log is appended to, instead of the standard error output; opened again on SIGHUP"),
    option("log.in-memory", Bool, "true", "keep recent entries for /_admin/log"),
    option("log.in-memory-level", LEVELS, "info", "least level of entries that are kept for /_admin/log"),
    list("log.level", Text, "info", "fatal, error, warning, info, debug or trace; or topic=level"),
    option("log.max-entry-length", Bytes, "64KiB", "most bytes of an entry"),
    list("log.output", Text, "", "`-` (standard output), `+` (standard error output) or file://PATH"),
    option("log.process", Bool, "true", "say in each entry which process it is"),
    list("log.structured-param", Text, "", "database, username or url, perhaps with =false: what entries say of the request"),
    option("log.recording-api-enabled", LOG_ACCESS, "true", "who may read /_admin/server/api-calls and aql-queries: administrators, nobody, or superusers"),
    option("log.use-json-format", Bool, "false", "write each entry as a JSON object"),

    option("query.cache-entries", Number, "128", "most results that are kept in each database; 0 is the default"),
    option("query.cache-entries-max-size", Bytes, "256MiB", "most bytes of all results that are kept in each database; 0 is the default"),
    option("query.cache-entry-max-size", Bytes, "16MiB", "most bytes of one result that is kept; 0 is the default"),
    option("query.cache-include-system-collections", Bool, "false", "keep results that are read from system collections"),
    option("query.cache-mode", CACHE_MODES, "off", "which queries may be answered by results of before: none, all, or those that ask for it"),
    option("query.fail-on-warning", Bool, "false", "the first warning ends a query that does not say otherwise"),
    option("query.global-memory-limit", Bytes, "", "bytes that all queries together may use; default: a share of --memory-limit"),
    option("query.max-collections-per-query", Number, "2048", "most collections that a query may name"),
    option("query.max-dnf-condition-members", Number, "786432", "most alternatives of a condition that indexes are matched with, in queries that do not say otherwise; 0 is no limit"),
    option("query.max-runtime", Seconds, "0", "seconds after which a query ends that sets no limit itself; 0 never"),
    option("query.memory-limit", Bytes, "0", "bytes that one query may use; 0 is no limit of its own"),
    option("query.memory-limit-override", Bool, "true", "queries may ask for a higher limit"),
    option("query.optimizer-max-plans", Number, "128", "most plans that are compared for a query that does not say otherwise"),
    list("query.optimizer-rules", Text, "", "an optimizer rule to switch off (-NAME) or on (+NAME), unless a query says otherwise"),
    option("query.plan-cache-max-entries", Number, "256", "most plans that are kept for queries that come again"),
    option("query.plan-cache-max-entry-size", Bytes, "64KiB", "bytes of text and parameters up to which a plan is kept"),
    option("query.registry-ttl", Seconds, "0", "seconds that a cursor may be idle if the query does not say; 0 is 30"),
    option("query.require-with", Bool, "false", "queries must name in WITH the vertex collections that they come to by lists of edge collections"),
    option("query.slow-streaming-threshold", Seconds, "10", "seconds from which a streamed query is listed as slow"),
    option("query.slow-threshold", Seconds, "10", "seconds from which a query is listed as slow"),
    option("query.tracking", Bool, "true", "list running and slow queries"),
    option("query.tracking-slow-queries", Bool, "true", "list slow queries"),
    option("query.tracking-with-bindvars", Bool, "true", "list queries with their bind parameters"),
    option("query.tracking-with-querystring", Bool, "true", "list queries with their texts"),

    option("rocksdb.compression-type", COMPRESSIONS, "lz4", "how the bulk of the data is compressed"),
    option("rocksdb.intermediate-commit-count", Number, "1000000", "documents that a query writes until they are committed before its end; 0 is the default"),
    option("rocksdb.intermediate-commit-size", Bytes, "512MiB", "bytes that a query writes until they are committed before its end; 0 is the default"),
    option("rocksdb.max-background-jobs", Number, "", "threads for flushes and compactions; default: the number of cores"),
    option("rocksdb.max-open-files", Number, "", "most table files that are held open; default: by memory, at most half of the descriptors"),
    option("rocksdb.max-total-wal-size", Bytes, "1GiB", "bytes of the log at which it is cut"),
    option("rocksdb.max-transaction-size", Bytes, "0", "most bytes that a query may write without a commit; 0 is no limit"),
    option("rocksdb.sync-interval", Number, "100", "milliseconds after which a commit is on disk that did not wait for it"),
    option("rocksdb.use-direct-io", Bool, "false", "read and write tables past the system's cache"),

    option("server.api-call-recording", Bool, "true", "keep recent requests for /_admin/server/api-calls"),
    option("server.api-recording-memory-limit", Bytes, "4MiB", "bytes of recent requests that are kept"),
    option("server.aql-query-recording", Bool, "true", "keep recent queries for /_admin/server/aql-queries"),
    option("server.aql-recording-memory-limit", Bytes, "4MiB", "bytes of recent queries that are kept"),
    option("server.authentication", Bool, "true", "requests must say who makes them"),
    option("server.descriptors-minimum", Number, "0", "do not start with fewer file descriptors"),
    list("server.endpoint", Text, "tcp://127.0.0.1:8529", "address to listen on: tcp://HOST:PORT, ssl://HOST:PORT or unix://PATH"),
    option("server.export-metrics-api", Bool, "true", "answer /_admin/metrics"),
    secret("server.jwt-secret", "secret that tokens are signed with"),
    option("server.jwt-secret-folder", Text, "", "folder of files with such secrets; the first by name signs, all are accepted"),
    option("server.jwt-secret-keyfile", Text, "", "file with the secret that tokens are signed with"),
    option("server.maximal-queue-size", Number, "4096", "most requests that may wait for a thread"),
    option("server.maximal-threads", Number, "", "most worker threads; default: at least 32"),
    option("server.options-api", API_ACCESS, "jwt", "who may read /_admin/options"),
    secret("server.password", "password of the user root when the store is new (also: ARANGO_ROOT_PASSWORD); default: empty"),
    option("server.session-timeout", Seconds, "3600", "seconds that a token from /_open/auth is good for"),
    option("server.storage-engine", ENGINES, "auto", "as --storage-engine"),
    option("server.support-info-api", API_ACCESS, "admin", "who may read /_admin/support-info"),

    option("ssl.keyfile", Text, "", "PEM file with certificate and key, for addresses of TLS"),
    option("ssl.protocol", TLS_VERSIONS, "9", "version of TLS: 5 is 1.2, 6 is 1.3, 9 is either"),

    option("tcp.backlog-size", Number, "1024", "most connections that wait to be accepted"),
    option("tcp.reuse-address", Bool, "true", "listen on an address that was in use a moment ago"),

    option("temp.intermediate-results-capacity", Bytes, "0", "bytes that all queries together may have in temporary files; 0 is no limit"),
    option("temp.intermediate-results-path", Text, "", "folder of the temporary files of queries; default: that of --temp.path"),
    option("temp.intermediate-results-spillover-threshold-memory-usage", Number, "128MiB", "bytes from which a sort or grouping goes on in temporary files, at most a quarter of the query's memory limit"),
    option("temp.intermediate-results-spillover-threshold-num-rows", Number, "5000000", "rows from which a sort or grouping goes on in temporary files"),
    option("temp.path", Text, "", "folder of temporary files; default: the system's"),

    option("ttl.frequency", Number, "30000", "milliseconds between two removals of expired documents; 0 never"),
    option("ttl.max-collection-removes", Number, "100000", "most documents that are removed from a collection at one time"),
    option("ttl.max-total-removes", Number, "1000000", "most documents that are removed at one time"),
];
