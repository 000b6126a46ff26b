//! `use-indexes`: looks documents up in indexes instead of scanning their collection, if filters
//! allow, or reads them from an index in the order of a sort.
//!
//! An inverted index is used only if a hint names it. Its conditions mean what they mean in SEARCH,
//! so the rule uses it even if queries turn the rule off.
//!
//! Sorts stay until `use-index-for-sort` removes them. Filters stay too, because the scan may find
//! documents that they reject. `remove-filter-covered-by-index` removes the conditions that the
//! scan already guarantees.

use std::collections::HashSet;
use std::sync::Arc;

use aql_plan::{
    CollectionInfo, DocumentSource, EnumerateView, IndexHint, IndexInfo, IndexLookup, IndexRange, IndexScan,
    IndexSearch, Node, NodeKind, Plan, search_identity,
};
use aql_value::Charge;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::access_path::new_scan;
use crate::analysis::condition::{Branch, NormalForm, conditions_after, match_index, normalize, set_from};
use crate::analysis::hinted_search::hinted_search;
use crate::analysis::pipeline::for_each_pipeline;
use crate::analysis::sort_order::{SortNeed, index_for_sort, sort_need};
use crate::cost::index::{range_cost, range_items};
use crate::cost::sort_cost;

pub(super) struct UseIndexes;

impl Rule for UseIndexes {
    fn name(&self) -> &'static str {
        "use-indexes"
    }

    fn description(&self) -> &'static str {
        "Uses indexes to look up documents instead of scanning whole collections."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        use_indexes(plan, context, &access)
    }

    fn apply_disabled(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<()> {
        use_indexes(plan, context, &|nodes, position, context| {
            let hinted = hinted_search(nodes, position, context);
            Ok(hinted.map_or(Access::Unchanged, |hinted| Access::Search(Box::new(hinted.search))))
        })
        .map(|_| ())
    }
}

/// A function that returns the replacement of the full scan at a position.
type FindAccess<'f> = &'f dyn Fn(&[Node], usize, &RuleContext<'_>) -> Result<Access>;

/// Replaces scans by what `access` returns for them.
fn use_indexes(plan: &mut Plan, context: &RuleContext<'_>, access: FindAccess<'_>) -> Result<bool> {
    for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
        let mut changed = false;
        let mut position = 0;
        while position < nodes.len() {
            context.interrupt.check()?;
            match access(nodes, position, context)? {
                Access::Unchanged => {}
                Access::Search(search) => {
                    if let Some(node) = nodes.get_mut(position) {
                        *node = workshop.node(NodeKind::EnumerateView(search));
                    }
                    changed = true;
                }
                Access::Index(scan) => {
                    if let Some(node) = nodes.get_mut(position) {
                        *node = workshop.node(NodeKind::Index(scan));
                    }
                    changed = true;
                }
                Access::None => {
                    position += 1;
                    nodes.insert(position, workshop.node(NodeKind::NoResults));
                    changed = true;
                }
            }
            position += 1;
        }
        Ok(changed)
    })
}

/// The way to find documents instead of a full scan.
enum Access {
    Unchanged,
    Index(Box<IndexScan>),
    /// The search of an inverted index.
    Search(Box<EnumerateView>),
    /// No document satisfies the conditions.
    None,
}

/// Returns the replacement of the full scan at a position.
fn access(nodes: &[Node], position: usize, context: &RuleContext<'_>) -> Result<Access> {
    let Some(NodeKind::EnumerateCollection(scan)) = nodes.get(position).map(|node| &node.kind) else {
        return Ok(Access::Unchanged);
    };
    let source = &scan.source;
    if source.hint.disabled || scan.random || source.count_into.is_some() {
        return Ok(Access::Unchanged);
    }
    let hinted = hinted_search(nodes, position, context);
    let found = by_filter(nodes, position, source, context)?;
    if let Some(hinted) = hinted {
        // The first usable index of the hint wins.
        let earlier = source.hint.names.get(..hinted.place).unwrap_or_default();
        return Ok(match found {
            Access::Index(scan) if scan.indexes.iter().all(|index| earlier.contains(&index.name)) => {
                Access::Index(scan)
            }
            _ => Access::Search(Box::new(hinted.search)),
        });
    }
    Ok(match found {
        Access::Unchanged => match index_for_sort(nodes, position, context) {
            Some(scan) => Access::Index(Box::new(scan)),
            None => Access::Unchanged,
        },
        access => access,
    })
}

