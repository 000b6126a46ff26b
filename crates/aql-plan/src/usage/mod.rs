//! Which variables a node reads and sets, and which effects it has.

mod graph;

use crate::expression::Expression;
use crate::node::{
    Collect, CollectionScan, DocumentSource, IndexLookup, IndexRange, IndexScan, IntoContent, Node, NodeKind,
};
use crate::variable::VariableId;
use crate::variable_set::VariableSet;

impl NodeKind {
    /// Calls `visit` with each variable that the node itself names, other than in an expression.
    pub fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        match self {
            Self::EnumerateList(list) => visit(list.input),
            Self::Subquery(subquery) => subquery.run_if.into_iter().for_each(visit),
            Self::Filter { condition } => visit(*condition),
            Self::Sort(sort) => sort.elements.iter().for_each(|element| visit(element.input)),
            Self::Collect(collect) => {
                collect.groups.iter().for_each(|group| visit(group.input));
                collect.aggregates.iter().filter_map(|aggregate| aggregate.input).for_each(&mut *visit);
                collect.kept.iter().copied().for_each(&mut *visit);
                match collect.into.as_ref().map(|into| &into.content) {
                    Some(IntoContent::Variable(id)) => visit(*id),
                    Some(IntoContent::Object(members)) => members.iter().for_each(|(_, id)| visit(*id)),
                    None => {}
                }
            }
            Self::Traversal(node) => visit(node.start),
            Self::ShortestPath(node) => [node.start, node.target].into_iter().for_each(visit),
            Self::EnumeratePaths(node) => [node.start, node.target].into_iter().for_each(visit),
            Self::Window(window) => {
                let inputs = window.aggregates.iter().filter_map(|aggregate| aggregate.input);
                window.range.into_iter().chain(inputs).for_each(visit);
            }
            Self::IndexCollect(node) => node.collect.kept.iter().copied().for_each(visit),
            Self::Materialize(node) => visit(node.key),
            Self::Return(node) => visit(node.input),
            Self::Insert(node) => visit(node.input),
            Self::Update(node) => Some(node.input).into_iter().chain(node.key).for_each(visit),
            Self::Remove(node) => visit(node.input),
            Self::Upsert(node) => [node.found, node.insert, node.update].into_iter().for_each(visit),
            Self::Singleton
            | Self::NoResults
            | Self::Limit(_)
            | Self::Calculation(_)
            | Self::EnumerateCollection(_)
            | Self::Index(_) => {}
        }
    }

    /// Adds the variables that the node reads. For a subquery: those of the rows around it.
    pub fn collect_reads(&self, reads: &mut VariableSet) {
        self.for_each_direct_read(&mut |id| {
            reads.insert(id);
        });
        match self {
            Self::EnumerateCollection(scan) => scan.source.collect_reads(reads),
            Self::Index(scan) => scan.collect_reads(reads),
            Self::EnumerateList(list) => {
                let mut inner = list.filter.as_ref().map(Expression::variables).unwrap_or_default();
                inner.remove(list.out);
                reads.extend(&inner);
            }
            Self::Traversal(node) => node.collect_reads(reads),
            Self::ShortestPath(node) => node.graph.collect_reads(reads),
            Self::EnumeratePaths(node) => node.collect_reads(reads),
            Self::Calculation(calculation) => calculation.expression.collect_variables(reads),
            Self::Subquery(subquery) => reads.extend(&reads_of_pipeline(&subquery.nodes)),
            _ => {}
        }
    }

    /// The variables that the node reads.
    pub fn reads(&self) -> VariableSet {
        let mut reads = VariableSet::default();
        self.collect_reads(&mut reads);
        reads
    }

    /// The variables that the node sets for the nodes after it.
    pub fn sets(&self) -> Vec<VariableId> {
        match self {
            Self::EnumerateCollection(scan) => scan.source.sets(),
            Self::Index(scan) => scan.source.sets(),
            Self::EnumerateList(list) => match list.object {
                Some(members) => vec![members.key, members.value],
                None => vec![list.out],
            },
            Self::Calculation(calculation) => vec![calculation.out],
            Self::Subquery(subquery) => vec![subquery.out],
            Self::Collect(collect) => collect.sets(),
            Self::IndexCollect(node) => node.collect.sets(),
            Self::Materialize(node) if node.projections.is_empty() => vec![node.out],
            Self::Materialize(node) => node.projections.iter().map(|projection| projection.out).collect(),
            Self::Traversal(node) => node.sets(),
            Self::ShortestPath(node) => node.vertex_out.into_iter().chain(node.edge_out).collect(),
            Self::EnumeratePaths(node) => vec![node.path.out],
            Self::Window(window) => window.aggregates.iter().map(|aggregate| aggregate.out).collect(),
            Self::Insert(node) => node.out_old.into_iter().chain(node.out_new).collect(),
            Self::Update(node) => node.out_old.into_iter().chain(node.out_new).collect(),
            Self::Remove(node) => node.out_old.into_iter().collect(),
            Self::Upsert(node) => node.out_new.into_iter().collect(),
            Self::Singleton
            | Self::NoResults
            | Self::Filter { .. }
            | Self::Sort(_)
            | Self::Limit(_)
            | Self::Return(_) => Vec::new(),
        }
    }

    /// Whether the node sets the variable.
    pub fn sets_variable(&self, id: VariableId) -> bool {
        self.sets().contains(&id)
    }

    /// The scan's description, if the node scans a collection or index.
    pub fn source(&self) -> Option<&DocumentSource> {
        match self {
            Self::EnumerateCollection(scan) => Some(&scan.source),
            Self::Index(scan) => Some(&scan.source),
            _ => None,
        }
    }

    /// The scan's description for changing it.
    pub fn source_mut(&mut self) -> Option<&mut DocumentSource> {
        match self {
            Self::EnumerateCollection(scan) => Some(&mut scan.source),
            Self::Index(scan) => Some(&mut scan.source),
            _ => None,
        }
    }

    /// Whether the node groups: only variables that it sets or keeps remain.
    pub fn is_grouping(&self) -> bool {
        matches!(self, Self::Collect(_) | Self::IndexCollect(_))
    }

    /// Whether the node makes several rows of one.
    pub fn is_loop(&self) -> bool {
        matches!(
            self,
            Self::EnumerateCollection(_)
                | Self::Index(_)
                | Self::EnumerateList(_)
                | Self::Traversal(_)
                | Self::ShortestPath(_)
                | Self::EnumeratePaths(_)
        )
    }

    /// Whether the node itself, or a node of its subquery, changes data.
    pub fn is_modification(&self) -> bool {
        match self {
            Self::Insert(_) | Self::Update(_) | Self::Remove(_) | Self::Upsert(_) => true,
            Self::Subquery(subquery) => subquery.nodes.iter().any(|node| node.kind.is_modification()),
            _ => false,
        }
    }

    /// Same inputs, same outputs, and no effect besides: no modification, no function that is not deterministic.
    pub fn is_deterministic(&self) -> bool {
        match self {
            Self::Subquery(subquery) => subquery.nodes.iter().all(|node| node.kind.is_deterministic()),
            kind => {
                // A scan that sees the query's own writes finds something else after each of them.
                !kind.is_modification()
                    && !kind.source().is_some_and(|source| source.read_own_writes)
                    && kind.all_expressions(&|expression| expression.is_deterministic())
            }
        }
    }

    /// Whether `test` holds for every expression of the node itself (a subquery's nodes are not looked at).
    pub fn all_expressions(&self, test: &dyn Fn(&Expression) -> bool) -> bool {
        let mut holds = true;
        self.for_each_expression(&mut |expression| holds = holds && test(expression));
        holds
    }

    /// Calls `visit` with every expression of the node itself.
    pub fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        match self {
            Self::Calculation(calculation) => visit(&calculation.expression),
            Self::EnumerateCollection(scan) => scan.source.filter.iter().for_each(visit),
            Self::EnumerateList(list) => list.filter.iter().for_each(visit),
            Self::Index(scan) => {
                scan.ranges.iter().for_each(|range| range.for_each_expression(visit));
                scan.source.filter.iter().for_each(visit);
            }
            Self::Traversal(node) => node.for_each_expression(visit),
            Self::ShortestPath(node) => node.graph.for_each_expression(visit),
            Self::EnumeratePaths(node) => node.for_each_expression(visit),
            _ => {}
        }
    }

    /// Calls `visit` with every expression of the node itself, which it may change.
    pub fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        match self {
            Self::Calculation(calculation) => visit(&mut calculation.expression),
            Self::EnumerateCollection(scan) => scan.source.filter.iter_mut().for_each(visit),
            Self::EnumerateList(list) => list.filter.iter_mut().for_each(visit),
            Self::Index(scan) => {
                scan.ranges.iter_mut().for_each(|range| range.for_each_expression_mut(visit));
                scan.source.filter.iter_mut().for_each(visit);
            }
            Self::Traversal(node) => node.for_each_expression_mut(visit),
            Self::ShortestPath(node) => node.graph.for_each_expression_mut(visit),
            Self::EnumeratePaths(node) => node.for_each_expression_mut(visit),
            _ => {}
        }
    }

    /// Makes the node, and the nodes of its subquery, read `name(variable)` instead of each variable.
    pub fn rename_reads(&mut self, name: &dyn Fn(VariableId) -> VariableId) {
        let swap = |id: &mut VariableId| *id = name(*id);
        match self {
            Self::EnumerateList(list) => swap(&mut list.input),
            Self::Subquery(subquery) => {
                subquery.run_if.iter_mut().for_each(swap);
                subquery.nodes.iter_mut().for_each(|node| node.kind.rename_reads(name));
            }
            Self::Filter { condition } => swap(condition),
            Self::Sort(sort) => sort.elements.iter_mut().for_each(|element| swap(&mut element.input)),
            Self::Collect(collect) => {
                collect.groups.iter_mut().for_each(|group| swap(&mut group.input));
                collect.aggregates.iter_mut().filter_map(|aggregate| aggregate.input.as_mut()).for_each(swap);
                collect.kept.iter_mut().for_each(swap);
                match collect.into.as_mut().map(|into| &mut into.content) {
                    Some(IntoContent::Variable(id)) => swap(id),
                    Some(IntoContent::Object(members)) => members.iter_mut().for_each(|(_, id)| swap(id)),
                    None => {}
                }
            }
            Self::Traversal(node) => swap(&mut node.start),
            Self::ShortestPath(node) => [&mut node.start, &mut node.target].into_iter().for_each(swap),
            Self::EnumeratePaths(node) => [&mut node.start, &mut node.target].into_iter().for_each(swap),
            Self::Window(window) => {
                window.range.iter_mut().for_each(swap);
                window.aggregates.iter_mut().filter_map(|aggregate| aggregate.input.as_mut()).for_each(swap);
            }
            Self::IndexCollect(node) => node.collect.kept.iter_mut().for_each(swap),
            Self::Materialize(node) => swap(&mut node.key),
            Self::Return(node) => swap(&mut node.input),
            Self::Insert(node) => swap(&mut node.input),
            Self::Update(node) => {
                swap(&mut node.input);
                node.key.iter_mut().for_each(swap);
            }
            Self::Remove(node) => swap(&mut node.input),
            Self::Upsert(node) => {
                [&mut node.found, &mut node.insert, &mut node.update].into_iter().for_each(swap);
            }
            _ => {}
        }
        self.for_each_expression_mut(&mut |expression| expression.rename_variables(name));
    }

    /// Whether the node, or a node of its subquery, reads the variable otherwise than in an expression.
    pub fn reads_directly(&self, id: VariableId) -> bool {
        let mut found = false;
        self.for_each_direct_read(&mut |read| found |= read == id);
        if let Self::Subquery(subquery) = self {
            found = found || subquery.nodes.iter().any(|node| node.kind.reads_directly(id));
        }
        found
    }
}

