//! Variance and standard deviation, of a population or of a sample.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::of_numbers;

/// `STDDEV_POPULATION(numArray)`
pub(crate) fn stddev_population(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    of_numbers("STDDEV_POPULATION", arguments, |numbers| Moments::of(numbers).population().sqrt(), context)
}

/// `STDDEV_SAMPLE(numArray)`: null for fewer than two numbers.
pub(crate) fn stddev_sample(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    of_numbers("STDDEV_SAMPLE", arguments, |numbers| Moments::of(numbers).sample().sqrt(), context)
}

/// `VARIANCE_POPULATION(numArray)`: null without any number.
pub(crate) fn variance_population(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    of_numbers("VARIANCE_POPULATION", arguments, |numbers| Moments::of(numbers).population(), context)
}

/// `VARIANCE_SAMPLE(numArray)`: null for fewer than two numbers.
pub(crate) fn variance_sample(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    of_numbers("VARIANCE_SAMPLE", arguments, |numbers| Moments::of(numbers).sample(), context)
}

/// Count, mean and sum of squared distances from the mean, by Welford's method, which avoids
/// cancellation.
#[derive(Default)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn of(numbers: &[f64]) -> Self {
        let mut moments = Self::default();
        for number in numbers {
            moments.count += 1.0;
            let distance = number - moments.mean;
            moments.mean += distance / moments.count;
            moments.squares += distance * (number - moments.mean);
        }
        moments
    }

    /// Returns the variance of a population; NaN without numbers.
    fn population(self) -> f64 {
        self.squares / self.count
    }

    /// Returns the variance of a sample; NaN for fewer than two numbers.
    fn sample(self) -> f64 {
        if self.count < 2.0 { f64::NAN } else { self.squares / (self.count - 1.0) }
    }
}
