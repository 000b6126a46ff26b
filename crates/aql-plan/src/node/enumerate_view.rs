//! Searches of views and of inverted indexes.

use std::sync::Arc;

use super::{Coverage, DocumentSource, NodePrinter, PlanNode, Projection, Role, flag, print_projections};
use crate::catalog::{IndexInfo, ViewIndexInfo, ViewInfo};
use crate::expression::Expression;
use crate::variable::VariableId;

/// A row for each document that a view finds, or the inverted index that a hint names.
#[derive(Debug, Clone)]
pub struct EnumerateView {
    /// The view, as the catalog had it when the plan was made. An inverted index looks like a view
    /// of nothing but it.
    pub view: Arc<ViewInfo>,
    /// The scan of a collection that a search of an inverted index stands for (rule `use-indexes`);
    /// `None` for a view.
    pub hinted: Option<Box<HintedSearch>>,
    /// The document.
    pub out: VariableId,
    /// The condition of SEARCH, which reads `out` and variables of the outer row; `None` for all
    /// documents.
    pub condition: Option<Expression>,
    /// The options of the search.
    pub options: ViewOptions,
    /// The scores to compute for each document (rule `handle-arangosearch-views`).
    pub scores: Vec<ViewScore>,
    /// The places of matches to compute for each document, for `OFFSET_INFO()`.
    pub highlights: Vec<ViewHighlight>,
    /// The order of the rows of each incoming row, by places in `scores`, if there is a `limit`
    /// (rule `arangosearch-constrained-sort`).
    pub order: Vec<ViewOrder>,
    /// The number of leading attributes of the primary sort order by which the rows are sorted, in
    /// place of a SORT that was removed.
    pub sorted: usize,
    /// Maximum number of documents that are wanted for each incoming row; `None` for all.
    pub limit: Option<u64>,
    /// Attributes of the document that are passed on in its place. The stored values of the indexes
    /// have them; `_key` and `_id` tell a later node which document to fetch. Empty for the
    /// document itself.
    pub projections: Vec<Projection>,
    /// The search finds the same documents for every incoming row (rule
    /// `immutable-search-condition`).
    pub is_immutable: bool,
}

/// The scan of a collection whose hint names an inverted index.
#[derive(Debug, Clone)]
pub struct HintedSearch {
    /// The scan.
    pub source: DocumentSource,
    /// The index.
    pub index: IndexInfo,
}

/// The options of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewOptions {
    /// `waitForSync`: the search sees all that was committed before the query.
    pub wait_for_sync: bool,
    /// `collections`: the identifiers of the collections to search; `None` for all.
    pub collections: Option<Vec<u64>>,
    /// `conditionOptimization`, which changes nothing here: conditions are never expanded.
    pub condition_optimization: ConditionOptimization,
    /// `countApproximate` is `cost`.
    pub approximate_count: bool,
    /// `parallelism`: a hint that clients see.
    pub parallelism: Option<u64>,
}

/// The option `conditionOptimization`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ConditionOptimization {
    /// `auto`
    #[default]
    Auto,
    /// `none`
    None,
}

impl ConditionOptimization {
    /// Returns the option's value.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::None => "none",
        }
    }
}

/// A score of a view's documents.
#[derive(Debug, Clone)]
pub struct ViewScore {
    /// The function.
    pub scorer: ViewScorer,
    /// Its arguments after the document.
    pub arguments: Vec<Expression>,
    /// Set to the score.
    pub out: VariableId,
}

/// A function that scores documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewScorer {
    /// `BM25()`
    Bm25,
    /// `TFIDF()`
    Tfidf,
}

impl ViewScorer {
    /// Returns the scorer of that name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "BM25" => Some(Self::Bm25),
            "TFIDF" => Some(Self::Tfidf),
            _ => None,
        }
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bm25 => "BM25",
            Self::Tfidf => "TFIDF",
        }
    }
}

/// The result of a call of `OFFSET_INFO()`.
#[derive(Debug, Clone)]
pub struct ViewHighlight {
    /// The second argument of the call.
    pub argument: Expression,
    /// Set to the result.
    pub out: VariableId,
}

