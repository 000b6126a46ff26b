//! Data modifications in explain.

use aql_plan::{
    CollectionReference, Insert, ModificationOptions, OverwriteMode, Remove, Update, Upsert, VariableId,
};
use errors::Result;

use super::Explainer;
use crate::writer::Writer;

impl Explainer<'_> {
    pub(super) fn insert(&self, out: &mut Writer, node: &Insert) -> Result<()> {
        self.variable(out, "inVariable", node.input)?;
        self.modification(out, &node.collection, &node.options, node.out_old, node.out_new)
    }

    pub(super) fn update(&self, out: &mut Writer, node: &Update) -> Result<()> {
        self.variable(out, "inDocVariable", node.input)?;
        if let Some(key) = node.key {
            self.variable(out, "inKeyVariable", key)?;
        }
        self.modification(out, &node.collection, &node.options, node.out_old, node.out_new)
    }

    pub(super) fn remove(&self, out: &mut Writer, node: &Remove) -> Result<()> {
        self.variable(out, "inVariable", node.input)?;
        self.modification(out, &node.collection, &node.options, node.out_old, None)
    }

    pub(super) fn upsert(&self, out: &mut Writer, node: &Upsert) -> Result<()> {
        self.variable(out, "inDocVariable", node.found)?;
        self.variable(out, "insertVariable", node.insert)?;
        self.variable(out, "updateVariable", node.update)?;
        out.key("isReplace")?.flag(node.replace)?;
        out.key("readOwnWrites")?.flag(node.read_own_writes)?;
        self.modification(out, &node.collection, &node.options, None, node.out_new)
    }

    fn modification(
        &self,
        out: &mut Writer,
        collection: &CollectionReference,
        options: &ModificationOptions,
        old: Option<VariableId>,
        new: Option<VariableId>,
    ) -> Result<()> {
        if let Some(old) = old {
            self.variable(out, "outVariableOld", old)?;
        }
        if let Some(new) = new {
            self.variable(out, "outVariableNew", new)?;
        }
        out.key("collection")?.text(&collection.name)?;
        out.key("satellite")?.flag(false)?;
        out.key("isSatellite")?.flag(false)?;
        out.key("isSatelliteOf")?.null()?;
        out.key("countStats")?.flag(true)?;
        out.key("producesResults")?.flag(old.is_some() || new.is_some())?;
        out.key("modificationFlags")?;
        write_flags(out, options)
    }
}

fn write_flags(out: &mut Writer, options: &ModificationOptions) -> Result<()> {
    out.object(|out| {
        out.key("waitForSync")?.flag(options.wait_for_sync.unwrap_or(false))?;
        out.key("skipDocumentValidation")?.flag(options.skip_validation)?;
        out.key("keepNull")?.flag(options.keep_null)?;
        out.key("mergeObjects")?.flag(options.merge_objects)?;
        out.key("ignoreRevs")?.flag(options.ignore_revs)?;
        out.key("ignoreErrors")?.flag(options.ignore_errors)?;
        out.key("exclusive")?.flag(options.exclusive)?;
        out.key("overwriteMode")?.text(match options.overwrite_mode {
            OverwriteMode::Conflict => "conflict",
            OverwriteMode::Ignore => "ignore",
            OverwriteMode::Replace => "replace",
            OverwriteMode::Update => "update",
        })?;
        if let Some(refill) = options.refill_index_caches {
            out.key("refillIndexCaches")?.flag(refill)?;
        }
        match &options.version_attribute {
            Some(name) => out.key("versionAttribute")?.text(name),
            None => Ok(()),
        }
    })
}
