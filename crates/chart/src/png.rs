//! A chart as PNG: shapes by how much of each pixel they cover, texts in a bitmap font.

use std::convert::Infallible;

use embedded_graphics::Pixel;
use embedded_graphics::draw_target::DrawTarget;
use embedded_graphics::geometry::{Dimensions, Point as Place, Size};
use embedded_graphics::mono_font::iso_8859_1::FONT_10X20;
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle};
use embedded_graphics::pixelcolor::BinaryColor;
use embedded_graphics::primitives::Rectangle;
use embedded_graphics::text::renderer::TextRenderer;
use embedded_graphics::text::{Baseline, Text};

use crate::canvas::{Anchor, Canvas, Color, DOT_RADIUS, LINE_WIDTH, Point, SERIES_WIDTH, TextStyle, Weight};

/// Pixels of the picture for one of CSS, each way: as sharp as screens of today.
const SCALE: f64 = 2.0;
/// A picture has no more pixels, so that it takes no more than 200 MB of memory.
const PIXELS_MAX: usize = 64 << 20;
/// Longer texts are cut off: they do not fit into a picture.
const CHARACTERS_MAX: usize = 10_000;
const WHITE: u8 = 0xff;
/// Its characters are as large, at [`SCALE`], as those of the SVG.
const FONT: &MonoFont<'_> = &FONT_10X20;

/// The picture, with three bytes a pixel, in rows from the top.
pub(crate) struct Png {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Png {
    /// `None` if the picture would be too large.
    pub(crate) fn new(width: f64, height: f64) -> Option<Self> {
        let (width, height) = ((width * SCALE).ceil() as usize, (height * SCALE).ceil() as usize);
        let pixels = width.checked_mul(height).filter(|pixels| *pixels <= PIXELS_MAX)?;
        Some(Png { width, height, bytes: vec![WHITE; pixels * 3] })
    }

    /// The file. `None` if it cannot be encoded.
    pub(crate) fn finish(self) -> Option<Vec<u8>> {
        let mut file = Vec::new();
        let (width, height) = (u32::try_from(self.width).ok()?, u32::try_from(self.height).ok()?);
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().ok()?;
        writer.write_image_data(&self.bytes).ok()?;
        writer.finish().ok()?;
        Some(file)
    }

    /// Colors pixels of a rectangle, each by the share of it that `cover` says for its middle.
    fn paint(&mut self, (from, to): (Point, Point), color: Color, cover: impl Fn(Point) -> f64) {
        let bound = |value: f64, end: usize| (value.max(0.0) as usize).min(end);
        let (left, right) = (bound(from.0.floor(), self.width), bound(to.0.ceil(), self.width));
        let (top, bottom) = (bound(from.1.floor(), self.height), bound(to.1.ceil(), self.height));
        for y in top..bottom {
            for x in left..right {
                let share = cover((x as f64 + 0.5, y as f64 + 0.5)).clamp(0.0, 1.0);
                let at = (y * self.width + x) * 3;
                let Some(pixel) = self.bytes.get_mut(at..at + 3).filter(|_| share > 0.0) else { continue };
                for (own, new) in pixel.iter_mut().zip(color.0) {
                    *own = (f64::from(*own) * (1.0 - share) + f64::from(new) * share).round() as u8;
                }
            }
        }
    }

    /// A line with round ends, from and to points of the picture.
    fn stroke(&mut self, from: Point, to: Point, width: f64, color: Color) {
        let radius = width * SCALE / 2.0;
        let (low, high) = corners(&[from, to], radius + 1.0);
        self.paint((low, high), color, |pixel| radius + 0.5 - distance(pixel, from, to));
    }
}

fn scaled((x, y): Point) -> Point {
    (x * SCALE, y * SCALE)
}

/// The rectangle around points, with a margin.
fn corners(points: &[Point], margin: f64) -> (Point, Point) {
    let fold = |start: f64, pick: fn(f64, f64) -> f64, of: fn(&Point) -> f64| {
        points.iter().map(of).fold(start, pick)
    };
    let low = (fold(f64::INFINITY, f64::min, |p| p.0), fold(f64::INFINITY, f64::min, |p| p.1));
    let high = (fold(f64::NEG_INFINITY, f64::max, |p| p.0), fold(f64::NEG_INFINITY, f64::max, |p| p.1));
    ((low.0 - margin, low.1 - margin), (high.0 + margin, high.1 + margin))
}

/// From a point to the nearest one of a line.
fn distance(point: Point, from: Point, to: Point) -> f64 {
    let (along, rest) = ((to.0 - from.0, to.1 - from.1), (point.0 - from.0, point.1 - from.1));
    let length = along.0 * along.0 + along.1 * along.1;
    let share = if length == 0.0 { 0.0 } else { (rest.0 * along.0 + rest.1 * along.1) / length };
    let share = share.clamp(0.0, 1.0);
    (rest.0 - share * along.0).hypot(rest.1 - share * along.1)
}

impl Canvas for Png {
    fn line(&mut self, from: Point, to: Point, color: Color) {
        self.stroke(scaled(from), scaled(to), LINE_WIDTH, color);
    }

