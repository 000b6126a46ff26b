//! Statements of syntax trees.

use std::collections::HashMap;

use aql_syntax::ast::{
    Aggregate, Block, Collect, DataSource, Direction, For, GraphName, GraphSource, Identifier, PathSearch,
    Pattern, PatternKind, SortDirection, SortItem, Statement, StatementKind, Traversal, Upsert, UpsertSearch,
    WriteMode,
};
use aql_value::Value;
use errors::Result;

use super::{List, TreeWriter, Writer, leaf, no_op, value};

impl<'a> TreeWriter<'a> {
    /// Writes the statements of a query or subquery.
    pub(super) fn root(&mut self, out: &mut Writer, block: &'a Block, with: &'a [DataSource]) -> Result<()> {
        self.levels.push(HashMap::new());
        let written = self.node(out, "root", |tree, list| {
            if !with.is_empty() {
                tree.node(list.out, "with", |tree, list| {
                    with.iter().try_for_each(|source| tree.data_source(list, source))
                })?;
            }
            block.statements.iter().try_for_each(|statement| tree.statement(list, statement))
        });
        self.levels.pop();
        written
    }

    fn statement(&mut self, list: &mut List<'_>, statement: &'a Statement) -> Result<()> {
        match &statement.kind {
            StatementKind::For(statement) => self.for_loop(list, statement),
            StatementKind::Traversal(statement) => self.traversal(list, statement),
            StatementKind::PathSearch(statement) => self.path_search(list, statement),
            StatementKind::Let(statement) => self.node(list.out, "let", |tree, list| {
                // The value cannot read the variable, which comes first in the tree.
                tree.pattern_then(list, &statement.target, |tree, list| {
                    tree.expression(list, &statement.value)
                })
            }),
            StatementKind::Filter(condition) => self.children(list, "filter", [condition]),
            StatementKind::Sort(statement) => self.node(list.out, "sort", |tree, list| {
                tree.node(list.out, "array", |tree, list| {
                    statement.items.iter().try_for_each(|item| tree.sort_item(list, item))
                })
            }),
            StatementKind::Limit(statement) => self.node(list.out, "limit", |tree, list| {
                match &statement.offset {
                    Some(offset) => tree.expression(list, offset)?,
                    None => value(list, &Value::Int(0))?,
                }
                tree.expression(list, &statement.count)
            }),
            StatementKind::Collect(statement) => self.collect(list, statement),
            StatementKind::Window(statement) => self.node(list.out, "window", |tree, list| {
                tree.expression(list, &statement.bounds)?;
                tree.optional(list, statement.range.as_ref())?;
                tree.aggregates(list, &statement.aggregates)
            }),
            StatementKind::Return(statement) => {
                let kind = if statement.distinct { "distinct" } else { "return" };
                if !statement.distinct {
                    return self.children(list, kind, [&statement.value]);
                }
                self.node(list.out, "return", |tree, list| tree.children(list, kind, [&statement.value]))
            }
            _ => self.modification(list, statement),
        }
    }

    fn modification(&mut self, list: &mut List<'_>, statement: &'a Statement) -> Result<()> {
        match &statement.kind {
            StatementKind::Insert(statement) => self.node(list.out, "insert", |tree, list| {
                tree.optional(list, statement.options.as_ref())?;
                tree.data_source(list, &statement.collection)?;
                tree.expression(list, &statement.document)
            }),
            StatementKind::Update(statement) => self.node(list.out, mode(statement.mode), |tree, list| {
                tree.optional(list, statement.options.as_ref())?;
                tree.data_source(list, &statement.collection)?;
                tree.expression(list, statement.document.as_ref().unwrap_or(&statement.key))?;
                tree.optional(list, statement.document.as_ref().map(|_| &statement.key))
            }),
            StatementKind::Remove(statement) => self.node(list.out, "remove", |tree, list| {
                tree.optional(list, statement.options.as_ref())?;
                tree.data_source(list, &statement.collection)?;
                tree.expression(list, &statement.key)
            }),
            StatementKind::Upsert(statement) => self.upsert(list, statement),
            _ => Err(super::unknown("a statement that is not known")),
        }
    }

