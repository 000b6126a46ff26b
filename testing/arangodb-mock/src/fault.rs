//! Faults of requests, on demand.

use std::fmt;
use std::time::Duration;

use crate::model::Model;

/// A fault of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The connection ends before any reply.
    Cut,
    /// The connection ends after half of the reply's body.
    Half,
    /// The server answers 503, as in a start or with a full queue.
    Busy,
    /// The server answers after this time.
    Delay(Duration),
}

/// A change of the state that comes before a request is answered.
type Change = Box<dyn FnOnce(&mut Model) + Send>;

/// The faults that are still to come.
#[derive(Default)]
pub(crate) struct Faults {
    faults: Vec<(String, Fault)>,
    changes: Vec<(String, Change)>,
}

impl fmt::Debug for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}, {} changes", self.faults, self.changes.len())
    }
}

impl Faults {
    pub(crate) fn add(&mut self, request: &str, fault: Fault) {
        self.faults.push((request.to_owned(), fault));
    }

    pub(crate) fn add_change(&mut self, request: &str, change: Change) {
        self.changes.push((request.to_owned(), change));
    }

    /// Takes the fault of a request.
    pub(crate) fn take(&mut self, request: &str) -> Option<Fault> {
        let found = self.faults.iter().position(|(part, _)| request.contains(part))?;
        Some(self.faults.remove(found).1)
    }

    /// Takes the change that comes before a request.
    pub(crate) fn take_change(&mut self, request: &str) -> Option<Change> {
        let found = self.changes.iter().position(|(part, _)| request.contains(part))?;
        Some(self.changes.remove(found).1)
    }
}