    fn path(&mut self, points: &[Point], color: Color) {
        for (from, to) in points.iter().zip(points.iter().skip(1)) {
            self.stroke(scaled(*from), scaled(*to), SERIES_WIDTH, color);
        }
    }

    fn dot(&mut self, center: Point, color: Color) {
        self.stroke(scaled(center), scaled(center), 2.0 * DOT_RADIUS, color);
    }

    fn text(&mut self, at: Point, text: &str, style: TextStyle) {
        let letters = Letters::of(text, style.weight);
        let start = match style.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -letters.width() / 2.0,
            Anchor::End => -letters.width(),
        };
        // Each pixel is turned back to where it is in a level text at the origin.
        let at = scaled(at);
        let (sin, cos) = style.turned_degrees.to_radians().sin_cos();
        let level = |(x, y): Point| {
            let (x, y) = (x - at.0, y - at.1);
            (x * cos - y * sin - start, x * sin + y * cos + letters.ascent())
        };
        let turned = |(x, y): Point| (at.0 + x * cos + y * sin, at.1 - x * sin + y * cos);
        let (top, bottom) = (-letters.ascent(), letters.height() - letters.ascent());
        let (left, right) = (start, start + letters.width());
        let around = [(left, top), (right, top), (left, bottom), (right, bottom)].map(turned);
        self.paint(corners(&around, 1.0), crate::canvas::BLACK, |pixel| letters.share(level(pixel)));
    }
}

/// A level text, with a pixel for each of the font.
struct Letters {
    width: usize,
    height: usize,
    is_ink: Vec<bool>,
    /// Pixels of the picture for one of the font.
    scale: f64,
}

impl Letters {
    fn of(text: &str, weight: Weight) -> Self {
        let known = |character: char| if (character as u32) < 0x100 { character } else { '?' };
        let text: String =
            text.chars().take(CHARACTERS_MAX).map(|c| if c.is_control() { ' ' } else { known(c) }).collect();
        let style = MonoTextStyle::new(FONT, BinaryColor::On);
        let size = style.measure_string(&text, Place::zero(), Baseline::Top).bounding_box.size;
        // A bold letter is one pixel wider.
        let (width, height) = (size.width as usize + 1, size.height as usize);
        let scale = if weight == Weight::Large { 4.0 / 3.0 } else { 1.0 };
        let mut letters = Letters { width, height, is_ink: vec![false; width * height], scale };
        let starts = if weight == Weight::Bold { 0..2 } else { 0..1 };
        for start in starts {
            let text = Text::with_baseline(&text, Place::new(start, 0), style, Baseline::Top);
            // It cannot fail.
            let _ = embedded_graphics::Drawable::draw(&text, &mut letters);
        }
        letters
    }

    fn width(&self) -> f64 {
        self.width as f64 * self.scale
    }

    fn height(&self) -> f64 {
        self.height as f64 * self.scale
    }

    /// From the top to the base line.
    fn ascent(&self) -> f64 {
        f64::from(FONT.baseline) * self.scale
    }

    /// How much ink there is at a place, between the four pixels around it.
    fn share(&self, (x, y): Point) -> f64 {
        let (x, y) = (x / self.scale - 0.5, y / self.scale - 0.5);
        let (right, below) = (x - x.floor(), y - y.floor());
        let ink = |x: f64, y: f64| f64::from(u8::from(self.is_ink_at(x.floor() as i64, y.floor() as i64)));
        let row = |y: f64| ink(x, y) * (1.0 - right) + ink(x + 1.0, y) * right;
        row(y) * (1.0 - below) + row(y + 1.0) * below
    }

    fn is_ink_at(&self, x: i64, y: i64) -> bool {
        self.place(x, y).and_then(|place| self.is_ink.get(place)).is_some_and(|is_ink| *is_ink)
    }

    fn place(&self, x: i64, y: i64) -> Option<usize> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        (x < self.width && y < self.height).then_some(y * self.width + x)
    }
}

impl Dimensions for Letters {
    fn bounding_box(&self) -> Rectangle {
        Rectangle::new(Place::zero(), Size::new(self.width as u32, self.height as u32))
    }
}

impl DrawTarget for Letters {
    type Color = BinaryColor;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<BinaryColor>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        for Pixel(at, color) in pixels {
            let place = self.place(i64::from(at.x), i64::from(at.y));
            if let Some(ink) = place.and_then(|place| self.is_ink.get_mut(place)) {
                *ink |= color.is_on();
            }
        }
        Ok(())
    }
}