    fn upsert(&mut self, list: &mut List<'_>, statement: &'a Upsert) -> Result<()> {
        self.node(list.out, "upsert", |tree, list| {
            tree.optional(list, statement.options.as_ref())?;
            tree.data_source(list, &statement.collection)?;
            match &statement.search {
                UpsertSearch::Example(example) => tree.expression(list, example)?,
                UpsertSearch::Filter(condition) => tree.children(list, "filter", [condition])?,
            }
            tree.expression(list, &statement.insert)?;
            tree.children(list, mode(statement.mode), [&statement.update])
        })
    }

    /// Writes the variable, or pattern, before the output of `rest`, but makes it visible after
    /// that.
    fn pattern_then(
        &mut self,
        list: &mut List<'_>,
        pattern: &'a Pattern,
        rest: impl FnOnce(&mut Self, &mut List<'_>) -> Result<()>,
    ) -> Result<()> {
        let before = self.levels.last().cloned().unwrap_or_default();
        self.pattern(list, pattern)?;
        let after = self.levels.last_mut().map(|level| std::mem::replace(level, before));
        rest(self, list)?;
        if let (Some(level), Some(after)) = (self.levels.last_mut(), after) {
            *level = after;
        }
        Ok(())
    }

    fn pattern(&mut self, list: &mut List<'_>, pattern: &'a Pattern) -> Result<()> {
        match &pattern.kind {
            PatternKind::Variable(identifier) => self.variable(list, &identifier.name),
            PatternKind::Array(elements) => self.node(list.out, "array destructuring", |tree, list| {
                elements.iter().try_for_each(|element| match element {
                    Some(element) => tree.pattern(list, element),
                    None => no_op(list),
                })
            }),
            PatternKind::Object(members) => self.node(list.out, "object destructuring", |tree, list| {
                members.iter().try_for_each(|member| tree.pattern(list, &member.target))
            }),
        }
    }

    fn for_loop(&mut self, list: &mut List<'_>, statement: &'a For) -> Result<()> {
        let kind = if statement.search.is_some() { "for view" } else { "for" };
        self.node(list.out, kind, |tree, list| {
            tree.pattern_then(list, &statement.target, |tree, list| {
                tree.expression(list, &statement.source)
            })?;
            if let Some(search) = &statement.search {
                tree.expression(list, search)?;
            }
            tree.optional(list, statement.options.as_ref())
        })
    }

    fn sort_item(&mut self, list: &mut List<'_>, item: &'a SortItem) -> Result<()> {
        self.node(list.out, "sort element", |tree, list| {
            tree.expression(list, &item.expression)?;
            match &item.direction {
                SortDirection::Ascending => value(list, &Value::Bool(true)),
                SortDirection::Descending => value(list, &Value::Bool(false)),
                SortDirection::Computed(direction) => tree.expression(list, direction),
            }
        })
    }

    fn collect(&mut self, list: &mut List<'_>, statement: &'a Collect) -> Result<()> {
        self.node(list.out, "collect", |tree, list| {
            tree.optional(list, statement.options.as_ref())?;
            tree.node(list.out, "array", |tree, list| {
                statement.groups.iter().try_for_each(|group| {
                    tree.node(list.out, "assign", |tree, list| {
                        tree.expression_after_name(list, &group.variable, |tree, list| {
                            tree.expression(list, &group.expression)
                        })
                    })
                })
            })?;
            tree.aggregates(list, &statement.aggregates)?;
            match (&statement.into, &statement.count) {
                (Some(into), _) => {
                    tree.variable(list, &into.variable.name)?;
                    tree.optional(list, into.expression.as_ref())?;
                    tree.node(list.out, "array", |tree, list| {
                        into.keep.iter().try_for_each(|kept| tree.name(list, kept))
                    })
                }
                (None, Some(count)) => tree.variable(list, &count.name),
                (None, None) => no_op(list),
            }
        })
    }

    fn name(&mut self, list: &mut List<'_>, identifier: &'a Identifier) -> Result<()> {
        let id = self.lookup(&identifier.name);
        list.out.object(|out| {
            out.key("type")?.text("reference")?;
            out.key("name")?.text(&identifier.name)?;
            id.map_or(Ok(()), |id| out.key("id")?.number(id))
        })
    }

    fn expression_after_name(
        &mut self,
        list: &mut List<'_>,
        identifier: &'a Identifier,
        rest: impl FnOnce(&mut Self, &mut List<'_>) -> Result<()>,
    ) -> Result<()> {
        self.variable(list, &identifier.name)?;
        rest(self, list)
    }

    fn aggregates(&mut self, list: &mut List<'_>, aggregates: &'a [Aggregate]) -> Result<()> {
        self.node(list.out, "aggregations", |tree, list| {
            tree.node(list.out, "array", |tree, list| {
                aggregates.iter().try_for_each(|aggregate| {
                    tree.node(list.out, "assign", |tree, list| {
                        tree.expression_after_name(list, &aggregate.variable, |tree, list| {
                            tree.node(list.out, aggregate.function.normalized(), |tree, list| {
                                aggregate
                                    .arguments
                                    .iter()
                                    .try_for_each(|argument| tree.expression(list, argument))
                            })
                        })
                    })
                })
            })
        })
    }

    fn traversal(&mut self, list: &mut List<'_>, statement: &'a Traversal) -> Result<()> {
        self.node(list.out, "traversal", |tree, list| {
            leaf(list, "direction", Some(direction(statement.direction)))?;
            tree.optional(list, statement.depth.as_ref())?;
            tree.expression(list, &statement.start)?;
            tree.graph(list, &statement.graph)?;
            tree.optional(list, statement.options.as_ref())?;
            let outputs = Some(&statement.vertex).into_iter().chain(&statement.edge).chain(&statement.path);
            outputs.into_iter().try_for_each(|output| tree.variable(list, &output.name))?;
            tree.optional(list, statement.prune.as_ref().map(|prune| &prune.condition))
        })
    }

    fn path_search(&mut self, list: &mut List<'_>, statement: &'a PathSearch) -> Result<()> {
        let kind = statement.kind.keyword().to_ascii_lowercase().replace('_', " ");
        self.node(list.out, &kind, |tree, list| {
            leaf(list, "direction", Some(direction(statement.direction)))?;
            tree.optional(list, statement.depth.as_ref())?;
            tree.expression(list, &statement.start)?;
            tree.expression(list, &statement.target)?;
            tree.graph(list, &statement.graph)?;
            tree.optional(list, statement.options.as_ref())?;
            let outputs = Some(&statement.output).into_iter().chain(&statement.edge);
            outputs.into_iter().try_for_each(|output| tree.variable(list, &output.name))
        })
    }

    fn graph(&mut self, list: &mut List<'_>, graph: &'a GraphSource) -> Result<()> {
        match graph {
            GraphSource::Named(GraphName::Name(name), _) => value(list, &Value::from_str(name)),
            GraphSource::Named(GraphName::BindParameter(name), _) => leaf(list, "parameter", Some(name)),
            GraphSource::Named(GraphName::DataSourceBindParameter(name), _) => {
                leaf(list, "datasource parameter", Some(&format!("@{name}")))
            }
            GraphSource::EdgeCollections(edges) => self.node(list.out, "collection list", |tree, list| {
                edges.iter().try_for_each(|edge| tree.data_source(list, &edge.collection))
            }),
        }
    }
}

fn mode(mode: WriteMode) -> &'static str {
    match mode {
        WriteMode::Update => "update",
        WriteMode::Replace => "replace",
    }
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Outbound => "outbound",
        Direction::Inbound => "inbound",
        Direction::Any => "any",
    }
}
