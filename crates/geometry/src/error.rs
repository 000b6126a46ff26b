//! Errors of shapes.

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a value is not a shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The value is neither an array of coordinates nor an object of a known type.
    #[error("Invalid GeoJSON Geometry Object.")]
    NoGeometry,
    /// Coordinates of the wrong shape.
    #[error("{0}")]
    Coordinates(&'static str),
    /// Coordinates that are not on the earth: see [`crate::Rules`].
    #[error("Coordinates are out of range")]
    OutOfRange,
    /// Rings that cross, touch themselves, or do not enclose each other as they should.
    #[error("Invalid loop in polygon: {0}")]
    Polygon(&'static str),
    /// More than [`crate::POSITIONS_MAX`] positions.
    #[error("Too many coordinates")]
    TooLarge,
    /// The caller interrupted the computation.
    #[error("interrupted")]
    Interrupted,
}
