//! Nodes of data modifications.

use errors::Result;

use super::{Builder, element_at};
use crate::bind::{
    ForCollection, InsertStatement, RemoveStatement, Statement, UpdateStatement, UpsertStatement,
};
use crate::expression::Expression;
use crate::node::{Insert, NodeKind, Remove, Update, Upsert};
use crate::variable::VariableId;

impl Builder {
    pub(super) fn insert(&mut self, statement: InsertStatement) -> Result<()> {
        let input = self.variable(statement.document)?;
        self.add(NodeKind::Insert(Box::new(Insert {
            collection: statement.collection,
            input,
            out_old: statement.old,
            out_new: Some(statement.new),
            options: statement.options,
        })))
    }

    pub(super) fn update(&mut self, statement: UpdateStatement) -> Result<()> {
        let input = self.variable(statement.document)?;
        let key = statement.key.map(|key| self.variable(key)).transpose()?;
        self.add(NodeKind::Update(Box::new(Update {
            collection: statement.collection,
            replace: statement.replace,
            input,
            key,
            out_old: Some(statement.old),
            out_new: Some(statement.new),
            options: statement.options,
        })))
    }

    pub(super) fn remove(&mut self, statement: RemoveStatement) -> Result<()> {
        let input = self.variable(statement.key)?;
        self.add(NodeKind::Remove(Box::new(Remove {
            collection: statement.collection,
            input,
            out_old: Some(statement.old),
            options: statement.options,
        })))
    }

    /// Builds the lookup as a subquery that finds at most one document. OLD is this document, or
    /// null.
    pub(super) fn upsert(&mut self, statement: UpsertStatement) -> Result<()> {
        let mut lookup = vec![Statement::ForCollection(Box::new(ForCollection {
            out: statement.candidate,
            collection: statement.collection.clone(),
            options: statement.lookup_options,
        }))];
        lookup.extend(statement.lookup);
        lookup.push(Statement::Limit { offset: 0, limit: 1 });
        lookup.push(Statement::Return { value: Expression::Variable(statement.shown), distinct: false });
        let found = self.variables.add_temporary();
        self.statement(Statement::Subquery { out: found, body: lookup, run_if: None })?;
        if statement.read_own_writes {
            self.mark_read_own_writes(statement.candidate);
        }
        self.calculation(statement.old, element_at(found, 0))?;
        statement.before_write.into_iter().try_for_each(|before| self.statement(before))?;
        let insert = self.variable(statement.insert)?;
        let update = self.variable(statement.update)?;
        self.add(NodeKind::Upsert(Box::new(Upsert {
            collection: statement.collection,
            replace: statement.replace,
            found: statement.old,
            insert,
            update,
            out_new: Some(statement.new),
            read_own_writes: statement.read_own_writes,
            options: statement.options,
        })))
    }

    /// Lets the scan of the lookup see the writes of the UPSERT for earlier rows.
    fn mark_read_own_writes(&mut self, candidate: VariableId) {
        let Some(NodeKind::Subquery(subquery)) = self.nodes.last_mut().map(|node| &mut node.kind) else {
            return;
        };
        for node in &mut subquery.nodes {
            if let NodeKind::EnumerateCollection(scan) = &mut node.kind
                && scan.source.out == candidate
            {
                scan.source.read_own_writes = true;
            }
        }
    }
}
