//! One attack from the start of its server to the verdict.

use std::path::Path;
use std::time::{Duration, Instant};

use fastrand::Rng;
use harness::Launch;

use crate::attack::arguments::Arguments;
use crate::attack::attacks::Attack;
use crate::attack::bystander::{self, FIXED_KEY, percentile};
use crate::attack::mounts;
use crate::attack::target::{self, Limits, Target};

/// Time in which the bystander's times at rest are measured.
const REST: Duration = Duration::from_millis(1_500);

/// The bystander's p99 may be this many times its value at rest, and the floor.
const SLOWER_MAX: u32 = 10;

/// At most this share of the bystander's requests may be refused.
const REFUSED_MAX: f64 = 0.1;

/// Number of documents in one request.
const KEYS_AT_ONCE: usize = 1_000;

/// The row of an attack in the table.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) attack: &'static str,
    pub(crate) requests: u64,
    /// Bytes.
    pub(crate) peak: u64,
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
    pub(crate) p99_at_rest: Duration,
    /// The reason for which this machine cannot run the attack.
    pub(crate) skipped: Option<String>,
    pub(crate) failures: Vec<String>,
}

impl Row {
    /// An attack that did not take place.
    fn without_attack(attack: &dyn Attack) -> Self {
        let (p50, p99, p99_at_rest, requests, peak) = Default::default();
        let (skipped, failures) = (None, Vec::new());
        Row { attack: attack.name(), requests, peak, p50, p99, p99_at_rest, skipped, failures }
    }
}

/// Runs an attack for `time`, or one pass.
pub(crate) fn run(arguments: &Arguments, attack: &dyn Attack, time: Option<Duration>) -> Row {
    let nothing = Row::without_attack(attack);
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => return Row { failures: vec![format!("a temporary folder: {error}")], ..nothing },
    };
    let row = match attack.options(folder.path()) {
        Ok(options) => run_in(folder.path(), options, arguments, attack, time)
            .unwrap_or_else(|reason| Row { failures: vec![reason], ..nothing }),
        Err(reason) => Row { skipped: Some(reason), ..nothing },
    };
    mounts::remove(folder.path());
    row
}

/// Errors: the attack could not be run.
fn run_in(
    folder: &Path,
    mut options: Vec<String>,
    arguments: &Arguments,
    attack: &dyn Attack,
    time: Option<Duration>,
) -> Result<Row, String> {
    options.extend(["--memory-limit".to_owned(), arguments.memory_limit.to_string()]);
    options.extend(["--server.session-timeout", "1000000"].map(str::to_owned));
    if let Some(threads) = attack.threads() {
        options.extend(["--server.maximal-threads".to_owned(), threads.to_string()]);
    }
    let launch = Launch::for_root(&arguments.common.server, folder, &options)?;
    let limits = Limits {
        memory: arguments.memory_limit,
        deadline: time.map(|time| Instant::now() + time),
        floor: arguments.floor,
        case: arguments.case.clone(),
    };
    let target = Target::start(launch, limits)?;
    prepare(&target, attack)?;
    let mut rng = Rng::with_seed(arguments.common.seed);
    std::thread::scope(|scope| {
        scope.spawn(|| target.watch().run(|| target.bystander().excuse(true)));
        let bystander = scope.spawn(|| target.bystander().run());
        let row = attack_and_judge(&target, attack, &mut rng);
        target.bystander().end();
        // Errors: a panic, which the scope hands on.
        let _ = bystander.join();
        check_data(&target).unwrap_or_else(|reason| target.fail(reason));
        target.watch().end();
        Ok(Row { failures: target.failures(), ..row })
    })
}

/// Creates the collections and whatever else the attack needs.
fn prepare(target: &Target, attack: &dyn Attack) -> Result<(), String> {
    for name in [bystander::COLLECTION, target::COLLECTION] {
        target.call("POST", "/_api/collection", &format!("{{\"name\":\"{name}\"}}"))?;
    }
    let path = format!("/_api/document/{}", bystander::COLLECTION);
    target.call("POST", &path, &format!("{{\"_key\":\"{FIXED_KEY}\"}}"))?;
    attack.prepare(target)
}

fn attack_and_judge(target: &Target, attack: &dyn Attack, rng: &mut Rng) -> Row {
    // The bystander is measured over this time.
    std::thread::sleep(REST);
    let p99_at_rest = percentile(&target.bystander().take_times(), 0.99);
    attack.run(target, rng).unwrap_or_else(|reason| target.fail(reason));
    let times = target.bystander().take_times();
    let (p50, p99) = (percentile(&times, 0.5), percentile(&times, 0.99));
    let bound = p99_at_rest * SLOWER_MAX + target.limits().floor;
    if p99 > bound {
        let slowest = target.slowest_cases();
        target.fail(format!(
            "the bystander's p99 was {p99:.1?}, at rest {p99_at_rest:.1?}, the bound is {bound:.1?}; {slowest}"
        ));
    }
    judge_replies(target);
    for crash in target.crashes() {
        target.fail(format!("the log: {crash}"));
    }
    let (requests, peak) = (target.requests(), target.watch().highest_peak());
    Row { requests, peak, p50, p99, p99_at_rest, ..Row::without_attack(attack) }
}

fn judge_replies(target: &Target) {
    let seen = target.bystander().seen().clone();
    if let Some(error) = seen.first_error {
        target.fail(format!("the bystander had {} errors, such as: {error}", seen.errors));
    }
    let all = seen.acknowledged.len() + seen.refusals;
    if seen.refusals as f64 > all as f64 * REFUSED_MAX {
        target.fail(format!("the bystander was refused {} times of {all}", seen.refusals));
    }
}

/// Checks that all acknowledged documents are there, now and after a kill. Errors: text for the
/// user.
fn check_data(target: &Target) -> Result<(), String> {
    check_documents(target, "at the end")?;
    target.restart()?;
    check_documents(target, "after a kill and a restart")
}

fn check_documents(target: &Target, when: &str) -> Result<(), String> {
    let keys = target.bystander().seen().acknowledged.clone();
    let path = format!("/_api/document/{}?onlyget=true", bystander::COLLECTION);
    let mut missing = 0;
    for some in keys.chunks(KEYS_AT_ONCE) {
        let reply = target.call("PUT", &path, &serde_json::json!(some).to_string())?;
        let documents = reply.json();
        let found = documents.as_array().into_iter().flatten().filter(|found| found["_key"].is_string());
        missing += some.len().saturating_sub(found.count());
    }
    if missing > 0 {
        target.fail(format!("{missing} of {} acknowledged documents are missing {when}", keys.len()));
    }
    Ok(())
}
