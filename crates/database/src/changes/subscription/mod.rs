//! Subscriptions: named positions in the change log, which the server keeps.
//!
//! A subscription is a document of a system collection of its database. `manage` makes, lists and
//! removes them. `batch` reads: a reader gets a batch of changes, and acknowledges it. `positions`
//! stores what was acknowledged.

mod batch;
mod definition;
mod manage;
mod positions;

pub use crate::state::subscriptions::SubscriptionReader;
pub use batch::{BatchEnd, SubscriptionBatch};
pub use definition::SubscriptionDefinition;
pub use manage::Subscription;
pub(crate) use positions::{held_from, store_positions};
