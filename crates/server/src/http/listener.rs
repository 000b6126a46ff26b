//! Where connections are accepted.

use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::connection;
use crate::server::Server;

/// How long to wait before the next connection is accepted when the system has no more room for one.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// An address that belongs to this process, on which nobody is heard yet.
#[derive(Debug)]
pub struct Bound {
    socket: Socket,
}

/// Takes an address. Errors are known before data is opened, and clients are heard only when there is something to say.
pub fn bind(address: SocketAddr, reuse_address: bool) -> io::Result<Bound> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(reuse_address)?;
    socket.bind(&address.into())?;
    socket.set_nonblocking(true)?;
    Ok(Bound { socket })
}

impl Bound {
    /// Begins to hear clients; at most `backlog` connections wait to be accepted.
    pub fn listen(self, backlog: u32) -> io::Result<StdListener> {
        self.socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
        Ok(self.socket.into())
    }
}

/// Accepts connections until the future is dropped.
pub(crate) async fn accept(server: Arc<Server>, listener: TcpListener) {
    let slots = Arc::new(Semaphore::new(server.options().http.max_connections));
    loop {
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return };
        let (stream, client) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(target: "communication", %error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // Without it the connection works as well, only slower.
        let _ = stream.set_nodelay(true);
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            connection::serve(server, stream, Some(client)).await;
            drop(slot);
        });
    }
}
