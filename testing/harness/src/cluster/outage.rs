//! Faults of processes and of their links, for some time.

use std::fmt;
use std::time::Duration;

use fastrand::Rng;

use super::link::Condition;
use super::processes::Cluster;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The process is killed, and started again.
    Kill,
    /// The messages to the process wait.
    Hold,
    /// The connections to the process are closed, and new ones too.
    Cut,
    /// The messages to the process and its replies take longer.
    Delay,
}

impl Fault {
    /// All kinds.
    pub const ALL: [Fault; 4] = [Fault::Kill, Fault::Hold, Fault::Cut, Fault::Delay];

    /// Returns the kind with a name: `kill`, `hold`, `cut` or `delay`.
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "kill" => Some(Fault::Kill),
            "hold" => Some(Fault::Hold),
            "cut" => Some(Fault::Cut),
            "delay" => Some(Fault::Delay),
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Fault::Kill => "killed",
            Fault::Hold => "held",
            Fault::Cut => "cut off",
            Fault::Delay => "slow",
        })
    }
}

/// A fault of one process, or of several at once, for some time.
#[derive(Clone, Debug)]
pub struct Outage {
    /// The names of the processes.
    pub processes: Vec<String>,
    /// The kind of the fault.
    pub fault: Fault,
    /// The time from the fault to its end.
    pub time: Duration,
}

impl fmt::Display for Outage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let processes = self.processes.join(", ");
        write!(formatter, "{processes} {} for {:.1} s", self.fault, self.time.as_secs_f32())
    }
}

impl Outage {
    /// Chooses one of the kinds of faults, of a store or of the member of PD that leads. One in
    /// five lasts longer than most elections. Errors: text for the user.
    pub fn choose(cluster: &Cluster, kinds: &[Fault], rng: &mut Rng) -> Result<Self, String> {
        let process = match rng.u16(..=cluster.stores()) {
            0 => cluster.leader()?,
            store => format!("store-{store}"),
        };
        let seconds = if rng.u8(..5) == 0 { 11.0 + rng.f64() * 4.0 } else { 0.5 + rng.f64() * 6.0 };
        let fault = rng.choice(kinds).copied().unwrap_or(Fault::Kill);
        Ok(Outage { processes: vec![process], fault, time: Duration::from_secs_f64(seconds) })
    }

    /// Chooses one that keeps the servers from all members of PD for longer than their leases. The
    /// stores keep working.
    pub fn longer_than(lease: Duration, rng: &mut Rng) -> Self {
        let processes = (1..=Cluster::MEMBERS).map(|number| format!("pd-{number}")).collect();
        let fault = if rng.bool() { Fault::Hold } else { Fault::Cut };
        Outage { processes, fault, time: lease + Duration::from_secs_f64(3.0 + rng.f64() * 7.0) }
    }

    /// Injects the fault, and ends it after its duration. The cluster may need some time
    /// afterwards, see [`Cluster::wait_until_healthy`]. Errors: text for the user.
    pub fn make(&self, cluster: &Cluster, rng: &mut Rng) -> Result<(), String> {
        let condition = match self.fault {
            Fault::Kill => {
                self.processes.iter().try_for_each(|process| cluster.kill(process))?;
                // The time of the fault is chosen.
                std::thread::sleep(self.time);
                return self.processes.iter().try_for_each(|process| cluster.restart(process));
            }
            Fault::Hold => Condition::Held,
            Fault::Cut => Condition::Cut,
            Fault::Delay => Condition::Slow(Duration::from_millis(rng.u64(5..200))),
        };
        self.processes.iter().for_each(|process| cluster.set(process, condition));
        std::thread::sleep(self.time);
        self.processes.iter().for_each(|process| cluster.set(process, Condition::Sound));
        Ok(())
    }
}
