//! The requests of a restore.

use bytes::Bytes;
use client::{Client, Request};
use velocypack::{Builder, Limits, Slice, json};

use super::folder::{Collection, View};
use super::options::Settings;
use crate::{Console, Failure};

/// The type of edge collections.
const EDGES: u64 = 3;

/// ArangoDB's number of the error that a collection exists already.
const DUPLICATE_NAME: u64 = 1207;

/// Creates a collection, and first drops an existing one if the settings say so.
///
/// Returns true if an existing one stays and is used as it is.
pub(super) fn create_collection(
    client: &Client,
    collection: &Collection,
    settings: &Settings,
) -> Result<bool, Failure> {
    let request = Request::put("/_api/replication/restore-collection")
        .query("overwrite", flag(settings.overwrite))
        .query("force", flag(settings.force))
        .query("ignoreDistributeShardsLikeErrors", "false")
        .query("deferEdgeIndex", flag(defers_edge_index(collection, settings)));
    match client.call(&request.json(structure(collection, settings)?)) {
        Err(error) if !settings.overwrite && error.number() == Some(DUPLICATE_NAME) => Ok(true),
        reply => Ok(reply.map(|_| false)?),
    }
}

/// Returns true if Persea builds the edge index after the documents.
///
/// [`create_indexes`] then asks for it. ArangoDB does not know this option.
fn defers_edge_index(collection: &Collection, settings: &Settings) -> bool {
    let kind = Slice::new(&collection.structure).get_path(&["parameters", "type"]).and_then(Slice::as_u64);
    let has_data = settings.import_data && !collection.data.is_empty();
    kind == Some(EDGES) && has_data && settings.import_structure
}

/// Creates the indexes of a collection.
pub(super) fn create_indexes(
    client: &Client,
    collection: &Collection,
    settings: &Settings,
) -> Result<(), Failure> {
    let indexes = Slice::new(&collection.structure).get("indexes");
    let old = Slice::new(&collection.structure).get_path(&["parameters", "indexes"]);
    let has_indexes = indexes.or(old).is_some_and(|indexes| !indexes.is_empty());
    if !has_indexes && !defers_edge_index(collection, settings) {
        return Ok(());
    }
    let request = Request::put("/_api/replication/restore-indexes").query("force", flag(settings.force));
    client.call(&request.repeatable().json(structure(collection, settings)?))?;
    Ok(())
}

/// Documents in the form of a request.
pub(super) struct Documents {
    /// True if they are VelocyPack rather than JSON Lines.
    pub(super) velocypack: bool,
    /// True if they are packed with gzip.
    pub(super) packed: bool,
    pub(super) bytes: Bytes,
}

/// Sends documents. It is idempotent, so a broken connection does no harm.
pub(super) fn send_data(
    client: &Client,
    collection: &str,
    settings: &Settings,
    documents: Documents,
) -> client::Result<()> {
    let Documents { velocypack, packed, bytes } = documents;
    let content_type = if velocypack { "application/x-velocypack" } else { "application/x-arango-dump" };
    let request = Request::put("/_api/replication/restore-data")
        .query("collection", collection)
        .query("force", flag(settings.force))
        .repeatable()
        .body(content_type, bytes);
    let request = if packed { request.header("content-encoding", "gzip") } else { request };
    client.call(&request).map(drop)
}

/// Creates a view.
pub(super) fn create_view(client: &Client, view: &View, settings: &Settings) -> Result<(), Failure> {
    let request = Request::put("/_api/replication/restore-view")
        .query("overwrite", flag(settings.overwrite))
        .query("force", flag(settings.force));
    client.call(&request.json(view.definition.clone()))?;
    Ok(())
}

/// Makes ArangoDB adopt restored services. Failures do not stop the restore.
pub(super) fn heal_services(client: &Client, console: &Console) {
    for path in ["/_admin/status", "/_api/foxx/_local/heal"] {
        if let Err(error) = client.call(&Request::post(path)) {
            console.warning(&format!("cannot restore the services of the dump: {error}"));
            return;
        }
    }
}

fn flag(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// Returns the structure as JSON, with the parts that old dumps lack.
fn structure(collection: &Collection, settings: &Settings) -> Result<String, Failure> {
    let structure = Slice::new(&collection.structure);
    let mut out = Builder::new();
    out.open_object()?;
    for (name, value) in structure.entries() {
        out.key(name)?;
        if name != "parameters" {
            out.add_slice(value)?;
            continue;
        }
        out.open_object()?;
        for (name, value) in value.entries() {
            out.key(name)?;
            out.add_slice(value)?;
        }
        for name in ["syncByRevision", "usesRevisionsAsDocumentIds"] {
            if settings.revision_trees && value.get(name).is_none() {
                out.key(name)?;
                out.add_bool(true)?;
            }
        }
        out.close()?;
    }
    out.close()?;
    Ok(out.as_slice().to_json_string())
}

/// Returns the line, from 0, of a piece that the server has refused, if it can be found.
///
/// It is the first line that is not JSON, or the one that the server names.
pub(super) fn bad_line(piece: &[u8], message: &str) -> Option<u64> {
    let mut builder = Builder::new();
    for (number, line) in (0..).zip(piece.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        builder.clear();
        if json::parse(line, &Limits::default(), &mut builder).is_err() {
            return Some(number);
        }
    }
    let behind = message.split_once("line ")?.1;
    let digits = behind.split(|character: char| !character.is_ascii_digit()).next()?;
    digits.parse::<u64>().ok()?.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_broken_line_is_found() {
        assert_eq!(bad_line(b"{}\n\n{\"a\":\n{}\n", ""), Some(2));
        assert_eq!(bad_line(b"{}\n{}\n", "line 2: a document without '_key'"), Some(1));
        assert_eq!(bad_line(b"{}\n{}\n", "no idea"), None);
    }
}