impl Collect {
    /// The variables that the grouping sets.
    fn sets(&self) -> Vec<VariableId> {
        let groups = self.groups.iter().map(|group| group.out);
        let aggregates = self.aggregates.iter().map(|aggregate| aggregate.out);
        groups.chain(aggregates).chain(self.into.as_ref().map(|into| into.out)).collect()
    }
}

impl DocumentSource {
    /// The variables that the scan sets for later nodes.
    pub fn sets(&self) -> Vec<VariableId> {
        if let Some(count) = self.count_into {
            return vec![count];
        }
        match (self.produces_result, self.projections.is_empty()) {
            (false, _) => Vec::new(),
            (true, true) => vec![self.out],
            (true, false) => self.projections.iter().map(|projection| projection.out).collect(),
        }
    }

    fn collect_reads(&self, reads: &mut VariableSet) {
        let Some(filter) = &self.filter else { return };
        let mut inner = filter.variables();
        inner.remove(self.out);
        self.filter_projections.iter().for_each(|projection| {
            inner.remove(projection.out);
        });
        reads.extend(&inner);
    }
}

impl CollectionScan {
    /// A scan with nothing but its description.
    pub fn new(source: DocumentSource) -> Self {
        Self { source, random: false }
    }
}

impl IndexScan {
    fn collect_reads(&self, reads: &mut VariableSet) {
        self.source.collect_reads(reads);
        self.ranges.iter().for_each(|range| {
            range.for_each_expression(&mut |expression| expression.collect_variables(reads));
        });
    }
}

