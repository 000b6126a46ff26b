//! The small client: a connection and a thread for each kind of request.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::SMALL;
use super::work::Scene;
use crate::Failure;
use crate::documents::key;
use crate::http::{Connection, JSON, request};
use crate::quantiles::Quantiles;

/// The time between two requests of a kind. A request that is late does not delay the times from
/// which the later ones are measured: their waits count from the moment at which they were due.
const INTERVAL: Duration = Duration::from_millis(10);

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// No request: the wait is that of a thread of this program for its turn.
    Clock,
    Read,
    Insert,
    Return,
    Count,
}

/// All kinds, in the order of the table's columns.
pub(super) const KINDS: [Kind; 5] = [Kind::Clock, Kind::Read, Kind::Insert, Kind::Return, Kind::Count];

impl Kind {
    /// Returns the title of its column.
    pub(super) fn title(self) -> &'static str {
        match self {
            Kind::Clock => "no request, p99 / maximum ms",
            Kind::Read => "read by key",
            Kind::Insert => "insert",
            Kind::Return => "`RETURN 1`",
            Kind::Count => "count",
        }
    }

    /// Returns a request; `None` for the clock.
    fn request(self, scene: &Scene<'_>, random: &mut fastrand::Rng) -> Option<Vec<u8>> {
        let query = |text: &str| request("POST", "/_api/cursor", JSON, text.as_bytes());
        match self {
            Kind::Clock => None,
            Kind::Read => {
                let (collection, there) = match scene.progress.documents().min(scene.documents) {
                    0 => ("small", SMALL),
                    there => ("docs", there),
                };
                let path = format!("/_api/document/{collection}/{}", key(random.u64(0..there)));
                Some(request("GET", &path, "", b""))
            }
            Kind::Insert => {
                let document = br#"{"name":"amber birch cedar","n":1}"#;
                Some(request("POST", "/_api/document/written", JSON, document))
            }
            Kind::Return => Some(query(r#"{"query":"RETURN 1"}"#)),
            Kind::Count => Some(query(r#"{"query":"RETURN LENGTH(docs)"}"#)),
        }
    }
}

/// Sends requests of all kinds while the work runs, and returns their waits in the order of
/// [`KINDS`].
pub(super) fn watch(
    scene: &Scene<'_>,
    work: impl FnOnce() -> Result<(), Failure>,
) -> Result<Vec<Quantiles>, Failure> {
    let stop = AtomicBool::new(false);
    let (worked, waits) = std::thread::scope(|scope| {
        let stop = &stop;
        let threads: Vec<_> = KINDS
            .iter()
            .map(|kind| {
                let thread = std::thread::Builder::new().name("bystander".to_owned());
                let run = move || repeat(scene, *kind, stop).map_err(|failure| failure.to_string());
                thread.spawn_scoped(scope, run)
            })
            .collect();
        let worked = work();
        stop.store(true, Ordering::Relaxed);
        let waits: Result<Vec<Vec<Duration>>, String> = threads
            .into_iter()
            .map(|thread| {
                let joined = thread.map_err(|error| format!("no thread: {error}"))?.join();
                joined.unwrap_or_else(|_| Err("a client panicked".into()))
            })
            .collect();
        (worked, waits)
    });
    worked?;
    Ok(waits?.into_iter().map(Quantiles::of).collect())
}

/// Sends requests of one kind until it is stopped, and returns the time of each from the moment at
/// which it was due.
fn repeat(scene: &Scene<'_>, kind: Kind, stop: &AtomicBool) -> Result<Vec<Duration>, Failure> {
    let mut connection = Connection::open(scene.server.port())?;
    let mut random = fastrand::Rng::with_seed(kind as u64);
    let mut waits = Vec::new();
    let mut due = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        // The pace of the client.
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        if let Some(request) = kind.request(scene, &mut random) {
            connection.expect_success(&request)?;
        }
        waits.push(due.elapsed());
        due += INTERVAL;
    }
    Ok(waits)
}
