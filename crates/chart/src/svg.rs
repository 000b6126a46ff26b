//! A chart as SVG. The text stays text, in the viewer's own font.

use std::fmt::Write;

use crate::escape;
use crate::style::{Anchor, Color, DOT_RADIUS, LINE_WIDTH, Point, SERIES_WIDTH, TextStyle, Weight};

/// The file without its end.
pub(crate) struct Svg {
    text: String,
}

impl Svg {
    pub(crate) fn new(width: f64, height: f64) -> Self {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        Svg { text }
    }

    pub(crate) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    // Writing to a String cannot fail.

    /// Draws a line [`LINE_WIDTH`] wide.
    pub(crate) fn line(&mut self, (x1, y1): Point, (x2, y2): Point, color: Color) {
        let _ = writeln!(
            self.text,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{}\" \
             stroke-width=\"{LINE_WIDTH}\"/>",
            hex(color)
        );
    }

    /// Connects points in order by a line [`SERIES_WIDTH`] wide.
    pub(crate) fn path(&mut self, points: &[Point], color: Color) {
        let mut path = String::new();
        for (number, (x, y)) in points.iter().enumerate() {
            let _ = write!(path, "{}{x:.1} {y:.1} ", if number == 0 { 'M' } else { 'L' });
        }
        let (path, color) = (path.trim_end(), hex(color));
        let _ = writeln!(
            self.text,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{SERIES_WIDTH}\"/>"
        );
    }

    /// Draws a filled circle of [`DOT_RADIUS`].
    pub(crate) fn dot(&mut self, (x, y): Point, color: Color) {
        let color = hex(color);
        let _ =
            writeln!(self.text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{DOT_RADIUS}\" fill=\"{color}\"/>");
    }

    /// Writes a text in black.
    pub(crate) fn text(&mut self, (x, y): Point, text: &str, style: TextStyle) {
        let anchor = match style.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = match style.weight {
            Weight::Normal => "",
            Weight::Bold => " font-weight=\"bold\"",
            Weight::Large => " font-size=\"16\"",
        };
        let turned = match style.turned_degrees {
            0.0 => String::new(),
            degrees => format!(" transform=\"rotate(-{degrees} {x:.1} {y:.1})\""),
        };
        let text = escape(text);
        let _ = writeln!(
            self.text,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{weight}{turned}>{text}</text>"
        );
    }
}

fn hex(Color([red, green, blue]): Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
