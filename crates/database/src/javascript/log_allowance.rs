//! The bound of what one script may write into the server's log.

use std::cell::Cell;

/// Maximum size in bytes of a script's messages.
const MAX_BYTES: usize = 64 << 10;

/// The bytes of a message besides its text.
const MESSAGE_BYTES: usize = 128;

/// The rest of what a script may write into the log.
#[derive(Debug)]
pub struct LogAllowance(Cell<usize>);

impl Default for LogAllowance {
    fn default() -> Self {
        LogAllowance(Cell::new(MAX_BYTES))
    }
}

impl LogAllowance {
    /// Takes a message. Returns true if it may be written.
    ///
    /// The log says once that messages are omitted.
    pub fn take(&self, text: &str) -> bool {
        let left = self.0.get();
        match left.checked_sub(text.len().saturating_add(MESSAGE_BYTES)) {
            Some(rest) => self.0.set(rest),
            None if left > 0 => {
                self.0.set(0);
                tracing::info!(target: "v8", "a script logs too much; further messages are dropped");
                return false;
            }
            None => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_writes_so_much_and_no_more() {
        let allowance = LogAllowance::default();
        let written = (0..10_000).filter(|_| allowance.take("message")).count();
        assert!((400..600).contains(&written), "{written}");
        assert!(!LogAllowance::default().take(&"x".repeat(MAX_BYTES)));
    }
}
