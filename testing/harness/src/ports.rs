//! Free ports for servers.
//!
//! The system gives each connection of a client a port of a range of its own. A port that was free
//! a moment ago may be taken so before a server listens on it. So servers get ports below that
//! range, and each one only once.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

/// The least port that is given to a server. Well-known services have smaller ones.
const LEAST: u16 = 10_000;

/// The first port that clients get where the system does not tell.
const CLIENTS_FROM: u16 = 32_768;

/// The number of ports that are given out, after a random one.
static GIVEN: AtomicU32 = AtomicU32::new(0);

/// Returns an address of this machine that nobody has. Errors: text for the user.
pub fn free_address() -> Result<SocketAddr, String> {
    let clients_from = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok();
    let clients_from = clients_from.and_then(|range| range.split_whitespace().next()?.parse().ok());
    let count = u32::from(clients_from.unwrap_or(CLIENTS_FROM).saturating_sub(LEAST));
    // Programs that run at the same time begin at different ports.
    let _ = GIVEN.compare_exchange(0, fastrand::u32(1..1 << 16), Ordering::Relaxed, Ordering::Relaxed);
    let next = || GIVEN.fetch_add(1, Ordering::Relaxed) % count;
    let below = (0..count).find_map(|_| free_at(LEAST + next() as u16));
    // Where no port below the range is free, the system chooses.
    below.or_else(|| free_at(0)).ok_or_else(|| "no port is free".to_owned())
}

fn free_at(port: u16) -> Option<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| listener.local_addr()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_twice() {
        let mut ports: Vec<u16> = (0..100).map(|_| free_address().unwrap().port()).collect();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 100);
    }
}
