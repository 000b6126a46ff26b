//! Merges atoms that compare one field with constants. The result is the tighter of two
//! bounds or the common members of two lists, or shows that no document satisfies the atoms.
//!
//! ArangoDB does the same before it chooses indexes. Atoms that read variables or arrays of the
//! document stay unchanged: which of them is stronger is known only when the query runs.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

use aql_plan::{Expression, IndexField};
use aql_value::{Interrupt, Value, order_of};
use errors::Result;

use super::{Atom, AtomOperator, Branch, NormalForm};

/// Members from which a list is sorted with checks of the interrupt.
const LONG_LIST: usize = 1 << 13;

impl NormalForm {
    /// Returns the same form with as few atoms as possible. Without branches, no document satisfies
    /// the condition. Errors: 1500 for a query that was ended.
    pub(crate) fn merged(self, interrupt: &Interrupt) -> Result<Self> {
        let merged = self.branches.into_iter().map(|branch| branch.merged(interrupt));
        let branches = merged.filter_map(Result::transpose).collect::<Result<_>>()?;
        Ok(Self { branches, memory: self.memory })
    }
}

impl Branch {
    /// Merges the atoms; `None` if no document satisfies them.
    fn merged(self, interrupt: &Interrupt) -> Result<Option<Self>> {
        interrupt.check()?;
        let mut of_fields: HashMap<&IndexField, Vec<(&Rc<Atom>, &Value)>> = HashMap::new();
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
            // The merged atoms of a field stand at the position of its first atom.
            match of_fields.remove(&atom.field).as_deref() {
                None => {}
                Some([(only, value)]) if is_repeating(only, value) => {
                    Bounds::of(&[(only, value)], interrupt)?
                        .into_iter()
                        .for_each(|bounds| bounds.write(&atom.field, &mut merged));
                }
                Some([(only, _)]) => merged.push((*only).clone()),
                Some(several) => match Bounds::of(several, interrupt)? {
                    Some(bounds) => bounds.write(&atom.field, &mut merged),
                    None => return Ok(None),
                },
            }
        }
        Ok(Some(Self { atoms: merged, is_exact: self.is_exact }))
    }
}

/// Returns the constant with which an atom compares a plain field.
fn mergeable(atom: &Atom) -> Option<&Value> {
    atom.value
        .as_constant()
        .filter(|_| atom.field.expansion.is_none() && atom.operator != AtomOperator::Contains)
}

/// Returns true for a list with repeated or unsorted members, each of which is looked up once, in
/// order.
fn is_repeating(atom: &Atom, value: &Value) -> bool {
    let is_list = atom.operator == AtomOperator::In && value.is_array();
    is_list && !value.elements().zip(value.elements().skip(1)).all(|(one, next)| one < next)
}

/// The known bounds of one field.
#[derive(Debug, Default)]
struct Bounds {
    /// The only values that the field may have, if they are known; sorted and distinct.
    members: Option<Vec<Value>>,
    lower: Option<End>,
    upper: Option<End>,
    /// Values that the field does not have; sorted and distinct.
    excluded: Vec<Value>,
}

/// An end of a range.
#[derive(Debug)]
struct End {
    value: Value,
    inclusive: bool,
}

impl End {
    /// Returns true if a value is beyond this end. `beyond` is `Less` for lower ends and `Greater`
    /// for upper ones.
    fn excludes(&self, value: &Value, beyond: Ordering) -> bool {
        match value.cmp(&self.value) {
            Ordering::Equal => !self.inclusive,
            order => order == beyond,
        }
    }

    /// Replaces the known end by this one if this one excludes more.
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
    /// Combines atoms on one field; `None` if no value is left.
    fn of(atoms: &[(&Rc<Atom>, &Value)], interrupt: &Interrupt) -> Result<Option<Self>> {
        let mut bounds = Self::default();
        for (atom, value) in atoms {
            interrupt.check()?;
            bounds.add(atom.operator, value, interrupt)?;
        }
        Ok(bounds.settle().then_some(bounds))
    }

