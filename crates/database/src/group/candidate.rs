//! The data of this member, as the elections see them.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use elections::{Candidate, Position};

use crate::follow::member_position;
use crate::instance::Instance;

/// The time between two looks at a position.
const LOOK: Duration = Duration::from_millis(5);

/// The data of a member.
pub(super) struct Data {
    instance: Weak<Instance>,
}

impl Data {
    pub(super) fn new(instance: &Arc<Instance>) -> Self {
        Data { instance: Arc::downgrade(instance) }
    }

    fn look(&self) -> Result<Option<Position>, String> {
        let instance = self.instance.upgrade().ok_or("the server stops")?;
        member_position(&instance).map_err(|error| error.to_string())
    }
}

impl Candidate for Data {
    fn position(&self) -> Option<Position> {
        match self.look() {
            Ok(position) => position,
            Err(error) => {
                tracing::error!(target: "replication", "the position of this member cannot be read: {error}");
                None
            }
        }
    }

    fn catch_up(&self, to: Position, timeout: Duration) -> Result<(), String> {
        let end = Instant::now() + timeout;
        loop {
            let position = self.look()?;
            if position.is_some_and(|position| position >= to) {
                return Ok(());
            }
            if Instant::now() >= end {
                let reached = position.map_or_else(
                    || "it copies data".to_owned(),
                    |position| format!("it has reached {} of epoch {}", position.tick, position.epoch),
                );
                return Err(format!(
                    "this member has not caught up in {} ms: {reached}",
                    timeout.as_millis()
                ));
            }
            std::thread::sleep(LOOK);
        }
    }

    fn stop_writes(&self, timeout: Duration) -> Result<Position, String> {
        // The lease is not shown any more, so no commit begins. Those that have begun hold
        // positions of the log.
        let end = Instant::now() + timeout;
        let instance = self.instance.upgrade().ok_or("the server stops")?;
        let store = instance.store();
        while store.resolved_position() < store.next_position() {
            if Instant::now() >= end {
                return Err(format!("writes in progress have not ended in {} ms", timeout.as_millis()));
            }
            std::thread::sleep(LOOK);
        }
        self.look()?.ok_or_else(|| "this member does not lead".to_owned())
    }

    fn resume_writes(&self) {}
}
