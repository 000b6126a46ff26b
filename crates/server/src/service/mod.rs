//! Small services of the server, in addition to the database. They depend neither on each other nor
//! on the routes.

pub mod authentication;
pub mod backups;
pub mod jobs;
pub mod log;
pub mod machine;
pub mod recording;
pub mod shutdown;
