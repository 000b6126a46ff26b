//! `TRAVERSAL()`, `GRAPH_TRAVERSAL()`, and what trees share with them: options and starts.

use super::caller::{Caller, refuse_user_function};
use super::direct::start_id;
use super::graph::Graph;
use super::network::{Follow, Network};
use super::visitor::Visitor;
use super::walk::{Rules, Uniqueness, VertexFilter, walk};
use crate::argument::{Outcome, answer};
use crate::memory::ArrayBuffer;
use aql_value::{EdgeDirection, EvaluationContext, Result, Value};

/// `TRAVERSAL(vertexCollection, edgeCollection, startVertex, direction, options)`: what is visited, as a rule objects
/// `{vertex}` or, with `paths`, `{vertex, path}`.
pub(super) fn traversal(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(traverse_collections(&mut Caller::new("TRAVERSAL", arguments, context)))
}

/// `GRAPH_TRAVERSAL(graphName, startVertexExample, direction, options)`: the same in an array for each start.
pub(super) fn graph_traversal(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(traverse_graph(&mut Caller::new("GRAPH_TRAVERSAL", arguments, context)))
}

fn traverse_collections(caller: &mut Caller<'_, '_>) -> Outcome<Value> {
    let (mut traversal, start) = Traversal::in_collections(caller, 4)?;
    match start {
        Some(start) => Ok(traversal.run(start, caller.context)?),
        None => Ok(Value::empty_array()),
    }
}

fn traverse_graph(caller: &mut Caller<'_, '_>) -> Outcome<Value> {
    let (mut traversal, starts) = Traversal::in_graph(caller, 3)?;
    let mut found = ArrayBuffer::new(caller.context);
    for start in starts {
        let visited = traversal.run(start, caller.context)?;
        traversal.network.charge(visited.memory_bytes())?;
        found.push(visited)?;
    }
    Ok(found.into_array()?)
}

/// What is traversed, and how.
pub(super) struct Traversal<'a> {
    pub(super) network: Network<'a>,
    pub(super) rules: Rules,
    visitor: Visitor,
    iterations: u64,
}

impl<'a> Traversal<'a> {
    /// The traversal that `TRAVERSAL()` or `TRAVERSAL_TREE()` is asked for, and where it starts; `None` if there is no
    /// such vertex.
    pub(super) fn in_collections(
        caller: &mut Caller<'_, 'a>,
        options: usize,
    ) -> Outcome<(Self, Option<usize>)> {
        let vertices = caller.text(0)?;
        let collections = vec![caller.text(1)?.to_owned()];
        let Some(start) = start_id(vertices, caller.argument(2)) else { return caller.invalid() };
        let direction = caller.direction(caller.argument(3), EdgeDirection::Any)?;
        let options = caller.options(options)?;
        let examples = caller.filter(&options.get("followEdges"))?;
        let follow = Follow { collections, direction, examples };
        let mut traversal = Self::new(caller, follow, options, [Uniqueness::Global; 2])?;
        let start = traversal.network.vertex(&start)?;
        let exists = !traversal.network.document(start)?.is_null();
        Ok((traversal, exists.then_some(start)))
    }

    /// The traversal that `GRAPH_TRAVERSAL()` or `GRAPH_TRAVERSAL_TREE()` is asked for, and where it starts.
    pub(super) fn in_graph(caller: &mut Caller<'_, 'a>, options: usize) -> Outcome<(Self, Vec<usize>)> {
        let graph = Graph::of(caller)?;
        let starts = caller.examples(caller.argument(1))?;
        let direction = caller.direction(caller.argument(2), EdgeDirection::Any)?;
        let options = caller.options(options)?;
        let examples = caller.filter(&options.get("followEdges"))?;
        let follow = Follow { examples, ..graph.all_edges(direction) };
        let mut traversal = Self::new(caller, follow, options, [Uniqueness::None, Uniqueness::Path])?;
        let starts = graph.select(&starts, &None, &mut traversal.network, caller.context)?;
        Ok((traversal, starts))
    }

    fn new(
        caller: &mut Caller<'_, 'a>,
        follow: Follow,
        options: &Value,
        uniqueness: [Uniqueness; 2],
    ) -> Outcome<Self> {
        Ok(Self {
            rules: rules(caller, options, uniqueness)?,
            visitor: Visitor::of_options(caller, options)?,
            iterations: caller.max_iterations(options)?,
            network: Network::new(caller.context, follow),
        })
    }

    /// A traversal from a vertex may begin.
    pub(super) fn restart(&mut self) {
        self.network.allow(self.iterations);
    }

    fn run(&mut self, start: usize, context: &EvaluationContext<'_>) -> Result<Value> {
        self.restart();
        let visitor = &self.visitor;
        let mut visited = ArrayBuffer::new(context);
        let mut count = 0;
        walk(&mut self.network, &self.rules, start, &mut |network, path| {
            count += 1;
            match visitor.visit(network, path)? {
                Some(value) => visited.push(value),
                None => Ok(()),
            }
        })?;
        if visitor.only_counts() {
            visited.push(Value::Int(count))?;
        }
        visited.into_array()
    }
}

/// The greatest depth, if options do not say.
const MAX_DEPTH: usize = 256;

fn rules(caller: &mut Caller<'_, '_>, options: &Value, uniqueness: [Uniqueness; 2]) -> Outcome<Rules> {
    let strategies = [("depthfirst", false), ("breadthfirst", true)];
    let orders = [("preorder", false), ("preorder-expander", false), ("postorder", true)];
    let item_orders = [("forward", false), ("backward", true)];
    let [of_vertices, of_edges] = uniqueness;
    let given = options.get("uniqueness");
    Ok(Rules {
        is_breadth_first: caller.choice(&options.get("strategy"), &strategies, false)?,
        is_post_order: caller.choice(&options.get("order"), &orders, false)?,
        is_backward: caller.choice(&options.get("itemOrder"), &item_orders, false)?,
        min_depth: caller.depth(&options.get("minDepth"), 0)?,
        max_depth: caller.depth(&options.get("maxDepth"), MAX_DEPTH)?,
        vertices: caller.choice(&given.get("vertices"), &UNIQUENESS, of_vertices)?,
        edges: caller.choice(&given.get("edges"), &UNIQUENESS, of_edges)?,
        filter: vertex_filter(caller, options)?,
    })
}

const UNIQUENESS: [(&str, Uniqueness); 3] =
    [("none", Uniqueness::None), ("path", Uniqueness::Path), ("global", Uniqueness::Global)];

fn vertex_filter(caller: &mut Caller<'_, '_>, options: &Value) -> Outcome<Option<VertexFilter>> {
    let given = options.get("filterVertices");
    refuse_user_function(&given)?;
    let examples = caller.examples(&given)?;
    let methods = caller.names(&options.get("vertexFilterMethod"))?;
    // Examples without a method leave out what does not match, and all behind it.
    let methods = methods.unwrap_or_else(|| vec!["prune".to_owned(), "exclude".to_owned()]);
    let has = |method| methods.iter().any(|given| given.eq_ignore_ascii_case(method));
    let filter = VertexFilter { examples, prunes: has("prune"), excludes: has("exclude") };
    Ok((!filter.examples.match_all()).then_some(filter))
}
