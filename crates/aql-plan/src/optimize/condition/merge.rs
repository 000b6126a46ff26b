//! What atoms on one field say together, where they compare with constants: the tighter of two bounds, the members that
//! two lists have in common, or that no document satisfies them.
//!
//! ArangoDB does the same before it chooses indexes. Atoms that read variables or arrays of the document stay as they
//! are: which of them says more is known only when the query runs.

use super::{Atom, AtomOperator, Branch, NormalForm};
use crate::catalog::IndexField;
use crate::expression::Expression;
use aql_value::Value;
use std::cmp::Ordering;
use std::collections::HashMap;

impl NormalForm {
    /// The same with as few atoms as possible. No branches: no document satisfies the condition.
    pub(in crate::optimize) fn merged(self) -> Self {
        Self { branches: self.branches.into_iter().filter_map(Branch::merged).collect() }
    }
}

impl Branch {
    /// `None` if no document satisfies it.
    fn merged(self) -> Option<Self> {
        let mut fields: HashMap<&IndexField, Bounds> = HashMap::new();
        for (atom, value) in self.atoms.iter().filter_map(|atom| Some((atom, mergeable(atom)?))) {
            fields.entry(&atom.field).or_default().add(atom.operator, value);
        }
        if fields.values_mut().any(|bounds| bounds.count > 1 && !bounds.settle()) {
            return None;
        }
        let mut merged: Vec<Atom> = Vec::new();
        for atom in &self.atoms {
            match fields.get_mut(&atom.field).filter(|bounds| bounds.count > 1 && mergeable(atom).is_some()) {
                None => merged.push(atom.clone()),
                Some(bounds) if atom.operator == AtomOperator::NotEqual && bounds.members.is_none() => {
                    merged.push(atom.clone());
                }
                // All that is known of the field stands where its first atom stood.
                Some(bounds) => bounds.take_atoms(&atom.field, &mut merged),
            }
        }
        Some(Self { atoms: merged, is_exact: self.is_exact })
    }
}

/// The constant that an atom compares a plain field with.
fn mergeable(atom: &Atom) -> Option<&Value> {
    atom.value
        .as_constant()
        .filter(|_| atom.field.expansion.is_none() && atom.operator != AtomOperator::Contains)
}

/// What is known of one field.
#[derive(Debug, Default)]
struct Bounds {
    /// How many atoms have said it.
    count: usize,
    /// The values that the field may have, if only some; sorted, each once.
    members: Option<Vec<Value>>,
    lower: Option<End>,
    upper: Option<End>,
    /// Values that it does not have.
    excluded: Vec<Value>,
}

/// An end of a range.
#[derive(Debug)]
struct End {
    value: Value,
    inclusive: bool,
}

impl End {
    /// Whether a value is beyond this end; `beyond` is `Less` for lower ends, `Greater` for upper ones.
    fn excludes(&self, value: &Value, beyond: Ordering) -> bool {
        match value.cmp(&self.value) {
            Ordering::Equal => !self.inclusive,
            order => order == beyond,
        }
    }

    /// Takes this end if it excludes more than the one that is known.
    fn tighten(self, known: &mut Option<Self>, beyond: Ordering) {
        let is_tighter = known.as_ref().is_none_or(|known| match self.value.cmp(&known.value) {
            Ordering::Equal => !self.inclusive,
            order => order == beyond.reverse(),
        });
        if is_tighter {
            *known = Some(self);
        }
    }
}

impl Bounds {
    fn add(&mut self, operator: AtomOperator, value: &Value) {
        self.count += 1;
        let end = |inclusive| End { value: value.clone(), inclusive };
        match operator {
            AtomOperator::Equal => self.allow(vec![value.clone()]),
            // Nothing is a member of what is no array.
            AtomOperator::In if !value.is_array() => self.allow(Vec::new()),
            AtomOperator::In => self.allow(value.elements().collect()),
            AtomOperator::NotEqual => self.excluded.push(value.clone()),
            AtomOperator::Greater => end(false).tighten(&mut self.lower, Ordering::Less),
            AtomOperator::GreaterEqual => end(true).tighten(&mut self.lower, Ordering::Less),
            AtomOperator::Less => end(false).tighten(&mut self.upper, Ordering::Greater),
            AtomOperator::LessEqual => end(true).tighten(&mut self.upper, Ordering::Greater),
            AtomOperator::Contains => {}
        }
    }

