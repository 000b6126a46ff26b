//! Visiting the paths from a vertex.

use super::examples::Examples;
use super::network::{Network, Step};
use aql_value::Result;
use std::collections::HashSet;
use std::rc::Rc;

/// What may be on a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Uniqueness {
    None,
    /// Nothing twice on one path.
    Path,
    /// Nothing twice at all.
    Global,
}

/// How paths are walked and which of their ends are visited.
pub(super) struct Rules {
    pub(super) is_breadth_first: bool,
    /// Visits a vertex after what can be reached from it.
    pub(super) is_post_order: bool,
    /// Follows the last edge of a vertex first.
    pub(super) is_backward: bool,
    pub(super) min_depth: usize,
    pub(super) max_depth: usize,
    pub(super) vertices: Uniqueness,
    pub(super) edges: Uniqueness,
    pub(super) filter: Option<VertexFilter>,
}

/// What happens to vertices that match no example.
pub(super) struct VertexFilter {
    pub(super) examples: Examples,
    pub(super) prunes: bool,
    pub(super) excludes: bool,
}

impl Rules {
    /// Paths of some lengths on which no edge is twice, depth first.
    pub(super) fn paths(min_depth: usize, max_depth: usize) -> Self {
        Self {
            is_breadth_first: false,
            is_post_order: false,
            is_backward: false,
            min_depth,
            max_depth,
            vertices: Uniqueness::None,
            edges: Uniqueness::Path,
            filter: None,
        }
    }

    /// Steps at a vertex in the order in which they are followed.
    fn step(&self, steps: &[Step], position: usize) -> Option<Step> {
        let position = match self.is_backward {
            true => steps.len().checked_sub(position + 1)?,
            false => position,
        };
        steps.get(position).copied()
    }

    /// Whether a vertex at the end of a path is visited, and whether it is gone on from it.
    fn judge(&self, place: Place, depth: usize, network: &mut Network<'_>) -> Result<Verdict> {
        let mut verdict = Verdict { is_visited: depth >= self.min_depth, is_left: depth < self.max_depth };
        if let Some(filter) = &self.filter {
            let document = network.document(place.vertex)?;
            if !filter.examples.matches(&network.vertex_id(place.vertex), &document) {
                verdict.is_visited &= !filter.excludes;
                verdict.is_left &= !filter.prunes;
            }
        }
        Ok(verdict)
    }
}

#[derive(Clone, Copy)]
struct Verdict {
    is_visited: bool,
    is_left: bool,
}

/// A vertex on a path, and the edge that leads to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) vertex: usize,
    /// `None` at the start.
    pub(super) edge: Option<usize>,
}

/// What is told of each path to a vertex that is visited: never an empty one.
pub(super) type Visit<'v> = dyn FnMut(&mut Network<'_>, &[Place]) -> Result<()> + 'v;

/// Visits the ends of all paths from a vertex that the rules allow.
pub(super) fn walk(
    network: &mut Network<'_>,
    rules: &Rules,
    start: usize,
    visit: &mut Visit<'_>,
) -> Result<()> {
    if rules.is_breadth_first {
        breadth_first(network, rules, start, visit)
    } else {
        depth_first(network, rules, start, visit)
    }
}

/// What was met: on the path or at all.
struct Met {
    vertices: HashSet<usize>,
    edges: HashSet<usize>,
}

/// A vertex whose edges are being followed.
struct Frame {
    steps: Rc<[Step]>,
    followed: usize,
    is_visited: bool,
}

fn depth_first(network: &mut Network<'_>, rules: &Rules, start: usize, visit: &mut Visit<'_>) -> Result<()> {
    let mut met = Met { vertices: HashSet::new(), edges: HashSet::new() };
    let (mut path, mut frames): (Vec<Place>, Vec<Frame>) = (Vec::new(), Vec::new());
    let mut deepest = 0;
    let mut entered = Some(Place { vertex: start, edge: None });
    loop {
        if let Some(place) = entered.take() {
            network.iterate()?;
            met.enter(place, rules);
            let verdict = rules.judge(place, path.len(), network)?;
            path.push(place);
            if path.len() > deepest {
                deepest = path.len();
                network.charge(size_of::<Place>() + size_of::<Frame>())?;
            }
            if verdict.is_visited && !rules.is_post_order {
                visit(network, &path)?;
            }
            let steps = if verdict.is_left { network.steps(place.vertex)? } else { Rc::default() };
            frames.push(Frame { steps, followed: 0, is_visited: verdict.is_visited });
        }
        let Some(frame) = frames.last_mut() else { return Ok(()) };
        if let Some(step) = rules.step(&frame.steps, frame.followed) {
            frame.followed += 1;
            entered = met.admits(step, rules).then_some(Place { vertex: step.to, edge: Some(step.edge) });
            continue;
        }
        if frame.is_visited && rules.is_post_order {
            visit(network, &path)?;
        }
        frames.pop();
        if let Some(place) = path.pop() {
            met.leave(place, rules);
        }
    }
}

