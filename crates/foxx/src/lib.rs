//! Services in JavaScript as ArangoDB's Foxx has them: what one is made of, and what its owner
//! sets.
//!
//! - [`Mount`]: the path below which a service answers, and [`Mounts`], which finds it.

mod mount;

pub use mount::{MOUNT_MAX_BYTES, Mount, Mounts, SEGMENT_MAX_BYTES};