    fn allow(&mut self, mut members: Vec<Value>) {
        members.sort_unstable();
        members.dedup();
        if let Some(known) = &self.members {
            members.retain(|member| known.binary_search(member).is_ok());
        }
        self.members = Some(members);
    }

    /// Applies all to each other; false if nothing is left.
    fn settle(&mut self) -> bool {
        self.excluded.sort_unstable();
        if let Some(mut members) = self.members.take() {
            members.retain(|member| self.has_in_range(member));
            return !self.members.insert(members).is_empty();
        }
        match (&self.lower, &self.upper) {
            (Some(lower), Some(upper)) => {
                !upper.excludes(&lower.value, Ordering::Greater)
                    && !lower.excludes(&upper.value, Ordering::Less)
            }
            _ => true,
        }
    }

    /// Whether the field may have the value.
    fn has(&self, value: &Value) -> bool {
        let is_member = self.members.as_ref().is_none_or(|members| members.binary_search(value).is_ok());
        is_member && self.has_in_range(value)
    }

    /// The same without regard to the members. The excluded values are sorted.
    fn has_in_range(&self, value: &Value) -> bool {
        !self.lower.as_ref().is_some_and(|end| end.excludes(value, Ordering::Less))
            && !self.upper.as_ref().is_some_and(|end| end.excludes(value, Ordering::Greater))
            && self.excluded.binary_search(value).is_err()
    }

    /// Writes what is known, but for values that the field does not have, once.
    fn take_atoms(&mut self, field: &IndexField, out: &mut Vec<Atom>) {
        let mut add = |operator, value: Value| {
            out.push(Atom { field: field.clone(), operator, value: Expression::Constant(value) });
        };
        let (lower, upper) = (self.lower.take(), self.upper.take());
        match self.members.as_deref_mut() {
            Some([]) => {}
            Some([only]) => add(AtomOperator::Equal, std::mem::take(only)),
            Some(members) => add(AtomOperator::In, Value::array(members)),
            None => {
                for (end, operators) in [
                    (lower, [AtomOperator::GreaterEqual, AtomOperator::Greater]),
                    (upper, [AtomOperator::LessEqual, AtomOperator::Less]),
                ] {
                    let Some(end) = end else { continue };
                    let [inclusive, exclusive] = operators;
                    add(if end.inclusive { inclusive } else { exclusive }, end.value);
                }
            }
        }
        if let Some(members) = &mut self.members {
            members.clear();
        }
    }
}

