//! Services in JavaScript (Foxx): what is installed, their files, and the rights on them.
//!
//! `bundles`: archives and folders in memory. `records`: the collection `_apps`, as it was last
//! read. `files`: the folders of services, and the bundles in `_appbundles` that they are made
//! from. `changes`: installing, configuring and removing. `jobs`: the jobs of queues. The routes
//! of the server run services and jobs.
//!
//! A service is in three places: its record, its bundle and its folder. The record counts. A
//! folder that is missing, or of another bundle than the record names, is made from the bundle.

mod bundles;
mod files;
mod records;
mod changes;
mod jobs;

pub use self::bundles::ChargedBundle;
pub use self::changes::ServiceChange;
pub use self::files::provide_all;
pub use self::jobs::{Job, JobEnd, JobOutcome};
pub use crate::state::foxx::{FoxxOptions, InstalledService, IsolateLimits, ServiceRecord, ServiceSet};
