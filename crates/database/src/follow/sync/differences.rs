//! The documents of a collection that differ from those of the other server, and their transfer.
//!
//! Both servers tell keys and revisions of all documents. The first pass sums them up in buckets by
//! the hash of the key. The second one keeps only the keys of buckets whose sums differ, so that
//! memory grows with the differences and not with the collection.

use std::collections::HashMap;

use aql_value::Charge;
use client::{Client, Request};
use errors::{Error, ErrorCode, Result};
use replication_client::{Product, for_each_revision};
use storage::Collection;
use velocypack::{Builder, Slice};

use super::super::compare::{Summary, for_each_revision_here, hash_of};
use super::super::failure::of_source;
use super::super::operations::{Operation, Operations};
use super::synchronization::Synchronization;
use crate::session::Session;

/// Buckets of keys.
const BUCKETS: usize = 1 << 16;
/// Maximum number of keys in the buckets that differ. A collection with more is transferred whole.
const KEYS_MAX: u64 = 2_000_000;
/// Bytes of memory for a key beside its own.
const KEY_OVERHEAD: u64 = 80;
/// Documents that are asked for together, and removals that are committed together.
const TOGETHER: usize = 500;
/// Bytes of documents that are committed together.
const TOGETHER_BYTES: usize = 4 << 20;
/// ArangoDB's number of the error that a document does not exist.
const NOT_FOUND: u64 = 1202;

/// A collection on both servers.
pub(super) struct Both<'a> {
    pub(super) work: &'a Synchronization<'a>,
    /// The session of the database here.
    pub(super) session: &'a Session,
    /// The client of the database there.
    pub(super) client: &'a Client,
    pub(super) name: &'a str,
    pub(super) here: &'a Collection,
}

/// The keys of documents that differ.
#[derive(Default)]
pub(super) struct Differences {
    /// Those that the other server has, new or with another revision.
    changed: Vec<String>,
    /// Those that only this server has.
    gone: Vec<String>,
}

