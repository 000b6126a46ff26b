//! All open connections, and the monitoring of each.
//!
//! One check per second over all connections finds clients that send slowly or not at all
//! ([`Connections::tick`]). Requests therefore set no timers.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::tls::ClientCertificate;
use super::unread::{Unread, UnreadMemory};

/// Maximum time for the head of a request, from its first byte.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum time in which a client accepts no byte of a reply.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(300);

/// A client that reads fewer bytes of a waiting reply in a second reads slowly.
const SLOW_READER_BYTES: u64 = 32 << 10;

/// A client that has read slowly for this many seconds is ended if memory for replies is scarce.
const SLOW_READER_SECONDS: u32 = 5;

/// The bytes of data on HTTP/2 for which a client sends at most one byte of window updates.
const WINDOW_UPDATE_SHARE: u64 = 64;

/// The server's end of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct ServerEnd {
    /// The address, if it has one.
    pub address: Option<SocketAddr>,
    /// True if the connection uses TLS.
    pub is_encrypted: bool,
}

/// The state that a connection shares with its monitor.
#[derive(Debug, Default)]
pub struct Connection {
    pub(crate) client: Option<SocketAddr>,
    pub(crate) server: ServerEnd,
    /// The certificate of the client, if it names a user.
    pub(crate) certificate: Option<Box<ClientCertificate>>,
    requests_in_flight: AtomicU32,
    is_http2: AtomicBool,
    /// Second of the last progress: bytes read or written, or a request answered.
    progress_second: AtomicU32,
    /// Second in which the head of a request began to arrive, plus 1; 0 if none is arriving.
    head_second: AtomicU32,
    /// Second since which writing is blocked, plus 1; 0 if it is not blocked.
    write_blocked_second: AtomicU32,
    ending: AtomicU32,
    is_draining: AtomicBool,
    signal: Notify,
    /// Bytes read since the last check.
    bytes_received: AtomicU64,
    /// Bytes written since the last check.
    bytes_sent: AtomicU64,
    unread: Unread,
    /// True if a write was blocked during the last second.
    write_was_blocked: AtomicBool,
    /// Seconds in a row in which the client read slowly.
    slow_seconds: AtomicU32,
}

/// The connection answers the requests in progress, and then ends.
const ENDING_GRACEFULLY: u32 = 1;
/// The connection ends immediately.
const ENDING_NOW: u32 = 2;