impl Atom {
    /// Whether every document that satisfies this atom satisfies the other one. May be false where that depends on
    /// values that are not constant.
    pub(in crate::optimize) fn implies(&self, other: &Self) -> bool {
        if self.is_same(other) {
            return true;
        }
        let (Some(value), Some(wanted)) = (mergeable(self), mergeable(other)) else { return false };
        if self.field != other.field {
            return false;
        }
        let mut bounds = Bounds::default();
        bounds.add(other.operator, wanted);
        // A range is within another whose end is on the same side if its own end is, and without a value that it excludes.
        let is_within = |inclusive, beyond, has_end: bool| match other.operator {
            AtomOperator::NotEqual => End { value: value.clone(), inclusive }.excludes(wanted, beyond),
            _ => has_end && (bounds.has(value) || !inclusive && value == wanted),
        };
        let (is_lower, is_upper) = (bounds.lower.is_some(), bounds.upper.is_some());
        match self.operator {
            AtomOperator::Equal => bounds.has(value),
            AtomOperator::In => !value.is_array() || value.elements().all(|member| bounds.has(&member)),
            AtomOperator::Greater => is_within(false, Ordering::Less, is_lower),
            AtomOperator::GreaterEqual => is_within(true, Ordering::Less, is_lower),
            AtomOperator::Less => is_within(false, Ordering::Greater, is_upper),
            AtomOperator::LessEqual => is_within(true, Ordering::Greater, is_upper),
            AtomOperator::NotEqual | AtomOperator::Contains => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn operator() -> impl Strategy<Value = AtomOperator> {
        use AtomOperator::{Equal, Greater, GreaterEqual, In, Less, LessEqual, NotEqual};
        prop::sample::select(vec![Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, In])
    }

    /// A condition on one of two fields with a value of few.
    fn atom() -> impl Strategy<Value = Atom> {
        let members = prop::collection::vec(value(), 0..4);
        (operator(), value(), members, prop::sample::select(vec!["a", "b"])).prop_map(
            |(operator, value, members, name)| {
                let value = if operator == AtomOperator::In { Value::array(&members) } else { value };
                Atom { field: IndexField::new(&[name], None), operator, value: Expression::Constant(value) }
            },
        )
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![Just(Value::Null), (0..5_i64).prop_map(Value::Int), Just(Value::from_str("x"))]
    }

    /// All values that matter.
    fn values() -> Vec<Value> {
        let numbers = (-1..6).map(Value::Int);
        numbers
            .chain([Value::Null, Value::from_str(""), Value::from_str("x"), Value::from_str("y")])
            .collect()
    }

    fn holds(atom: &Atom, value: &Value) -> bool {
        let bound = atom.value.as_constant().unwrap();
        match atom.operator {
            AtomOperator::Equal => value == bound,
            AtomOperator::NotEqual => value != bound,
            AtomOperator::Less => value < bound,
            AtomOperator::LessEqual => value <= bound,
            AtomOperator::Greater => value > bound,
            AtomOperator::GreaterEqual => value >= bound,
            AtomOperator::In => bound.elements().any(|member| member == *value),
            AtomOperator::Contains => false,
        }
    }

    proptest! {
        #[test]
        fn what_is_merged_says_the_same(atoms in prop::collection::vec(atom(), 0..6)) {
            let merged = Branch { atoms: atoms.clone(), is_exact: true }.merged();
            let atoms_hold = |atoms: &[Atom], a: &Value, b: &Value| {
                atoms.iter().all(|atom| holds(atom, if atom.field == IndexField::new(&["a"], None) { a } else { b }))
            };
            for a in values() {
                for b in values() {
                    let expected = atoms_hold(&atoms, &a, &b);
                    prop_assert_eq!(merged.as_ref().is_some_and(|merged| atoms_hold(&merged.atoms, &a, &b)), expected);
                }
            }
            if let Some(merged) = merged {
                prop_assert!(merged.atoms.len() <= atoms.len());
            }
        }

        #[test]
        fn what_is_implied_holds(first in atom(), second in atom()) {
            if first.implies(&second) {
                for value in values().iter().filter(|value| holds(&first, value)) {
                    prop_assert!(holds(&second, value), "{:?} {:?} {:?}", first, second, value);
                }
            }
        }
    }

    #[test]
    fn tighter_conditions_imply_looser_ones() {
        use AtomOperator::{Equal, Greater, GreaterEqual, In, Less, LessEqual, NotEqual};
        let atom = |operator, value| Atom {
            field: IndexField::new(&["a"], None),
            operator,
            value: Expression::Constant(value),
        };
        let list =
            |members: &[i64]| Value::array(&members.iter().copied().map(Value::Int).collect::<Vec<_>>());
        for (first, second) in [
            (atom(Greater, Value::Int(7)), atom(Greater, Value::Int(5))),
            (atom(Greater, Value::Int(7)), atom(GreaterEqual, Value::Int(7))),
            (atom(GreaterEqual, Value::Int(7)), atom(Greater, Value::Int(6))),
            (atom(Less, Value::Int(7)), atom(LessEqual, Value::Int(7))),
            (atom(Less, Value::Int(7)), atom(NotEqual, Value::Int(7))),
            (atom(Greater, Value::Null), atom(NotEqual, Value::Null)),
            (atom(Equal, Value::Int(7)), atom(In, list(&[6, 7]))),
            (atom(In, list(&[2, 3])), atom(In, list(&[3, 1, 2]))),
            (atom(In, list(&[2, 3])), atom(Less, Value::Int(4))),
        ] {
            assert!(first.implies(&second), "{first:?} {second:?}");
            assert!(!second.implies(&first), "{first:?} {second:?}");
        }
    }
}
