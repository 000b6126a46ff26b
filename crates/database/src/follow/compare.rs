//! The comparison of collections here and at the other server, by the keys and revisions of all
//! documents. Each write gives a document a new revision.

use std::hash::Hasher;

use client::Request;
use errors::Result;
use rapidhash::fast::RapidHasher;
use replication_client::{Source, for_each_revision};
use storage::{BlockLimits, Collection, DocumentScanSpec};
use velocypack::Slice;

use super::failure::of_source;
use super::work::Work;
use crate::base::user_documents::USERS_COLLECTION;
use crate::session::Session;
use crate::state::following::{Compared, Comparison};

/// System collections whose documents clients make.
pub(super) const OF_CLIENTS: [&str; 5] = ["_analyzers", "_appbundles", "_apps", "_aqlfunctions", "_graphs"];
const BLOCK: BlockLimits = BlockLimits { rows: 1_000, bytes: 1 << 20 };

/// The number of documents, and a sum over their keys and revisions, which does not depend on the
/// order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) documents: u64,
    pub(super) sum: u64,
}

impl Summary {
    pub(super) fn add(&mut self, key: &str, revision: &str) {
        self.documents += 1;
        self.sum = self.sum.wrapping_add(hash_of(&[key, revision]));
    }
}

/// Returns the hash of texts without the character U+0000.
pub(super) fn hash_of(texts: &[&str]) -> u64 {
    let mut hasher = RapidHasher::default();
    for text in texts {
        hasher.write(text.as_bytes());
        hasher.write_u8(0);
    }
    hasher.finish()
}

/// Sums up a collection of the other server.
///
/// Errors: those of the requests.
pub(super) fn at_source(source: &Source, database: &str, collection: &str) -> Result<Summary> {
    let mut summary = Summary::default();
    let client = source.client().with_database(database).map_err(|error| of_source(&error))?;
    let read = for_each_revision(&client, collection, &mut |key, revision| summary.add(key, revision));
    read.map_err(|error| of_source(&error))?;
    Ok(summary)
}

/// Sums up a collection here.
///
/// Errors: those of the engine and of `check`.
pub(super) fn here(
    session: &Session,
    collection: &Collection,
    check: &dyn Fn() -> Result<()>,
) -> Result<Summary> {
    let mut summary = Summary::default();
    for_each_revision_here(session, collection, check, &mut |key, revision| summary.add(key, revision))?;
    Ok(summary)
}

/// Calls `take` with `_key` and `_rev` of each document of a collection here.
///
/// Errors: those of the engine and of `check`.
pub(super) fn for_each_revision_here(
    session: &Session,
    collection: &Collection,
    check: &dyn Fn() -> Result<()>,
    take: &mut dyn FnMut(&str, &str),
) -> Result<()> {
    let snapshot = session.instance().store().snapshot()?;
    let spec = DocumentScanSpec { sequential: true, ..DocumentScanSpec::default() };
    let mut scan = snapshot.scan(collection, &spec)?;
    while let Some(documents) = scan.next_block(BLOCK)? {
        check()?;
        for document in documents.iter() {
            let text = |name: &str| document.get(name).and_then(Slice::as_str).unwrap_or_default();
            take(text("_key"), text("_rev"));
        }
    }
    Ok(())
}

/// Compares all collections of the databases that are followed.
///
/// Errors: those of the requests and of the engine.
pub(super) fn all(work: &Work, databases: &[String], comparison: Comparison) -> Result<Vec<Compared>> {
    let mut compared = Vec::new();
    for database in databases {
        let session = work.session(database)?;
        let catalog = session.catalog();
        let there = collections(&work.source, database)?;
        let here = session.database_in(&catalog)?;
        for name in &there {
            work.check()?;
            let own = here.collection(name).filter(|own| own.name() == *name);
            compared.push(compare_one(work, &session, name, own.map(AsRef::as_ref), comparison)?);
        }
        for own in here.collections().filter(|own| is_compared(own.name())) {
            if !there.iter().any(|name| name == own.name()) {
                let documents = session.count(own)?;
                compared.push(line(&session, own.name(), false, 0, documents));
            }
        }
    }
    Ok(compared)
}

fn compare_one(
    work: &Work,
    session: &Session,
    name: &str,
    own: Option<&Collection>,
    comparison: Comparison,
) -> Result<Compared> {
    let database = session.database_name();
    let Some(own) = own else {
        let count = work.source.count(database, name).map_err(|error| of_source(&error))?;
        return Ok(line(session, name, false, count, 0));
    };
    if comparison == Comparison::Revisions {
        let there = at_source(&work.source, database, name)?;
        let here = here(session, own, &|| work.check())?;
        return Ok(line(session, name, there == here, there.documents, here.documents));
    }
    let there = work.source.count(database, name).map_err(|error| of_source(&error))?;
    let here = session.count(own)?;
    Ok(line(session, name, there == here, there, here))
}

fn line(session: &Session, collection: &str, is_equal: bool, source: u64, here: u64) -> Compared {
    let (database, collection) = (session.database_name().to_string(), collection.to_owned());
    Compared { database, collection, is_equal, source, here }
}

/// Returns the collections of a database of the other server that are compared.
fn collections(source: &Source, database: &str) -> Result<Vec<String>> {
    let reply = source.client().call(&Request::get("/_api/collection").database(database));
    let reply = reply.and_then(|reply| reply.value()).map_err(|error| of_source(&error))?;
    let collections = Slice::new(&reply).get("result").into_iter().flat_map(Slice::elements);
    let names = collections.filter_map(|collection| collection.get("name")?.as_str());
    Ok(names.filter(|name| is_compared(name)).map(str::to_owned).collect())
}

/// Returns true for collections of clients, and for those of the system whose documents clients
/// make. Users have another form at the other server.
fn is_compared(name: &str) -> bool {
    name != USERS_COLLECTION && (!name.starts_with('_') || OF_CLIENTS.contains(&name))
}
