//! A connected socket for hyper. It never blocks, but records what it waits for.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::rt::{self, ReadBufCursor};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustls::{ClientConnection, StreamOwned};

use crate::endpoint::Endpoint;
use crate::tls::Tls;

/// The maximum number of bytes of one read from the system.
const READ_BYTES: usize = 128 << 10;

/// The maximum wait between two checks of a flag that ends requests.
const INTERRUPT_STEP: Duration = Duration::from_millis(20);

/// The bits of [`Wire::interest`].
const READABLE: u8 = 1;
const WRITABLE: u8 = 2;

/// The system's socket, and the operations that would have blocked at the last attempt.
#[derive(Debug)]
pub(crate) struct Wire {
    plain: Plain,
    interest: AtomicU8,
    /// True if there was nothing to read, and no wait since: a further attempt costs a system call.
    is_drained: AtomicBool,
    /// The flag that ends the wait.
    interrupt: Option<Arc<AtomicBool>>,
}

#[derive(Debug)]
enum Plain {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Wire {
    /// Clears the recorded operations.
    pub(crate) fn clear_interest(&self) {
        self.interest.store(0, Ordering::Relaxed);
    }

    /// Allows the next read to try, although no wait came before it.
    pub(crate) fn look_again(&self) {
        self.is_drained.store(false, Ordering::Relaxed);
    }

    fn add_interest(&self, bits: u8) {
        self.interest.fetch_or(bits, Ordering::Relaxed);
    }

