//! Waiting for a phase, with a display of the progress.

use std::thread::sleep;
use std::time::{Duration, Instant};

use client::Client;

use super::requests::status;
use super::status::{Phase, Status};
use crate::{Console, Failure, Progress, Unit};

/// The time between two questions.
const INTERVAL: Duration = Duration::from_millis(200);

/// The time for which a server may not answer: it may be starting again.
const PATIENCE: Duration = Duration::from_secs(60);

/// The state to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Everything is copied, and the log is applied to its end.
    CaughtUp,
    /// It follows no longer.
    Ended,
}

/// Waits, and returns the state that was waited for.
///
/// Errors: a failure of the server, a comparison that found differences, a server that does not
/// answer for a minute.
pub(crate) fn wait(client: &Client, goal: Goal, shows: bool, console: &Console) -> Result<Status, Failure> {
    let mut shown: Option<(Phase, Progress, u64)> = None;
    let begin = Instant::now();
    let (mut last_answer, mut has_begun) = (begin, false);
    loop {
        let status = match status(client) {
            Ok(status) => status,
            Err(failure) if last_answer.elapsed() > PATIENCE => return Err(failure),
            Err(failure) => {
                console.debug(failure.text());
                sleep(INTERVAL);
                continue;
            }
        };
        last_answer = Instant::now();
        has_begun |= status.phase == Phase::CuttingOver || begin.elapsed() > PATIENCE;
        if let Some(outcome) = outcome(&status, goal, has_begun) {
            return outcome.map(|()| status);
        }
        show(&status, &mut shown, shows, console);
        sleep(INTERVAL);
    }
}

/// Returns the end of the wait; `None` to go on.
///
/// `has_begun` is true once the server has begun to take over, or had enough time for that.
pub(super) fn outcome(status: &Status, goal: Goal, has_begun: bool) -> Option<Result<(), Failure>> {
    match (status.phase, goal) {
        (Phase::Failed, _) => Some(Err(Failure::new(status.failure()))),
        (Phase::Ended, Goal::Ended) => Some(Ok(())),
        (Phase::Ended | Phase::None | Phase::Paused, Goal::CaughtUp) => {
            Some(Err(Failure::new("the server does not follow any more; see `status`")))
        }
        (Phase::Following, Goal::CaughtUp) => status.has_caught_up().then_some(Ok(())),
        // The order waits for the end of other work.
        (Phase::Following, Goal::Ended)
            if !has_begun && status.error().is_empty() && status.differences().is_empty() =>
        {
            None
        }
        // It took over no longer: the comparison has found a difference, or it was aborted.
        (Phase::Following | Phase::None | Phase::Paused, Goal::Ended) => {
            let mut text = match status.error() {
                error if error.is_empty() => "the server did not take over".to_owned(),
                error => format!("the server did not take over: {error}"),
            };
            for line in status.differences() {
                text.push_str("\n  ");
                text.push_str(&line);
            }
            Some(Err(Failure::new(text)))
        }
        _ => None,
    }
}

/// Shows the documents of the copy, then the entries of the log.
fn show(status: &Status, shown: &mut Option<(Phase, Progress, u64)>, shows: bool, console: &Console) {
    let (label, unit, path) = match status.phase {
        Phase::Copying => ("copy", Unit::Items("documents"), ["copy", "documents"]),
        Phase::CuttingOver => ("cut over", Unit::Items("entries"), ["log", "entries"]),
        _ => ("follow", Unit::Items("entries"), ["log", "entries"]),
    };
    let done = status.number(&path);
    match shown {
        Some((phase, progress, before)) if *phase == status.phase => {
            progress.add(done.saturating_sub(*before));
            *before = done;
        }
        _ => {
            // The display of the last phase ends before the next one begins.
            *shown = None;
            *shown = Some((status.phase, Progress::new(console, shows, label, unit, None), done));
        }
    }
}
