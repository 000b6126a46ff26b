//! The depth-first search that finds both.

use errors::Result;

use crate::algorithms::shared::reach::Reach;
use crate::graph::{Direction, Graph};
use crate::work::{Checks, Work};

/// The findings of the search.
pub(super) struct Cuts {
    /// True for vertices without which their component falls apart.
    pub(super) is_articulation_point: Vec<bool>,
    /// Edges without which their component falls apart, as pairs of vertices in the order of the
    /// search.
    pub(super) bridges: Vec<(u32, u32)>,
    /// The number of components.
    pub(super) components: u64,
}

/// The numbers of a vertex in the order of the search; 0 is none.
#[derive(Clone, Copy, Default)]
struct Numbers {
    own: u32,
    /// The least number that the vertex and those below it reach by one edge.
    low: u32,
}

/// A vertex whose edges are followed.
struct Frame {
    vertex: u32,
    parent: u32,
    /// The next edge.
    next: usize,
    /// True once the edge from the parent was met; another edge to the parent is a parallel one.
    is_parent_met: bool,
}

/// Searches the graph, with directions ignored, after Hopcroft and Tarjan (1973).
pub(super) fn search(graph: &Graph, work: &Work) -> Result<Cuts> {
    let reach = Reach::new(graph, work, Direction::Any)?;
    let vertices = graph.vertex_count();
    // The vectors of frames and bridges double, so that they take up to three times their size.
    let _charge = work.reserve_for::<(Numbers, [Frame; 3], [(u32, u32); 3])>(vertices)?;
    let mut numbers = vec![Numbers::default(); vertices];
    let mut cuts = Cuts { is_articulation_point: vec![false; vertices], bridges: Vec::new(), components: 0 };
    let mut stack: Vec<Frame> = Vec::new();
    let (mut count, mut checks) = (0, Checks::default());
    for root in 0..vertices as u32 {
        if numbers[root as usize].own != 0 {
            continue;
        }
        cuts.components += 1;
        let mut children = 0;
        let mut enter = Some((root, root));
        loop {
            if let Some((vertex, parent)) = enter.take() {
                count += 1;
                numbers[vertex as usize] = Numbers { own: count, low: count };
                stack.push(Frame { vertex, parent, next: 0, is_parent_met: vertex == root });
            }
            let Some(frame) = stack.last_mut() else { break };
            checks.note(work, 1)?;
            let vertex = frame.vertex;
            if let Some(target) = reach.target(vertex, frame.next) {
                frame.next += 1;
                let own = numbers[target as usize].own;
                if target == frame.parent && !frame.is_parent_met {
                    frame.is_parent_met = true;
                } else if own == 0 {
                    enter = Some((target, vertex));
                } else {
                    let low = &mut numbers[vertex as usize].low;
                    *low = own.min(*low);
                }
                continue;
            }
            let parent = frame.parent;
            stack.pop();
            if vertex == root {
                continue;
            }
            let low = numbers[vertex as usize].low;
            let of_parent = &mut numbers[parent as usize];
            of_parent.low = of_parent.low.min(low);
            if low > of_parent.own {
                cuts.bridges.push((parent, vertex));
            }
            if parent == root {
                children += 1;
            } else if low >= of_parent.own {
                cuts.is_articulation_point[parent as usize] = true;
            }
        }
        cuts.is_articulation_point[root as usize] = children > 1;
    }
    Ok(cuts)
}
