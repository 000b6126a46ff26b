//! Stream transactions that are open, and the outcomes of those that ended lately.
//!
//! Requests within one transaction take turns: each borrows the storage's transaction and returns
//! it ([`StreamTransaction`]). A transaction that nobody uses for a while is aborted. Its number
//! stays known for some minutes with its outcome ([`Transactions`]).

mod registry;
mod status;
mod stream;

pub use registry::{TransactionActivity, TransactionLimits, TransactionSummary, Transactions};
pub use status::TransactionStatus;
pub(crate) use stream::{Declared, DeclaredUse, StreamTransaction};