fn by_filter(
    nodes: &[Node],
    position: usize,
    source: &DocumentSource,
    context: &RuleContext<'_>,
) -> Result<Access> {
    let conditions = conditions_after(nodes, position, context.interrupt);
    let Some(info) = context.catalog.collection(&source.collection.name).filter(|_| !conditions.is_empty())
    else {
        return Ok(Access::Unchanged);
    };
    let expressions = conditions.iter().map(|condition| &condition.expression);
    let form = normalize(expressions, source.out, &set_from(nodes, position), context.max_branches, context)?;
    let is_possible = !form.branches.is_empty();
    let form = form.merged(context.interrupt)?;
    if is_possible && form.branches.is_empty() {
        return Ok(Access::None);
    }
    let chooser = Chooser { info: &info, hint: &source.hint, sort: sort_need(nodes, position), context };
    Ok(match chooser.choose(&form)? {
        Some((indexes, ranges)) => Access::Index(Box::new(new_scan(source, indexes, ranges))),
        None => Access::Unchanged,
    })
}

/// Indexes and ranges for all branches.
struct Choice {
    indexes: Vec<IndexInfo>,
    ranges: Vec<IndexRange>,
    cost: f64,
}

struct Chooser<'a> {
    info: &'a CollectionInfo,
    hint: &'a IndexHint,
    sort: Option<SortNeed>,
    context: &'a RuleContext<'a>,
}

