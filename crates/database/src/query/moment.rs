//! Work that may be begun on a connection's own task, where it must not go on for long.

use std::time::Duration;

use aql_value::Interrupt;

use crate::Result;

/// How long queries are planned and begun there.
pub(crate) const MOMENT: Duration = Duration::from_millis(2);

/// Does some work, unless it takes longer than a moment: then it is given up, and the answer is `None`. Whoever asks
/// has to do all of it again elsewhere.
pub(crate) fn in_a_moment<T>(
    interrupt: &Interrupt,
    length: Duration,
    work: impl FnOnce() -> Result<T>,
) -> Result<Option<T>> {
    interrupt.begin_moment(length);
    let done = work();
    if interrupt.end_moment() { Ok(None) } else { done.map(Some) }
}
