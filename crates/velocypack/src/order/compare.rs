//! Comparison of two values.

use std::cmp::Ordering;

use super::collation::compare_bytes;
use super::number::compare_numbers;
use super::{Class, Context};
use crate::Slice;
use crate::iterate::RawSortedEntries;
use crate::limits::MAX_DEPTH;

/// Compares two values in AQL's order. `_id` markers count as null.
#[inline]
pub fn compare(left: Slice<'_>, right: Slice<'_>) -> Ordering {
    compare_with(left, None, right, None)
}

/// Compares two values, either of which can be a stored document of the collection named.
pub fn compare_with(
    left: Slice<'_>,
    left_collection: Option<&str>,
    right: Slice<'_>,
    right_collection: Option<&str>,
) -> Ordering {
    let sides = Sides {
        left: Context { collection: left_collection },
        right: Context { collection: right_collection },
    };
    sides.compare((left, Slice::NONE), (right, Slice::NONE), 0)
}

/// Returns true if two values are equal in AQL's order. `_id` markers count as null.
#[inline]
pub fn equal(left: Slice<'_>, right: Slice<'_>) -> bool {
    equal_with(left, None, right, None)
}

/// Returns true if two values are equal. Either can be a stored document of the collection named.
pub fn equal_with(
    left: Slice<'_>,
    left_collection: Option<&str>,
    right: Slice<'_>,
    right_collection: Option<&str>,
) -> bool {
    let sides = Sides {
        left: Context { collection: left_collection },
        right: Context { collection: right_collection },
    };
    sides.equal((left, Slice::NONE), (right, Slice::NONE), 0)
}

/// A value and the object it is an attribute of.
type Placed<'a> = (Slice<'a>, Slice<'a>);

const NULL: Placed<'static> = (Slice::NULL, Slice::NONE);

/// The origins of the values of either side.
#[derive(Clone, Copy)]
struct Sides<'c> {
    left: Context<'c>,
    right: Context<'c>,
}

impl Sides<'_> {
    /// Returns true if identical bytes are equal whatever they contain.
    #[inline]
    fn same_ids(self) -> bool {
        self.left.collection == self.right.collection
    }

    fn compare(self, left: Placed<'_>, right: Placed<'_>, depth: usize) -> Ordering {
        let left = self.left.classify(left.0, left.1);
        let right = self.right.classify(right.0, right.1);
        match (left, right) {
            (Class::String(left), Class::String(right)) => compare_bytes(left, right),
            (Class::Number(left), Class::Number(right)) => compare_numbers(left, right),
            (Class::Bool(left), Class::Bool(right)) => left.cmp(&right),
            (Class::Array(left), Class::Array(right)) => {
                if depth >= MAX_DEPTH || left.bytes() == right.bytes() {
                    return Ordering::Equal;
                }
                self.compare_arrays(left, right, depth + 1)
            }
            (Class::Object(left), Class::Object(right)) => {
                if depth >= MAX_DEPTH || (self.same_ids() && left.bytes() == right.bytes()) {
                    return Ordering::Equal;
                }
                self.compare_objects(left, right, depth + 1)
            }
            (left @ (Class::String(_) | Class::Id(_)), right @ (Class::String(_) | Class::Id(_))) => {
                compare_bytes(&left.text(self.left), &right.text(self.right))
            }
            (left, right) => left.rank().cmp(&right.rank()),
        }
    }

    fn compare_arrays(self, left: Slice<'_>, right: Slice<'_>, depth: usize) -> Ordering {
        let (mut left, mut right) = (left.elements(), right.elements());
        loop {
            let order = match (left.next(), right.next()) {
                (None, None) => return Ordering::Equal,
                (Some(left), Some(right)) => self.compare((left, Slice::NONE), (right, Slice::NONE), depth),
                (Some(left), None) => self.compare((left, Slice::NONE), NULL, depth),
                (None, Some(right)) => self.compare(NULL, (right, Slice::NONE), depth),
            };
            if order != Ordering::Equal {
                return order;
            }
        }
    }

    fn compare_objects(self, left: Slice<'_>, right: Slice<'_>, depth: usize) -> Ordering {
        let pairs = Pairs::new(left, right);
        for (left_value, right_value) in pairs {
            let order = self.compare((left_value, left), (right_value, right), depth);
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }

    fn equal(self, left: Placed<'_>, right: Placed<'_>, depth: usize) -> bool {
        let left = self.left.classify(left.0, left.1);
        let right = self.right.classify(right.0, right.1);
        match (left, right) {
            (Class::String(left), Class::String(right)) => left == right,
            (Class::Array(left), Class::Array(right)) => {
                depth >= MAX_DEPTH
                    || left.bytes() == right.bytes()
                    || self.equal_arrays(left, right, depth + 1)
            }
            (Class::Object(left), Class::Object(right)) => {
                depth >= MAX_DEPTH
                    || (self.same_ids() && left.bytes() == right.bytes())
                    || self.equal_objects(left, right, depth + 1)
            }
            (Class::Number(left), Class::Number(right)) => compare_numbers(left, right) == Ordering::Equal,
            (Class::Bool(left), Class::Bool(right)) => left == right,
            (left @ (Class::String(_) | Class::Id(_)), right @ (Class::String(_) | Class::Id(_))) => {
                left.text(self.left) == right.text(self.right)
            }
            (left, right) => left.rank() == right.rank(),
        }
    }

    fn equal_arrays(self, left: Slice<'_>, right: Slice<'_>, depth: usize) -> bool {
        let (mut left, mut right) = (left.elements(), right.elements());
        loop {
            let (left, right) = match (left.next(), right.next()) {
                (None, None) => return true,
                (left, right) => (left.unwrap_or(Slice::NULL), right.unwrap_or(Slice::NULL)),
            };
            if !self.equal((left, Slice::NONE), (right, Slice::NONE), depth) {
                return false;
            }
        }
    }

    fn equal_objects(self, left: Slice<'_>, right: Slice<'_>, depth: usize) -> bool {
        let pairs = Pairs::new(left, right);
        for (left_value, right_value) in pairs {
            if !self.equal((left_value, left), (right_value, right), depth) {
                return false;
            }
        }
        true
    }
}

/// The values of two objects by name, for each name that either has; null where one lacks it.
struct Pairs<'a> {
    left: RawSortedEntries<'a>,
    right: RawSortedEntries<'a>,
    next_left: Option<(&'a [u8], Slice<'a>)>,
    next_right: Option<(&'a [u8], Slice<'a>)>,
}

impl<'a> Pairs<'a> {
    fn new(left: Slice<'a>, right: Slice<'a>) -> Self {
        let (mut left, mut right) = (RawSortedEntries::new(left), RawSortedEntries::new(right));
        let (next_left, next_right) = (left.next(), right.next());
        Pairs { left, right, next_left, next_right }
    }
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (Slice<'a>, Slice<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let order = match (self.next_left, self.next_right) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((left, _)), Some((right, _))) => left.cmp(right),
        };
        let (mut left, mut right) = (Slice::NULL, Slice::NULL);
        if order != Ordering::Greater
            && let Some((_, value)) = self.next_left
        {
            left = value;
            self.next_left = self.left.next();
        }
        if order != Ordering::Less
            && let Some((_, value)) = self.next_right
        {
            right = value;
            self.next_right = self.right.next();
        }
        Some((left, right))
    }
}
