//! Colors, widths and texts. Lengths are CSS pixels; `x` grows to the right and `y` downwards.

/// `x` and `y`.
pub(crate) type Point = (f64, f64);

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Color(pub(crate) [u8; 3]);

pub(crate) const BLACK: Color = Color([0, 0, 0]);
pub(crate) const GRID: Color = Color([0xdd, 0xdd, 0xdd]);

/// Colors that people who confuse red and green can tell apart too (Okabe and Ito's palette).
const SERIES: [Color; 7] = [
    Color([0x00, 0x72, 0xb2]),
    Color([0xd5, 0x5e, 0x00]),
    Color([0x00, 0x9e, 0x73]),
    Color([0xcc, 0x79, 0xa7]),
    Color([0xe6, 0x9f, 0x00]),
    Color([0x56, 0xb4, 0xe9]),
    BLACK,
];

impl Color {
    /// Returns the color of the series with this number.
    pub(crate) fn of_series(number: usize) -> Color {
        SERIES.get(number % SERIES.len()).copied().unwrap_or(BLACK)
    }
}

pub(crate) const LINE_WIDTH: f64 = 1.5;
pub(crate) const SERIES_WIDTH: f64 = 2.0;
pub(crate) const DOT_RADIUS: f64 = 3.0;

/// The look of a text, and its place at its point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextStyle {
    pub(crate) anchor: Anchor,
    pub(crate) weight: Weight,
    /// Rotation around its point, counter-clockwise.
    pub(crate) turned_degrees: f64,
}

impl TextStyle {
    pub(crate) fn at(anchor: Anchor) -> Self {
        TextStyle { anchor, ..TextStyle::default() }
    }
}

/// The part of the text's base line at its point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Anchor {
    #[default]
    Start,
    Middle,
    End,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Weight {
    #[default]
    Normal,
    /// The weight of titles of panels.
    Bold,
    /// The weight of the chart's title.
    Large,
}