impl Both<'_> {
    /// Makes the documents here those of the other server. Returns false, and changes nothing, if
    /// so many differ that a transfer of the whole collection is better.
    ///
    /// Errors: those of the requests and of writes.
    pub(super) fn transfer_differences(&self) -> Result<bool> {
        let mut charge = Charge::new(self.work.session.work_memory());
        let differences = match self.differences(&mut charge) {
            Err(error) if error.code() == ErrorCode::ResourceLimit => return Ok(false),
            found => found?,
        };
        let Some(differences) = differences else { return Ok(false) };
        let unique_id = &self.here.definition().globally_unique_id;
        for keys in differences.gone.chunks(TOGETHER) {
            let mut operations = self.operations();
            keys.iter().for_each(|key| operations.push(Operation::removal(unique_id, key)));
            self.commit(&operations)?;
        }
        for keys in differences.changed.chunks(TOGETHER) {
            self.fetch(keys, unique_id)?;
        }
        Ok(true)
    }

    /// Finds the documents that differ; `None` for too many.
    ///
    /// Errors: 32 for more keys than there is memory for, those of the requests.
    fn differences(&self, charge: &mut Charge) -> Result<Option<Differences>> {
        charge.grow(2 * (BUCKETS * size_of::<Summary>()) as u64)?;
        let (mut here, mut there) = (vec![Summary::default(); BUCKETS], vec![Summary::default(); BUCKETS]);
        self.here(&mut |key, revision| add(&mut here, key, revision))?;
        self.there(&mut |key, revision| add(&mut there, key, revision))?;
        let mut keys = 0;
        let differs: Vec<bool> = here
            .iter()
            .zip(&there)
            .map(|(here, there)| {
                let differs = here != there;
                keys += if differs { here.documents + there.documents } else { 0 };
                differs
            })
            .collect();
        if keys == 0 {
            return Ok(Some(Differences::default()));
        }
        if keys > KEYS_MAX {
            return Ok(None);
        }
        let differs = |key: &str| differs.get(bucket(key)).copied().unwrap_or(true);
        let (mut own, mut charged) = (HashMap::new(), Ok(()));
        let mut charge_key = |key: &str| {
            if charged.is_ok() {
                charged = charge.grow(key.len() as u64 + KEY_OVERHEAD);
            }
            charged.is_ok()
        };
        self.here(&mut |key, revision| {
            if differs(key) && charge_key(key) {
                own.insert(key.to_owned(), hash_of(&[revision]));
            }
        })?;
        let mut changed = Vec::new();
        self.there(&mut |key, revision| {
            let mut is_equal = || own.remove(key) == Some(hash_of(&[revision]));
            if differs(key) && !is_equal() && charge_key(key) {
                changed.push(key.to_owned());
            }
        })?;
        charged?;
        Ok(Some(Differences { changed, gone: own.into_keys().collect() }))
    }

    fn here(&self, take: &mut dyn FnMut(&str, &str)) -> Result<()> {
        for_each_revision_here(self.session, self.here, &|| self.work.check(), take)
    }

    fn there(&self, take: &mut dyn FnMut(&str, &str)) -> Result<()> {
        for_each_revision(self.client, self.name, take).map_err(|error| of_source(&error))
    }

    /// Fetches documents by key and stores them. One that was removed meanwhile is passed over.
    fn fetch(&self, keys: &[String], unique_id: &str) -> Result<()> {
        self.work.check()?;
        let mut body = Builder::new();
        body.open_array()?;
        keys.iter().try_for_each(|key| body.add_str(key))?;
        body.close()?;
        let request = Request::put("/_api/document")
            .segment(self.name)
            .query("onlyget", "true")
            .header("x-arango-allow-dirty-read", "true")
            .json(body.as_slice().to_json_string());
        let request = match self.work.source.product() {
            Product::Persea => request.header("accept", "application/x-velocypack"),
            Product::ArangoDb => request,
        };
        let reply = match self.client.call(&request.repeatable()).and_then(|reply| reply.value()) {
            // Documents are larger than a reply may be.
            Err(client::Error::TooLarge { .. }) if keys.len() > 1 => {
                let (first, rest) = keys.split_at(keys.len() / 2);
                return self.fetch(first, unique_id).and_then(|()| self.fetch(rest, unique_id));
            }
            reply => reply.map_err(|error| of_source(&error))?,
        };
        let reply = Slice::new(&reply);
        if !reply.is_array() || reply.len() != keys.len() {
            return Err(self.unexpected("it has not one element for each key"));
        }
        let mut operations = self.operations();
        for (document, key) in reply.elements().zip(keys) {
            if document.get("_key").and_then(Slice::as_str) == Some(key) {
                operations.push(Operation::put(unique_id, document));
            } else if document.get("errorNum").and_then(Slice::as_u64) != Some(NOT_FOUND) {
                return Err(self.unexpected(&format!("it has not the document '{key}'")));
            }
            if operations.bytes() >= TOGETHER_BYTES {
                self.commit(&operations)?;
                operations = self.operations();
            }
        }
        self.commit(&operations)
    }

    fn operations(&self) -> Operations {
        Operations::of(self.session.database_name(), 0)
    }

    /// Commits operations. A document that has the unique value of a new one gives way: it differs
    /// too, so it comes itself.
    fn commit(&self, operations: &Operations) -> Result<()> {
        self.work.check()?;
        match operations.is_empty() {
            true => Ok(()),
            false => operations.commit(self.session.instance().store(), true, &|_| Ok(())),
        }
    }

    fn unexpected(&self, reason: &str) -> Error {
        let message = format!("the reply to PUT /_api/document/{} is not as expected: {reason}", self.name);
        Error::new(ErrorCode::ReplicationInvalidResponse, message)
    }
}

fn bucket(key: &str) -> usize {
    // The remainder is less than the number of buckets.
    usize::try_from(hash_of(&[key]) % BUCKETS as u64).unwrap_or(0)
}

fn add(buckets: &mut [Summary], key: &str, revision: &str) {
    if let Some(summary) = buckets.get_mut(bucket(key)) {
        summary.add(key, revision);
    }
}
