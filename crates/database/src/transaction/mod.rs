//! Stream transactions: transactions that span requests.
//!
//! A client begins one ([`TransactionRequest`]), names its number in later requests, and commits or
//! aborts it. A session with that number ([`Session::within`]) reads the transaction's state and
//! writes into it ([`Writer`]). A request that fails undoes only its own writes. The open
//! transactions are in [`Transactions`].
//!
//! Source: ArangoDB 3.12 documentation, "HTTP interface for Stream Transactions".
//!
//! [`Session::within`]: crate::Session::within

mod request;
mod session;
mod writer;

pub use crate::state::transactions::{
    TransactionActivity, TransactionLimits, TransactionStatus, TransactionSummary, Transactions,
};
pub use request::TransactionRequest;
pub use session::PendingTransaction;
pub(crate) use writer::Writer;
