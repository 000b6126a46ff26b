//! Services in JavaScript as ArangoDB's Foxx has them: what one is made of, and what its owner
//! sets.
//!
//! - [`Mount`]: the path below which a service answers, and [`Mounts`], which finds it.
//! - [`Manifest`]: the file that says what a service is.
//! - [`configuration`], [`dependency`]: the values that the owner of a service sets.
//! - [`Bundle`]: all files of a service, from an archive, a folder or a script, and into them.
//! - [`bundle_bytes`]: the archive in a document of `_appbundles`.

mod mount;
mod path;
mod title;
mod version;
mod glob;
mod manifest;
mod options;
pub mod configuration;
pub mod dependency;
mod bundle;
mod record;

pub use bundle::{Bundle, Limits};
pub use glob::{PATTERN_MAX_BYTES, Pattern};
pub use manifest::{
    Asset, Dependency, MANIFEST_MAX_BYTES, MANIFEST_NAME, Manifest, Parameter, ParameterType,
};
pub use mount::{MOUNT_MAX_BYTES, Mount, Mounts, SEGMENT_MAX_BYTES, database_folder};
pub use options::Changed;
pub use record::bundle_bytes;
pub use title::title_of;
pub use version::{VERSION_MAX_BYTES, Version, VersionRange};
