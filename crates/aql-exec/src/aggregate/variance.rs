//! `VARIANCE_*`, `STDDEV_*`: null values do not count. Any other value that is not a number makes
//! the result null.

use aql_value::{Interrupt, Value};
use errors::Result;
use velocypack::Builder;

use super::State;

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

    /// Saves an array of count, mean, squares, and true if a value was not a number.
    ///
    /// A number that is not finite is saved as null.
    fn save(&self, out: &mut Builder) -> Result<()> {
        out.open_array()?;
        out.add_u64(self.count)?;
        Value::from_f64(self.mean).append_to(out)?;
        Value::from_f64(self.squares).append_to(out)?;
        out.add_bool(self.invalid)?;
        Ok(out.close()?)
    }

    /// Merges two sets of values by the formula of Chan, Golub and LeVeque.
    fn merge(&mut self, saved: &Value) {
        let mut parts = saved.elements();
        let mut next = || parts.next().unwrap_or_default();
        let (count, mean, squares, invalid) = (next(), next(), next(), next());
        self.invalid |= invalid.is_truthy();
        let other = u64::try_from(count.to_i64()).unwrap_or_default();
        if other == 0 {
            return;
        }
        let (own, count) = (self.count as f64, self.count + other);
        let finite = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let (distance, share) = (finite(&mean) - self.mean, other as f64 / count as f64);
        self.mean += distance * share;
        self.squares += finite(&squares) + distance * distance * own * share;
        self.count = count;
    }

    /// Returns the squares divided by the count less `correction`; `None` if the divisor is not
    /// positive.
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

            fn save(&mut self, out: &mut Builder) -> Result<()> {
                self.0.save(out)
            }

            fn merge(&mut self, saved: &Value) -> usize {
                self.0.merge(saved);
                0
            }
        }
    };
}

moments!(
    /// The variance of a whole population.
    VariancePopulation, 0, |variance| variance
);
moments!(
    /// The variance estimated from a sample; it needs two values.
    VarianceSample, 1, |variance| variance
);
moments!(
    /// The standard deviation of a whole population.
    StddevPopulation, 0, f64::sqrt
);
moments!(
    /// The standard deviation estimated from a sample; it needs two values.
    StddevSample, 1, f64::sqrt
);
