//! What atoms on one field say together, where they compare with constants: the tighter of two bounds, the members that
//! two lists have in common, or that no document satisfies them.
//!
//! ArangoDB does the same before it chooses indexes. Atoms that read variables or arrays of the document stay as they
//! are: which of them says more is known only when the query runs.

use super::{Atom, AtomOperator, Branch, NormalForm};
use aql_plan::{Expression, IndexField};
use aql_value::Value;
use std::cmp::Ordering;
use std::collections::HashMap;

impl NormalForm {
    /// The same with as few atoms as possible. No branches: no document satisfies the condition.
    pub(crate) fn merged(self) -> Self {
        Self { branches: self.branches.into_iter().filter_map(Branch::merged).collect() }
    }
}

impl Branch {
    /// `None` if no document satisfies it.
    fn merged(self) -> Option<Self> {
        let mut of_fields: HashMap<&IndexField, Vec<(&Atom, &Value)>> = HashMap::new();
        for atom in &self.atoms {
            if let Some(value) = mergeable(atom) {
                of_fields.entry(&atom.field).or_default().push((atom, value));
            }
        }
        let mut merged = Vec::with_capacity(self.atoms.len());
        for atom in &self.atoms {
            if mergeable(atom).is_none() {
                merged.push(atom.clone());
                continue;
            }
            // All that is said of the field stands where its first atom stood.
            match of_fields.remove(&atom.field).as_deref() {
                None => {}
                Some([(only, _)]) => merged.push((*only).clone()),
                Some(several) => Bounds::of(several)?.write(&atom.field, &mut merged),
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
    /// The values that the field may have, if only some; sorted, each once.
    members: Option<Vec<Value>>,
    lower: Option<End>,
    upper: Option<End>,
    /// Values that it does not have; sorted, each once.
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
    /// `None` if no value is left.
    fn of(atoms: &[(&Atom, &Value)]) -> Option<Self> {
        let mut bounds = Self::default();
        atoms.iter().for_each(|(atom, value)| bounds.add(atom.operator, value));
        bounds.settle().then_some(bounds)
    }

    fn add(&mut self, operator: AtomOperator, value: &Value) {
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
        self.excluded.dedup();
        let Self { members, lower, upper, excluded } = self;
        if let Some(members) = members {
            members.retain(|member| {
                !lower.as_ref().is_some_and(|end| end.excludes(member, Ordering::Less))
                    && !upper.as_ref().is_some_and(|end| end.excludes(member, Ordering::Greater))
                    && excluded.binary_search(member).is_err()
            });
            return !members.is_empty();
        }
        match (&self.lower, &self.upper) {
            (Some(lower), Some(upper)) => {
                !upper.excludes(&lower.value, Ordering::Greater)
                    && !lower.excludes(&upper.value, Ordering::Less)
            }
            _ => true,
        }
    }

    fn write(self, field: &IndexField, out: &mut Vec<Atom>) {
        let mut add = |operator, value: Value| {
            out.push(Atom { field: field.clone(), operator, value: Expression::Constant(value) });
        };
        match self.members.as_deref() {
            Some([only]) => return add(AtomOperator::Equal, only.clone()),
            Some(members) => return add(AtomOperator::In, Value::array(members)),
            None => {}
        }
        if let Some(End { value, inclusive }) = self.lower {
            add(if inclusive { AtomOperator::GreaterEqual } else { AtomOperator::Greater }, value);
        }
        if let Some(End { value, inclusive }) = self.upper {
            add(if inclusive { AtomOperator::LessEqual } else { AtomOperator::Less }, value);
        }
        self.excluded.into_iter().for_each(|value| add(AtomOperator::NotEqual, value));
    }
}

impl Atom {
    /// Whether every document that satisfies this atom satisfies the other one. May be false where that depends on
    /// values that are not constant.
    pub(crate) fn implies(&self, other: &Self) -> bool {
        if self.is_same(other) {
            return true;
        }
        let (Some(value), Some(wanted)) = (mergeable(self), mergeable(other)) else { return false };
        if self.field != other.field {
            return false;
        }
        use AtomOperator::{Contains, Equal, Greater, GreaterEqual, In, Less, LessEqual, NotEqual};
        let order = value.cmp(wanted);
        match (self.operator, other.operator) {
            (Equal, _) => other.operator.accepts(value, wanted),
            (In, In) => {
                let mut members: Vec<Value> = wanted.elements().collect();
                members.sort_unstable();
                value.elements().all(|member| members.binary_search(&member).is_ok())
            }
            (In, _) => value.elements().all(|member| other.operator.accepts(&member, wanted)),
            // A range lies within another to the same side if it begins behind it, or with it and no earlier.
            (Greater, Greater | GreaterEqual | NotEqual) | (GreaterEqual, GreaterEqual) => order.is_ge(),
            (GreaterEqual, Greater | NotEqual) => order.is_gt(),
            (Less, Less | LessEqual | NotEqual) | (LessEqual, LessEqual) => order.is_le(),
            (LessEqual, Less | NotEqual) => order.is_lt(),
            (Greater | GreaterEqual | Less | LessEqual | NotEqual | Contains, _) => false,
        }
    }
}

impl AtomOperator {
    /// Whether a field with the value satisfies a condition with the constant.
    fn accepts(self, value: &Value, constant: &Value) -> bool {
        match self {
            Self::Equal => value == constant,
            Self::NotEqual => value != constant,
            Self::Less => value < constant,
            Self::LessEqual => value <= constant,
            Self::Greater => value > constant,
            Self::GreaterEqual => value >= constant,
            // Nothing is a member of what is no array.
            Self::In => constant.is_array() && constant.elements().any(|member| member == *value),
            Self::Contains => false,
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
        atom.operator.accepts(value, atom.value.as_constant().unwrap())
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
