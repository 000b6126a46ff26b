//! Scans of collections and indexes in explain.

use aql_plan::{
    CollectionScan, CompareOperator, Coverage, DocumentSource, Expression, IndexBound, IndexHint, IndexInfo,
    IndexLookup, IndexRange, IndexScan, Node, NodeKind, Projection,
};
use errors::Result;

use super::Explainer;
use super::expression::{compare_name, node_type};
use super::search::{access, conditions};
use crate::writer::Writer;

impl Explainer<'_> {
    pub(super) fn collection_scan(&self, out: &mut Writer, scan: &CollectionScan) -> Result<()> {
        out.key("random")?.flag(scan.random)?;
        out.key("indexHint")?;
        write_hint(out, &scan.source.hint)?;
        self.source(out, &scan.source)
    }

    pub(super) fn index_scan(&self, out: &mut Writer, scan: &IndexScan) -> Result<()> {
        self.source(out, &scan.source)?;
        out.key("strategy")?.text(strategy(scan))?;
        out.key("needsGatherNodeSort")?.flag(!scan.sort_fields.is_empty())?;
        self.sort_elements(out, scan)?;
        self.coverage(out, scan.source.coverage())?;
        // There is one index for each alternative of the condition, because clients show them side
        // by side.
        out.key("indexes")?;
        let used = scan.ranges.iter().filter_map(|range| scan.indexes.get(range.index));
        out.array(used, write_index)?;
        out.key("condition")?;
        self.condition(out, scan)?;
        out.key("allCoveredByOneIndex")?.flag(false)?;
        out.key("sorted")?.flag(true)?;
        out.key("ascending")?.flag(scan.ascending)?;
        out.key("evalFCalls")?.flag(true)?;
        out.key("waitForSync")?.flag(false)?;
        out.key("limit")?.number(scan.limit_each.or(scan.source.limit).unwrap_or(0))?;
        let late_key = self.late_key(&scan.source);
        out.key("isLateMaterialized")?.flag(late_key.is_some())?;
        if let Some(key) = late_key {
            self.variable(out, "outNmDocId", key.out)?;
        }
        out.key("lookahead")?.number(scan.source.hint.lookahead)
    }

    /// Writes the parts for which entries of the index suffice.
    pub(super) fn coverage(&self, out: &mut Writer, coverage: Coverage) -> Result<()> {
        out.key("indexCoversProjections")?.flag(coverage.projections)?;
        out.key("indexCoversOutProjections")?.flag(coverage.projections)?;
        out.key("indexCoversFilterProjections")?.flag(coverage.filter)
    }

    /// Writes the sort fields of the rows, if they make a SORT unnecessary.
    fn sort_elements(&self, out: &mut Writer, scan: &IndexScan) -> Result<()> {
        if scan.sort_fields.is_empty() {
            return Ok(());
        }
        out.key("sortElements")?;
        out.array(&scan.sort_fields, |out, field| {
            out.object(|out| {
                self.variable(out, "inVariable", scan.source.out)?;
                out.key("ascending")?.flag(scan.ascending)?;
                out.key("path")?;
                out.array(&field.path, |out, name| out.text(name))
            })
        })
    }

    /// Writes the scans of a join, each with the members of an IndexNode.
    ///
    /// ArangoDB's documentation shows no such node as JSON. The names are those of its other nodes.
    pub(super) fn join(&self, out: &mut Writer, scans: &[Node]) -> Result<()> {
        out.key("strategy")?.text("default")?;
        out.key("indexInfos")?;
        out.array(scans, |out, node| {
            out.object(|out| match &node.kind {
                NodeKind::Index(scan) => {
                    out.key("estimatedCost")?.float(node.estimated_cost)?;
                    out.key("estimatedNrItems")?.number(node.estimated_items)?;
                    self.index_scan(out, scan)
                }
                _ => Ok(()),
            })
        })
    }

    /// Writes the members that both kinds of scans have.
    pub(super) fn source(&self, out: &mut Writer, source: &DocumentSource) -> Result<()> {
        self.variable(out, "outVariable", source.count_into.unwrap_or(source.out))?;
        let late_key = self.late_key(source).map(|key| key.out);
        let projections = source.projections.iter().filter(|projection| Some(projection.out) != late_key);
        let projections: Vec<Projection> = projections.cloned().collect();
        self.projections(out, "projections", &projections)?;
        self.projections(out, "filterProjections", &source.filter_projections)?;
        if let Some(filter) = &source.filter {
            self.expression(out, "filter", filter)?;
        }
        out.key("count")?.flag(source.count_into.is_some())?;
        // A scan that only tells a later node which documents to fetch has no result of its own.
        let produces_result = source.produces_result && (late_key.is_none() || !projections.is_empty());
        out.key("producesResult")?.flag(produces_result)?;
        out.key("readOwnWrites")?.flag(source.read_own_writes)?;
        out.key("useCache")?.flag(source.use_cache)?;
        out.key("maxProjections")?.number(source.max_projections as u64)?;
        out.key("collection")?.text(&source.collection.name)?;
        out.key("satellite")?.flag(false)?;
        out.key("isSatellite")?.flag(false)?;
        out.key("isSatelliteOf")?.null()
    }

    pub(super) fn projections(&self, out: &mut Writer, key: &str, projections: &[Projection]) -> Result<()> {
        out.key(key)?;
        out.array(projections, |out, projection| {
            out.object(|out| {
                out.key("path")?;
                out.array(&projection.path, |out, name| out.text(name))?;
                self.variable(out, "variable", projection.out)
            })
        })
    }

    /// Writes the ranges as an OR of ANDs, or an empty object for the whole index.
    fn condition(&self, out: &mut Writer, scan: &IndexScan) -> Result<()> {
        let is_whole = |range: &IndexRange| comparisons(scan, range).is_empty() && range.search.is_none();
        out.object(|out| {
            if scan.ranges.iter().all(is_whole) {
                return Ok(());
            }
            node_type(out, "n-ary or")?;
            out.key("subNodes")?;
            out.array(&scan.ranges, |out, range| {
                out.object(|out| {
                    node_type(out, "n-ary and")?;
                    out.key("subNodes")?;
                    let comparisons = comparisons(scan, range).into_iter().map(Shown::Comparison);
                    let searched = searched(scan, range).into_iter().map(Shown::Expression);
                    out.array(comparisons.chain(searched), |out, shown| match shown {
                        Shown::Comparison((name, field, value)) => self.comparison(out, name, &field, value),
                        Shown::Expression(expression) => self.expressions.write(out, &expression),
                    })
                })
            })
        })
    }

    fn comparison(&self, out: &mut Writer, name: &str, field: &Expression, value: &Expression) -> Result<()> {
        out.object(|out| {
            node_type(out, name)?;
            if name == "compare ==" {
                out.key("excludesNull")?.flag(false)?;
            }
            self.expressions.operands(out, [field, value])
        })
    }
}

