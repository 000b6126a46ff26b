//! Cases: the steps of an attack. Each is judged separately.

use std::collections::HashMap;
use std::ffi::OsString;
use std::time::{Duration, Instant};

use fastrand::Rng;
use harness::http1::{Connection, Request};
use harness::wait_within;

use crate::attack::bystander::percentile;
use crate::attack::target::Target;

/// The server may take this share more than its limit.
const MEMORY_TOLERANCE: f64 = 0.10;

/// A server without clients but the bystander must be idle within this time, and ten floors.
const IDLE_WITHIN: Duration = Duration::from_secs(1);

/// Maximum wait for a server that works on.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15);

/// Time over which the use of the processor is measured.
const IDLE_WINDOW: Duration = Duration::from_millis(200);

/// A server that uses less of one core is idle; the bystander costs some.
const IDLE_CORES: f64 = 0.6;

/// Time within which an idle server gives back what it took beyond its limit.
const MEMORY_FREE_WITHIN: Duration = Duration::from_secs(5);

/// Maximum wait of the question if the server still answers.
const ALIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// The beginnings of the names of threads that compact the store, which is nobody's request.
const COMPACTION: [&str; 2] = ["rocksdb", "merge"];

/// The code of a case. It returns when all its connections are closed. Errors: the server's
/// failure.
type Code<'a> = Box<dyn Fn(&Target, &mut Rng) -> Result<(), String> + 'a>;

/// A case.
pub(crate) struct Case<'a> {
    name: String,
    code: Code<'a>,
}

impl<'a> Case<'a> {
    pub(crate) fn new(
        name: impl Into<String>,
        code: impl Fn(&Target, &mut Rng) -> Result<(), String> + 'a,
    ) -> Self {
        Case { name: name.into(), code: Box::new(code) }
    }
}

/// Runs the cases in random order, again and again until the time of the attack is over, or once.
pub(crate) fn run_cases(target: &Target, rng: &mut Rng, mut cases: Vec<Case<'_>>) -> Result<(), String> {
    cases.retain(|case| case.name.contains(&target.limits().case));
    loop {
        rng.shuffle(&mut cases);
        for case in &cases {
            if target.is_over() {
                return Ok(());
            }
            run(target, case, &mut rng.fork())?;
        }
        if target.limits().deadline.is_none() || cases.is_empty() {
            return Ok(());
        }
    }
}

/// Runs one case and judges it. Errors: the server cannot be started again.
fn run(target: &Target, case: &Case<'_>, rng: &mut Rng) -> Result<(), String> {
    target.watch().forget_peak();
    let before = target.bystander().seen().times.len();
    if let Err(failure) = (case.code)(target, rng) {
        target.fail(format!("{}: {failure}", case.name));
    }
    let (idle, busiest) = until_idle(target);
    let times = target.bystander().seen().times.get(before..).unwrap_or_default().to_vec();
    target.note_time(percentile(&times, 0.99), &case.name);
    let (failures, is_usable) = judge(target, idle, &busiest);
    for failure in failures {
        target.fail(format!("{}: {failure}", case.name));
    }
    if is_usable { Ok(()) } else { target.restart() }
}

/// Returns the failures, and if the server can stand another case.
fn judge(target: &Target, idle: Duration, busiest: &str) -> (Vec<String>, bool) {
    let (watch, limit) = (target.watch(), target.limits().memory);
    let mut failures = Vec::new();
    let peak = watch.peak();
    if peak as f64 > limit as f64 * (1.0 + MEMORY_TOLERANCE) {
        let killed = if watch.has_killed() { ", and was killed by us" } else { "" };
        failures.push(format!("the server took {} MB{killed}", peak / 1_000_000));
    }
    if watch.has_killed() {
        return (failures, false);
    }
    if !target.is_alive() {
        failures.push("the server has ended".to_owned());
        return (failures, false);
    }
    if idle > IDLE_WITHIN + target.limits().floor * 10 {
        failures.push(format!("thread {busiest} still worked {idle:.1?} after the clients left"));
    }
    let answer = answers(target).map_err(|error| format!("the server does not answer afterwards: {error}"));
    let memory = until_memory_is_free(target);
    let is_usable = answer.is_ok() && memory.is_ok() && idle <= IDLE_TIMEOUT;
    failures.extend([answer, memory].into_iter().filter_map(Result::err));
    (failures, is_usable)
}

/// Waits until the memory is below the limit again. Errors: it stays above.
fn until_memory_is_free(target: &Target) -> Result<(), String> {
    let resident = || target.process().memory().unwrap_or_default().resident;
    let is_free = || (resident() <= target.limits().memory).then_some(());
    wait_within(MEMORY_FREE_WITHIN, "memory is still in use", is_free)
        .map_err(|error| format!("{error}: {} MB", resident() / 1_000_000))
}

/// Waits until the server is idle. Returns the time until then and the thread that worked most.
fn until_idle(target: &Target) -> (Duration, String) {
    let start = Instant::now();
    let mut before = processor_times(target);
    let (mut elapsed, mut busiest) = (Duration::ZERO, String::new());
    while elapsed <= IDLE_TIMEOUT {
        // The use of the processor is measured over this time.
        std::thread::sleep(IDLE_WINDOW);
        let now = processor_times(target);
        let used = |(thread, (name, time)): (&OsString, &(String, Duration))| {
            let earlier = before.get(thread).map_or(Duration::ZERO, |(_, time)| *time);
            (time.saturating_sub(earlier), name.clone())
        };
        let used: Vec<(Duration, String)> = now.iter().map(used).collect();
        let all: Duration = used.iter().map(|(time, _)| time).sum();
        if all.as_secs_f64() < IDLE_CORES * IDLE_WINDOW.as_secs_f64() {
            return (elapsed, busiest);
        }
        busiest = used.into_iter().max().map(|(_, name)| name).unwrap_or_default();
        before = now;
        elapsed = start.elapsed();
    }
    (elapsed, busiest)
}

/// Returns the name and the processor time by now of each thread but those that compact the store.
fn processor_times(target: &Target) -> HashMap<OsString, (String, Duration)> {
    let mut times = target.process().threads_by_number();
    times.retain(|_, (name, _)| !COMPACTION.iter().any(|known| name.starts_with(known)));
    times
}

fn answers(target: &Target) -> std::io::Result<()> {
    let mut connection = Connection::open(target.address(), ALIVE_TIMEOUT)?;
    connection.ask(&Request::new("GET", "/_admin/server/availability")).map(|_| ())
}
