//! Changes: what the change log has, for clients.
//!
//! - [`Feed`] reads the log of a database, with the rights of its user, in the form that a client
//!   asks for. [`Token`] is a position in it.
//! - [`ChangeRows`] reads it for `CHANGES()` in AQL.
//! - [`subscription`]: positions that the server keeps for readers, who acknowledge.
//! - `webhooks` delivers it to receivers that users name.
//! - [`TailRequest`] reads it as ArangoDB's replication does. `archive` reads it the same way, with
//!   the times of commits.

mod archive;
mod feed;
mod form;
mod initial;
mod kept;
mod names;
mod request;
mod restricted;
mod retention;
mod rights;
mod rows;
mod slot_filter;
pub mod subscription;
mod tail;
mod tail_entries;
mod token;
mod webhooks;

pub use crate::state::feeds::OpenFeed;
pub use crate::state::log_readers::LogReader;
pub use crate::state::webhooks::{WebhookDefinition, WebhookOptions, WebhookProgress};
pub use archive::{LogMoment, LogPart};
pub use feed::{Feed, Progress};
pub use form::ChangeForm;
pub(crate) use kept::{MODE as OWN_WRITES, own_session, provide_collections};
pub use request::{FeedRequest, Since};
pub(crate) use retention::trim;
pub(crate) use rows::{ChangeReader, ChangeRows};
pub use tail::{Tail, TailRequest, TickRange};
pub use token::Token;
pub(crate) use webhooks::follow_first as follow_webhooks;
pub use webhooks::{DeadLetter, PingOutcome, WebhookView};
