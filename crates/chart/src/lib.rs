//! Line charts as SVG, for measurements: panels side by side, each with named places on its axis and a line for each
//! series.
//!
//! The text stays text, in the viewer's own font, so that nothing has to be drawn here but lines. A picture of points
//! would need a font and a rasterizer, a tree of libraries many times the size of this file.

use std::fmt::Write;

mod axis;
mod layout;

use axis::Axis;
use layout::Layout;

/// A picture.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// Above everything.
    pub title: String,
    /// From left to right, three in a row.
    pub panels: Vec<Panel>,
}

/// Lines over the same places.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Above the panel.
    pub title: String,
    /// Below the axis.
    pub x_title: String,
    /// What the values are, with their unit.
    pub y_title: String,
    /// Places on the axis from left to right.
    pub places: Vec<String>,
    /// The lines, in the order of the legend.
    pub series: Vec<Series>,
    /// Powers of ten instead of equal steps.
    pub is_logarithmic: bool,
}

/// One line.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// For the legend.
    pub name: String,
    /// A value for each place; none where there is none.
    pub values: Vec<Option<f64>>,
}

const PANELS_IN_A_ROW: usize = 3;
/// Room above all panels.
const TITLE: f64 = 36.0;
/// The lines of a panel.
const PLOT_WIDTH: f64 = 290.0;
const PLOT_HEIGHT: f64 = 254.0;
/// Room around them, beside what names take.
const LEFT: f64 = 70.0;
const TOP: f64 = 34.0;
const LEGEND: f64 = 33.0;
const BOTTOM: f64 = 52.0;
/// What a character takes at most, about, as nobody knows the viewer's font.
const CHARACTER: f64 = 7.0;
/// How far names of places are turned where they have no room side by side.
const SLANT_DEGREES: f64 = 35.0;
/// Told apart also by those who confuse red and green (Okabe and Ito's palette).
const COLORS: &[&str] = &["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

impl Chart {
    /// The picture as a whole SVG file.
    pub fn svg(&self) -> String {
        let columns = self.panels.len().clamp(1, PANELS_IN_A_ROW);
        let rows = self.panels.len().div_ceil(PANELS_IN_A_ROW).max(1);
        let layout = Layout::of(&self.panels);
        let (width, height) = (columns as f64 * layout.width, rows as f64 * layout.height + TITLE);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        text(&mut svg, (width / 2.0, 24.0), "middle", " font-size=\"16\"", &self.title);
        for (number, panel) in self.panels.iter().enumerate() {
            let x = (number % PANELS_IN_A_ROW) as f64 * layout.width;
            let y = (number / PANELS_IN_A_ROW) as f64 * layout.height + TITLE;
            // Writing to a String does not fail.
            let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">");
            panel.draw(&mut svg, &layout);
            svg.push_str("</g>\n");
        }
        svg.push_str("</svg>\n");
        svg
    }
}

impl Panel {
    fn draw(&self, svg: &mut String, layout: &Layout) {
        let values = self.series.iter().flat_map(|series| series.values.iter().flatten().copied());
        let axis = Axis::new(values, self.is_logarithmic);
        let (bottom, right) = (TOP + PLOT_HEIGHT, LEFT + PLOT_WIDTH);
        let middle = f64::midpoint(LEFT, right);
        let y = |value: f64| bottom - axis.share(value) * (bottom - TOP);
        text(svg, (middle, 20.0), "middle", " font-weight=\"bold\"", &self.title);
        text(svg, (middle, layout.height - 12.0), "middle", "", &self.x_title);
        let turned = format!(" transform=\"rotate(-90 14 {0})\"", f64::midpoint(TOP, bottom));
        text(svg, (14.0, f64::midpoint(TOP, bottom)), "middle", &turned, &self.y_title);
        for tick in axis.ticks() {
            let y = y(tick);
            line(svg, (LEFT, y), (right, y), "#dddddd");
            text(svg, (LEFT - 6.0, y + 4.0), "end", "", &axis::label(tick));
        }
        line(svg, (LEFT, bottom), (right, bottom), "#000000");
        for (place, name) in self.places.iter().enumerate() {
            let at = (self.x(place), bottom + 18.0);
            if layout.is_slanted {
                let turned = format!(" transform=\"rotate(-{SLANT_DEGREES} {:.1} {:.1})\"", at.0, at.1);
                text(svg, at, "end", &turned, name);
            } else {
                text(svg, at, "middle", "", name);
            }
        }
        for (number, series) in self.series.iter().enumerate() {
            let color = COLORS.get(number % COLORS.len()).copied().unwrap_or("#000000");
            self.draw_series(svg, series, color, &y);
            let y = TOP + 8.0 + number as f64 * 18.0;
            line(svg, (right + 10.0, y), (right + 28.0, y), color);
            text(svg, (right + 33.0, y + 4.0), "start", "", &series.name);
        }
    }

    fn draw_series(&self, svg: &mut String, series: &Series, color: &str, y: &dyn Fn(f64) -> f64) {
        let mut path = String::new();
        let mut is_down = false;
        for (place, value) in series.values.iter().enumerate().take(self.places.len()) {
            let Some(value) = value.filter(|value| value.is_finite()) else {
                is_down = false;
                continue;
            };
            let (x, y) = (self.x(place), y(value));
            let _ = write!(path, "{}{x:.1} {y:.1} ", if is_down { 'L' } else { 'M' });
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>");
            is_down = true;
        }
        if !path.is_empty() {
            let path = path.trim_end();
            let _ = writeln!(svg, "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>");
        }
    }

    fn place_width(&self) -> f64 {
        PLOT_WIDTH / self.places.len().max(1) as f64
    }

    /// The middle of a place on the axis.
    fn x(&self, place: usize) -> f64 {
        LEFT + (place as f64 + 0.5) * self.place_width()
    }
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64), color: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{color}\" stroke-width=\"1.5\"/>"
    );
}

fn text(svg: &mut String, at: (f64, f64), anchor: &str, more: &str, text: &str) {
    let text = escape(text);
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\"{more}>{text}</text>",
        at.0, at.1
    );
}

/// Text as XML has it, in content and in attributes. What XML cannot carry becomes the replacement character.
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

#[cfg(test)]
mod tests;