/// The type, the field and the value of a comparison.
type Comparison<'a> = (&'static str, Expression, &'a Expression);

/// A condition of a range.
enum Shown<'a> {
    Comparison(Comparison<'a>),
    Expression(Expression),
}

/// Returns the conditions of the range's search.
fn searched(scan: &IndexScan, range: &IndexRange) -> Vec<Expression> {
    let search = range.search.as_ref().zip(scan.indexes.get(range.index));
    search.map(|(search, index)| conditions(search, index, scan.source.out)).unwrap_or_default()
}

/// Returns the comparisons that a range stands for.
fn comparisons<'a>(scan: &IndexScan, range: &'a IndexRange) -> Vec<Comparison<'a>> {
    let Some(index) = scan.indexes.get(range.index) else { return Vec::new() };
    let document = scan.source.out;
    let mut fields = index.fields.iter().skip(range.first_field);
    let mut list = Vec::new();
    for (lookup, field) in range.lookups.iter().zip(&mut fields) {
        let (name, value) = match lookup {
            IndexLookup::Equal(value) if field.expansion.is_some() => ("compare in", value),
            IndexLookup::Equal(value) => ("compare ==", value),
            IndexLookup::In(value) => ("compare in", value),
        };
        list.push((name, access(field, document), value));
    }
    if let Some(field) = fields.next() {
        let mut add =
            |bound: &'a Option<IndexBound>, inclusive: CompareOperator, exclusive: CompareOperator| {
                if let Some(bound) = bound {
                    let operator = if bound.inclusive { inclusive } else { exclusive };
                    list.push((compare_name(operator), access(field, document), &bound.value));
                }
            };
        add(&range.lower, CompareOperator::GreaterEqual, CompareOperator::Greater);
        add(&range.upper, CompareOperator::LessEqual, CompareOperator::Less);
    }
    list
}

fn strategy(scan: &IndexScan) -> &'static str {
    let source = &scan.source;
    if source.count_into.is_some() {
        "count"
    } else if !source.produces_result && !source.filters_documents() {
        "no result"
    } else if !source.reads_documents() {
        "covering"
    } else if source.coverage().filter {
        "covering, filter only"
    } else {
        "document"
    }
}

fn write_hint(out: &mut Writer, hint: &IndexHint) -> Result<()> {
    let kind = match (hint.disabled, hint.names.is_empty()) {
        (true, _) => "disabled",
        (false, true) => "none",
        (false, false) => "simple",
    };
    out.object(|out| {
        out.key("forced")?.flag(hint.forced)?;
        out.key("lookahead")?.number(hint.lookahead)?;
        out.key("type")?.text(kind)?;
        if kind != "simple" {
            return Ok(());
        }
        out.key("hint")?;
        out.array(&hint.names, |out, name| out.text(name))
    })
}

pub(super) fn write_index(out: &mut Writer, index: &IndexInfo) -> Result<()> {
    out.object(|out| {
        out.key("id")?.text(&index.id.to_string())?;
        out.key("type")?.text(&index.type_name)?;
        out.key("name")?.text(&index.name)?;
        out.key("fields")?;
        let shown = if index.capabilities.clustered { 1 } else { index.fields.len() };
        let prefix = index.prefix_fields();
        out.array(index.fields.iter().take(shown).skip(prefix), |out, field| out.text(&field.to_text()))?;
        if prefix > 0 {
            out.key("prefixFields")?;
            out.array(index.fields.iter().take(prefix), |out, field| out.text(&field.to_text()))?;
        }
        if let Some(estimate) = index.selectivity_estimate {
            out.key("selectivityEstimate")?.float(estimate)?;
        }
        out.key("unique")?.flag(index.unique)?;
        out.key("sparse")?.flag(index.sparse)?;
        if index.capabilities.ordered {
            out.key("deduplicate")?.flag(index.deduplicate)?;
            out.key("estimates")?.flag(index.estimates)?;
            out.key("cacheEnabled")?.flag(index.cache_enabled)?;
        }
        if index.stored_values.is_empty() {
            return Ok(());
        }
        out.key("storedValues")?;
        out.array(&index.stored_values, |out, path| out.text(&path.join(".")))
    })
}
