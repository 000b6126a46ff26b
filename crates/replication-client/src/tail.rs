//! The log of a server.

use std::time::Duration;

use bytes::Bytes;
use client::{Request, Response, Result};

use crate::reply::unexpected;
use crate::source::{Product, SILENCE_MAX, Source};

/// The path of the log.
const TAIL: &str = "/_api/wal/tail";
/// The longest silence of an ArangoDB server, which may read old files of its log first.
const ARANGODB_SILENCE_MAX: Duration = Duration::from_secs(60);

/// A request for a part of the log.
#[derive(Clone, Copy, Debug)]
pub struct TailRequest {
    /// The tick after which to begin.
    pub from: u64,
    /// Bytes after which the reply ends.
    pub chunk_bytes: u64,
    /// The reader's own number, under which the server keeps the log from `from` on; `None` leaves
    /// what is kept as it is.
    pub reader: Option<u64>,
    /// The time to wait for an entry, at most a minute. Only a Persea waits; see
    /// [`Source::waits_for_log`].
    pub wait: Duration,
    /// How far a member of the server's group has applied its log; `None` for other readers.
    pub applied: Option<Applied>,
}

/// How far a member of a group has applied the log of the member that leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The id of the member that asks.
    pub member: u64,
    /// The epoch in which the other one leads.
    pub epoch: u64,
    /// The tick up to which everything is applied.
    pub tick: u64,
}

/// A part of a log.
#[derive(Clone, Debug)]
pub struct TailPart {
    /// The entries: JSON lines, or VelocyPack objects one after another.
    pub entries: Bytes,
    /// True if they are VelocyPack.
    pub is_velocypack: bool,
    /// The last tick that the server looked at: the next part begins after it.
    pub last_scanned: u64,
    /// The last tick of the log.
    pub last_tick: u64,
    /// False if the log has lost entries after `from`.
    pub is_complete: bool,
    /// True if there are more entries already.
    pub has_more: bool,
}

impl Source {
    /// Returns true if the server's replies can wait for the next entry of its log.
    pub fn waits_for_log(&self) -> bool {
        self.product() == Product::Persea
    }

    /// Returns a part of the log of all databases.
    ///
    /// Errors: those of the request, a reply without the headers of the protocol. A server that is
    /// silent for some seconds longer than it may wait has not answered in time.
    pub fn tail(&self, asked: &TailRequest) -> Result<TailPart> {
        let patience = match self.waits_for_log() {
            true => asked.wait + SILENCE_MAX,
            false => ARANGODB_SILENCE_MAX,
        };
        let request = Request::get(TAIL)
            .query("global", "true")
            .query("from", &asked.from.to_string())
            .query("chunkSize", &asked.chunk_bytes.to_string())
            .patience(patience);
        let request = match self.product() {
            Product::Persea => request.header("accept", "application/x-velocypack"),
            Product::ArangoDb => request,
        };
        let request = match asked.wait.as_millis() {
            ms if ms > 0 && self.waits_for_log() => request.query("wait", &ms.to_string()),
            _ => request,
        };
        let request = match asked.reader {
            Some(reader) => named(request, reader),
            None => request,
        };
        let request = match &asked.applied {
            Some(applied) => request
                .query("member", &applied.member.to_string())
                .query("epoch", &applied.epoch.to_string())
                .query("applied", &applied.tick.to_string()),
            None => request,
        };
        self.part(asked, self.client().call(&request)?)
    }

    fn part(&self, asked: &TailRequest, reply: Response) -> Result<TailPart> {
        let text = |name: &str| reply.header(name);
        let tick = |name: &str| text(name).and_then(|text| text.parse::<u64>().ok());
        let (Some(included), Some(last_tick)) =
            (tick("x-arango-replication-lastincluded"), tick("x-arango-replication-lasttick"))
        else {
            let reason = "it has no headers x-arango-replication-lastincluded and -lasttick";
            return Err(unexpected(self.client(), "GET /_api/wal/tail", reason));
        };
        // An empty part includes nothing, and says so by 0.
        let scanned = tick("x-arango-replication-lastscanned").unwrap_or(0);
        Ok(TailPart {
            is_velocypack: text("content-type")
                .is_some_and(|kind| kind.starts_with("application/x-velocypack")),
            last_scanned: scanned.max(included).max(asked.from),
            last_tick,
            is_complete: text("x-arango-replication-frompresent") != Some("false"),
            has_more: text("x-arango-replication-checkmore") == Some("true"),
            entries: reply.into_body(),
        })
    }

    /// Has the log kept from a tick on, for some minutes from now.
    ///
    /// Errors: those of the request.
    pub fn keep_log(&self, reader: u64, from: u64) -> Result<()> {
        let request = Request::put(TAIL)
            .query("global", "true")
            .query("trackOnly", "true")
            .query("from", &from.to_string())
            .json("[]");
        self.client().call(&named(request, reader).patience(SILENCE_MAX).repeatable()).map(drop)
    }

    /// Tells the server that a reader has gone.
    ///
    /// Errors: those of the request.
    pub fn forget_reader(&self, reader: u64) -> Result<()> {
        let request = Request::delete(TAIL).query("syncerId", &reader.to_string());
        self.client().call(&request.patience(SILENCE_MAX).repeatable()).map(drop)
    }
}

/// Adds the reader's number. A server without servers of a cluster knows it by this name.
fn named(request: Request, reader: u64) -> Request {
    request.query("syncerId", &reader.to_string()).query("clientInfo", "persea follow")
}
