//! Strongly connected components.

use errors::Result;

use crate::graph::Adjacency;
use crate::work::{Checks, Work};

const NONE: u32 = u32::MAX;

/// The numbers of a vertex in the order of the search.
#[derive(Clone, Copy)]
struct Numbers {
    own: u32,
    /// The least number that it reaches among vertices whose component is open.
    low: u32,
}

/// Returns the component of each vertex. Source: Tarjan (1972).
pub(super) fn components(rows: &Adjacency, work: &Work) -> Result<Vec<u32>> {
    let vertices = rows.vertex_count();
    // The vector of the path doubles, so that it takes up to three times its size.
    let _charge = work.reserve_for::<(Numbers, u32, [(u32, usize); 3])>(vertices)?;
    let mut components = vec![NONE; vertices];
    let mut numbers = vec![Numbers { own: NONE, low: NONE }; vertices];
    let mut path: Vec<(u32, usize)> = Vec::new();
    let mut open = Vec::with_capacity(vertices);
    let (mut count, mut component_count, mut checks) = (0, 0, Checks::default());
    for root in 0..vertices as u32 {
        if numbers[root as usize].own != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some((vertex, next)) = path.last_mut() {
            let (vertex, place) = (*vertex, *next);
            *next += 1;
            checks.note(work, 1)?;
            if place == 0 {
                numbers[vertex as usize] = Numbers { own: count, low: count };
                count += 1;
                open.push(vertex);
            }
            if let Some(target) = rows.targets(vertex).get(place) {
                let its = numbers[*target as usize].own;
                if its == NONE {
                    path.push((*target, 0));
                } else if components[*target as usize] == NONE {
                    let low = &mut numbers[vertex as usize].low;
                    *low = its.min(*low);
                }
                continue;
            }
            path.pop();
            let Numbers { own, low } = numbers[vertex as usize];
            if let Some((parent, _)) = path.last() {
                let of_parent = &mut numbers[*parent as usize].low;
                *of_parent = low.min(*of_parent);
            }
            if own == low {
                while let Some(member) = open.pop() {
                    components[member as usize] = component_count;
                    if member == vertex {
                        break;
                    }
                }
                component_count += 1;
            }
        }
    }
    Ok(components)
}