    fn add(&mut self, operator: AtomOperator, value: &Value, interrupt: &Interrupt) -> Result<()> {
        let end = |inclusive| End { value: value.clone(), inclusive };
        match operator {
            AtomOperator::Equal => self.allow(vec![value.clone()], interrupt)?,
            // Only an array has members.
            AtomOperator::In if !value.is_array() => self.allow(Vec::new(), interrupt)?,
            AtomOperator::In => self.allow(value.elements().collect(), interrupt)?,
            AtomOperator::NotEqual => self.excluded.push(value.clone()),
            AtomOperator::Greater => end(false).tighten(&mut self.lower, Ordering::Less),
            AtomOperator::GreaterEqual => end(true).tighten(&mut self.lower, Ordering::Less),
            AtomOperator::Less => end(false).tighten(&mut self.upper, Ordering::Greater),
            AtomOperator::LessEqual => end(true).tighten(&mut self.upper, Ordering::Greater),
            AtomOperator::Contains => {}
        }
        Ok(())
    }

    fn allow(&mut self, members: Vec<Value>, interrupt: &Interrupt) -> Result<()> {
        let mut members = sorted(members, interrupt)?;
        members.dedup();
        if let Some(known) = &self.members {
            members.retain(|member| known.binary_search(member).is_ok());
        }
        self.members = Some(members);
        Ok(())
    }

    /// Applies all bounds to each other. Returns false if no value is left.
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

    fn write(self, field: &IndexField, out: &mut Vec<Rc<Atom>>) {
        let mut add = |operator, value: Value| {
            out.push(Rc::new(Atom { field: field.clone(), operator, value: Expression::Constant(value) }));
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

/// Returns the members in order. Errors: 1500 for a query that was ended.
fn sorted(mut members: Vec<Value>, interrupt: &Interrupt) -> Result<Vec<Value>> {
    if members.len() < LONG_LIST {
        members.sort_unstable();
        return Ok(members);
    }
    let order = order_of(&members, interrupt)?;
    Ok(order.into_iter().filter_map(|position| members.get(position as usize).cloned()).collect())
}

impl Atom {
    /// Returns true if every document that satisfies this atom satisfies the other one.
    ///
    /// May return false if that depends on values that are not constant.
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
            // A one-sided range lies within another in the same direction if its end does.
            (Greater, Greater | GreaterEqual | NotEqual) | (GreaterEqual, GreaterEqual) => order.is_ge(),
            (GreaterEqual, Greater | NotEqual) => order.is_gt(),
            (Less, Less | LessEqual | NotEqual) | (LessEqual, LessEqual) => order.is_le(),
            (LessEqual, Less | NotEqual) => order.is_lt(),
            (Greater | GreaterEqual | Less | LessEqual | NotEqual | Contains, _) => false,
        }
    }
}

impl AtomOperator {
    /// Returns true if a field with the value satisfies a condition with the constant.
    fn accepts(self, value: &Value, constant: &Value) -> bool {
        match self {
            Self::Equal => value == constant,
            Self::NotEqual => value != constant,
            Self::Less => value < constant,
            Self::LessEqual => value <= constant,
            Self::Greater => value > constant,
            Self::GreaterEqual => value >= constant,
            // Only an array has members.
            Self::In => constant.is_array() && constant.elements().any(|member| member == *value),
            Self::Contains => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn operator() -> impl Strategy<Value = AtomOperator> {
        use AtomOperator::{Equal, Greater, GreaterEqual, In, Less, LessEqual, NotEqual};
        prop::sample::select(vec![Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, In])
    }

    /// A condition on one of two fields, with one of few values.
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

    /// Returns all values that matter.
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
            let atoms: Vec<Rc<Atom>> = atoms.into_iter().map(Rc::new).collect();
            let merged = Branch { atoms: atoms.clone(), is_exact: true }.merged(&Interrupt::new()).unwrap();
            let atoms_hold = |atoms: &[Rc<Atom>], a: &Value, b: &Value| {
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
