//! Values between JavaScript and VelocyPack.
//!
//! Numbers beyond 2^53 become doubles in JavaScript, as in ArangoDB. Halves of surrogate pairs
//! become U+FFFD in VelocyPack, which has only UTF-8.

mod from_js;
mod text;
mod to_js;

pub(crate) use from_js::from_js;
pub(crate) use text::{bytes, text};
pub(crate) use to_js::to_js;
