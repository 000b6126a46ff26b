//! Nodes in explain.

use aql_plan::{
    Collect, CollectAggregate, CollectMethod, Expression, Filter, IntoContent, Limit, Node, NodeKind, Sort,
    Subquery,
};
use errors::Result;

use super::Explainer;
use crate::shown::Step;
use crate::writer::Writer;

/// Functions that end the query with an error on purpose.
const THROWING: &[&str] = &["FAIL", "ASSERT"];

impl Explainer<'_> {
    pub(super) fn step(&self, out: &mut Writer, step: &Step<'_>, before: Option<&Step<'_>>) -> Result<()> {
        out.object(|out| {
            let node = match step {
                Step::Node(node) => *node,
                Step::Join(scans) => match scans.last() {
                    Some(last) => last,
                    None => return Ok(()),
                },
                Step::Start { subquery, .. } | Step::End { subquery } => *subquery,
            };
            out.key("type")?.text(&step.type_name())?;
            out.key("dependencies")?;
            out.array(before, |out, before| out.number(before.id()))?;
            out.key("id")?.number(step.id())?;
            out.key("estimatedCost")?.float(node.estimated_cost)?;
            out.key("estimatedNrItems")?.number(node.estimated_items)?;
            if step.prefetches() {
                out.key("isAsyncPrefetchEnabled")?.flag(true)?;
            }
            match (step, &node.kind) {
                (Step::Node(node), _) => self.content(out, node),
                (Step::Join(scans), _) => self.join(out, scans),
                (Step::Start { .. }, NodeKind::Subquery(subquery)) => {
                    self.variable(out, "subqueryOutVariable", subquery.out)
                }
                (Step::End { .. }, NodeKind::Subquery(subquery)) => self.subquery_end(out, subquery),
                _ => Ok(()),
            }
        })
    }

    fn subquery_end(&self, out: &mut Writer, subquery: &Subquery) -> Result<()> {
        if let Some(NodeKind::Return(last)) = subquery.nodes.last().map(|node| &node.kind) {
            self.variable(out, "inVariable", last.input)?;
        }
        self.variable(out, "outVariable", subquery.out)?;
        out.key("isConst")?.flag(subquery.is_constant)
    }

    fn content(&self, out: &mut Writer, node: &Node) -> Result<()> {
        match &node.kind {
            NodeKind::Singleton => {
                out.key("bindParameterVariables")?;
                out.object(|_| Ok(()))
            }
            NodeKind::NoResults | NodeKind::Subquery(_) => Ok(()),
            NodeKind::EnumerateCollection(scan) => self.collection_scan(out, scan),
            NodeKind::Index(scan) => self.index_scan(out, scan),
            NodeKind::NearVector(node) => self.near_vector(out, node),
            NodeKind::EnumerateView(node) => self.enumerate_view(out, node),
            NodeKind::EnumerateList(list) => {
                self.variable(out, "inVariable", list.input)?;
                self.variable(out, "outVariable", list.out)?;
                if let Some(members) = list.object {
                    out.key("mode")?.text("object")?;
                    out.key("keyValuePairOutVars")?;
                    out.array([members.key, members.value], |out, id| self.any_variable(out, id))?;
                }
                list.filter.as_ref().map_or(Ok(()), |filter| self.expression(out, "filter", filter))
            }
            NodeKind::Calculation(calculation) => {
                self.expression(out, "expression", &calculation.expression)?;
                self.variable(out, "outVariable", calculation.out)?;
                out.key("canThrow")?.flag(can_throw(&calculation.expression))?;
                out.key("expressionType")?.text(expression_type(&calculation.expression))
            }
            NodeKind::Filter(Filter { condition, .. }) => self.variable(out, "inVariable", *condition),
            NodeKind::Sort(sort) => self.sort(out, sort),
            NodeKind::Limit(limit) => write_limit(out, limit),
            NodeKind::Traversal(node) => self.traversal(out, node),
            NodeKind::ShortestPath(node) => self.shortest_path(out, node),
            NodeKind::EnumeratePaths(node) => self.enumerate_paths(out, node),
            NodeKind::Collect(collect) => self.collect(out, collect),
            NodeKind::IndexCollect(node) => self.index_collect(out, node),
            NodeKind::Materialize(node) => self.materialize(out, node),
            NodeKind::Window(window) => self.window(out, window),
            NodeKind::Return(last) => {
                self.variable(out, "inVariable", last.input)?;
                out.key("count")?.flag(true)
            }
            NodeKind::Insert(insert) => self.insert(out, insert),
            NodeKind::Update(update) => self.update(out, update),
            NodeKind::Remove(remove) => self.remove(out, remove),
            NodeKind::Upsert(upsert) => self.upsert(out, upsert),
        }
    }

    fn sort(&self, out: &mut Writer, sort: &Sort) -> Result<()> {
        out.key("elements")?;
        out.array(&sort.elements, |out, element| {
            out.object(|out| {
                self.variable(out, "inVariable", element.input)?;
                out.key("ascending")?.flag(element.ascending)
            })
        })?;
        out.key("numberOfTopGroupedElements")?.number(sort.grouped as u64)?;
        out.key("stable")?.flag(sort.stable)?;
        out.key("limit")?.number(sort.limit.unwrap_or(0))?;
        out.key("strategy")?.text(match sort.limit {
            _ if sort.grouped > 0 => "grouped",
            Some(_) => "constrained-heap",
            None => "standard",
        })
    }

    fn collect(&self, out: &mut Writer, collect: &Collect) -> Result<()> {
        out.key("groups")?;
        out.array(&collect.groups, |out, group| {
            out.object(|out| {
                self.variable(out, "outVariable", group.out)?;
                self.variable(out, "inVariable", group.input)
            })
        })?;
        self.aggregates(out, &collect.aggregates)?;
        if let Some(into) = &collect.into {
            self.variable(out, "outVariable", into.out)?;
            match &into.content {
                IntoContent::Variable(id) => self.variable(out, "expressionVariable", *id)?,
                IntoContent::Object(members) => {
                    out.key("keepVariables")?;
                    out.array(members, |out, (name, id)| {
                        out.object(|out| {
                            self.variable(out, "variable", *id)?;
                            out.key("name")?.text(name)
                        })
                    })?;
                }
            }
        }
        out.key("isDistinctCommand")?.flag(collect.is_distinct_command)?;
        out.key("specialized")?.flag(true)?;
        out.key("collectOptions")?;
        out.object(|out| {
            out.key("method")?.text(method_name(collect.method))?;
            out.key("disableIndex")?.flag(collect.disable_index)
        })
    }

    pub(super) fn aggregates(&self, out: &mut Writer, aggregates: &[CollectAggregate]) -> Result<()> {
        out.key("aggregates")?;
        out.array(aggregates, |out, aggregate| {
            out.object(|out| {
                self.variable(out, "outVariable", aggregate.out)?;
                if let Some(input) = aggregate.input {
                    self.variable(out, "inVariable", input)?;
                }
                out.key("type")?.text(aggregate.function.name())
            })
        })
    }
}