impl Chooser<'_> {
    /// Returns indexes and ranges that find all documents of the form; `None` if no index helps for
    /// some branch.
    ///
    /// These are either the best index for each branch, or one index for all, in which branches may
    /// share ranges.
    ///
    /// Errors: 32 if there is no memory for the choice, 1500 for a query that was ended.
    fn choose(&self, form: &NormalForm) -> Result<Option<(Vec<IndexInfo>, Vec<IndexRange>)>> {
        let is_single = form.branches.len() == 1;
        // A forced hint that serves one branch leaves the others free.
        let hint_is_used = || form.branches.iter().any(|branch| self.hinted(branch).is_some());
        if self.hint.forced && !self.hint.names.is_empty() && !hint_is_used() {
            return Ok(None);
        }
        let best_of_each = form.branches.iter().map(|branch| self.choose_for(branch, is_single)).collect();
        let Some(mut best) = self.rated(best_of_each)? else { return Ok(None) };
        if !is_single && self.hint.names.is_empty() {
            for index in self.info.indexes.iter() {
                let same = form.branches.iter().map(|branch| Some((index, self.usable(index, branch)?)));
                best = match self.rated(same.collect())? {
                    Some(other) if other.cost < best.cost => other,
                    _ => best,
                };
            }
        }
        Ok(Some((best.indexes, best.ranges)))
    }

    /// Returns the range of an index for a branch. Nothing is usable when the query is ended.
    fn usable(&self, index: &IndexInfo, branch: &Branch) -> Option<IndexRange> {
        if self.context.interrupt.is_set() {
            return None;
        }
        match_index(index, 0, &branch.atoms)
    }

    /// Combines the choices for all branches, with each range once.
    fn rated(&self, choices: Option<Vec<(&IndexInfo, IndexRange)>>) -> Result<Option<Choice>> {
        self.context.interrupt.check()?;
        let Some(choices) = choices else { return Ok(None) };
        let mut memory = Charge::new(Arc::clone(self.context.memory));
        let mut choice = Choice { indexes: Vec::new(), ranges: Vec::new(), cost: 0.0 };
        let mut seen = HashSet::new();
        for (index, mut range) in choices {
            self.context.interrupt.check()?;
            let known = choice.indexes.iter().position(|known| known.id == index.id);
            range.index = known.unwrap_or(choice.indexes.len());
            if known.is_none() {
                choice.indexes.push(index.clone());
            }
            let identity = range_identity(&range);
            memory.grow(identity.len() as u64)?;
            if seen.insert(identity) {
                choice.cost += range_cost(index, &range, self.info.count_estimate);
                choice.ranges.push(range);
            }
        }
        Ok((!choice.ranges.is_empty()).then_some(choice))
    }

    /// Returns the best index for a branch: the first usable one of the hint, otherwise the
    /// cheapest. Among equally cheap ones, more conditions win.
    fn choose_for(&self, branch: &Branch, is_single: bool) -> Option<(&IndexInfo, IndexRange)> {
        if let Some(hinted) = self.hinted(branch) {
            return Some(hinted);
        }
        let usable = |index: &IndexInfo| self.usable(index, branch);
        let candidates = self.info.indexes.iter().filter_map(|index| Some((index, usable(index)?)));
        let rated = candidates.map(|(index, range)| {
            let cost = self.cost(index, &range, is_single);
            (cost, number_of_conditions(&range), index, range)
        });
        let best = rated.reduce(|best, next| {
            let is_better = next.0 < best.0 || (next.0 <= best.0 && next.1 > best.1);
            if is_better { next } else { best }
        });
        best.map(|(_, _, index, range)| (index, range))
    }

    /// Returns the first index of the hint that is usable for a branch.
    fn hinted(&self, branch: &Branch) -> Option<(&IndexInfo, IndexRange)> {
        self.hint.names.iter().find_map(|name| {
            let named = self.info.indexes.iter().filter(|index| index.name == *name);
            named.filter_map(|index| Some((index, self.usable(index, branch)?))).next()
        })
    }

    /// Returns the cost of the lookup and of the sort that remains after it.
    fn cost(&self, index: &IndexInfo, range: &IndexRange, is_single: bool) -> f64 {
        let count = self.info.count_estimate;
        let sort = match &self.sort {
            Some(need) if !(is_single && need.is_met_by(index, range)) => {
                sort_cost(range_items(index, range, count))
            }
            _ => 0.0,
        };
        range_cost(index, range, count) + sort
    }
}

fn number_of_conditions(range: &IndexRange) -> usize {
    let searched = match &range.search {
        Some(IndexSearch::Box(fields)) => fields
            .iter()
            .map(|field| usize::from(field.lower.is_some()) + usize::from(field.upper.is_some()))
            .sum(),
        Some(IndexSearch::Geo(_) | IndexSearch::Words(_)) => 1,
        None => 0,
    };
    let ends = usize::from(range.lower.is_some()) + usize::from(range.upper.is_some());
    range.lookups.len() + ends + searched
}

/// Returns bytes that are equal for two ranges only if they find the same documents.
fn range_identity(range: &IndexRange) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(&range.index.to_le_bytes());
    out.extend_from_slice(&range.first_field.to_le_bytes());
    for lookup in &range.lookups {
        out.push(if matches!(lookup, IndexLookup::Equal(_)) { 1 } else { 2 });
        out.extend(lookup.expression().identity());
    }
    for (tag, bound) in [(3, &range.lower), (5, &range.upper)] {
        if let Some(bound) = bound {
            out.push(tag + u8::from(bound.inclusive));
            out.extend(bound.value.identity());
        }
    }
    if let Some(search) = &range.search {
        out.push(7);
        out.extend(search_identity(search));
    }
    out
}
