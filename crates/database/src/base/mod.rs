//! Values that every other module may use: the owners of objects, and the numbers of objects that
//! live in the memory of one server.

mod local_ids;
mod owner;

pub use local_ids::{LocalIds, SharingServer};
pub use owner::Owner;
