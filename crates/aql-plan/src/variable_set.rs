//! Sets of variables, as a bit for each.

use crate::variable::VariableId;

/// A set of variables of one plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VariableSet {
    words: Vec<u64>,
}

const WORD_BITS: usize = u64::BITS as usize;

impl VariableSet {
    /// Adds a variable; false if it was there.
    pub fn insert(&mut self, id: VariableId) -> bool {
        let (word, bit) = position(id);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        match self.words.get_mut(word) {
            Some(bits) => {
                let is_new = *bits & bit == 0;
                *bits |= bit;
                is_new
            }
            None => false,
        }
    }

    /// Removes a variable; false if it was not there.
    pub fn remove(&mut self, id: VariableId) -> bool {
        let (word, bit) = position(id);
        match self.words.get_mut(word) {
            Some(bits) if *bits & bit != 0 => {
                *bits &= !bit;
                true
            }
            _ => false,
        }
    }

    /// Returns true if the variable is in the set.
    pub fn contains(&self, id: VariableId) -> bool {
        let (word, bit) = position(id);
        self.words.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Adds all variables of another set.
    pub fn extend(&mut self, other: &Self) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words.iter_mut().zip(&other.words).for_each(|(own, theirs)| *own |= theirs);
    }

    /// Returns true if the sets have a variable in common.
    pub fn intersects(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(own, theirs)| own & theirs != 0)
    }

    /// Returns true if every variable of this set is in the other.
    pub fn is_subset(&self, other: &Self) -> bool {
        let theirs = other.words.iter().chain(std::iter::repeat(&0));
        self.words.iter().zip(theirs).all(|(own, theirs)| own & !theirs == 0)
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|bits| *bits == 0)
    }
}

impl FromIterator<VariableId> for VariableSet {
    fn from_iter<I: IntoIterator<Item = VariableId>>(ids: I) -> Self {
        let mut set = Self::default();
        ids.into_iter().for_each(|id| {
            set.insert(id);
        });
        set
    }
}

fn position(id: VariableId) -> (usize, u64) {
    (id.index() / WORD_BITS, 1 << (id.index() % WORD_BITS))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::variable::Variables;

    proptest::proptest! {
        #[test]
        fn behaves_as_a_set(left in proptest::collection::vec(0usize..200, 0..40), right in proptest::collection::vec(0usize..200, 0..40)) {
            let mut variables = Variables::default();
            let ids: Vec<_> = (0..200).map(|_| variables.add_temporary()).collect();
            let as_set = |list: &[usize]| list.iter().map(|i| ids[*i]).collect::<VariableSet>();
            let (a, b) = (as_set(&left), as_set(&right));
            let (model_a, model_b): (BTreeSet<_>, BTreeSet<_>) = (left.into_iter().collect(), right.into_iter().collect());
            let mut union = a.clone();
            union.extend(&b);
            for (i, id) in ids.iter().enumerate() {
                proptest::prop_assert_eq!(a.contains(*id), model_a.contains(&i));
                proptest::prop_assert_eq!(union.contains(*id), model_a.contains(&i) || model_b.contains(&i));
            }
            proptest::prop_assert_eq!(a.is_subset(&b), model_a.is_subset(&model_b));
            proptest::prop_assert_eq!(a.intersects(&b), !model_a.is_disjoint(&model_b));
            proptest::prop_assert_eq!(a.is_empty(), model_a.is_empty());
        }

        #[test]
        fn removes_what_was_inserted(list in proptest::collection::vec(0usize..130, 1..20)) {
            let mut variables = Variables::default();
            let ids: Vec<_> = (0..130).map(|_| variables.add_temporary()).collect();
            let mut set: VariableSet = list.iter().map(|i| ids[*i]).collect();
            for i in &list {
                proptest::prop_assert_eq!(set.contains(ids[*i]), set.remove(ids[*i]));
            }
            proptest::prop_assert!(set.is_empty());
        }
    }
}