impl Connection {
    /// Notes that a request has arrived.
    pub(crate) fn begin_request(&self) -> InFlight<'_> {
        self.head_second.store(0, Ordering::Relaxed);
        self.requests_in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight { connection: self }
    }

    /// Returns the state of a new connection.
    pub(crate) fn new(client: Option<SocketAddr>, server: ServerEnd, unread: &Arc<UnreadMemory>) -> Self {
        Connection { client, server, unread: Unread::new(Arc::clone(unread)), ..Connection::default() }
    }

    /// Notes that a request has taken bytes of its body.
    pub(crate) fn note_taken(&self, bytes: u64) {
        self.unread.remove(bytes);
    }

    /// Notes that bytes were read before the last request ended, and belong to later ones.
    ///
    /// Returns false if there is no memory for them.
    pub(crate) fn note_left(&self, bytes: usize) -> bool {
        self.unread.add(bytes)
    }

    pub(crate) fn mark_http2(&self) {
        self.is_http2.store(true, Ordering::Relaxed);
    }

    /// Notes that bytes were read, in the second `now` of [`Connections`].
    ///
    /// Returns false if there is no memory for them.
    pub(crate) fn note_read(&self, bytes: usize, now: u32) -> bool {
        self.bytes_received.fetch_add(bytes as u64, Ordering::Relaxed);
        self.progress_second.store(now, Ordering::Relaxed);
        let idle = self.requests_in_flight.load(Ordering::Relaxed) == 0;
        // HTTP/2 has frames that do not begin a request.
        if idle && !self.is_http2.load(Ordering::Relaxed) && self.head_second.load(Ordering::Relaxed) == 0 {
            self.head_second.store(now + 1, Ordering::Relaxed);
        }
        self.unread.add(bytes)
    }

    /// Notes that bytes were written.
    pub(crate) fn note_written(&self, bytes: usize, now: u32) {
        self.bytes_sent.fetch_add(bytes as u64, Ordering::Relaxed);
        self.progress_second.store(now, Ordering::Relaxed);
        self.write_blocked_second.store(0, Ordering::Relaxed);
        // A client on HTTP/2 answers data with window updates, which belong to no request.
        self.unread.remove(bytes as u64 / WINDOW_UPDATE_SHARE);
    }

    /// Notes that the client does not accept bytes at the moment.
    pub(crate) fn note_write_blocked(&self, now: u32) {
        // Keeps the first second. Only this connection's own task writes it.
        if self.write_blocked_second.load(Ordering::Relaxed) == 0 {
            self.write_blocked_second.store(now + 1, Ordering::Relaxed);
            self.write_was_blocked.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the bytes received and sent since the last call, and resets them.
    pub(crate) fn take_traffic(&self) -> (u64, u64) {
        (self.bytes_received.swap(0, Ordering::Relaxed), self.bytes_sent.swap(0, Ordering::Relaxed))
    }

    /// Returns the signal that the connection must end.
    pub(crate) fn ending_signal(&self) -> &Notify {
        &self.signal
    }

    /// Returns true if the connection ends, at the latest after the requests in progress.
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire) != 0
    }

    /// Returns true if the reply to a request of HTTP/1 should be the last one.
    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// Ends the connection after its next reply. HTTP/2 has a message for that.
    fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
        if self.is_http2.load(Ordering::Relaxed) {
            self.end(ENDING_GRACEFULLY);
        }
    }

    /// Returns true if the connection ends immediately, false if requests in progress are answered
    /// first.
    pub(crate) fn ends_now(&self) -> bool {
        self.ending.load(Ordering::Acquire) == ENDING_NOW
    }

    fn end(&self, how: u32) {
        if self.ending.fetch_max(how, Ordering::AcqRel) < how {
            self.signal.notify_one();
        }
    }

    /// Notes the bytes that were sent in the last second. Returns true if the client has read a
    /// waiting reply slowly for a while.
    fn reads_slowly(&self, sent: u64) -> bool {
        let is_blocked = self
            .write_was_blocked
            .swap(self.write_blocked_second.load(Ordering::Relaxed) > 0, Ordering::Relaxed);
        let seconds = match is_blocked && sent < SLOW_READER_BYTES {
            true => self.slow_seconds.load(Ordering::Relaxed).saturating_add(1),
            false => 0,
        };
        self.slow_seconds.store(seconds, Ordering::Relaxed);
        seconds >= SLOW_READER_SECONDS
    }

    /// Ends the connection if its client takes too long.
    fn look(&self, now: u32, keep_alive_seconds: u32) {
        let since = |second: &AtomicU32| match second.load(Ordering::Relaxed) {
            0 => 0,
            second => now.saturating_sub(second - 1),
        };
        if u64::from(since(&self.write_blocked_second)) > WRITE_TIMEOUT.as_secs()
            || u64::from(since(&self.head_second)) > HEAD_TIMEOUT.as_secs()
        {
            return self.end(ENDING_NOW);
        }
        let idle = now.saturating_sub(self.progress_second.load(Ordering::Relaxed));
        if self.requests_in_flight.load(Ordering::Relaxed) == 0 && idle > keep_alive_seconds {
            self.end(ENDING_GRACEFULLY);
        }
    }
}

/// Counts a request as in progress until it is dropped.
pub(crate) struct InFlight<'a> {
    connection: &'a Connection,
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if self.connection.requests_in_flight.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.connection.unread.clear();
        }
    }
}

/// All connections.
#[derive(Debug, Default)]
pub struct Connections {
    open: Mutex<HashMap<u64, Arc<Connection>>>,
    next: AtomicU64,
    /// Seconds since the start, as [`Connections::tick`] counts them.
    second: AtomicU32,
    idle: Notify,
    accepted: AtomicU64,
    http2: AtomicU64,
    unread: Arc<UnreadMemory>,
    /// True if every connection ends after its next reply.
    is_draining: AtomicBool,
}

impl Connections {
    /// Returns no connections. Together they may receive `unread_max_bytes` that no request takes.
    pub(crate) fn new(unread_max_bytes: u64) -> Self {
        Connections { unread: Arc::new(UnreadMemory::new(unread_max_bytes)), ..Connections::default() }
    }

