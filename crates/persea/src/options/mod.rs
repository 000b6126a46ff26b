//! The server's options. Each section is a file with the rows of its options, and the settings that
//! the server makes from their values.

mod activities;
pub(crate) mod analytics;
pub(crate) mod backup;
mod cache;
mod changes;
pub(crate) mod cluster;
pub(crate) mod crash_handler;
pub(crate) mod database;
pub(crate) mod follow;
mod foxx;
pub(crate) mod general;
pub(crate) mod group;
mod http;
mod javascript;
pub(crate) mod log;
mod mcp;
mod mmfiles;
pub(crate) mod openid;
pub(crate) mod process;
pub(crate) mod query;
mod rocksdb;
pub(crate) mod rocksdb_encryption;
pub(crate) mod server;
pub(crate) mod ssl;
pub(crate) mod tcp;
mod temp;
mod tikv;
pub(crate) mod traces;
mod transaction;
mod ttl;
mod unsupported;
pub(crate) mod webhooks;

use kv::LogRecovery;
use options::{Mistake, Options, Program, Request, Version};

/// The reactions of the engines with logs to a damaged one.
const LOG_RECOVERIES: &[(&str, LogRecovery); 2] =
    &[("strict", LogRecovery::Strict), ("salvage", LogRecovery::Salvage)];

/// The version of the binary.
pub(crate) const VERSION: Version = Version {
    compatible: ::server::version::ARANGODB_VERSION,
    own: ::server::version::PERSEA_VERSION,
    license: ::server::version::LICENSE,
    commit: ::server::version::COMMIT,
};

/// The server as a program with options.
pub(crate) static SERVER: Program = Program {
    name: "persea server",
    usage: "[DIRECTORY] [--OPTION VALUE ...]",
    about: "Start the server on the store in a data folder.",
    sections: &[
        general::ROWS,
        activities::ROWS,
        analytics::ROWS,
        backup::ROWS,
        cache::ROWS,
        changes::ROWS,
        cluster::ROWS,
        crash_handler::ROWS,
        database::ROWS,
        follow::ROWS,
        foxx::ROWS,
        group::ROWS,
        http::ROWS,
        javascript::ROWS,
        log::ROWS,
        mcp::ROWS,
        mmfiles::ROWS,
        openid::ROWS,
        process::ROWS,
        query::ROWS,
        rocksdb::ROWS,
        rocksdb_encryption::ROWS,
        server::ROWS,
        ssl::ROWS,
        tcp::ROWS,
        temp::ROWS,
        tikv::ROWS,
        traces::ROWS,
        transaction::ROWS,
        ttl::ROWS,
        webhooks::ROWS,
    ],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[unsupported::IGNORED],
    refused: &[unsupported::REFUSED],
    environment_prefix: "PERSEA_",
    unnamed: Some(database::DIRECTORY.row()),
};

/// Reads the server's options.
pub(crate) fn read(
    arguments: &[String],
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Request, Mistake> {
    Options::read(&SERVER, VERSION, arguments, environment)
}

/// Returns a value of the configuration, or another value if it is zero.
fn unless_zero<T: Default + PartialEq>(value: T, otherwise: T) -> T {
    if value == T::default() { otherwise } else { value }
}

#[cfg(test)]
mod tests;