impl IndexRange {
    /// Calls `visit` with the expressions of the range.
    pub fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.lookups.iter().for_each(|lookup| visit(lookup.expression()));
        [&self.lower, &self.upper].into_iter().flatten().for_each(|bound| visit(&bound.value));
        self.search.iter().for_each(|search| search.for_each(visit));
    }

    fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.lookups.iter_mut().for_each(|lookup| visit(lookup.expression_mut()));
        [&mut self.lower, &mut self.upper].into_iter().flatten().for_each(|bound| visit(&mut bound.value));
        self.search.iter_mut().for_each(|search| search.for_each_mut(visit));
    }
}

impl IndexLookup {
    /// The value, or the array of values.
    pub fn expression(&self) -> &Expression {
        match self {
            Self::Equal(expression) | Self::In(expression) => expression,
        }
    }

    /// The value, or the array of values, for changing it.
    pub(crate) fn expression_mut(&mut self) -> &mut Expression {
        match self {
            Self::Equal(expression) | Self::In(expression) => expression,
        }
    }
}

/// The variables that a pipeline reads and does not set itself.
pub fn reads_of_pipeline(nodes: &[Node]) -> VariableSet {
    let mut reads = VariableSet::default();
    nodes.iter().for_each(|node| node.kind.collect_reads(&mut reads));
    nodes.iter().flat_map(|node| node.kind.sets()).for_each(|id| {
        reads.remove(id);
    });
    reads
}

/// Calls `visit` with every node, those of subqueries included, in the order of the pipeline.
pub fn for_each_node<'a>(nodes: &'a [Node], visit: &mut dyn FnMut(&'a Node)) {
    for node in nodes {
        if let NodeKind::Subquery(subquery) = &node.kind {
            for_each_node(&subquery.nodes, visit);
        }
        visit(node);
    }
}
