//! Injects faults, one after another.

use std::time::{Duration, Instant};

use fastrand::Rng;
use harness::Servers;
use harness::cluster::{Cluster, Outage};

use crate::gaps::Disturbance;
use crate::outages::arguments::Arguments;

/// The minimum time without a fault before the next one.
const CALM: Duration = Duration::from_secs(3);

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
        let (kind, text) = if rng.u8(..100) < arguments.server_kills {
            let number = rng.usize(..servers.len());
            servers.restart(number)?;
            ("server killed".to_owned(), format!("server {number} killed"))
        } else {
            let outage = Outage::choose(cluster, &arguments.faults, rng)?;
            outage.make(cluster, rng)?;
            cluster.wait_until_healthy()?;
            let (process, _) = outage.process.split_once('-').unwrap_or_default();
            (format!("{process} {}", outage.fault), outage.to_string())
        };
        let end = Instant::now();
        println!("  {:>5.1} s: {text}", begin.duration_since(start).as_secs_f32());
        made.push(Disturbance { kind, text, begin, end });
        std::thread::sleep(CALM);
    }
    Ok(made)
}
