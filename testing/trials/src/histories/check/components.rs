//! Strongly connected components: the algorithm of Kosaraju and Sharir, without recursion.

/// Returns the components of more than one node. `successors` has the nodes after each node.
pub(super) fn strongly_connected(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (node, next) in successors.iter().enumerate() {
        next.iter().for_each(|next| predecessors[*next].push(node));
    }
    let mut is_seen = vec![false; successors.len()];
    let mut order = Vec::with_capacity(successors.len());
    for root in 0..successors.len() {
        visit(successors, root, &mut is_seen, &mut order);
    }
    let mut is_seen = vec![false; successors.len()];
    let mut components = Vec::new();
    for root in order.into_iter().rev() {
        let mut component = Vec::new();
        visit(&predecessors, root, &mut is_seen, &mut component);
        if component.len() > 1 {
            components.push(component);
        }
    }
    components
}

/// Adds the unseen nodes that can be reached, each after those that are reached from it.
fn visit(successors: &[Vec<usize>], root: usize, is_seen: &mut [bool], order: &mut Vec<usize>) {
    if std::mem::replace(&mut is_seen[root], true) {
        return;
    }
    let mut stack = vec![(root, 0)];
    while let Some((node, at)) = stack.last_mut() {
        match successors[*node].get(*at) {
            Some(next) => {
                *at += 1;
                if !std::mem::replace(&mut is_seen[*next], true) {
                    stack.push((*next, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_reach_each_other_make_a_component() {
        let successors = [vec![1], vec![2], vec![0, 3], vec![4], vec![3], vec![0]].map(|next| next);
        let mut components = strongly_connected(&successors);
        components.iter_mut().for_each(|component| component.sort_unstable());
        components.sort();
        assert_eq!(components, [vec![0, 1, 2], vec![3, 4]]);
    }
}
