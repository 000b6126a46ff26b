//! Many connections that guess at passwords.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fastrand::Rng;
use harness::http1::{Connection, Request};
use serde_json::json;

use super::Attack;
use crate::attack::case::{Case, run_cases};
use crate::attack::target::{TIMEOUT, Target};

/// Connections that guess.
const CONNECTIONS: usize = 150;

/// Time for which they guess.
const GUESSING: Duration = Duration::from_secs(5);

/// The address of honest users, which is not that of the guesses. The whole network 127.0.0.0/8 is
/// this machine.
const HONEST: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

/// The address of the guesses, which honest users may share.
const SHARED: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// An honest login may take this many times its time at rest, and ten floors.
const SLOWER_MAX: u32 = 5;

/// Maximum time of a login from the address of the guesses.
const SHARED_TIME: Duration = Duration::from_secs(30);

/// See the module.
pub(crate) struct Passwords;

impl Attack for Passwords {
    fn name(&self) -> &'static str {
        "passwords"
    }

    fn summary(&self) -> &'static str {
        "150 connections that guess at passwords"
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let cases = vec![
            Case::new("/_open/auth with random names", |target, rng| {
                guess(target, rng, &|rng| login(&format!("user{}", rng.u64(..)), rng))
            }),
            Case::new("/_open/auth as root", |target, rng| guess(target, rng, &|rng| login("root", rng))),
            Case::new("Basic with random names", |target, rng| {
                guess(target, rng, &|rng| basic(&format!("user{}", rng.u64(..)), rng))
            }),
            Case::new("Basic as root", |target, rng| guess(target, rng, &|rng| basic("root", rng))),
            Case::new("/_open/auth with long names", |target, rng| {
                guess(target, rng, &|rng| login(&"user".repeat(10_000), rng))
            }),
        ];
        run_cases(target, rng, cases)
    }
}

fn login(user: &str, rng: &mut Rng) -> Request {
    let body = json!({"username": user, "password": rng.u64(..).to_string()});
    Request::new("POST", "/_open/auth").body(body.to_string())
}

fn basic(user: &str, rng: &mut Rng) -> Request {
    let credentials = STANDARD.encode(format!("{user}:{}", rng.u64(..)));
    Request::new("GET", "/_api/version").header("authorization", &format!("Basic {credentials}"))
}

/// Guesses on many connections. Errors: a concurrent honest login takes too long, or fails.
fn guess(target: &Target, rng: &mut Rng, make: &(dyn Fn(&mut Rng) -> Request + Sync)) -> Result<(), String> {
    let at_rest = slowest_login(target, HONEST, Duration::from_millis(500))?;
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            let (mut rng, is_over) = (rng.fork(), &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    guess_on_one(target, &mut rng, make, is_over);
                }
            });
        }
        let shared = scope.spawn(|| slowest_login(target, SHARED, Duration::ZERO));
        let slowest = slowest_login(target, HONEST, GUESSING);
        is_over.store(true, Ordering::Relaxed);
        let shared = shared.join().unwrap_or(Ok(Duration::MAX))?;
        if shared > SHARED_TIME {
            return Err(format!("a login from the address of the guesses took {shared:.1?}"));
        }
        let (slowest, bound) = (slowest?, at_rest * SLOWER_MAX + target.limits().floor * 10);
        if slowest > bound {
            return Err(format!(
                "a login took {slowest:.1?}, {at_rest:.1?} at rest, the bound is {bound:.1?}"
            ));
        }
        Ok(())
    })
}

/// Guesses on one connection until the server ends it.
fn guess_on_one(
    target: &Target,
    rng: &mut Rng,
    make: &(dyn Fn(&mut Rng) -> Request + Sync),
    is_over: &AtomicBool,
) {
    let Ok(mut connection) = Connection::open(target.address(), TIMEOUT) else { return };
    while !is_over.load(Ordering::Relaxed) {
        target.count(1);
        match connection.ask(&make(rng)) {
            Ok(reply) if reply.status < 300 => {
                return target.fail(format!("a guess was answered with {}", reply.status));
            }
            Ok(_) => {}
            Err(_) => return,
        }
    }
}

/// Logs in again and again for some time, at least once, and returns the time of the slowest.
fn slowest_login(target: &Target, source: IpAddr, time: Duration) -> Result<Duration, String> {
    let start = Instant::now();
    let mut slowest = Duration::ZERO;
    loop {
        let begin = Instant::now();
        target.log_in_from(source).map_err(|error| format!("an honest login failed: {error}"))?;
        slowest = slowest.max(begin.elapsed());
        if start.elapsed() >= time {
            return Ok(slowest);
        }
        // An honest user does not log in all the time.
        std::thread::sleep(Duration::from_millis(50));
    }
}
