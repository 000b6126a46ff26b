//! Lowering of data modification.

use aql_plan::{
    CollectionReference, Insert, ModificationOptions, OverwriteMode, Remove, Update, Upsert, VariableId,
};
use errors::Result;
use storage::WriteOptions;

use super::Lowering;
use crate::operator::{
    InsertWriter, ModificationOperator, Operator, RemoveWriter, UpdateWriter, UpsertWriter, WriteTarget,
};

impl Lowering<'_> {
    pub(super) fn insert(&mut self, input: Box<dyn Operator>, node: &Insert) -> Result<Box<dyn Operator>> {
        let writer = InsertWriter { input: self.register(node.input)? };
        let target = self.target(&node.collection, &node.options, node.out_old, node.out_new)?;
        Ok(Box::new(ModificationOperator::new(input, Box::new(writer), target, false)))
    }

    pub(super) fn update(&mut self, input: Box<dyn Operator>, node: &Update) -> Result<Box<dyn Operator>> {
        let writer = UpdateWriter {
            input: self.register(node.input)?,
            key: node.key.map(|id| self.register(id)).transpose()?,
            replace: node.replace,
        };
        let target = self.target(&node.collection, &node.options, node.out_old, node.out_new)?;
        Ok(Box::new(ModificationOperator::new(input, Box::new(writer), target, false)))
    }

    pub(super) fn remove(&mut self, input: Box<dyn Operator>, node: &Remove) -> Result<Box<dyn Operator>> {
        let writer = RemoveWriter { input: self.register(node.input)? };
        let target = self.target(&node.collection, &node.options, node.out_old, None)?;
        Ok(Box::new(ModificationOperator::new(input, Box::new(writer), target, false)))
    }

    pub(super) fn upsert(&mut self, input: Box<dyn Operator>, node: &Upsert) -> Result<Box<dyn Operator>> {
        let writer = UpsertWriter {
            found: self.register(node.found)?,
            insert: self.register(node.insert)?,
            update: self.register(node.update)?,
            replace: node.replace,
        };
        let target = self.target(&node.collection, &node.options, None, node.out_new)?;
        Ok(Box::new(ModificationOperator::new(input, Box::new(writer), target, node.read_own_writes)))
    }

    fn target(
        &mut self,
        collection: &CollectionReference,
        options: &ModificationOptions,
        out_old: Option<VariableId>,
        out_new: Option<VariableId>,
    ) -> Result<WriteTarget> {
        self.wait_for_sync |= options.wait_for_sync == Some(true);
        Ok(WriteTarget {
            collection: self.context.data.collection(collection)?,
            options: WriteOptions {
                overwrite_mode: match options.overwrite_mode {
                    OverwriteMode::Conflict => storage::OverwriteMode::Conflict,
                    OverwriteMode::Ignore => storage::OverwriteMode::Ignore,
                    OverwriteMode::Replace => storage::OverwriteMode::Replace,
                    OverwriteMode::Update => storage::OverwriteMode::Update,
                },
                keep_null: options.keep_null,
                merge_objects: options.merge_objects,
                ignore_revs: options.ignore_revs,
                version_attribute: options.version_attribute.as_deref().map(str::to_owned),
                skip_validation: options.skip_validation,
                return_old: out_old.is_some(),
                return_new: out_new.is_some(),
                owner: Some(self.context.owner()),
                ..WriteOptions::default()
            },
            ignore_errors: options.ignore_errors,
            out_old: out_old.map(|id| self.register(id)).transpose()?,
            out_new: out_new.map(|id| self.register(id)).transpose()?,
        })
    }
}
