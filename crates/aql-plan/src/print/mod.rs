//! Plans as text: a line a node, subqueries indented. For golden files and logs, not for clients.

mod graph;

use crate::catalog::IndexField;
use crate::expression::Expression;
use crate::expression::print::variable_text;
use crate::index_search::{IndexBound, text};
use crate::node::{
    Collect, CollectAggregate, CollectMethod, DocumentSource, IndexLookup, IndexRange, IndexScan,
    IntoContent, JoinPart, ModificationOptions, Node, NodeKind, Projection, ProjectionSource, SortElement,
    Upsert,
};
use crate::plan::Plan;
use crate::variable::{VariableId, Variables};
use std::fmt::Write;

/// The nodes of a plan as text, without numbers of nodes and estimates, which change with unrelated rules.
pub fn print(plan: &Plan) -> String {
    let mut printer = Printer { out: String::new(), variables: &plan.variables };
    printer.pipeline(&plan.nodes, 0);
    printer.out
}

struct Printer<'a> {
    out: String,
    variables: &'a Variables,
}

impl Printer<'_> {
    fn pipeline(&mut self, nodes: &[Node], depth: usize) {
        for node in nodes {
            let line = self.node(&node.kind);
            // Writing to a string cannot fail.
            let _ = writeln!(self.out, "{}{line}", "  ".repeat(depth));
            if let NodeKind::Subquery(subquery) = &node.kind {
                self.pipeline(&subquery.nodes, depth + 1);
            }
        }
    }

    fn node(&self, kind: &NodeKind) -> String {
        match kind {
            NodeKind::Singleton => "Singleton".into(),
            NodeKind::NoResults => "NoResults".into(),
            NodeKind::EnumerateCollection(scan) => {
                format!("EnumerateCollection{}{}", flag(" random", scan.random), self.source(&scan.source))
            }
            NodeKind::Index(scan) => self.index_scan(scan),
            NodeKind::EnumerateList(list) => {
                let filter = self.part(" FILTER ", list.filter.as_ref());
                let out = match list.object {
                    Some(members) => format!("{}, {} OF", self.name(members.key), self.name(members.value)),
                    None => format!("{} IN", self.name(list.out)),
                };
                format!("EnumerateList {out} {}{filter}", self.name(list.input))
            }
            NodeKind::Calculation(calculation) => {
                format!("Calculation {} = {}", self.name(calculation.out), self.text(&calculation.expression))
            }
            NodeKind::Subquery(subquery) => {
                let guard = subquery.run_if.map(|id| format!(" if {}", self.name(id))).unwrap_or_default();
                format!(
                    "Subquery {}{guard}{}",
                    self.name(subquery.out),
                    flag(" constant", subquery.is_constant)
                )
            }
            NodeKind::Filter { condition } => format!("Filter {}", self.name(*condition)),
            NodeKind::Sort(sort) => {
                let limit = sort.limit.map(|limit| format!(" limit {limit}")).unwrap_or_default();
                let grouped =
                    if sort.grouped > 0 { format!(" grouped {}", sort.grouped) } else { String::new() };
                format!("Sort {}{grouped}{limit}", self.elements(&sort.elements))
            }
            NodeKind::Limit(limit) => {
                let count = if limit.limit == u64::MAX { "all".into() } else { limit.limit.to_string() };
                format!("Limit {}, {count}{}", limit.offset, flag(" full count", limit.full_count))
            }
            NodeKind::Traversal(node) => self.traversal(node),
            NodeKind::ShortestPath(node) => self.shortest_path(node),
            NodeKind::EnumeratePaths(node) => self.enumerate_paths(node),
            NodeKind::Collect(collect) => self.collect(collect),
            NodeKind::IndexCollect(node) => format!(
                "{}{} OF {}",
                self.collect(&node.collect),
                flag(" skipping", node.distinct),
                self.index_scan(&node.scan)
            ),
            NodeKind::Materialize(node) => format!(
                "Materialize {} BY {} IN {}{}",
                self.name(node.out),
                self.name(node.key),
                node.collection.name,
                self.projections(" projections", &node.projections)
            ),
            NodeKind::Window(window) => self.window(window),
            NodeKind::Return(node) => format!("Return {}", self.name(node.input)),
            kind => self.modification(kind),
        }
    }

    fn modification(&self, kind: &NodeKind) -> String {
        match kind {
            NodeKind::Insert(node) => format!(
                "Insert {} INTO {}{}{}",
                self.name(node.input),
                node.collection.name,
                self.old_and_new(node.out_old, node.out_new),
                options(&node.options)
            ),
            NodeKind::Update(node) => {
                let key = node.key.map(|key| format!("{} WITH ", self.name(key))).unwrap_or_default();
                format!(
                    "{} {key}{} IN {}{}{}",
                    if node.replace { "Replace" } else { "Update" },
                    self.name(node.input),
                    node.collection.name,
                    self.old_and_new(node.out_old, node.out_new),
                    options(&node.options)
                )
            }
            NodeKind::Remove(node) => format!(
                "Remove {} IN {}{}{}",
                self.name(node.input),
                node.collection.name,
                self.old_and_new(node.out_old, None),
                options(&node.options)
            ),
            NodeKind::Upsert(node) => self.upsert(node),
            _ => String::new(),
        }
    }

    fn upsert(&self, node: &Upsert) -> String {
        format!(
            "Upsert {} INSERT {} {} {} IN {}{}{}{}",
            self.name(node.found),
            self.name(node.insert),
            if node.replace { "REPLACE" } else { "UPDATE" },
            self.name(node.update),
            node.collection.name,
            self.old_and_new(None, node.out_new),
            flag(" reads own writes", node.read_own_writes),
            options(&node.options)
        )
    }

    fn old_and_new(&self, old: Option<VariableId>, new: Option<VariableId>) -> String {
        let old = old.map(|id| format!(" old {}", self.name(id))).unwrap_or_default();
        let new = new.map(|id| format!(" new {}", self.name(id))).unwrap_or_default();
        old + &new
    }

    fn source(&self, source: &DocumentSource) -> String {
        let mut text = format!(" {} IN {}", self.name(source.out), source.collection.name);
        if let Some(count) = source.count_into {
            text += &format!(" count into {}", self.name(count));
        } else if !source.produces_result {
            text += " no result";
        }
        text += &self.projections(" projections", &source.projections);
        text += &self.projections(" filter projections", &source.filter_projections);
        text += &self.part(" FILTER ", source.filter.as_ref());
        text += &source.limit.map(|limit| format!(" limit {limit}")).unwrap_or_default();
        text + flag(" reads own writes", source.read_own_writes)
    }

    fn projections(&self, title: &str, projections: &[Projection]) -> String {
        if projections.is_empty() {
            return String::new();
        }
        let list = projections.iter().map(|projection| {
            let source = match projection.source {
                ProjectionSource::Document => String::new(),
                ProjectionSource::IndexField { position, consumed } => {
                    format!(" field {position}/{consumed}")
                }
                ProjectionSource::StoredValue { position, consumed } => {
                    format!(" stored {position}/{consumed}")
                }
                ProjectionSource::Key => " key".into(),
                ProjectionSource::Id => " id".into(),
            };
            format!("{} = {}{source}", self.name(projection.out), projection.path.join("."))
        });
        format!("{title} ({})", list.collect::<Vec<_>>().join(", "))
    }

    fn index_scan(&self, scan: &IndexScan) -> String {
        let ranges: Vec<String> = scan.ranges.iter().map(|range| self.range(scan, range)).collect();
        format!(
            "Index{}{}{}{}{}{}{}{} USING {}",
            match scan.join {
                JoinPart::None => "",
                JoinPart::First => " join first",
                JoinPart::Next => " join next",
            },
            self.source(&scan.source),
            flag(" covers projections", scan.covers_projections),
            flag(" covers filter", scan.covers_filter),
            flag(" deduplicate", scan.deduplicate),
            flag(" ordered", scan.ordered),
            flag(" descending", !scan.ascending),
            scan.limit_each.map_or_else(String::new, |limit| format!(" limit {limit} each")),
            ranges.join(" OR ")
        )
    }

    fn range(&self, scan: &IndexScan, range: &IndexRange) -> String {
        let Some(index) = scan.indexes.get(range.index) else { return "?".into() };
        let mut fields = index.fields.iter().skip(range.first_field);
        let mut conditions = Vec::new();
        for (lookup, field) in range.lookups.iter().zip(&mut fields) {
            let symbol = if matches!(lookup, IndexLookup::Equal(_)) { "==" } else { "IN" };
            conditions.push(format!("{} {symbol} {}", field.to_text(), self.text(lookup.expression())));
        }
        if let Some(field) = fields.next() {
            conditions.extend(self.bounds(field, &range.lower, &range.upper));
        }
        if let Some(search) = &range.search {
            conditions.extend(text(search, index, &|expression| self.text(expression)));
        }
        format!("{}({})", index.name, conditions.join(", "))
    }

    /// The ends of a range, as conditions on a field.
    fn bounds<'b>(
        &'b self,
        field: &'b IndexField,
        lower: &'b Option<IndexBound>,
        upper: &'b Option<IndexBound>,
    ) -> impl Iterator<Item = String> + 'b {
        [(lower, ">"), (upper, "<")].into_iter().filter_map(|(bound, symbol)| {
            let bound = bound.as_ref()?;
            let equal = if bound.inclusive { "=" } else { "" };
            Some(format!("{} {symbol}{equal} {}", field.to_text(), self.text(&bound.value)))
        })
    }

    fn elements(&self, elements: &[SortElement]) -> String {
        let list = elements.iter().map(|element| {
            format!("{} {}", self.name(element.input), if element.ascending { "ASC" } else { "DESC" })
        });
        list.collect::<Vec<_>>().join(", ")
    }

    fn collect(&self, collect: &Collect) -> String {
        let method = match collect.method {
            CollectMethod::Hash => "hash",
            CollectMethod::Sorted => "sorted",
            CollectMethod::Distinct => "distinct",
            CollectMethod::Count => "count",
        };
        let groups = collect
            .groups
            .iter()
            .map(|group| format!("{} = {}", self.name(group.out), self.name(group.input)));
        let aggregates = collect.aggregates.iter().map(|aggregate| self.aggregate(aggregate));
        let mut text = format!("Collect {method}");
        text += &listed(" groups ", groups);
        text += &listed(" aggregates ", aggregates);
        if let Some(into) = &collect.into {
            let content = match &into.content {
                IntoContent::Variable(id) => self.name(*id),
                IntoContent::Object(members) => {
                    let members = members.iter().map(|(name, id)| format!("{name}: {}", self.name(*id)));
                    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
                }
            };
            text += &format!(" into {} = {content}", self.name(into.out));
        }
        text + &listed(" kept ", collect.kept.iter().map(|id| self.name(*id)))
    }

    fn aggregate(&self, aggregate: &CollectAggregate) -> String {
        let input = aggregate.input.map(|id| self.name(id)).unwrap_or_default();
        format!("{} = {}({input})", self.name(aggregate.out), aggregate.function.name())
    }

    fn name(&self, id: VariableId) -> String {
        variable_text(self.variables, id)
    }

    fn text(&self, expression: &Expression) -> String {
        expression.to_text(self.variables)
    }

    fn part(&self, title: &str, expression: Option<&Expression>) -> String {
        expression.map(|expression| format!("{title}{}", self.text(expression))).unwrap_or_default()
    }
}

fn flag(text: &str, is_set: bool) -> &str {
    if is_set { text } else { "" }
}

fn listed(title: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { String::new() } else { format!("{title}{}", items.join(", ")) }
}

/// Options that differ from the defaults.
fn options(options: &ModificationOptions) -> String {
    let mut text = String::new();
    text += flag(" ignore errors", options.ignore_errors);
    text += flag(" exclusive", options.exclusive);
    text += flag(" drop null", !options.keep_null);
    text += flag(" do not merge", !options.merge_objects);
    text += flag(" check revisions", !options.ignore_revs);
    text += flag(" wait for sync", options.wait_for_sync == Some(true));
    match options.overwrite_mode {
        crate::node::OverwriteMode::Conflict => text,
        mode => text + &format!(" overwrite {mode:?}").to_lowercase(),
    }
}
