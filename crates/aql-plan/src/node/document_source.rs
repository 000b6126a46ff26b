//! The documents that scans fetch; common to full scans and index scans.

use super::{Coverage, NodePrinter, Projection, flag, print_projections};
use crate::catalog::CollectionReference;
use crate::expression::Expression;
use crate::variable::VariableId;

/// The documents that a scan produces; common to full scans and index scans.
///
/// A scan takes these steps for each document: It sets the variables of `filter_projections` and
/// evaluates `filter`. For documents that pass it sets the variables of `projections`, or `out` if
/// there are none and `produces_result`.
#[derive(Debug, Clone)]
pub struct DocumentSource {
    /// The collection that is scanned.
    pub collection: CollectionReference,
    /// The document. Set only if `produces_result` is true and `projections` is empty, and while
    /// `filter` is evaluated if `filter_projections` is empty.
    pub out: VariableId,
    /// Attributes to fetch instead of the whole document, each with a variable of its own; empty
    /// for the whole document.
    pub projections: Vec<Projection>,
    /// Condition evaluated within the scan. It reads the document through the variables of
    /// `filter_projections`, or through `out` if there are none, and variables of the outer row.
    pub filter: Option<Expression>,
    /// Attributes that only `filter` reads. Other nodes do not use their variables.
    pub filter_projections: Vec<Projection>,
    /// False if no node reads the document: rows are only counted.
    pub produces_result: bool,
    /// The variable for the number of rows, if the scan only counts them (rule `optimize-count`).
    ///
    /// The scan answers each incoming row with exactly one row then, also if the number is 0. It
    /// has no projections and does not set `out`.
    pub count_into: Option<VariableId>,
    /// The scan must see writes of earlier rows of this query (the lookup of an UPSERT).
    pub read_own_writes: bool,
    /// Option `useCache`: index caches may be used.
    pub use_cache: bool,
    /// Option `maxProjections`: with more attributes than that, the whole document is fetched.
    pub max_projections: usize,
    /// Option `indexHint` and its relatives.
    pub hint: IndexHint,
    /// Maximum number of documents that are wanted for each incoming row, after `filter`; `None`
    /// for all.
    pub limit: Option<u64>,
}

/// Options of a FOR that choose an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexHint {
    /// Names of indexes to try first, in this order.
    pub names: Vec<Box<str>>,
    /// `forceIndexHint`: error 1577 if none of `names` can be used.
    pub forced: bool,
    /// `disableIndex`: full scan.
    pub disabled: bool,
    /// `lookahead`: the number of entries of a multi-dimensional index in a row that may lie
    /// outside of the search before the scan seeks the next entry inside.
    pub lookahead: u64,
    /// `waitForSync`: an inverted index has all that was committed before the query.
    pub wait_for_sync: bool,
}

impl IndexHint {
    /// The `lookahead` of a query that does not set it.
    pub const DEFAULT_LOOKAHEAD: u64 = 1;
}

impl DocumentSource {
    /// Returns the parts for which the entries of the scan's index suffice.
    pub fn coverage(&self) -> Coverage {
        Coverage::of(&self.projections, &self.filter_projections)
    }

    /// Returns true if the filter reads the document, not only entries of the index.
    pub fn filters_documents(&self) -> bool {
        self.filter.is_some() && !self.coverage().filter
    }

    /// Returns true if the filter or the result needs the document, not only entries of the index.
    pub fn reads_documents(&self) -> bool {
        self.filters_documents() || (self.produces_result && !self.coverage().projections)
    }

    /// Returns the variables that the scan sets for later nodes.
    pub fn sets(&self) -> Vec<VariableId> {
        if let Some(count) = self.count_into {
            return vec![count];
        }
        match (self.produces_result, self.projections.is_empty()) {
            (false, _) => Vec::new(),
            (true, true) => vec![self.out],
            (true, false) => self.projections.iter().map(|projection| projection.out).collect(),
        }
    }

    /// Returns the variables that the scan sets while it evaluates the filter.
    pub(super) fn locals(&self) -> Vec<VariableId> {
        if self.filter.is_none() {
            return Vec::new();
        }
        let projections = self.filter_projections.iter().map(|projection| projection.out);
        projections.chain([self.out]).collect()
    }

    pub(super) fn print(&self, printer: &NodePrinter<'_>) -> String {
        let mut text = format!(" {} IN {}", printer.name(self.out), self.collection.name);
        if let Some(count) = self.count_into {
            text += &format!(" count into {}", printer.name(count));
        } else if !self.produces_result {
            text += " no result";
        }
        text += &print_projections(" projections", &self.projections, printer);
        text += &print_projections(" filter projections", &self.filter_projections, printer);
        text += &printer.titled_text(" FILTER ", self.filter.as_ref());
        text += &self.limit.map(|limit| format!(" limit {limit}")).unwrap_or_default();
        text += flag(" reads own writes", self.read_own_writes);
        let Coverage { projections, filter } = self.coverage();
        text += flag(" covers projections", projections);
        text + flag(" covers filter", filter)
    }
}
