//! How far a webhook has delivered.

use errors::Result;
use velocypack::{Builder, Slice};

/// The position of a webhook, and the outcome of its last deliveries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WebhookProgress {
    /// The identity of the change log.
    pub log: u64,
    /// The position in it up to which everything was delivered.
    pub position: u64,
    /// The last position of the delivery that has failed so far. Its next attempt has the same
    /// changes.
    pub pending: Option<u64>,
    /// The failed attempts of that delivery.
    pub attempts: u64,
    /// The reason why the webhook has stopped for good.
    pub failure: Option<String>,
    /// The error of the last attempt that failed since the last success.
    pub last_error: Option<String>,
    /// The time of the last success in ISO 8601.
    pub last_success: Option<String>,
    /// The number of dead letters.
    pub dead_letters: u64,
    /// The dead letters are being delivered once more.
    pub retries_dead_letters: bool,
}

impl WebhookProgress {
    /// Returns the progress of a webhook that begins behind a position.
    pub(crate) fn at(log: u64, position: u64) -> Self {
        WebhookProgress { log, position, ..WebhookProgress::default() }
    }

    /// Reads what [`WebhookProgress::print`] has written; `None` if it is damaged.
    pub(crate) fn from_document(document: Slice<'_>) -> Option<Self> {
        let stored = document.get("progress")?;
        let number = |name: &str| stored.get(name)?.as_str()?.parse().ok();
        let text = |name: &str| stored.get(name).and_then(Slice::as_str).map(str::to_owned);
        Some(WebhookProgress {
            log: number("log")?,
            position: number("position")?,
            pending: number("pending"),
            attempts: stored.get("attempts")?.as_u64()?,
            failure: text("failure"),
            last_error: text("lastError"),
            last_success: text("lastSuccess"),
            dead_letters: stored.get("deadLetters")?.as_u64()?,
            retries_dead_letters: stored.get("retriesDeadLetters")?.as_bool()?,
        })
    }

    /// Adds the attribute `progress` to an open object. Positions are texts, because readers of
    /// JSON lose digits of large numbers.
    pub(crate) fn print(&self, out: &mut Builder) -> Result<()> {
        out.key("progress")?;
        out.open_object()?;
        out.key("log")?;
        out.add_str(&self.log.to_string())?;
        out.key("position")?;
        out.add_str(&self.position.to_string())?;
        if let Some(pending) = self.pending {
            out.key("pending")?;
            out.add_str(&pending.to_string())?;
        }
        for (name, text) in
            [("failure", &self.failure), ("lastError", &self.last_error), ("lastSuccess", &self.last_success)]
        {
            if let Some(text) = text {
                out.key(name)?;
                out.add_str(text)?;
            }
        }
        out.key("attempts")?;
        out.add_u64(self.attempts)?;
        out.key("deadLetters")?;
        out.add_u64(self.dead_letters)?;
        out.key("retriesDeadLetters")?;
        out.add_bool(self.retries_dead_letters)?;
        Ok(out.close()?)
    }
}
