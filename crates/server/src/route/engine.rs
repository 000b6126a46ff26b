//! The storage engine: `/_api/engine`, `/_api/engine/stats`, `/_admin/compact`, `/_admin/wal/*`.

use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;

use crate::http::Cost::{Blocking, Constant};
use crate::http::{Fields, Request, Response, Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Get, "/_api/engine", Constant, engine).about("Describes the storage engine."),
    Route::new(Verb::Get, "/_api/engine/stats", Blocking, statistics)
        .for_inspectors()
        .about("Returns statistics of the storage engine."),
    Route::new(Verb::Put, "/_admin/compact", Blocking, compact)
        .for_administrators()
        .about("Compacts the data of all databases."),
    Route::new(Verb::Put, "/_admin/wal/flush", Blocking, flush)
        .about("Writes the write-ahead log to the disk.")
        .with_query(&["waitForSync", "waitForCollector"]),
    Route::new(Verb::Get, "/_admin/wal/properties", Constant, log_properties)
        .about("Returns properties of the write-ahead log."),
    Route::new(Verb::Put, "/_admin/wal/properties", Constant, log_properties)
        .for_administrators()
        .about("Returns properties of the write-ahead log, which do not change."),
    Route::new(Verb::Get, "/_admin/wal/transactions", Constant, transactions)
        .about("Returns the number of running transactions."),
];

/// The index types in ArangoDB's order, with two older names among them as in ArangoDB.
const INDEX_TYPES: [&str; 10] =
    ["primary", "edge", "hash", "skiplist", "ttl", "persistent", "geo", "fulltext", "mdi", "mdi-prefixed"];

/// Older names of index types, and the present ones.
const INDEX_ALIASES: [(&str, &str); 3] = [("hash", "persistent"), ("skiplist", "persistent"), ("zkd", "mdi")];

/// Describes the engine.
///
/// Tools expect the name `rocksdb` or `mmfiles`. A second attribute holds the engine's own name.
fn engine(session: &Session, _request: &Request) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| {
        fields.text("name", compatible_name(session.engine_name()));
        fields.text("persea-engine", session.engine_name());
        fields.text("endianness", if cfg!(target_endian = "little") { "little" } else { "big" });
        fields.child("supports", |fields| {
            fields.list("indexes", |list| {
                INDEX_TYPES.iter().for_each(|name| {
                    list.text_element(name);
                })
            });
            fields.child("aliases", |fields| {
                fields.child("indexes", |fields| {
                    for (alias, target) in INDEX_ALIASES {
                        fields.text(alias, target);
                    }
                });
            });
        });
    })
}

/// Returns the name of ArangoDB's engine that is most like one of ours.
fn compatible_name(engine: &str) -> &'static str {
    if engine == "mmfiles" { "mmfiles" } else { "rocksdb" }
}

fn statistics(session: &Session, _request: &Request) -> Result<Response> {
    Response::object(StatusCode::OK, |fields| print_statistics(session, fields))
}

/// Writes the statistics of the engine under ArangoDB's names.
pub(super) fn print_statistics(session: &Session, fields: &mut Fields<'_>) {
    let statistics = session.engine_statistics();
    fields
        .number("cache.limit", statistics.cache_limit_bytes)
        .number("cache.allocated", statistics.cache_used_bytes)
        .number("rocksdb.block-cache-capacity", statistics.cache_limit_bytes)
        .number("rocksdb.block-cache-usage", statistics.cache_used_bytes)
        .number("rocksdb.cur-size-all-mem-tables", statistics.memtable_bytes)
        .number("rocksdb.live-sst-files-size", statistics.disk_bytes)
        .number("rocksdb.num-snapshots", statistics.snapshots)
        .number("persea.oldest-snapshot-seconds", statistics.oldest_snapshot_seconds)
        .number("persea.commits", statistics.commits)
        .number("persea.conflicts", statistics.conflicts);
    for (name, value) in &statistics.counters {
        fields.number(name, *value);
    }
    for (name, value) in &statistics.ratios {
        fields.double(name, *value);
    }
    fields.child("columnFamilies", |fields| {
        for (name, family) in &statistics.column_families {
            fields.child(name, |fields| {
                fields.number("dbFiles", family.disk_bytes).number("memory", family.memory_bytes);
            });
        }
    });
}

/// Compacts everything.
///
/// The engine chooses the levels. The options about levels are only checked for their types.
fn compact(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    for name in ["changeLevel", "compactBottomMostLevel"] {
        if body.slice().get(name).is_some_and(|value| value.as_bool().is_none()) {
            return Err(Error::bad_parameter(format!("'{name}' must be a bool")));
        }
    }
    session.compact_all()?;
    Response::object(StatusCode::OK, |_| ())
}

fn flush(session: &Session, _request: &Request) -> Result<Response> {
    session.sync()?;
    Response::success(StatusCode::OK, |_| ())
}

/// Refuses: only the log of the memory-mapped engine had properties.
fn log_properties(session: &Session, _request: &Request) -> Result<Response> {
    let message = format!("the log of the engine '{}' has no properties to set", session.engine_name());
    Err(Error::new(ErrorCode::NotImplemented, message))
}

fn transactions(_session: &Session, _request: &Request) -> Result<Response> {
    Response::object(StatusCode::OK, |_| ())
}
