//! The routes: one file an API family, one line of registration.

mod aql_function;
mod authentication;
mod batch;
mod cluster;
mod collection;
mod cursor;
mod database;
mod document;
mod dump;
mod echo;
mod edges;
mod engine;
mod export;
mod graph;
mod graph_collection;
mod graph_document;
mod import;
mod index;
mod job;
mod log;
mod metrics;
mod options;
mod parameter;
mod query;
mod query_cache;
mod query_plan_cache;
mod recording;
mod reload;
mod replication;
mod restore;
mod revision;
mod server_info;
mod shutdown;
mod simple;
mod simple_search;
mod statistics;
mod status;
mod tasks;
mod token;
mod ttl;
mod user;
mod user_rights;
mod version;
mod view;
mod wal;

use crate::http::router::Route;

/// All families.
pub(crate) const FAMILIES: &[&[Route]] = &[
    aql_function::ROUTES,
    authentication::ROUTES,
    batch::ROUTES,
    cluster::ROUTES,
    collection::ROUTES,
    cursor::ROUTES,
    database::ROUTES,
    document::ROUTES,
    dump::ROUTES,
    echo::ROUTES,
    edges::ROUTES,
    engine::ROUTES,
    export::ROUTES,
    graph::ROUTES,
    graph_collection::ROUTES,
    graph_document::ROUTES,
    import::ROUTES,
    index::ROUTES,
    job::ROUTES,
    log::ROUTES,
    metrics::ROUTES,
    options::ROUTES,
    query::ROUTES,
    query_cache::ROUTES,
    query_plan_cache::ROUTES,
    recording::ROUTES,
    reload::ROUTES,
    replication::ROUTES,
    restore::ROUTES,
    server_info::ROUTES,
    shutdown::ROUTES,
    simple::ROUTES,
    simple_search::ROUTES,
    statistics::ROUTES,
    status::ROUTES,
    tasks::ROUTES,
    token::ROUTES,
    ttl::ROUTES,
    user::ROUTES,
    user_rights::ROUTES,
    version::ROUTES,
    view::ROUTES,
    wal::ROUTES,
];
