//! Nodes in explain that read from indexes what others read from documents.

use aql_plan::{
    DocumentSource, IndexCollect, Materialize, NearVector, NodeKind, Projection, VariableId, VariableSet,
    for_each_node,
};
use errors::Result;

use super::Explainer;
use super::scan::write_index;
use crate::writer::Writer;

impl Explainer<'_> {
    pub(super) fn index_collect(&self, out: &mut Writer, node: &IndexCollect) -> Result<()> {
        let source = &node.scan.source;
        let projection = |id: VariableId| source.projections.iter().find(|projection| projection.out == id);
        self.variable(out, "oldIndexVariable", source.out)?;
        out.key("collection")?.text(&source.collection.name)?;
        out.key("groups")?;
        out.array(&node.collect.groups, |out, group| {
            out.object(|out| {
                self.variable(out, "outVariable", group.out)?;
                write_attribute(out, projection(group.input))
            })
        })?;
        out.key("aggregations")?;
        out.array(&node.collect.aggregates, |out, aggregate| {
            out.object(|out| {
                self.variable(out, "outVariable", aggregate.out)?;
                out.key("type")?.text(aggregate.function.name())?;
                write_attribute(out, aggregate.input.and_then(projection))
            })
        })?;
        for index in &node.scan.indexes {
            out.key("index")?;
            write_index(out, index)?;
        }
        out.key("indexes")?;
        out.array(&node.scan.indexes, write_index)?;
        out.key("distinctScan")?.flag(node.distinct)?;
        out.key("collectOptions")?;
        out.object(|out| {
            out.key("method")?.text("sorted")?;
            out.key("disableIndex")?.flag(node.collect.disable_index)
        })
    }

    /// Writes a vector search.
    ///
    /// ArangoDB's documentation shows no such node as JSON. The names are those of its other nodes.
    pub(super) fn near_vector(&self, out: &mut Writer, node: &NearVector) -> Result<()> {
        let source = &node.source;
        self.variable(out, "inVariable", node.vector)?;
        self.variable(out, "outVariable", source.out)?;
        self.variable(out, "distanceOutVariable", node.distance)?;
        out.key("limit")?.number(source.limit.unwrap_or(0))?;
        if let Some(options) = &node.options {
            self.expression(out, "searchParameters", options)?;
        }
        if let Some(filter) = &source.filter {
            self.expression(out, "filter", filter)?;
        }
        let late_key = self.late_key(source).map(|key| key.out);
        let projections = source.projections.iter().filter(|projection| Some(projection.out) != late_key);
        let projections: Vec<Projection> = projections.cloned().collect();
        self.projections(out, "projections", &projections)?;
        self.projections(out, "filterProjections", &source.filter_projections)?;
        out.key("isCoveredByStoredValues")?.flag(source.coverage().filter)?;
        out.key("isLateMaterialized")?.flag(late_key.is_some())?;
        out.key("collection")?.text(&source.collection.name)?;
        out.key("index")?;
        write_index(out, &node.index)?;
        out.key("indexes")?;
        out.array([&node.index], write_index)
    }

    pub(super) fn materialize(&self, out: &mut Writer, node: &Materialize) -> Result<()> {
        self.variable(out, "inNmDocId", node.key)?;
        self.variable(out, "oldDocVariable", node.out)?;
        self.variable(out, "outVariable", node.out)?;
        out.key("multiNode")?.flag(!node.others.is_empty())?;
        self.projections(out, "projections", &node.projections)?;
        out.key("maxProjections")?.number(5)?;
        out.key("collection")?.text(&node.collection.name)
    }

    /// Returns the projection by which a later node fetches the documents of the scan.
    pub(super) fn late_key<'s>(&self, source: &'s DocumentSource) -> Option<&'s Projection> {
        self.late_key_of(&source.projections)
    }

    /// Returns the projection by which a later node fetches documents.
    pub(super) fn late_key_of<'s>(&self, projections: &'s [Projection]) -> Option<&'s Projection> {
        let mut keys = VariableSet::default();
        for_each_node(&self.plan.nodes, &mut |node| {
            if let NodeKind::Materialize(node) = &node.kind {
                keys.insert(node.key);
            }
        });
        projections.iter().find(|projection| keys.contains(projection.out))
    }
}

fn write_attribute(out: &mut Writer, projection: Option<&Projection>) -> Result<()> {
    let path = projection.map(|projection| projection.path.as_slice()).unwrap_or_default();
    out.key("attribute")?;
    out.array(path, |out, name| out.text(name))
}
