//! An output of the log with levels of its own.

use std::io;

use super::TOPICS;
use super::level::Level;
use super::output::Output;

/// An output, and the levels that differ from those of the log.
#[derive(Debug)]
pub(super) struct Appender {
    output: Output,
    own: [Option<Level>; TOPICS.len()],
}

impl Appender {
    pub(super) fn new(output: Output) -> Self {
        Appender { output, own: [None; TOPICS.len()] }
    }

    /// Returns the name of the output in ArangoDB's configuration.
    pub(super) fn name(&self) -> String {
        self.output.name()
    }

    /// Returns the level of a topic, unless it is that of the log.
    pub(super) fn own_level(&self, topic: usize) -> Option<Level> {
        self.own.get(topic).copied().flatten()
    }

    /// Sets the level of a topic; without one it is that of the log.
    pub(super) fn set_level(&mut self, topic: usize, level: Option<Level>) {
        if let Some(own) = self.own.get_mut(topic) {
            *own = level;
        }
    }

    pub(super) fn write(&mut self, line: &str) -> io::Result<()> {
        self.output.write(line)
    }

    pub(super) fn reopen(&mut self) -> io::Result<()> {
        self.output.reopen()
    }
}
