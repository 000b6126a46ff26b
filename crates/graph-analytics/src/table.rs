//! Results of algorithms.

use errors::Result;
use owner::Charge;

use crate::column::Column;
use crate::work::Work;

/// The result of an algorithm: columns of equal length, and statistics about the whole.
#[derive(Debug)]
pub struct Table {
    columns: Vec<(&'static str, Column)>,
    statistics: Vec<(&'static str, Statistic)>,
    is_by_vertex: bool,
    charge: Charge,
}

/// A statistic about a whole result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// An integer.
    Count(u64),
    /// A floating-point number.
    Number(f64),
    /// A truth value.
    Flag(bool),
}

impl Table {
    /// Begins a result whose row `i` belongs to vertex `i`. It has no column for the vertex itself.
    pub fn by_vertex(work: &Work) -> Result<Self> {
        Ok(Table {
            columns: Vec::new(),
            statistics: Vec::new(),
            is_by_vertex: true,
            charge: work.reserve(0)?,
        })
    }

    /// Begins a result whose rows are anything else: pairs, paths, edges.
    pub fn of_rows(work: &Work) -> Result<Self> {
        Ok(Table { is_by_vertex: false, ..Table::by_vertex(work)? })
    }

    /// Adds a column. Errors: 32 if it exceeds the limit of memory.
    pub fn with_column(mut self, name: &'static str, column: Column) -> Result<Self> {
        debug_assert!(self.columns.first().is_none_or(|(_, first)| first.len() == column.len()));
        self.charge.grow(column.bytes())?;
        self.columns.push((name, column));
        Ok(self)
    }

    /// Adds a statistic.
    pub fn with_statistic(mut self, name: &'static str, statistic: Statistic) -> Self {
        self.statistics.push((name, statistic));
        self
    }

    /// Returns the result with `value` where a count or a number is missing or infinite.
    pub fn filled(mut self, value: i64) -> Self {
        self.columns = self.columns.into_iter().map(|(name, column)| (name, column.filled(value))).collect();
        self
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if row `i` belongs to vertex `i`.
    pub fn is_by_vertex(&self) -> bool {
        self.is_by_vertex
    }

    /// Returns the columns in the order in which rows show them.
    pub fn columns(&self) -> &[(&'static str, Column)] {
        &self.columns
    }

    /// Returns a column.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(its, _)| *its == name).map(|(_, column)| column)
    }

    /// Returns the statistics about the whole.
    pub fn statistics(&self) -> &[(&'static str, Statistic)] {
        &self.statistics
    }

    /// Returns a statistic.
    pub fn statistic(&self, name: &str) -> Option<Statistic> {
        self.statistics.iter().find(|(its, _)| *its == name).map(|(_, statistic)| *statistic)
    }

    /// Returns the bytes that the result takes.
    pub fn bytes(&self) -> u64 {
        self.charge.bytes()
    }

    /// Takes the columns out, with the charge for their memory.
    pub fn into_columns(self) -> (Vec<(&'static str, Column)>, Charge) {
        (self.columns, self.charge)
    }
}