    /// Returns the memory of unread bytes.
    pub(crate) fn unread(&self) -> &Arc<UnreadMemory> {
        &self.unread
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<Connection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, connection: &Arc<Connection>) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        connection.progress_second.store(self.now(), Ordering::Relaxed);
        self.accepted.fetch_add(1, Ordering::Relaxed);
        let mut open = self.lock();
        if self.is_draining.load(Ordering::Relaxed) {
            connection.drain();
        }
        open.insert(id, Arc::clone(connection));
        id
    }

    pub(crate) fn remove(&self, id: u64) {
        let mut open = self.lock();
        open.remove(&id);
        if open.is_empty() {
            self.idle.notify_waiters();
        }
    }

    pub(crate) fn now(&self) -> u32 {
        self.second.load(Ordering::Relaxed)
    }

    /// Returns the number of open connections.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Returns true if no connection is open.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Returns the number of connections that were ever accepted.
    pub fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }

    /// Returns the number of connections that used HTTP/2.
    pub fn http2(&self) -> u64 {
        self.http2.load(Ordering::Relaxed)
    }

    pub(crate) fn count_http2(&self) {
        self.http2.fetch_add(1, Ordering::Relaxed);
    }

    /// Checks all connections; called once a second.
    ///
    /// Returns the bytes received and sent since the last check.
    pub(crate) fn tick(&self, keep_alive: Duration, memory_is_scarce: bool) -> (u64, u64) {
        let now = self.second.fetch_add(1, Ordering::Relaxed) + 1;
        let keep_alive_seconds = u32::try_from(keep_alive.as_secs()).unwrap_or(u32::MAX);
        let (mut received, mut sent) = (0, 0);
        for connection in self.lock().values() {
            let (more_received, more_sent) = connection.take_traffic();
            (received, sent) = (received + more_received, sent + more_sent);
            connection.look(now, keep_alive_seconds);
            if connection.reads_slowly(more_sent) && memory_is_scarce {
                connection.end(ENDING_NOW);
            }
        }
        (received, sent)
    }

    /// Ends every connection after its next reply, also those that are opened from now on. So no
    /// request meets a connection that the server closes at the same moment.
    pub(crate) fn drain(&self) {
        let open = self.lock();
        self.is_draining.store(true, Ordering::Relaxed);
        open.values().for_each(|connection| connection.drain());
    }

    /// Lets all connections finish the requests in progress and end.
    ///
    /// Waits at most `timeout`, and returns true if all connections have ended.
    pub(crate) async fn close(&self, timeout: Duration) -> bool {
        self.lock().values().for_each(|connection| connection.end(ENDING_GRACEFULLY));
        let all_gone = async {
            loop {
                let gone = self.idle.notified();
                if self.is_empty() {
                    return;
                }
                gone.await;
            }
        };
        let ended = tokio::time::timeout(timeout, all_gone).await.is_ok();
        self.lock().values().for_each(|connection| connection.end(ENDING_NOW));
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(connection: &Connection) -> u32 {
        connection.ending.load(Ordering::Relaxed)
    }

    #[test]
    fn an_idle_connection_ends_after_the_keep_alive_time() {
        let connection = Connection::default();
        connection.look(300, 300);
        assert_eq!(ending(&connection), 0);
        connection.look(301, 300);
        assert_eq!(ending(&connection), ENDING_GRACEFULLY);
    }

    #[test]
    fn a_connection_with_a_request_is_not_idle() {
        let connection = Connection::default();
        let request = connection.begin_request();
        connection.look(10_000, 300);
        assert_eq!(ending(&connection), 0);
        drop(request);
        connection.look(10_000, 300);
        assert_eq!(ending(&connection), ENDING_GRACEFULLY);
    }

    #[test]
    fn half_a_head_and_a_reply_that_is_not_read_end_a_connection() {
        let head = Connection { head_second: AtomicU32::new(1), ..Connection::default() };
        head.look(30, 300);
        assert_eq!(ending(&head), 0);
        head.look(31, 300);
        assert_eq!(ending(&head), ENDING_NOW);
        let write = Connection { write_blocked_second: AtomicU32::new(1), ..Connection::default() };
        write.look(301, 3_000);
        assert_eq!(ending(&write), ENDING_NOW);
    }

    #[test]
    fn bytes_of_later_requests_stay_counted_when_one_ends() {
        let memory = Arc::new(UnreadMemory::new(100_000));
        let new = || Connection::new(None, ServerEnd::default(), &memory);
        let (pipelining, other) = (new(), new());
        let request = pipelining.begin_request();
        assert!(pipelining.note_read(90_000, 0));
        drop(request);
        assert!(pipelining.note_left(80_000));
        assert!(!other.note_read(30_000, 0));
        drop(other);
        drop(pipelining.begin_request());
        assert!(new().note_read(100_000, 0));
    }
}
