//! The routes: one file per API family. Each family is registered with one line, here or where its
//! services are created.

pub(crate) mod activities;
mod analytics;
mod analyzer;
mod aql_function;
mod arrow;
mod arrow_import;
pub(crate) mod applied_log;
pub(crate) mod authentication;
pub(crate) mod backup;
pub(crate) mod batch;
mod cluster;
pub(crate) mod changes;
mod collection;
pub(crate) mod cursor;
mod database;
mod document;
pub(crate) mod dump;
mod echo;
mod edges;
mod engine;
pub(crate) mod export;
mod follow;
pub(crate) mod foxx;
mod graph;
mod graph_collection;
mod graph_document;
mod graph_engine;
mod group;
mod import;
mod index;
pub(crate) mod javascript;
pub(crate) mod job;
pub(crate) mod log;
pub(crate) mod mcp;
mod members;
pub(crate) mod metrics;
pub(crate) mod openapi;
pub(crate) mod openid;
pub(crate) mod options;
mod parameter;
mod pregel;
mod query;
mod query_cache;
mod query_parts;
mod query_plan_cache;
pub(crate) mod recording;
pub(crate) mod crashes;
mod reload;
mod replication;
mod applier;
mod restore;
mod revision;
mod search_box;
pub(crate) mod server_info;
pub(crate) mod shutdown;
mod simple;
mod simple_search;
pub(crate) mod statistics;
pub(crate) mod status;
pub(crate) mod tasks;
mod token;
mod transaction;
mod ttl;
mod user;
mod user_rights;
pub(crate) mod user_sessions;
mod version;
mod view;
pub(crate) mod wal;
pub(crate) mod web;
mod webhooks;

use crate::http::route::Route;

/// The families that use only the database. Each of the others declares its needs in a struct
/// `Services`.
pub(crate) const DATABASE_FAMILIES: &[&[Route]] = &[
    analytics::ROUTES,
    analyzer::ROUTES,
    aql_function::ROUTES,
    cluster::ROUTES,
    collection::ROUTES,
    database::ROUTES,
    document::ROUTES,
    echo::ROUTES,
    edges::ROUTES,
    engine::ROUTES,
    graph::ROUTES,
    graph_collection::ROUTES,
    graph_document::ROUTES,
    graph_engine::ENGINE_ROUTES,
    graph_engine::MANAGEMENT_ROUTES,
    group::ROUTES,
    import::ROUTES,
    index::ROUTES,
    pregel::ROUTES,
    query::ROUTES,
    query_cache::ROUTES,
    query_plan_cache::ROUTES,
    reload::ROUTES,
    follow::ROUTES,
    replication::ROUTES,
    applier::ROUTES,
    restore::ROUTES,
    search_box::ROUTES,
    simple::ROUTES,
    simple_search::ROUTES,
    token::ROUTES,
    transaction::ROUTES,
    ttl::ROUTES,
    user::ROUTES,
    user_rights::ROUTES,
    version::ROUTES,
    view::ROUTES,
    webhooks::ROUTES,
];