    /// Waits until a recorded operation is possible; returns true unless the deadline passes first.
    ///
    /// Errors: those of the system, and one if the interrupt flag is set.
    pub(crate) fn wait(&self, deadline: Instant) -> io::Result<bool> {
        let mut flags = PollFlags::empty();
        let interest = self.interest.load(Ordering::Relaxed);
        if interest & WRITABLE != 0 {
            flags |= PollFlags::OUT;
        }
        if interest & READABLE != 0 || interest == 0 {
            flags |= PollFlags::IN;
        }
        let descriptor: BorrowedFd<'_> = match &self.plain {
            Plain::Tcp(stream) => stream.as_fd(),
            Plain::Unix(stream) => stream.as_fd(),
        };
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return Err(io::Error::new(io::ErrorKind::Interrupted, "the request was interrupted"));
            }
            let is_last = self.interrupt.is_none() || left <= INTERRUPT_STEP;
            let left = if is_last { left } else { INTERRUPT_STEP };
            // The bound is many years, within the range that the system accepts.
            let left = Timespec::try_from(left.min(Duration::from_secs(1 << 30))).unwrap_or_default();
            match poll(&mut [PollFd::from_borrowed_fd(descriptor, flags)], Some(&left)) {
                Ok(0) if is_last => return Ok(false),
                Ok(0) => {}
                Ok(_) => {
                    self.look_again();
                    return Ok(true);
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The socket as rustls reads and writes it.
#[derive(Debug)]
pub(crate) struct SharedWire(Arc<Wire>);

impl Read for SharedWire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &self.0.plain {
            Plain::Tcp(stream) => (&mut &*stream).read(buffer),
            Plain::Unix(stream) => (&mut &*stream).read(buffer),
        }
    }
}

impl Write for SharedWire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &self.0.plain {
            Plain::Tcp(stream) => (&mut &*stream).write(bytes),
            Plain::Unix(stream) => (&mut &*stream).write(bytes),
        }
    }

    fn write_vectored(&mut self, slices: &[io::IoSlice<'_>]) -> io::Result<usize> {
        match &self.0.plain {
            Plain::Tcp(stream) => (&mut &*stream).write_vectored(slices),
            Plain::Unix(stream) => (&mut &*stream).write_vectored(slices),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A socket for hyper.
#[derive(Debug)]
pub(crate) struct Socket {
    stream: Stream,
    wire: Arc<Wire>,
    /// The buffer of bytes for hyper, whose own buffer only unsafe code can fill.
    buffer: Box<[u8]>,
}

#[derive(Debug)]
enum Stream {
    Plain(SharedWire),
    Tls(Box<StreamOwned<ClientConnection, SharedWire>>),
}

impl Socket {
    /// Opens a connection within `limit`.
    pub(crate) fn connect(
        endpoint: &Endpoint,
        tls: Option<&Tls>,
        limit: Duration,
        interrupt: Option<Arc<AtomicBool>>,
    ) -> io::Result<Self> {
        let plain = match endpoint {
            Endpoint::Tcp { host, port } | Endpoint::Tls { host, port } => {
                Plain::Tcp(connect_tcp(host, *port, limit)?)
            }
            Endpoint::Unix { path } => {
                let stream = UnixStream::connect(path)?;
                stream.set_nonblocking(true)?;
                Plain::Unix(stream)
            }
        };
        let named = match endpoint {
            Endpoint::Tls { host, .. } => tls.map(|tls| (tls, host.as_str())),
            _ => None,
        };
        Self::over(plain, named, Instant::now() + limit, interrupt)
    }

    /// Opens a connection to the first address that answers before the deadline. `tls` has the
    /// encryption and the name of the host.
    pub(crate) fn connect_to(
        addresses: &[SocketAddr],
        tls: Option<(&Tls, &str)>,
        deadline: Instant,
        interrupt: Option<Arc<AtomicBool>>,
    ) -> io::Result<Self> {
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for (tried, address) in addresses.iter().enumerate() {
            // An address that does not answer leaves time for the others.
            let others = u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
            let left = deadline.saturating_duration_since(Instant::now()) / others;
            match connect_address(address, left) {
                Ok(stream) => return Self::over(Plain::Tcp(stream), tls, deadline, interrupt),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn over(
        plain: Plain,
        tls: Option<(&Tls, &str)>,
        deadline: Instant,
        interrupt: Option<Arc<AtomicBool>>,
    ) -> io::Result<Self> {
        let (interest, is_drained) = (AtomicU8::new(0), AtomicBool::new(false));
        let wire = Arc::new(Wire { plain, interest, is_drained, interrupt });
        let shared = SharedWire(Arc::clone(&wire));
        let stream = match tls {
            Some((tls, host)) => {
                let mut stream = StreamOwned::new(tls.connection(host)?, shared);
                shake_hands(&mut stream, &wire, deadline)?;
                Stream::Tls(Box::new(stream))
            }
            None => Stream::Plain(shared),
        };
        Ok(Socket { stream, wire, buffer: vec![0; READ_BYTES].into_boxed_slice() })
    }

    /// Returns the certificate that the server has shown, if the connection is encrypted.
    pub(crate) fn certificate(&self) -> Option<&[u8]> {
        match &self.stream {
            Stream::Plain(_) => None,
            Stream::Tls(stream) => stream.conn.peer_certificates()?.first().map(AsRef::as_ref),
        }
    }

    pub(crate) fn wire(&self) -> Arc<Wire> {
        Arc::clone(&self.wire)
    }

    /// Records the operation that a call would have blocked on.
    fn note(&self, wanted: u8) {
        let bits = match &self.stream {
            Stream::Plain(_) => wanted,
            // TLS may have to read in order to write, and the other way round.
            Stream::Tls(stream) => {
                let mut bits = if stream.conn.wants_write() { WRITABLE } else { 0 };
                if stream.conn.wants_read() && (wanted == READABLE || bits == 0) {
                    bits |= READABLE;
                }
                bits
            }
        };
        self.wire.add_interest(bits);
    }

    fn attempt<T>(
        &mut self,
        wanted: u8,
        mut call: impl FnMut(&mut Stream) -> io::Result<T>,
    ) -> Poll<io::Result<T>> {
        loop {
            match call(&mut self.stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.note(wanted);
                    return Poll::Pending;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return Poll::Ready(done),
            }
        }
    }
}

/// Tries the addresses of a host one after another.
fn connect_tcp(host: &str, port: u16, limit: Duration) -> io::Result<TcpStream> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        match connect_address(&address, limit) {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn connect_address(address: &SocketAddr, limit: Duration) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(address, limit.max(Duration::from_millis(1)))?;
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

fn shake_hands(
    stream: &mut StreamOwned<ClientConnection, SharedWire>,
    wire: &Wire,
    deadline: Instant,
) -> io::Result<()> {
    while stream.conn.is_handshaking() {
        match stream.conn.complete_io(&mut stream.sock) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                wire.clear_interest();
                wire.add_interest(if stream.conn.wants_write() { WRITABLE } else { READABLE });
                if !wire.wait(deadline)? {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "the TLS handshake timed out"));
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl rt::Read for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        mut into: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // TLS may hold more bytes although the socket has none.
        let is_plain = matches!(this.stream, Stream::Plain(_));
        if is_plain && this.wire.is_drained.load(Ordering::Relaxed) {
            this.note(READABLE);
            return Poll::Pending;
        }
        let mut buffer = std::mem::take(&mut this.buffer);
        let most = into.remaining().min(buffer.len());
        let read = match buffer.get_mut(..most) {
            Some(room) => this.attempt(READABLE, |stream| match stream {
                Stream::Plain(wire) => wire.read(room),
                Stream::Tls(stream) => stream.read(room),
            }),
            None => Poll::Ready(Ok(0)),
        };
        this.wire.is_drained.store(read.is_pending(), Ordering::Relaxed);
        if let Poll::Ready(Ok(count)) = read {
            into.put_slice(buffer.get(..count).unwrap_or_default());
        }
        this.buffer = buffer;
        read.map_ok(|_| ())
    }
}

impl rt::Write for Socket {
    fn poll_write(self: Pin<&mut Self>, _context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().attempt(WRITABLE, |stream| match stream {
            Stream::Plain(wire) => wire.write(bytes),
            Stream::Tls(stream) => stream.write(bytes),
        })
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().attempt(WRITABLE, |stream| match stream {
            Stream::Plain(wire) => wire.write_vectored(slices),
            Stream::Tls(stream) => stream.write_vectored(slices),
        })
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().attempt(WRITABLE, |stream| match stream {
            Stream::Plain(_) => Ok(()),
            Stream::Tls(stream) => stream.flush(),
        })
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Stream::Tls(stream) = &mut this.stream {
            stream.conn.send_close_notify();
            // A server that misses the message sees the end of the connection.
            let _ = stream.conn.complete_io(&mut stream.sock);
        }
        Poll::Ready(match &this.wire.plain {
            Plain::Tcp(stream) => stream.shutdown(Shutdown::Write),
            Plain::Unix(stream) => stream.shutdown(Shutdown::Write),
        })
    }
}
