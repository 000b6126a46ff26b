//! `SLEEP()`.

use std::time::{Duration, Instant};

use aql_value::{EvaluationContext, Value, Waiting};
use errors::Result;

use crate::argument::{invalid, value};

/// The time between two checks of the interrupt.
const NAP: Duration = Duration::from_millis(20);

/// `SLEEP(seconds)`: null after that time; a killed query ends immediately.
pub(crate) fn sleep(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let Some(seconds) = value(arguments, 0).as_f64().filter(|seconds| *seconds >= 0.0) else {
        return invalid(context, "SLEEP");
    };
    // A time beyond the range of `Duration` counts as infinite.
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let (begin, _waiting) = (Instant::now(), Waiting::begin());
    loop {
        context.interrupt.check()?;
        let left = duration.saturating_sub(begin.elapsed());
        if left.is_zero() {
            return Ok(Value::Null);
        }
        std::thread::sleep(left.min(NAP));
    }
}
