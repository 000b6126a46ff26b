//! Listeners, which accept connections.

use std::io;
use std::net::{SocketAddr, TcpListener as StdTcpListener, TcpStream as StdTcpStream};
use std::os::unix::net::{UnixListener as StdUnixListener, UnixStream as StdUnixStream};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::address::Address;
use super::connection;
use super::connection_threads::ConnectionThreads;
use super::connections::ServerEnd;
use super::service::HttpService;
use super::tls::Tls;

/// The pause before the next attempt to accept when the system has no room for a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Time limit of a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);

/// An address that this process has bound and does not listen on yet.
#[derive(Debug)]
pub struct Bound {
    socket: Socket,
    address: Address,
}

/// Binds an address.
///
/// It happens before data is opened, so that errors are known early. The server listens only once
/// it can answer.
pub fn bind(address: &Address, reuse_address: bool) -> io::Result<Bound> {
    let socket = match address {
        Address::Tcp(address) | Address::Tls(address) => {
            let socket = Socket::new(Domain::for_address(*address), Type::STREAM, Some(Protocol::TCP))?;
            socket.set_reuse_address(reuse_address)?;
            socket.bind(&(*address).into())?;
            socket
        }
        Address::Unix(path) => {
            let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
            remove_abandoned(path)?;
            socket.bind(&SockAddr::unix(path)?)?;
            socket
        }
    };
    socket.set_nonblocking(true)?;
    Ok(Bound { socket, address: address.clone() })
}

/// Removes the socket file of a server that was killed.
///
/// A socket that another server answers stays, and so does a file that is not a socket: binding
/// then reports that it exists.
fn remove_abandoned(path: &Path) -> io::Result<()> {
    match StdUnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused && is_socket(path) => {
            std::fs::remove_file(path)
        }
        _ => Ok(()),
    }
}

fn is_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket())
}

/// An address that the server listens on.
#[derive(Debug)]
pub struct Listener {
    inner: Inner,
}

#[derive(Debug)]
enum Inner {
    Tcp(StdTcpListener),
    Tls(StdTcpListener, Tls),
    Unix(StdUnixListener, SocketFile),
}

/// A socket in the file system, which is removed at the end.
#[derive(Debug)]
struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // The next server removes the file if this fails.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Bound {
    /// Starts to listen.
    ///
    /// At most `backlog` connections wait to be accepted. A TLS address needs `tls`.
    pub fn listen(self, backlog: u32, tls: Option<&Tls>) -> io::Result<Listener> {
        self.socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
        let inner = match (self.address, tls) {
            (Address::Tcp(_), _) => Inner::Tcp(self.socket.into()),
            (Address::Tls(_), Some(tls)) => Inner::Tls(self.socket.into(), tls.clone()),
            (Address::Tls(_), None) => return Err(io::Error::other("TLS has no certificate")),
            (Address::Unix(path), _) => Inner::Unix(self.socket.into(), SocketFile(path)),
        };
        Ok(Listener { inner })
    }
}

impl Listener {
    /// Returns the address and port, if there is one.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match &self.inner {
            Inner::Tcp(listener) | Inner::Tls(listener, _) => listener.local_addr(),
            Inner::Unix(..) => Err(io::Error::other("a socket in the file system has no port")),
        }
    }
}

/// Accepts connections for the threads until the future is dropped.
pub(crate) fn accept(
    service: Arc<HttpService>,
    threads: Arc<ConnectionThreads>,
    listener: Listener,
) -> io::Result<Pin<Box<dyn Future<Output = ()> + Send>>> {
    let slots = Arc::new(Semaphore::new(service.options().max_connections));
    let acceptor = Acceptor { service, threads, slots };
    Ok(match listener.inner {
        Inner::Tcp(listener) => Box::pin(acceptor.accept_tcp(TcpListener::from_std(listener)?)),
        Inner::Tls(listener, tls) => Box::pin(acceptor.accept_tls(TcpListener::from_std(listener)?, tls)),
        Inner::Unix(listener, file) => {
            Box::pin(acceptor.accept_unix(UnixListener::from_std(listener)?, file))
        }
    })
}

/// The parts of a listener that all its connections share.
struct Acceptor {
    service: Arc<HttpService>,
    threads: Arc<ConnectionThreads>,
    slots: Arc<Semaphore>,
}

impl Acceptor {
    async fn accept_tcp(self, listener: TcpListener) {
        while let Some(slot) = self.free_slot().await {
            let Some((stream, client)) = accepted(listener.accept().await).await else { continue };
            let Some((stream, server)) = detached(stream, false) else { continue };
            let service = Arc::clone(&self.service);
            self.threads.spawn(move || async move {
                match TcpStream::from_std(stream) {
                    Ok(stream) => connection::serve(service, stream, (Some(client), None), server).await,
                    Err(error) => report_lost(&error),
                }
                drop(slot);
            });
        }
    }

    async fn accept_tls(self, listener: TcpListener, tls: Tls) {
        while let Some(slot) = self.free_slot().await {
            let Some((stream, client)) = accepted(listener.accept().await).await else { continue };
            let Some((stream, server)) = detached(stream, true) else { continue };
            let (service, acceptor, tls) = (Arc::clone(&self.service), tls.acceptor(), tls.clone());
            self.threads.spawn(move || async move {
                let stream = async { acceptor.accept(TcpStream::from_std(stream)?).await };
                match tokio::time::timeout(HANDSHAKE_TIMEOUT, stream).await {
                    Ok(Ok(stream)) => {
                        let certificate = tls.client_certificate(stream.get_ref().1.peer_certificates());
                        connection::serve(service, stream, (Some(client), certificate), server).await;
                    }
                    Ok(Err(error)) => {
                        tracing::debug!(target: "ssl", %client, %error, "TLS handshake failed");
                    }
                    Err(_) => tracing::debug!(target: "ssl", %client, "TLS handshake timed out"),
                }
                drop(slot);
            });
        }
    }

    async fn accept_unix(self, listener: UnixListener, _file: SocketFile) {
        while let Some(slot) = self.free_slot().await {
            let Some((stream, _)) = accepted(listener.accept().await).await else { continue };
            let Ok(stream) = stream.into_std() else { continue };
            let service = Arc::clone(&self.service);
            self.threads.spawn(move || async move {
                match UnixStream::from_std(stream) {
                    Ok(stream) => {
                        connection::serve(service, stream, (None, None), ServerEnd::default()).await
                    }
                    Err(error) => report_lost(&error),
                }
                drop(slot);
            });
        }
    }

    /// Waits until one more connection is allowed.
    async fn free_slot(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.slots).acquire_owned().await.ok()
    }
}

fn report_lost(error: &io::Error) {
    tracing::warn!(target: "communication", %error, "cannot serve a connection");
}

/// Returns the stream for another thread, and the server's end of it.
fn detached(stream: TcpStream, is_encrypted: bool) -> Option<(StdTcpStream, ServerEnd)> {
    // If this fails the connection is only slower.
    let _ = stream.set_nodelay(true);
    let server = ServerEnd { address: stream.local_addr().ok(), is_encrypted };
    stream.into_std().inspect_err(report_lost).ok().map(|stream| (stream, server))
}

/// Returns the connection; after an error, returns `None` after a pause.
async fn accepted<T>(accepted: io::Result<T>) -> Option<T> {
    match accepted {
        Ok(accepted) => Some(accepted),
        Err(error) => {
            tracing::warn!(target: "communication", %error, "cannot accept a connection");
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}
