//! Faults of members, one after another.

use std::fmt;
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::failover::members::Members;
use crate::gaps::Disturbance;

/// The time without a fault before the next one.
const CALM: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(4)];
/// The longest time for which a fault lasts.
const FAULT_MAX: Duration = Duration::from_secs(7);
/// Percentage of faults that hit the leader, and of those that hit a majority of the members.
const LEADER_SHARE: u8 = 65;
const MAJORITY_SHARE: u8 = 10;

/// A fault of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Kill,
    Pause,
    Stop,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Fault::Kill => "killed",
            Fault::Pause => "paused",
            Fault::Stop => "stopped",
        })
    }
}

/// Injects faults until the time is over. All members run afterwards. Errors: text for the user, if
/// a member does not start or nobody leads.
pub(crate) fn disturb(
    time: Duration,
    members: &mut Members,
    rng: &mut Rng,
) -> Result<Vec<Disturbance>, String> {
    let start = Instant::now();
    let mut made = Vec::new();
    while start.elapsed() < time {
        // The clients work undisturbed for this time.
        std::thread::sleep(CALM[0] + (CALM[1] - CALM[0]).mul_f64(rng.f64()));
        let leader = members.wait_for_leader(&[])?;
        let targets = choose(leader, members.len(), rng);
        let fault = [Fault::Kill, Fault::Kill, Fault::Pause, Fault::Stop][rng.usize(..4)];
        let who = match (targets.len(), targets.contains(&leader)) {
            (1, true) => "leader",
            (1, false) => "follower",
            _ => "majority",
        };
        let begin = Instant::now();
        for target in &targets {
            match fault {
                Fault::Kill => members.kill(*target),
                Fault::Pause => members.pause(*target, true),
                Fault::Stop => members.stop(*target)?,
            }
        }
        // The time of a fault is random.
        std::thread::sleep(FAULT_MAX.mul_f64(rng.f64().powi(2)));
        if who == "leader" && rng.bool() {
            // The former leader comes back to another one.
            members.wait_for_leader(&targets)?;
        }
        targets.iter().for_each(|target| members.pause(*target, false));
        members.begin()?;
        let led = members.wait_for_leader(&[])?;
        let (kind, end) = (format!("{who} {fault}"), Instant::now());
        let text = format!("{kind}: {targets:?} for {:.1} s, then {led} leads", (end - begin).as_secs_f32());
        println!("  {:>5.1} s: {text}", begin.duration_since(start).as_secs_f32());
        made.push(Disturbance { kind, text, begin, end });
    }
    // The first write after the last fault counts too.
    std::thread::sleep(CALM[1]);
    Ok(made)
}

/// Returns the members that a fault hits.
fn choose(leader: usize, count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut followers: Vec<usize> = (0..count).filter(|number| *number != leader).collect();
    rng.shuffle(&mut followers);
    match rng.u8(..100) {
        share if share < MAJORITY_SHARE => {
            followers.truncate(count / 2);
            followers.push(leader);
            followers
        }
        share if share < MAJORITY_SHARE + LEADER_SHARE => vec![leader],
        _ => {
            followers.truncate(1);
            followers
        }
    }
}
