//! Values that every other module may use: the owners of objects, the numbers of objects that live
//! in the memory of one server, and users as documents.

mod local_ids;
mod owner;
pub(crate) mod user_documents;

pub use local_ids::{LocalIds, SharingServer};
pub use owner::Owner;
