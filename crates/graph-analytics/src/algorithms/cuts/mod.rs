//! Vertices and edges that hold a component together: articulation points and bridges.

mod lowlink;
mod articulation_points;
mod bridges;
#[cfg(test)]
mod tests;

pub(super) use articulation_points::ARTICULATION_POINTS;
pub(super) use bridges::BRIDGES;
