//! Injects faults, one after another.

use std::time::{Duration, Instant};

use fastrand::Rng;
use harness::cluster::{Cluster, Outage};
use harness::{Servers, wait_within};

use crate::gaps::Disturbance;
use crate::outages::arguments::Arguments;

/// The minimum time without a fault before the next one.
const CALM: Duration = Duration::from_secs(3);

/// The maximum time until all servers serve again whose leases have ended.
const RESTART_TIMEOUT: Duration = Duration::from_secs(60);

/// Injects faults until the time is over. Errors: text for the user, if a process cannot be killed
/// or does not come back.
pub(crate) fn disturb(
    arguments: &Arguments,
    cluster: &Cluster,
    servers: &mut Servers,
    rng: &mut Rng,
) -> Result<Vec<Disturbance>, String> {
    let start = Instant::now();
    let mut made = Vec::new();
    // The clients work undisturbed for this time, here and between faults.
    std::thread::sleep(CALM);
    while start.elapsed() < arguments.time {
        let begin = Instant::now();
        let chance = rng.u8(..100);
        let (kind, text) = if chance < arguments.server_kills {
            let number = rng.usize(..servers.len());
            servers.restart(number)?;
            ("server killed".to_owned(), format!("server {number} killed"))
        } else if chance < arguments.server_kills.saturating_add(arguments.long_outages) {
            let outage = outlast(arguments, cluster, servers, rng)?;
            (format!("all pd {}", outage.fault), outage.to_string())
        } else {
            let outage = Outage::choose(cluster, &arguments.faults, rng)?;
            outage.make(cluster, rng)?;
            cluster.wait_until_healthy()?;
            let process = outage.processes.first().and_then(|process| process.split_once('-'));
            let (process, _) = process.unwrap_or_default();
            (format!("{process} {}", outage.fault), outage.to_string())
        };
        let end = Instant::now();
        println!("  {:>5.1} s: {text}", begin.duration_since(start).as_secs_f32());
        made.push(Disturbance { kind, text, begin, end });
        std::thread::sleep(CALM);
    }
    Ok(made)
}

/// Keeps all servers from the cluster until their leases have ended. Each of them must notice that,
/// restart by itself, and serve again.
fn outlast(
    arguments: &Arguments,
    cluster: &Cluster,
    servers: &Servers,
    rng: &mut Rng,
) -> Result<Outage, String> {
    let outage = Outage::longer_than(arguments.lease, rng);
    let before = servers.lease_ends();
    outage.make(cluster, rng)?;
    cluster.wait_until_healthy()?;
    wait_within(RESTART_TIMEOUT, "not every server whose lease has ended serves again", || {
        let have_all_ended = servers.lease_ends().iter().zip(&before).all(|(after, before)| after > before);
        (have_all_ended && servers.all_serve()).then_some(())
    })?;
    Ok(outage)
}
