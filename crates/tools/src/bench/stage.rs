//! The preparation of a run, before the clock starts.

use client::{Client, Request};
use velocypack::Slice;

use super::operation::{Plan, json_text};
use crate::Failure;

/// ArangoDB's number of the error that a collection does not exist.
const COLLECTION_NOT_FOUND: u64 = 1203;

/// A server before or after a run.
pub(super) struct Stage<'a> {
    pub(super) client: &'a Client,
    pub(super) plan: &'a Plan,
    /// False with `--create-collection false`: collections stay as they are.
    pub(super) creates_collections: bool,
    /// True if new collections wait for the disk.
    pub(super) waits_for_sync: bool,
}

impl Stage<'_> {
    /// Makes a collection in place of one of that name.
    ///
    /// Does nothing with `--create-collection false`.
    pub(super) fn collection(&self, name: &str, is_edge: bool) -> Result<(), Failure> {
        if !self.creates_collections {
            return Ok(());
        }
        self.drop_collection(name)?;
        let kind = if is_edge { 3 } else { 2 };
        let (name, sync) = (json_text(name), self.waits_for_sync);
        let body = format!(r#"{{"name":{name},"type":{kind},"waitForSync":{sync}}}"#);
        self.client.call(&Request::post("/_api/collection").json(body))?;
        Ok(())
    }

    /// Drops a collection if there is one.
    pub(super) fn drop_collection(&self, name: &str) -> Result<(), Failure> {
        match self.client.call(&Request::delete("/_api/collection").segment(name).repeatable()) {
            Err(error) if error.number() == Some(COLLECTION_NOT_FOUND) => Ok(()),
            outcome => Ok(outcome.map(drop)?),
        }
    }

    /// Makes an index on one attribute.
    pub(super) fn index(&self, collection: &str, attribute: &str) -> Result<(), Failure> {
        let attribute = json_text(attribute);
        let body = format!(r#"{{"type":"persistent","fields":[{attribute}],"unique":false,"sparse":false}}"#);
        self.client.call(&Request::post("/_api/index").query("collection", collection).json(body))?;
        Ok(())
    }

    /// Inserts documents from JSON Lines, in place of those with their keys.
    pub(super) fn import(&self, collection: &str, lines: String) -> Result<(), Failure> {
        let request = Request::post("/_api/import").query("collection", collection);
        let request = request.query("type", "documents").query("complete", "true");
        self.client.call(&request.query("onDuplicate", "replace").json(lines))?;
        Ok(())
    }

    /// Returns the names of all collections with a prefix.
    pub(super) fn collections(&self, begin: &str) -> Result<Vec<String>, Failure> {
        let reply = self.client.call(&Request::get("/_api/collection"))?.value()?;
        let list = Slice::new(&reply).get("result").into_iter().flat_map(Slice::elements);
        let names = list.filter_map(|collection| collection.get("name")?.as_str());
        Ok(names.filter(|name| name.starts_with(begin)).map(str::to_owned).collect())
    }
}
