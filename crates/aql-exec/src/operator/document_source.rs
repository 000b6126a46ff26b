//! Filter and projections that scans apply to the documents they find, one row each.

use std::sync::Arc;

use aql_plan::Coverage;
use aql_value::{Batch, Column, Program, Register, Value};
use errors::Result;
use storage::{Collection, Documents};

use crate::context::ExecutionContext;

/// A projection: sets a register to the value at a path of the document.
#[derive(Clone)]
pub(crate) struct ProjectionProgram {
    pub(crate) path: Box<[Box<str>]>,
    pub(crate) out: Register,
    /// The place of the value in an index entry; `None`: in the document.
    pub(crate) covered: Option<CoveredValue>,
}

/// The place of a value in an index entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CoveredValue {
    /// The array of values that the entry covers.
    Position {
        /// Position in that array.
        position: usize,
        /// Number of names of the path that lead there; the others are looked up in the value.
        consumed: usize,
    },
    /// The document's `_key`.
    Key,
    /// The document's `_id`.
    Id,
}

/// A condition within the scan.
#[derive(Clone)]
pub(crate) struct DocumentFilter {
    pub(crate) program: Program,
    /// The attributes that the condition reads. Empty if it reads the whole document in the
    /// source's register.
    pub(crate) projections: Vec<ProjectionProgram>,
}

/// The documents of the rows of a batch.
pub(super) enum FoundDocuments<'a> {
    /// Documents from storage. If only some attributes are needed, no value is made of a whole
    /// document.
    Stored(&'a Documents),
    /// Documents as values.
    Values(Column),
}

impl FoundDocuments<'_> {
    /// Returns a row's document.
    pub(super) fn document(&self, row: usize) -> Value {
        match self {
            Self::Stored(documents) => match documents.offsets.get(row) {
                Some(Some(offset)) => Value::in_block(&documents.block, *offset),
                _ => Value::Null,
            },
            Self::Values(column) => column.get(row).clone(),
        }
    }

    /// Returns the value at a path of a row's document.
    pub(super) fn get_path(&self, row: usize, path: &[Box<str>]) -> Value {
        match self {
            Self::Stored(documents) => match documents.offsets.get(row) {
                Some(Some(offset)) => Value::path_in_block(&documents.block, *offset, path),
                _ => Value::Null,
            },
            Self::Values(column) => column.get(row).get_path(path),
        }
    }

    /// Returns the whole documents.
    pub(super) fn column(&self) -> Column {
        let documents = match self {
            Self::Stored(documents) => documents,
            Self::Values(column) => return column.clone(),
        };
        let value =
            |offset: &Option<u32>| offset.map_or(Value::Null, |o| Value::in_block(&documents.block, o));
        Column::from_values(documents.offsets.iter().map(value).collect())
    }
}

/// The output of a scan; see `aql_plan::DocumentSource`.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) collection: Arc<Collection>,
    /// Register of the document.
    pub(crate) out: Register,
    pub(crate) projections: Vec<ProjectionProgram>,
    pub(crate) filter: Option<DocumentFilter>,
    pub(crate) produces_result: bool,
    pub(crate) count_into: Option<Register>,
    pub(crate) read_own_writes: bool,
    pub(crate) limit: Option<u64>,
    /// The parts for which entries of the scan's index suffice.
    pub(crate) coverage: Coverage,
}

impl Source {
    /// Returns true if every document is passed on as it is, as in an export.
    ///
    /// A query for a part of the documents tends to be followed by one for another part.
    pub(super) fn hands_all_over(&self) -> bool {
        self.produces_result && self.filter.is_none() && self.projections.is_empty()
    }

    /// Filters a batch, whose rows have the given documents, and sets the registers of the source.
    pub(super) fn produce(
        &self,
        batch: &mut Batch,
        documents: &FoundDocuments<'_>,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        self.filter_documents(batch, documents, context)?;
        self.project_documents(batch, documents);
        Ok(())
    }

    /// Filters a batch without setting registers.
    pub(super) fn filter_documents(
        &self,
        batch: &mut Batch,
        documents: &FoundDocuments<'_>,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let Some(filter) = &self.filter else { return Ok(()) };
        if filter.projections.is_empty() {
            batch.set_column(self.out, documents.column());
        }
        for projection in &filter.projections {
            batch.set_column(projection.out, projection.of_documents(batch, documents));
        }
        context.filter(&filter.program, batch)
    }

    /// Sets the registers for the selected rows without filtering.
    pub(super) fn project_documents(&self, batch: &mut Batch, documents: &FoundDocuments<'_>) {
        if self.produces_result && self.projections.is_empty() {
            let is_set = self.filter.as_ref().is_some_and(|filter| filter.projections.is_empty());
            if !is_set {
                batch.set_column(self.out, documents.column());
            }
            return;
        }
        batch.clear_column(self.out);
        if self.produces_result {
            for projection in &self.projections {
                batch.set_column(projection.out, projection.of_documents(batch, documents));
            }
        }
    }
}

impl ProjectionProgram {
    /// Returns the values at the path in the selected rows.
    fn of_documents(&self, batch: &Batch, documents: &FoundDocuments<'_>) -> Column {
        let mut values = vec![Value::Null; batch.rows()];
        for row in batch.selected() {
            if let Some(value) = values.get_mut(row) {
                *value = documents.get_path(row, &self.path);
            }
        }
        Column::from_values(values)
    }
}
