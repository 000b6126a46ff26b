//! A link: passes connections on to a process, and fails on request.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Maximum number of bytes that are forwarded in one step.
const CHUNK_BYTES: usize = 64 << 10;

/// The condition of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Bytes pass.
    Sound,
    /// Bytes pass after a delay.
    Slow(Duration),
    /// Connections stay, and bytes wait.
    Held,
    /// Connections are closed, and new ones too.
    Cut,
}

/// A link from a port of this machine to another one.
pub struct Link {
    shared: Arc<Shared>,
}

struct Shared {
    target: SocketAddr,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    condition: Condition,
    /// Both ends of all connections that pass through the link now.
    connections: Vec<(u64, [TcpStream; 2])>,
    next_number: u64,
}

impl Link {
    /// Opens a link from one port of this machine to another. Errors: text for the user.
    pub fn open(from: u16, to: u16) -> Result<Self, String> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, from))
            .map_err(|error| format!("the port {from} for a link: {error}"))?;
        let shared = Arc::new(Shared {
            target: (Ipv4Addr::LOCALHOST, to).into(),
            state: Mutex::new(State { condition: Condition::Sound, connections: Vec::new(), next_number: 0 }),
            changed: Condvar::new(),
        });
        let accepting = Arc::clone(&shared);
        // The thread ends with the program.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&accepting);
                std::thread::spawn(move || shared.connect(stream));
            }
        });
        Ok(Link { shared })
    }

    /// Changes the condition.
    pub fn set(&self, condition: Condition) {
        let mut state = self.shared.lock();
        state.condition = condition;
        if condition == Condition::Cut {
            for (_, ends) in state.connections.drain(..) {
                ends.iter().for_each(close);
            }
        }
        self.shared.changed.notify_all();
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.set(Condition::Cut);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while bytes are held. Returns the delay of the next bytes, or `None` after a cut.
    fn wait(&self) -> Option<Duration> {
        let state = self.lock();
        let state = self.changed.wait_while(state, |state| state.condition == Condition::Held);
        match state.unwrap_or_else(PoisonError::into_inner).condition {
            Condition::Cut => None,
            Condition::Slow(delay) => Some(delay),
            Condition::Sound | Condition::Held => Some(Duration::ZERO),
        }
    }

    /// Passes one connection on until it ends.
    fn connect(self: Arc<Self>, near: TcpStream) {
        // An end that fails is closed, and so the other one.
        let _ = self.pass(near);
    }

    fn pass(self: Arc<Self>, near: TcpStream) -> std::io::Result<()> {
        if self.wait().is_none() {
            return Ok(());
        }
        let far = TcpStream::connect(self.target)?;
        near.set_nodelay(true)?;
        far.set_nodelay(true)?;
        let ends = [near.try_clone()?, far.try_clone()?];
        let number = {
            let mut state = self.lock();
            if state.condition == Condition::Cut {
                return Ok(());
            }
            state.next_number += 1;
            let number = state.next_number;
            state.connections.push((number, ends));
            number
        };
        let (back, [from, to]) = (Arc::clone(&self), [far.try_clone()?, near.try_clone()?]);
        let returning = std::thread::spawn(move || back.copy(from, to));
        self.copy(near, far);
        // A thread that panicked has no connection any more either.
        let _ = returning.join();
        self.lock().connections.retain(|(other, _)| *other != number);
        Ok(())
    }

    /// Copies bytes until one end closes. Then it closes both.
    fn copy(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut chunk = vec![0; CHUNK_BYTES];
        while let Ok(length @ 1..) = from.read(&mut chunk)
            && let Some(delay) = self.wait()
        {
            // The delay is what the link is asked for.
            std::thread::sleep(delay);
            if to.write_all(chunk.get(..length).unwrap_or_default()).is_err() {
                break;
            }
        }
        close(&from);
        close(&to);
    }
}

fn close(stream: &TcpStream) {
    // It may be closed already.
    let _ = stream.shutdown(Shutdown::Both);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use std::sync::mpsc::channel;

    use super::*;

    /// Returns a link to a process that sends everything back.
    fn echo() -> (Link, u16) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let to = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                std::thread::spawn(move || {
                    let mut back = stream.try_clone().unwrap();
                    std::io::copy(&mut stream, &mut back)
                });
            }
        });
        let from = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        (Link::open(from, to).unwrap(), from)
    }

    fn exchange(stream: &mut TcpStream) -> std::io::Result<[u8; 4]> {
        stream.write_all(b"text")?;
        let mut reply = [0; 4];
        stream.read_exact(&mut reply)?;
        Ok(reply)
    }

    #[test]
    fn bytes_pass_wait_and_are_cut_off() {
        let (link, port) = echo();
        let connect = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let mut stream = connect();
        assert_eq!(exchange(&mut stream).unwrap(), *b"text");

        link.set(Condition::Held);
        let (sender, receiver) = channel();
        let held = std::thread::spawn(move || {
            let reply = exchange(&mut stream).unwrap();
            sender.send(reply).unwrap();
            stream
        });
        assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err());
        link.set(Condition::Sound);
        assert_eq!(receiver.recv_timeout(Duration::from_secs(10)).unwrap(), *b"text");

        let mut stream = held.join().unwrap();
        link.set(Condition::Cut);
        assert!(exchange(&mut stream).is_err());
        assert!(exchange(&mut connect()).is_err());
        link.set(Condition::Slow(Duration::from_millis(1)));
        assert_eq!(exchange(&mut connect()).unwrap(), *b"text");
    }
}
