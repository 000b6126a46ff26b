//! Numbers and keys that are never issued twice.

pub(crate) mod id_sequence;
pub(crate) mod key_generator;
