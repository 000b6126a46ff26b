//! UPSERT.

use super::{ModificationOptions, NodePrinter, PlanNode, Role, flag};
use crate::catalog::CollectionReference;
use crate::variable::VariableId;

/// UPSERT. The nodes before it look the document up (a subquery with LIMIT 1) and compute both
/// variants.
#[derive(Debug, Clone)]
pub struct Upsert {
    /// The collection to write to.
    pub collection: CollectionReference,
    /// The update part is a REPLACE.
    pub replace: bool,
    /// The document found, or null: then `insert` is inserted.
    pub found: VariableId,
    /// The document to insert.
    pub insert: VariableId,
    /// The patch or the new document for the document found.
    pub update: VariableId,
    /// Set to the document after, if used. (The document before is `found`.)
    pub out_new: Option<VariableId>,
    /// Option `readOwnWrites`: a later row must find what an earlier row of this query wrote, so
    /// rows pass the lookup one at a time.
    pub read_own_writes: bool,
    /// The options of the statement.
    pub options: ModificationOptions,
}

impl PlanNode for Upsert {
    fn name(&self) -> &'static str {
        "Upsert"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        format!(
            "Upsert {} INSERT {} {} {} IN {}{}{}{}",
            printer.name(self.found),
            printer.name(self.insert),
            if self.replace { "REPLACE" } else { "UPDATE" },
            printer.name(self.update),
            self.collection.name,
            printer.titled_name(" new ", self.out_new),
            flag(" reads own writes", self.read_own_writes),
            self.options.print()
        )
    }

    fn role(&self) -> Role {
        Role::Modification
    }

    fn sets(&self) -> Vec<VariableId> {
        self.out_new.into_iter().collect()
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        [self.found, self.insert, self.update].into_iter().for_each(visit);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        [&mut self.found, &mut self.insert, &mut self.update].into_iter().for_each(visit);
    }
}
