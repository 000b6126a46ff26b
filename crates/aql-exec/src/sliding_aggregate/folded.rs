//! Aggregates that can be combined from those of parts of the window.
//!
//! The window has two parts. For the older one the aggregates of all its suffixes are known, so
//! that its oldest value can leave. For the newer one only the aggregate of all its values is
//! known. When the older part is used up, the newer one takes its place. So each value is combined
//! at most three times. Nothing is ever subtracted, because that would not be exact.

use std::cmp::Ordering;

use aql_value::{Charge, Interrupt, Value, program};
use errors::Result;

use super::SlidingAggregate;

/// The aggregate of some neighbouring values.
pub(super) trait Part: Clone + Default + Send {
    /// Returns the aggregate of one value.
    fn of(value: &Value) -> Self;

    /// Returns the aggregate of these values and newer ones.
    fn combined(&self, newer: &Self) -> Self;

    /// Returns the bytes beyond its own size.
    fn memory_bytes(&self) -> usize {
        0
    }
}

/// A sliding aggregate of two parts; see the module.
pub(super) struct Folded<P> {
    /// For each value of the older part the aggregate from there to the end of the part, the oldest
    /// last.
    older: Vec<P>,
    /// The values of the newer part, and their aggregate.
    newer: Vec<P>,
    newer_total: P,
    keeps_all: bool,
    finish: fn(&P) -> Value,
}

impl<P: Part> Folded<P> {
    pub(super) fn new(keeps_all: bool, finish: fn(&P) -> Value) -> Self {
        Self { older: Vec::new(), newer: Vec::new(), newer_total: P::default(), keeps_all, finish }
    }
}

fn bytes_of<P: Part>(part: &P) -> u64 {
    (size_of::<P>() + part.memory_bytes()) as u64
}

impl<P: Part> SlidingAggregate for Folded<P> {
    fn push(&mut self, value: &Value, memory: &mut Charge) -> Result<()> {
        let part = P::of(value);
        self.newer_total = self.newer_total.combined(&part);
        if !self.keeps_all {
            memory.grow(bytes_of(&part))?;
            self.newer.push(part);
        }
        Ok(())
    }

    fn pop(&mut self, memory: &mut Charge) -> Result<()> {
        if self.older.is_empty() {
            let mut total = P::default();
            while let Some(part) = self.newer.pop() {
                memory.shrink(bytes_of(&part));
                total = part.combined(&total);
                memory.grow(bytes_of(&total))?;
                self.older.push(total.clone());
            }
            self.newer_total = P::default();
        }
        if let Some(part) = self.older.pop() {
            memory.shrink(bytes_of(&part));
        }
        Ok(())
    }

    fn result(&self, _interrupt: &Interrupt) -> Result<Value> {
        Ok(match self.older.last() {
            Some(older) => (self.finish)(&older.combined(&self.newer_total)),
            None => (self.finish)(&self.newer_total),
        })
    }

    fn clear(&mut self, memory: &mut Charge) {
        let bytes: u64 = self.older.iter().chain(&self.newer).map(bytes_of).sum();
        memory.shrink(bytes);
        self.older.clear();
        self.newer.clear();
        self.newer_total = P::default();
    }
}

/// `LENGTH`: the number of rows.
#[derive(Clone, Default)]
pub(super) struct Count(u64);

impl Part for Count {
    fn of(_: &Value) -> Self {
        Self(1)
    }

    fn combined(&self, newer: &Self) -> Self {
        Self(self.0 + newer.0)
    }
}

impl Count {
    pub(super) fn result(&self) -> Value {
        Value::from_u64(self.0)
    }
}

/// `MIN`, `MAX`: null values do not count.
#[derive(Clone, Default)]
pub(super) struct Extreme<const MAX: bool>(Value);

impl<const MAX: bool> Part for Extreme<MAX> {
    fn of(value: &Value) -> Self {
        Self(value.detached())
    }

    fn combined(&self, newer: &Self) -> Self {
        let better = if MAX { Ordering::Greater } else { Ordering::Less };
        let is_better = self.0.is_null() || (!newer.0.is_null() && newer.0.compare(&self.0) == better);
        if is_better { newer.clone() } else { self.clone() }
    }

    fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }
}

impl<const MAX: bool> Extreme<MAX> {
    pub(super) fn result(&self) -> Value {
        self.0.clone()
    }
}

