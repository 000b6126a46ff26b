//! Stream transactions: transactions that span requests.
//!
//! A client begins one ([`TransactionRequest`]), names its number in later requests, and commits or
//! aborts it. A session with that number ([`Session::within`]) reads the transaction's state and
//! writes into it ([`Writer`]). Requests within one transaction take turns: each borrows the
//! storage's transaction and returns it (`StreamTransaction`). A request that fails takes back
//! its own writes only.
//!
//! A transaction that nobody uses for a while is aborted. Its number stays known for some minutes
//! with its outcome ([`Transactions`]).
//!
//! Source: ArangoDB 3.12 documentation, "HTTP interface for Stream Transactions".
//!
//! [`Session::within`]: crate::Session::within

pub(crate) mod registry;
mod request;
mod session;
mod status;
mod stream;
mod writer;

pub use registry::{TransactionCounts, TransactionLimits, TransactionSummary, Transactions};
pub use request::TransactionRequest;
pub use session::PendingTransaction;
pub use status::TransactionStatus;
pub(crate) use writer::Writer;
