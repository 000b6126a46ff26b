//! Aggregates of COLLECT and WINDOW.

use super::NodePrinter;
use crate::variable::VariableId;

/// One aggregate of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectAggregate {
    /// Set to the result.
    pub out: VariableId,
    /// Read in each row; `None` for `Length`, which reads nothing.
    pub input: Option<VariableId>,
    /// The function that combines the values.
    pub function: AggregateFunction,
}

impl CollectAggregate {
    pub(super) fn print(&self, printer: &NodePrinter<'_>) -> String {
        let input = printer.titled_name("", self.input);
        format!("{} = {}({input})", printer.name(self.out), self.function.name())
    }
}

/// Aggregates of COLLECT and WINDOW.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AggregateFunction {
    /// `LENGTH`, `COUNT`: number of rows.
    Length,
    /// `MIN`: smallest value that is not null.
    Min,
    /// `MAX`.
    Max,
    /// `SUM`.
    Sum,
    /// `AVERAGE`, `AVG`.
    Average,
    /// `VARIANCE_POPULATION`, `VARIANCE`.
    VariancePopulation,
    /// `VARIANCE_SAMPLE`.
    VarianceSample,
    /// `STDDEV_POPULATION`, `STDDEV`.
    StddevPopulation,
    /// `STDDEV_SAMPLE`.
    StddevSample,
    /// `UNIQUE`: distinct values in no particular order.
    Unique,
    /// `SORTED_UNIQUE`: distinct values in order.
    SortedUnique,
    /// `COUNT_DISTINCT`, `COUNT_UNIQUE`.
    CountDistinct,
    /// `BIT_AND`.
    BitAnd,
    /// `BIT_OR`.
    BitOr,
    /// `BIT_XOR`.
    BitXor,
    /// `PUSH`: all values.
    Push,
}

impl AggregateFunction {
    /// Returns the aggregate of a name or alias in upper case.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "LENGTH" | "COUNT" => Self::Length,
            "MIN" => Self::Min,
            "MAX" => Self::Max,
            "SUM" => Self::Sum,
            "AVERAGE" | "AVG" => Self::Average,
            "VARIANCE_POPULATION" | "VARIANCE" => Self::VariancePopulation,
            "VARIANCE_SAMPLE" => Self::VarianceSample,
            "STDDEV_POPULATION" | "STDDEV" => Self::StddevPopulation,
            "STDDEV_SAMPLE" => Self::StddevSample,
            "UNIQUE" => Self::Unique,
            "SORTED_UNIQUE" => Self::SortedUnique,
            "COUNT_DISTINCT" | "COUNT_UNIQUE" => Self::CountDistinct,
            "BIT_AND" => Self::BitAnd,
            "BIT_OR" => Self::BitOr,
            "BIT_XOR" => Self::BitXor,
            "PUSH" => Self::Push,
            _ => return None,
        })
    }

    /// Returns ArangoDB's name for the function.
    pub fn name(self) -> &'static str {
        match self {
            Self::Length => "LENGTH",
            Self::Min => "MIN",
            Self::Max => "MAX",
            Self::Sum => "SUM",
            Self::Average => "AVERAGE",
            Self::VariancePopulation => "VARIANCE_POPULATION",
            Self::VarianceSample => "VARIANCE_SAMPLE",
            Self::StddevPopulation => "STDDEV_POPULATION",
            Self::StddevSample => "STDDEV_SAMPLE",
            Self::Unique => "UNIQUE",
            Self::SortedUnique => "SORTED_UNIQUE",
            Self::CountDistinct => "COUNT_DISTINCT",
            Self::BitAnd => "BIT_AND",
            Self::BitOr => "BIT_OR",
            Self::BitXor => "BIT_XOR",
            Self::Push => "PUSH",
        }
    }
}