impl Met {
    fn admits(&self, step: Step, rules: &Rules) -> bool {
        (rules.vertices == Uniqueness::None || !self.vertices.contains(&step.to))
            && (rules.edges == Uniqueness::None || !self.edges.contains(&step.edge))
    }

    /// Takes no memory that is not accounted with the vertices and edges themselves.
    fn enter(&mut self, place: Place, rules: &Rules) {
        if rules.vertices != Uniqueness::None {
            self.vertices.insert(place.vertex);
        }
        if let Some(edge) = place.edge.filter(|_| rules.edges != Uniqueness::None) {
            self.edges.insert(edge);
        }
    }

    fn leave(&mut self, place: Place, rules: &Rules) {
        if rules.vertices == Uniqueness::Path {
            self.vertices.remove(&place.vertex);
        }
        if let Some(edge) = place.edge.filter(|_| rules.edges == Uniqueness::Path) {
            self.edges.remove(&edge);
        }
    }
}

/// The end of a path, by the number of the node before it (its own at the start).
struct Node {
    place: Place,
    before: usize,
    depth: usize,
    verdict: Verdict,
}

fn breadth_first(
    network: &mut Network<'_>,
    rules: &Rules,
    start: usize,
    visit: &mut Visit<'_>,
) -> Result<()> {
    let mut met = Met { vertices: HashSet::new(), edges: HashSet::new() };
    let mut nodes: Vec<Node> = Vec::new();
    add_node(&mut nodes, Place { vertex: start, edge: None }, 0, 0, rules, &mut met, network)?;
    let (mut position, mut path) = (0, Vec::new());
    while let Some(node) = nodes.get(position) {
        let (depth, verdict, vertex) = (node.depth, node.verdict, node.place.vertex);
        path_to(&nodes, position, &mut path);
        if verdict.is_visited && !rules.is_post_order {
            visit(network, &path)?;
        }
        let steps = if verdict.is_left { network.steps(vertex)? } else { Rc::default() };
        let mut followed = 0;
        while let Some(step) = rules.step(&steps, followed) {
            followed += 1;
            let place = Place { vertex: step.to, edge: Some(step.edge) };
            if admits(place, rules, &met, &path) {
                add_node(&mut nodes, place, position, depth + 1, rules, &mut met, network)?;
            }
        }
        position += 1;
    }
    if rules.is_post_order {
        // The deepest level first.
        for position in (0..nodes.len()).rev() {
            if nodes.get(position).is_some_and(|node| node.verdict.is_visited) {
                network.check_interrupt()?;
                path_to(&nodes, position, &mut path);
                visit(network, &path)?;
            }
        }
    }
    Ok(())
}

fn add_node(
    nodes: &mut Vec<Node>,
    place: Place,
    before: usize,
    depth: usize,
    rules: &Rules,
    met: &mut Met,
    network: &mut Network<'_>,
) -> Result<()> {
    network.iterate()?;
    network.charge(size_of::<Node>())?;
    met.enter(place, rules);
    let verdict = rules.judge(place, depth, network)?;
    nodes.push(Node { place, before, depth, verdict });
    Ok(())
}

/// Whether a path may go on to a place. Many paths grow at one time, so each is looked at itself.
fn admits(place: Place, rules: &Rules, met: &Met, path: &[Place]) -> bool {
    let vertex_is_new = match rules.vertices {
        Uniqueness::None => true,
        Uniqueness::Path => path.iter().all(|known| known.vertex != place.vertex),
        Uniqueness::Global => !met.vertices.contains(&place.vertex),
    };
    let edge_is_new = || match (rules.edges, place.edge) {
        (Uniqueness::None, _) | (_, None) => true,
        (Uniqueness::Path, _) => path.iter().all(|known| known.edge != place.edge),
        (Uniqueness::Global, Some(edge)) => !met.edges.contains(&edge),
    };
    vertex_is_new && edge_is_new()
}

fn path_to(nodes: &[Node], position: usize, path: &mut Vec<Place>) {
    path.clear();
    let mut position = position;
    while let Some(node) = nodes.get(position) {
        path.push(node.place);
        if node.depth == 0 {
            break;
        }
        position = node.before;
    }
    path.reverse();
}
