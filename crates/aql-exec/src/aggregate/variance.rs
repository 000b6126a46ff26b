//! `VARIANCE_*`, `STDDEV_*`: null values are left out; with any other value that is not a number the result is null.

use super::State;
use aql_value::{Interrupt, Result, Value};

/// Welford's running mean and sum of squared distances from it.
#[derive(Default)]
struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
    invalid: bool,
}

impl Moments {
    fn add(&mut self, value: &Value) {
        match value.as_f64() {
            Some(number) => {
                self.count += 1;
                let distance = number - self.mean;
                self.mean += distance / self.count as f64;
                self.squares += distance * (number - self.mean);
            }
            None => self.invalid |= !value.is_null(),
        }
    }

    /// The squares divided by the count less `correction`; `None` if that leaves nothing to divide by.
    fn variance(&self, correction: u64) -> Option<f64> {
        (!self.invalid && self.count > correction).then(|| self.squares / (self.count - correction) as f64)
    }
}

macro_rules! moments {
    ($(#[$documentation:meta])* $name:ident, $correction:literal, $finish:expr) => {
        $(#[$documentation])*
        #[derive(Default)]
        pub(super) struct $name(Moments);

        impl State for $name {
            fn add(&mut self, value: &Value) -> usize {
                self.0.add(value);
                0
            }

            fn result(&mut self, _interrupt: &Interrupt) -> Result<Value> {
                let finish: fn(f64) -> f64 = $finish;
                let variance = self.0.variance($correction);
                Ok(variance.map_or(Value::Null, |variance| Value::from_f64(finish(variance))))
            }
        }
    };
}

moments!(
    /// Variance of all values there are.
    VariancePopulation, 0, |variance| variance
);
moments!(
    /// Variance estimated from a sample; needs two values.
    VarianceSample, 1, |variance| variance
);
moments!(
    /// Standard deviation of all values there are.
    StddevPopulation, 0, f64::sqrt
);
moments!(
    /// Standard deviation estimated from a sample; needs two values.
    StddevSample, 1, f64::sqrt
);
