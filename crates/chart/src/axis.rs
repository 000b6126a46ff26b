//! The conversion from values to heights.

/// The axis of values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    least: f64,
    most: f64,
    is_logarithmic: bool,
}

/// Approximate number of ticks on a linear axis.
const TICKS: f64 = 5.0;

impl Axis {
    /// Creates an axis that spans all values: from 0, or from a power of ten.
    pub(crate) fn new(values: impl Iterator<Item = f64>, is_logarithmic: bool) -> Self {
        let values = values.filter(|value| value.is_finite() && (*value > 0.0 || !is_logarithmic));
        let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        match (is_logarithmic, most > 0.0) {
            (true, true) => {
                let (least, most) = (least.log10().floor(), most.log10().ceil());
                Axis { least, most: most.max(least + 1.0), is_logarithmic }
            }
            (true, false) => Axis { least: 0.0, most: 1.0, is_logarithmic },
            (false, true) => {
                let step = step(most);
                Axis { least: 0.0, most: (most / step).ceil() * step, is_logarithmic }
            }
            (false, false) => Axis { least: 0.0, most: 1.0, is_logarithmic },
        }
    }

    /// Returns the height of a value, from 0 at the bottom to 1 at the top.
    pub(crate) fn share(&self, value: f64) -> f64 {
        // A value without a logarithm is at the bottom.
        let value = if self.is_logarithmic { value.max(f64::MIN_POSITIVE).log10() } else { value };
        ((value - self.least) / (self.most - self.least)).clamp(0.0, 1.0)
    }

    /// Returns the values of the ticks.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        if self.is_logarithmic {
            let powers = self.least as i32..=self.most as i32;
            return powers.map(|power| 10f64.powi(power)).collect();
        }
        let step = step(self.most);
        let count = (self.most / step).round() as u32;
        (0..=count).map(|tick| f64::from(tick) * step).collect()
    }
}

/// Returns a round step, about [`TICKS`] of which fit in `most`, which is more than 0.
fn step(most: f64) -> f64 {
    let rough = most / TICKS;
    let power = 10f64.powi(rough.log10().floor() as i32);
    let digits = [1.0, 2.0, 5.0, 10.0];
    let digit = digits.into_iter().find(|digit| rough <= digit * power * 1.000_001);
    digit.unwrap_or(10.0) * power
}

/// Formats a number in few characters.
pub(crate) fn label(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size >= 1e12 => format!("{value:.1e}"),
        size if size >= 1e6 => format!("{} M", short(value / 1e6)),
        size if size >= 1e4 => format!("{} k", short(value / 1e3)),
        size if size >= 1e-3 => short(value),
        _ => format!("{value:e}"),
    }
}

/// Formats a number with at most four decimal places, without trailing zeros.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
