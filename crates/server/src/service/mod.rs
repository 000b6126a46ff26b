//! Small services of the server besides the database. They do not depend on the routes. None but
//! `metrics`, which prints their state, depends on others.

pub mod authentication;
pub mod backups;
pub(crate) mod change_news;
pub mod crashes;
pub mod encryption;
pub mod foxx_network;
pub mod jobs;
pub mod log;
pub mod log_archive;
pub mod machine;
pub(crate) mod metrics;
pub mod recording;
pub mod shutdown;
