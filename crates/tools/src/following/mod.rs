//! The part that `migrate` and `follow` share: a server that follows another one, as its routes
//! under `/_api/follow` tell.

mod requests;
mod status;
mod wait;
#[cfg(test)]
mod tests;

pub(crate) use requests::{command, print_status, status};
pub(crate) use status::problems;
#[cfg(test)]
use status::{Phase, Status};
pub(crate) use wait::{Goal, wait};