fn write_limit(out: &mut Writer, limit: &Limit) -> Result<()> {
    out.key("offset")?.number(limit.offset)?;
    out.key("limit")?.number(limit.limit)?;
    out.key("fullCount")?.flag(limit.full_count)
}

fn method_name(method: CollectMethod) -> &'static str {
    match method {
        CollectMethod::Hash => "hash",
        CollectMethod::Sorted => "sorted",
        CollectMethod::Distinct => "distinct",
        CollectMethod::Count => "count",
    }
}

impl Step<'_> {
    /// Returns the name that clients see.
    pub(crate) fn type_name(&self) -> String {
        let name = match self {
            Self::Node(node) => node.kind.name(),
            Self::Join(_) => "Join",
            Self::Start { .. } => "SubqueryStart",
            Self::End { .. } => "SubqueryEnd",
        };
        format!("{name}Node")
    }
}

fn expression_type(expression: &Expression) -> &'static str {
    match expression {
        Expression::Constant(_) => "json",
        Expression::Attribute { .. } if expression.as_attribute_path().is_some() => "attribute",
        _ => "simple",
    }
}

fn can_throw(expression: &Expression) -> bool {
    expression
        .any(&|part| matches!(part, Expression::Call { function, .. } if THROWING.contains(&function.name)))
}
