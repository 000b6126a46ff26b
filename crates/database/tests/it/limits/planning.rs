//! Planning ends soon after a kill, whatever the query looks like and however far planning is.

use std::time::{Duration, Instant};

use aql_value::Interrupt;
use database::query::request::QueryRequest;
use database::{Format, Session};

use super::generators::{generators, request, with_indexes};

/// The times between the start of planning and the kill. Only the first is tried, unless the
/// environment has `PERSEA_ALL_CALLS=1`: all take minutes.
const KILLED_AFTER: [Duration; 3] =
    [Duration::from_millis(50), Duration::from_millis(400), Duration::from_millis(1500)];
/// The bound for the time after the kill. A hundredth of it is the goal, but test machines are
/// busy.
const PATIENCE: Duration = Duration::from_secs(10);

fn run(session: &Session, request: &QueryRequest, explains: bool) -> Result<(), errors::Error> {
    match explains {
        true => session.explain(request).map(drop),
        false => session.query(request, Format::Json).map(drop),
    }
}

/// Kills a query in the middle. Returns the time from the kill to its end, and true if the kill
/// ended it.
fn kill(session: &Session, request: &QueryRequest, after: Duration, explains: bool) -> (Duration, bool) {
    let interrupt = Interrupt::new();
    let session = session.clone().ended_by(interrupt.clone());
    std::thread::scope(|scope| {
        let planning = scope.spawn(|| {
            let outcome = run(&session, request, explains);
            (Instant::now(), outcome.map_err(|error| error.number()))
        });
        // The query is killed in the middle of its work, wherever that is.
        std::thread::sleep(after);
        let killed = Instant::now();
        interrupt.kill();
        let (end, outcome) = planning.join().unwrap();
        // Error 32: more operators than the stack can hold.
        assert!(matches!(outcome, Ok(()) | Err(32 | 1500)), "{outcome:?}");
        (end.saturating_duration_since(killed), outcome == Err(1500))
    })
}

/// Kills all queries while they are planned, explained or run.
fn check(explains: bool, all_plans: bool) {
    let session = with_indexes();
    let (mut late, mut killed) = (Vec::new(), 0);
    let times = if std::env::var_os("PERSEA_ALL_CALLS").is_some() { KILLED_AFTER.len() } else { 1 };
    let generators = generators();
    for generator in &generators {
        let mut request = request(generator);
        request.options.all_plans = all_plans;
        for after in KILLED_AFTER.into_iter().take(times) {
            let (took, was_killed) = kill(&session, &request, after, explains);
            if took > PATIENCE {
                late.push(format!("{} ended {took:?} after the kill", generator.name));
            }
            if !was_killed {
                break;
            }
            killed += 1;
        }
    }
    assert!(late.is_empty(), "{}", late.join("\n"));
    // Fast machines plan some of them in less time.
    assert!(killed > generators.len() / 2, "only {killed} queries took long enough");
}

#[test]
fn queries_end_soon_after_a_kill() {
    check(false, false);
}

#[test]
fn explanations_end_soon_after_a_kill() {
    check(true, false);
}

#[test]
fn explanations_of_all_plans_end_soon_after_a_kill() {
    check(true, true);
}
