//! Webhooks: their definitions, how far each has delivered, and when each is due.
//!
//! Documents of `_webhooks` keep what is here ([`crate::changes`] reads and writes them), so that a
//! start finds it again.

pub(crate) mod definition;
mod hook;
mod progress;
mod registry;
mod schedule;

pub use definition::WebhookDefinition;
pub use progress::WebhookProgress;
pub use registry::WebhookOptions;

pub(crate) use hook::{Hook, HookState, Pace};
pub(crate) use registry::Webhooks;
pub(crate) use schedule::{Next, Schedule};
