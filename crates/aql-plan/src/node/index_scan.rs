//! Scans of indexes.

use super::{DocumentSource, IndexRange, NodePrinter, PlanNode, Role, flag};
use crate::catalog::{IndexField, IndexInfo};
use crate::expression::Expression;
use crate::variable::VariableId;

/// A row for each document that an index finds.
#[derive(Debug, Clone)]
pub struct IndexScan {
    /// The collection and what is fetched of its documents.
    pub source: DocumentSource,
    /// The indexes that `ranges` refer to, as the catalog had them when the plan was made. Never
    /// empty; several only for conditions like `d.a == 1 || d.b == 2`.
    pub indexes: Vec<IndexInfo>,
    /// The ranges to look up, evaluated anew for each incoming row. Never empty; a range without
    /// conditions is the whole index. A document that several ranges find is produced once.
    pub ranges: Vec<IndexRange>,
    /// The scan must omit documents that it has produced before for the same incoming row: the
    /// ranges may overlap, or one of them may find a document several times through `[*]`.
    pub deduplicate: bool,
    /// Direction: ascending order of the index's fields.
    pub ascending: bool,
    /// The order of the rows matters to a later node, which was therefore removed (SORT) or
    /// specialised (COLLECT). There is one index then, and with several ranges, or with `IN`, its
    /// entries must be visited in order.
    pub ordered: bool,
    /// The fields of the document that a removed SORT was by, for clients to see.
    pub sort_fields: Vec<IndexField>,
    /// Maximum number of entries that are wanted of each combination of looked-up values, the first
    /// ones in the direction of the scan (rule `push-limit-into-index`). A sort after the scan
    /// picks from them. There is one range then, and no filter.
    pub limit_each: Option<u64>,
    /// Its part in a merge join (rule `join-index-nodes`).
    pub join: JoinPart,
}

/// The part of an index scan in a join of consecutive index scans. Clients see one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum JoinPart {
    /// Not part of a join.
    #[default]
    None,
    /// The leading scan: its entries come in the order of the joined attribute.
    First,
    /// A scan that is looked up by an attribute of a scan before it, mostly a little further each
    /// time.
    Next,
}

impl PlanNode for IndexScan {
    fn name(&self) -> &'static str {
        "Index"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let ranges: Vec<String> =
            self.ranges.iter().map(|range| range.print(&self.indexes, printer)).collect();
        format!(
            "Index{}{}{}{}{}{} USING {}",
            match self.join {
                JoinPart::None => "",
                JoinPart::First => " join first",
                JoinPart::Next => " join next",
            },
            self.source.print(printer),
            flag(" deduplicate", self.deduplicate),
            flag(" ordered", self.ordered),
            flag(" descending", !self.ascending),
            self.limit_each.map_or_else(String::new, |limit| format!(" limit {limit} each")),
            ranges.join(" OR ")
        )
    }

    fn role(&self) -> Role {
        Role::Loop
    }

    fn sets(&self) -> Vec<VariableId> {
        self.source.sets()
    }

    fn locals(&self) -> Vec<VariableId> {
        self.source.locals()
    }

    fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.ranges.iter().for_each(|range| range.for_each_expression(visit));
        self.source.filter.iter().for_each(visit);
    }

    fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.ranges.iter_mut().for_each(|range| range.for_each_expression_mut(visit));
        self.source.filter.iter_mut().for_each(visit);
    }
}
