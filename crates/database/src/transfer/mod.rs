//! Collections and databases as a whole, without a query: [`import`] and [`export`] of documents,
//! and [`dump`] and [`restore`] for ArangoDB's tools.

pub mod dump;
pub mod export;
pub mod import;
pub mod restore;
