//! Iteration over a tree's entries in order, in either direction.

use super::{Child, Entry, Node, child_position, partition_point};

/// An iterator over a tree's entries from a key on. It borrows the tree. Creating it is O(log n),
/// each step O(1).
pub struct Cursor<'a> {
    /// The children that are still to be visited, from the root down.
    branches: Vec<&'a [Child]>,
    /// The entries of the current leaf that are still to be visited.
    entries: &'a [Entry],
    is_descending: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn ascending(root: Option<&'a Node>, start: &[u8]) -> Self {
        let mut cursor = Cursor { branches: Vec::new(), entries: &[], is_descending: false };
        let mut next = root;
        while let Some(node) = next {
            match node {
                Node::Leaf(entries) => {
                    let at = partition_point(entries, |entry| entry.key() < start);
                    cursor.entries = entries.get(at..).unwrap_or_default();
                    break;
                }
                Node::Branch(children) => {
                    let rest = children.get(child_position(children, start)..).unwrap_or_default();
                    next = cursor.enter(rest);
                }
            }
        }
        cursor
    }

    pub(super) fn descending(root: Option<&'a Node>, end: &[u8]) -> Self {
        let mut cursor = Cursor { branches: Vec::new(), entries: &[], is_descending: true };
        let is_before_end = |key: &[u8]| end.is_empty() || key < end;
        let mut next = root;
        while let Some(node) = next {
            match node {
                Node::Leaf(entries) => {
                    let count = partition_point(entries, |entry| is_before_end(entry.key()));
                    cursor.entries = entries.get(..count).unwrap_or_default();
                    break;
                }
                Node::Branch(children) => {
                    // The first child's bound is not examined.
                    let others = children.get(1..).unwrap_or_default();
                    let count = 1 + partition_point(others, |child| is_before_end(&child.lower_bound));
                    next = cursor.enter(children.get(..count).unwrap_or_default());
                }
            }
        }
        cursor
    }

    /// Returns the entry that [`Iterator::next`] would return.
    pub fn peek(&mut self) -> Option<&'a Entry> {
        while self.entries.is_empty() {
            let rest = self.branches.pop()?;
            let mut next = self.enter(rest);
            while let Some(node) = next {
                match node {
                    Node::Leaf(entries) => {
                        self.entries = entries;
                        break;
                    }
                    Node::Branch(children) => next = self.enter(children),
                }
            }
        }
        if self.is_descending { self.entries.last() } else { self.entries.first() }
    }

    /// Returns the next child, and remembers those after it for later.
    fn enter(&mut self, children: &'a [Child]) -> Option<&'a Node> {
        let (next, rest) =
            if self.is_descending { children.split_last()? } else { children.split_first()? };
        if !rest.is_empty() {
            self.branches.push(rest);
        }
        Some(&next.node)
    }
}

impl<'a> Iterator for Cursor<'a> {
    type Item = &'a Entry;

    fn next(&mut self) -> Option<&'a Entry> {
        let entry = self.peek()?;
        let rest = if self.is_descending { self.entries.split_last() } else { self.entries.split_first() };
        self.entries = rest.map_or(&[], |(_, rest)| rest);
        Some(entry)
    }
}
