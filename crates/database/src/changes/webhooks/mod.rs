//! Webhooks: changes are sent to receivers that users name.
//!
//! - `session` has the methods of sessions: definitions, positions, dead letters, test deliveries.
//! - `documents` keeps webhooks in `_webhooks`, and `dead_letters` deliveries that failed for good
//!   in `_webhookdeadletters`. Both collections are made with the first webhook of a database.
//! - `threads` waits for commits, and gives each webhook that is due a `turn`: it reads a `batch`,
//!   sends it, and saves the position.
//!
//! A batch is delivered at least once: its position is saved after the receiver has taken it. One
//! batch of a webhook is in flight, so batches come in order.

mod dead_letters;
mod documents;
mod batch;
mod turn;
mod threads;
mod session;

pub use dead_letters::DeadLetter;
pub use session::{PingOutcome, WebhookView};
pub(crate) use threads::follow_first;
