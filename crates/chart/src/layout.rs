//! The size of the panels of a chart, the same for all, so that they stand in rows.

use crate::{BOTTOM, CHARACTER, LEFT, LEGEND, PLOT_HEIGHT, PLOT_WIDTH, Panel, SLANT_DEGREES, TOP};

/// Sizes that depend on the texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Width of a panel, with its legend.
    pub(crate) width: f64,
    /// Height of a panel, with the names of places and of the axis.
    pub(crate) height: f64,
    /// True if the names of places are slanted.
    pub(crate) is_slanted: bool,
}

impl Layout {
    /// Computes a layout with room for all names of all panels.
    pub(crate) fn of(panels: &[Panel]) -> Self {
        let of_legend = panels.iter().map(|panel| longest(panel.series.iter().map(|series| &series.name)));
        let legend = of_legend.fold(0.0, f64::max);
        let place = |panel: &Panel| longest(panel.places.iter());
        let is_slanted = panels.iter().any(|panel| place(panel) > panel.place_width());
        let slant = if is_slanted {
            panels.iter().map(place).fold(0.0, f64::max) * SLANT_DEGREES.to_radians().sin()
        } else {
            0.0
        };
        Layout {
            width: (LEFT + PLOT_WIDTH + LEGEND + legend).ceil(),
            height: (TOP + PLOT_HEIGHT + BOTTOM + slant).ceil(),
            is_slanted,
        }
    }
}

/// Returns the width of the longest of some names.
fn longest<'a>(names: impl Iterator<Item = &'a String>) -> f64 {
    names.map(|name| name.chars().count() as f64 * CHARACTER).fold(0.0, f64::max)
}