/// `SUM`, `AVERAGE`: null values do not count. Any other value that is not a number makes the
/// result null.
#[derive(Clone)]
pub(super) struct Total {
    sum: Value,
    numbers: u64,
    rows: u64,
    is_invalid: bool,
}

impl Default for Total {
    fn default() -> Self {
        Self { sum: Value::Int(0), numbers: 0, rows: 0, is_invalid: false }
    }
}

impl Part for Total {
    fn of(value: &Value) -> Self {
        let is_number = value.is_number();
        Self {
            sum: if is_number { value.clone() } else { Value::Int(0) },
            numbers: u64::from(is_number),
            rows: 1,
            is_invalid: !is_number && !value.is_null(),
        }
    }

    fn combined(&self, newer: &Self) -> Self {
        let sum = program::add(&self.sum, &newer.sum);
        // A sum that is not finite is null.
        let is_invalid = self.is_invalid || newer.is_invalid || sum.is_null();
        Self { sum, numbers: self.numbers + newer.numbers, rows: self.rows + newer.rows, is_invalid }
    }
}

impl Total {
    pub(super) fn sum(&self) -> Value {
        if self.rows > 0 && !self.is_invalid { self.sum.clone() } else { Value::Null }
    }

    pub(super) fn average(&self) -> Value {
        if self.is_invalid || self.numbers == 0 {
            return Value::Null;
        }
        program::divide(&self.sum, &Value::from_u64(self.numbers)).unwrap_or(Value::Null)
    }
}

/// `VARIANCE_*`, `STDDEV_*`: mean and sum of squared distances from it, combined by Chan's formula.
#[derive(Clone, Default)]
pub(super) struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
    is_invalid: bool,
}

impl Part for Moments {
    fn of(value: &Value) -> Self {
        match value.as_f64() {
            Some(number) => Self { count: 1.0, mean: number, squares: 0.0, is_invalid: false },
            None => Self { is_invalid: !value.is_null(), ..Self::default() },
        }
    }

    fn combined(&self, newer: &Self) -> Self {
        let is_invalid = self.is_invalid || newer.is_invalid;
        if self.count == 0.0 || newer.count == 0.0 {
            let numbers = if self.count == 0.0 { newer } else { self };
            return Self { is_invalid, ..*numbers };
        }
        let count = self.count + newer.count;
        let distance = newer.mean - self.mean;
        let mean = self.mean + distance * newer.count / count;
        let between = distance * distance * self.count * newer.count / count;
        Self { count, mean, squares: self.squares + newer.squares + between, is_invalid }
    }
}

impl Moments {
    /// Returns the squares divided by the count less a correction; null if the divisor is not
    /// positive.
    pub(super) fn variance(&self, correction: u32) -> Value {
        self.finish(correction, |variance| variance)
    }

    /// Returns the square root of the variance.
    pub(super) fn deviation(&self, correction: u32) -> Value {
        self.finish(correction, f64::sqrt)
    }

    fn finish(&self, correction: u32, finish: fn(f64) -> f64) -> Value {
        let divisor = self.count - f64::from(correction);
        if self.is_invalid || divisor <= 0.0 {
            Value::Null
        } else {
            Value::from_f64(finish(self.squares / divisor))
        }
    }
}

/// `BIT_AND` (0), `BIT_OR` (1), `BIT_XOR` (2) of integers from 0 to 2^32 - 1.
#[derive(Clone, Default)]
pub(super) struct Bits<const OPERATOR: u8> {
    bits: Option<u32>,
    is_invalid: bool,
}

impl<const OPERATOR: u8> Part for Bits<OPERATOR> {
    fn of(value: &Value) -> Self {
        let bits = value.as_i64().and_then(|number| u32::try_from(number).ok());
        Self { bits, is_invalid: bits.is_none() && !value.is_null() }
    }

    fn combined(&self, newer: &Self) -> Self {
        let bits = match (self.bits, newer.bits) {
            (Some(left), Some(right)) => Some(match OPERATOR {
                0 => left & right,
                1 => left | right,
                _ => left ^ right,
            }),
            (left, right) => left.or(right),
        };
        Self { bits, is_invalid: self.is_invalid || newer.is_invalid }
    }
}

impl<const OPERATOR: u8> Bits<OPERATOR> {
    pub(super) fn result(&self) -> Value {
        let bits = self.bits.filter(|_| !self.is_invalid);
        bits.map_or(Value::Null, |bits| Value::Int(i64::from(bits)))
    }
}
