//! Line charts as SVG, for measurements: panels side by side, each with named places on its axis
//! and a line for each series.

mod axis;
mod layout;
mod style;
mod svg;
#[cfg(test)]
mod tests;

use axis::Axis;
use layout::Layout;
use style::{Anchor, BLACK, Color, GRID, Point, TextStyle, Weight};
use svg::Svg;

/// A chart of several panels.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// The title above everything.
    pub title: String,
    /// The panels from left to right, three in a row.
    pub panels: Vec<Panel>,
}

/// Lines over the same places.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Above the panel.
    pub title: String,
    /// The title below the axis.
    pub x_title: String,
    /// The name of the values, with their unit.
    pub y_title: String,
    /// Places on the axis from left to right.
    pub places: Vec<String>,
    /// The lines, in the order of the legend.
    pub series: Vec<Series>,
    /// True for powers of ten instead of equal steps.
    pub is_logarithmic: bool,
}

/// One line.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The value at each place; `None` where there is none.
    pub values: Vec<Option<f64>>,
}

const PANELS_IN_A_ROW: usize = 3;
/// Height of the title above all panels.
const TITLE: f64 = 36.0;
/// Width of the lines of a panel.
const PLOT_WIDTH: f64 = 290.0;
const PLOT_HEIGHT: f64 = 254.0;
/// Width of the margin at their left, besides names.
const LEFT: f64 = 70.0;
const TOP: f64 = 34.0;
const LEGEND: f64 = 33.0;
const BOTTOM: f64 = 52.0;
/// Approximate upper bound of the width of a character, because the viewer's font is unknown.
const CHARACTER: f64 = 7.0;
/// The angle of names of places that have no room side by side.
const SLANT_DEGREES: f64 = 35.0;

impl Chart {
    /// Returns the chart as a whole SVG file.
    pub fn svg(&self) -> String {
        let layout = Layout::of(&self.panels);
        let (width, height) = self.size(&layout);
        let mut svg = Svg::new(width, height);
        self.draw(&mut svg, &layout);
        svg.finish()
    }

    fn size(&self, layout: &Layout) -> (f64, f64) {
        let columns = self.panels.len().clamp(1, PANELS_IN_A_ROW);
        let rows = self.panels.len().div_ceil(PANELS_IN_A_ROW).max(1);
        (columns as f64 * layout.width, rows as f64 * layout.height + TITLE)
    }

    fn draw(&self, svg: &mut Svg, layout: &Layout) {
        let title = TextStyle { weight: Weight::Large, ..TextStyle::at(Anchor::Middle) };
        svg.text((self.size(layout).0 / 2.0, 24.0), &self.title, title);
        for (number, panel) in self.panels.iter().enumerate() {
            let x = (number % PANELS_IN_A_ROW) as f64 * layout.width;
            let y = (number / PANELS_IN_A_ROW) as f64 * layout.height + TITLE;
            panel.draw(svg, (x, y), layout);
        }
    }
}

impl Panel {
    /// Draws the panel with its upper left corner at `origin`.
    fn draw(&self, svg: &mut Svg, origin: Point, layout: &Layout) {
        let values = self.series.iter().flat_map(|series| series.values.iter().flatten().copied());
        let axis = Axis::new(values, self.is_logarithmic);
        let (left, top) = (origin.0 + LEFT, origin.1 + TOP);
        let (right, bottom) = (left + PLOT_WIDTH, top + PLOT_HEIGHT);
        let middle = (f64::midpoint(left, right), f64::midpoint(top, bottom));
        let y = |value: f64| bottom - axis.share(value) * PLOT_HEIGHT;
        let centered = TextStyle::at(Anchor::Middle);
        let bold = TextStyle { weight: Weight::Bold, ..centered };
        svg.text((middle.0, origin.1 + 20.0), &self.title, bold);
        svg.text((middle.0, origin.1 + layout.height - 12.0), &self.x_title, centered);
        let upwards = TextStyle { turned_degrees: 90.0, ..centered };
        svg.text((origin.0 + 14.0, middle.1), &self.y_title, upwards);
        for tick in axis.ticks() {
            let y = y(tick);
            svg.line((left, y), (right, y), GRID);
            svg.text((left - 6.0, y + 4.0), &axis::label(tick), TextStyle::at(Anchor::End));
        }
        svg.line((left, bottom), (right, bottom), BLACK);
        let x = |place: usize| left + (place as f64 + 0.5) * self.place_width();
        for (place, name) in self.places.iter().enumerate() {
            let slanted = TextStyle { turned_degrees: SLANT_DEGREES, ..TextStyle::at(Anchor::End) };
            let style = if layout.is_slanted { slanted } else { centered };
            svg.text((x(place), bottom + 18.0), name, style);
        }
        for (number, series) in self.series.iter().enumerate() {
            let color = Color::of_series(number);
            for points in self.lines(series, &x, &y) {
                svg.path(&points, color);
                points.iter().for_each(|point| svg.dot(*point, color));
            }
            let y = top + 8.0 + number as f64 * 18.0;
            svg.line((right + 10.0, y), (right + 28.0, y), color);
            svg.text((right + 33.0, y + 4.0), &series.name, TextStyle::default());
        }
    }

    /// Returns the points of a series; a line ends where a place has no value.
    fn lines(&self, series: &Series, x: &dyn Fn(usize) -> f64, y: &dyn Fn(f64) -> f64) -> Vec<Vec<Point>> {
        let values = series.values.iter().take(self.places.len()).enumerate();
        let points: Vec<Option<Point>> = values
            .map(|(place, value)| value.filter(|value| value.is_finite()).map(|value| (x(place), y(value))))
            .collect();
        let lines = points.split(Option::is_none).map(|line| line.iter().flatten().copied().collect());
        lines.filter(|line: &Vec<Point>| !line.is_empty()).collect()
    }

    fn place_width(&self) -> f64 {
        PLOT_WIDTH / self.places.len().max(1) as f64
    }
}

/// Escapes text for XML, in content and in attributes.
///
/// Characters that XML cannot carry become the replacement character.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}