/// A key of the order of a view's documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewOrder {
    /// The place of the score in [`EnumerateView::scores`].
    pub score: usize,
    /// The direction.
    pub ascending: bool,
}

impl EnumerateView {
    /// Returns a search as it is before any rule.
    pub fn new(
        view: Arc<ViewInfo>,
        out: VariableId,
        condition: Option<Expression>,
        options: ViewOptions,
    ) -> Self {
        EnumerateView {
            view,
            hinted: None,
            out,
            condition,
            options,
            scores: Vec::new(),
            highlights: Vec::new(),
            order: Vec::new(),
            sorted: 0,
            limit: None,
            projections: Vec::new(),
            is_immutable: false,
        }
    }

    /// Returns the parts for which the entries of the indexes suffice. The condition needs nothing
    /// else: it is not a filter.
    pub fn coverage(&self) -> Coverage {
        Coverage::of(&self.projections, &[])
    }

    /// Returns the indexes to search: those of the collections that the options name.
    pub fn indexes(&self) -> impl Iterator<Item = &ViewIndexInfo> {
        let wanted = self.options.collections.as_deref();
        self.view
            .indexes
            .iter()
            .filter(move |index| wanted.is_none_or(|collections| collections.contains(&index.collection.id)))
    }
}

impl PlanNode for EnumerateView {
    fn name(&self) -> &'static str {
        if self.hinted.is_some() { "Index" } else { "EnumerateView" }
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let (name, out) = (&self.view.name, printer.name(self.out));
        let mut text = match &self.hinted {
            Some(hinted) => format!("Index {out} IN {name} USING {}", hinted.index.name),
            None => format!("EnumerateView {out} IN {name}"),
        };
        text += &printer.titled_text(" SEARCH ", self.condition.as_ref());
        if self.is_immutable {
            text += " immutable";
        }
        for score in &self.scores {
            let arguments: Vec<String> =
                score.arguments.iter().map(|argument| printer.text(argument)).collect();
            let (name, out) = (score.scorer.name(), printer.name(score.out));
            text += &format!(" {out} = {name}({})", arguments.join(", "));
        }
        for highlight in &self.highlights {
            let (out, argument) = (printer.name(highlight.out), printer.text(&highlight.argument));
            text += &format!(" {out} = OFFSET_INFO({argument})");
        }
        for key in &self.order {
            let score = self.scores.get(key.score).map(|score| printer.name(score.out));
            let direction = if key.ascending { "ASC" } else { "DESC" };
            text += &format!(" SORT {} {direction}", score.unwrap_or_default());
        }
        for field in self.view.primary_sort.iter().take(self.sorted) {
            let direction = if field.ascending { "ASC" } else { "DESC" };
            text += &format!(" SORT {out}.{} {direction}", field.path.join("."));
        }
        text += &print_projections(" projections", &self.projections, printer);
        text += &self.limit.map(|limit| format!(" limit {limit}")).unwrap_or_default();
        text + flag(" waits for sync", self.options.wait_for_sync)
    }

    fn role(&self) -> Role {
        Role::Loop
    }

    fn sets(&self) -> Vec<VariableId> {
        let scores = self.scores.iter().map(|score| score.out);
        let highlights = self.highlights.iter().map(|highlight| highlight.out);
        let projections = self.projections.iter().map(|projection| projection.out);
        let document = self.projections.is_empty().then_some(self.out);
        document.into_iter().chain(projections).chain(scores).chain(highlights).collect()
    }

    fn locals(&self) -> Vec<VariableId> {
        vec![self.out]
    }

    fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.condition.iter().for_each(&mut *visit);
        self.scores.iter().flat_map(|score| &score.arguments).for_each(&mut *visit);
        self.highlights.iter().for_each(|highlight| visit(&highlight.argument));
    }

    fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.condition.iter_mut().for_each(&mut *visit);
        self.scores.iter_mut().flat_map(|score| &mut score.arguments).for_each(&mut *visit);
        self.highlights.iter_mut().for_each(|highlight| visit(&mut highlight.argument));
    }
}
