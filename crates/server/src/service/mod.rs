//! What requests are answered with besides the database: small services that know neither each other nor the routes.

pub mod authentication;
pub mod jobs;
pub mod log;
pub mod machine;
pub mod recording;
pub mod shutdown;
