//! Closeness: how near a vertex is to others, exactly or by estimates.

mod exact;
mod effective;
#[cfg(test)]
mod tests;

use crate::parameters::{Kind, Parameter};

pub(super) use effective::EFFECTIVE_CLOSENESS;
pub(super) use exact::CLOSENESS;

/// The parameter `direction` of both.
const DIRECTION: Parameter = Parameter {
    name: "direction",
    kind: Kind::Choice(&["inbound", "outbound", "any"]),
    about: "Distances to the vertex (inbound), from it (outbound), or with directions ignored.",
};
