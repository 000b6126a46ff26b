//! A server that is copied and followed.

use std::time::Duration;

use client::{Client, Request, Result};
use velocypack::Slice;

use crate::reply::unexpected;

/// The longest silence of a server that is asked what it can answer at once.
pub(crate) const SILENCE_MAX: Duration = Duration::from_secs(10);

/// The program behind a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// ArangoDB.
    ArangoDb,
    /// Persea.
    Persea,
}

/// The role of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A server of its own.
    Single,
    /// A part of a cluster.
    Cluster,
}

/// A server, as an administrator sees it.
#[derive(Clone)]
pub struct Source {
    client: Client,
    product: Product,
    version: String,
    persea_version: Option<String>,
}

impl Source {
    /// Asks a server who it is. The client's database must be `_system`.
    ///
    /// Errors: those of the request, a server that is neither ArangoDB nor Persea.
    pub fn connect(client: Client) -> Result<Self> {
        let value = client.call(&Request::get("/_api/version").patience(SILENCE_MAX))?.value()?;
        let text = |name: &str| Some(Slice::new(&value).get(name)?.as_str()?.to_owned());
        let Some(version) = text("version").filter(|_| text("server").as_deref() == Some("arango")) else {
            return Err(unexpected(&client, "GET /_api/version", "it is neither ArangoDB nor Persea"));
        };
        let persea_version = text("persea-version");
        let product = if persea_version.is_some() { Product::Persea } else { Product::ArangoDb };
        Ok(Source { client, product, version, persea_version })
    }

    /// Asks the server whether it is there.
    ///
    /// Errors: those of the request. A server that is silent for some seconds has not answered in
    /// time.
    pub fn greet(&self) -> Result<()> {
        self.client.call(&Request::get("/_api/version").patience(SILENCE_MAX)).map(drop)
    }

    /// Returns the client of `_system`.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the program behind the server.
    pub fn product(&self) -> Product {
        self.product
    }

    /// Returns the version of ArangoDB that the server has or is compatible with.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the version of Persea, if it is one.
    pub fn persea_version(&self) -> Option<&str> {
        self.persea_version.as_deref()
    }

    /// Returns the server's role.
    ///
    /// Errors: those of the request.
    pub fn role(&self) -> Result<Role> {
        let reply = self.client.call(&Request::get("/_admin/server/role"))?.value()?;
        match Slice::new(&reply).get("role").and_then(Slice::as_str) {
            None | Some("SINGLE" | "UNDEFINED") => Ok(Role::Single),
            Some(_) => Ok(Role::Cluster),
        }
    }

    /// Returns the name of the storage engine.
    ///
    /// Errors: those of the request.
    pub fn engine(&self) -> Result<String> {
        let reply = self.client.call(&Request::get("/_api/engine"))?.value()?;
        Ok(Slice::new(&reply).get("name").and_then(Slice::as_str).unwrap_or_default().to_owned())
    }

    /// Returns the names of all databases.
    ///
    /// Errors: those of the request.
    pub fn databases(&self) -> Result<Vec<String>> {
        let reply = self.client.call(&Request::get("/_api/database").patience(SILENCE_MAX))?.value()?;
        let names = Slice::new(&reply).get("result").into_iter().flat_map(Slice::elements);
        Ok(names.filter_map(|name| name.as_str().map(str::to_owned)).collect())
    }

    /// Returns the server's number and the last tick of its log. The log of a Persea begins, if it
    /// has not begun.
    ///
    /// Errors: those of the request.
    pub fn last_tick(&self) -> Result<(String, u64)> {
        let reply = self.client.call(&Request::get("/_api/wal/lastTick").patience(SILENCE_MAX))?.value()?;
        let reply = Slice::new(&reply);
        let text = |path: &[&str]| reply.get_path(path).and_then(Slice::as_str);
        let tick = text(&["tick"]).and_then(|tick| tick.parse().ok());
        match (text(&["server", "serverId"]), tick) {
            (Some(server), Some(tick)) => Ok((server.to_owned(), tick)),
            _ => Err(unexpected(&self.client, "GET /_api/wal/lastTick", "it has no 'tick' or 'serverId'")),
        }
    }

    /// Returns true if the server refuses writes.
    ///
    /// Errors: those of the request.
    pub fn is_read_only(&self) -> Result<bool> {
        let reply = self.client.call(&Request::get("/_admin/server/mode"))?.value()?;
        Ok(Slice::new(&reply).get("mode").and_then(Slice::as_str) == Some("readonly"))
    }

    /// Makes the server refuse or accept writes.
    ///
    /// Errors: those of the request.
    pub fn set_read_only(&self, is_read_only: bool) -> Result<()> {
        let mode = if is_read_only { "readonly" } else { "default" };
        let request = Request::put("/_admin/server/mode").json(format!("{{\"mode\":\"{mode}\"}}"));
        self.client.call(&request.repeatable()).map(drop)
    }

    /// Returns the number of documents of a collection.
    ///
    /// Errors: those of the request.
    pub fn count(&self, database: &str, collection: &str) -> Result<u64> {
        let request = Request::get("/_api/collection").segment(collection).segment("count");
        let reply = self.client.call(&request.database(database))?.value()?;
        let missing = || unexpected(&self.client, "GET /_api/collection/{name}/count", "it has no 'count'");
        Slice::new(&reply).get("count").and_then(Slice::as_u64).ok_or_else(missing)
    }
}
