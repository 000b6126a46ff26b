//! Disjunctive normal form: a condition as alternatives (branches), each a list of atoms that must
//! all hold.
//!
//! The form may be weaker than the condition, never stronger: a document that satisfies the
//! condition satisfies one of the branches. Weaker branches are marked. So the form can be
//! truncated wherever it would grow too large.

use std::rc::Rc;
use std::sync::Arc;

use aql_plan::{CompareOperator, Expression, IndexField, UnaryOperator, VariableId, VariableSet};
use aql_value::program::MAX_RANGE_ELEMENTS;
use aql_value::{Charge, Interrupt, Value};
use errors::Result;

use super::{Atom, AtomOperator, as_array_field, as_field};
use crate::RuleContext;

/// The maximum number of branches. A condition with more is not matched against indexes. OR over
/// one attribute does not count, because an earlier rule has turned it into IN.
pub(crate) const MAX_BRANCHES: usize = 1024;

/// Alternatives, one of which holds for every document that satisfies the condition. Without any,
/// no document does.
#[derive(Debug)]
pub(crate) struct NormalForm {
    pub(crate) branches: Vec<Branch>,
    /// The memory of the branches.
    pub(super) memory: Option<Charge>,
}

/// Atoms that all hold.
#[derive(Debug, Clone)]
pub(crate) struct Branch {
    /// Shared with the branches that were made of the same conditions.
    pub(crate) atoms: Vec<Rc<Atom>>,
    /// True if the branch demands no more than its atoms.
    pub(crate) is_exact: bool,
}

impl NormalForm {
    fn of(branches: Vec<Branch>) -> Self {
        Self { branches, memory: None }
    }

    /// Returns the form of a condition that atoms cannot express.
    fn unknown() -> Self {
        Self::of(vec![Branch { atoms: Vec::new(), is_exact: false }])
    }

    fn always() -> Self {
        Self::of(vec![Branch { atoms: Vec::new(), is_exact: true }])
    }

    fn never() -> Self {
        Self::of(Vec::new())
    }

    fn atom(atom: Atom) -> Self {
        Self::of(vec![Branch { atoms: vec![Rc::new(atom)], is_exact: true }])
    }

    /// Returns a weaker form: the field lies between two numbers.
    fn between(field: &IndexField, low: i64, high: i64) -> Self {
        let atom = |operator, bound| {
            let value = Expression::Constant(Value::Int(bound));
            Rc::new(Atom { field: field.clone(), operator, value })
        };
        let atoms = vec![atom(AtomOperator::GreaterEqual, low), atom(AtomOperator::LessEqual, high)];
        Self::of(vec![Branch { atoms, is_exact: false }])
    }
}

/// Returns the normal form of conditions that must all hold, as conditions on `document`.
///
/// Atoms compare with values that read none of the variables in `unavailable`, to which the
/// document belongs. With more alternatives than `max_branches`, the form is weaker.
///
/// Errors: 32 if there is no memory for the form, 1500 for a query that was ended.
pub(crate) fn normalize<'a>(
    conditions: impl IntoIterator<Item = &'a Expression>,
    document: VariableId,
    unavailable: &VariableSet,
    max_branches: usize,
    context: &RuleContext<'_>,
) -> Result<NormalForm> {
    let mut normalizer = Normalizer {
        document,
        unavailable,
        max_branches: max_branches.min(MAX_BRANCHES),
        interrupt: context.interrupt,
        memory: Charge::new(Arc::clone(context.memory)),
    };
    let form = conditions.into_iter().try_fold(NormalForm::always(), |form, condition| {
        let other = normalizer.form(condition, false)?;
        normalizer.conjunction(form, &other)
    });
    Ok(NormalForm { memory: Some(normalizer.memory), ..form? })
}

struct Normalizer<'a> {
    document: VariableId,
    unavailable: &'a VariableSet,
    max_branches: usize,
    interrupt: &'a Interrupt,
    /// The memory of the branches.
    memory: Charge,
}

impl Normalizer<'_> {
    /// Returns the form of the condition, or of its negation.
    fn form(&mut self, condition: &Expression, negated: bool) -> Result<NormalForm> {
        Ok(match condition {
            Expression::Constant(value) if value.to_bool() != negated => NormalForm::always(),
            Expression::Constant(_) => NormalForm::never(),
            Expression::Unary { operator: UnaryOperator::Not, operand } => self.form(operand, !negated)?,
            Expression::And(operands) if !negated => self.all(operands, negated)?,
            Expression::Or(operands) if negated => self.all(operands, negated)?,
            Expression::And(operands) | Expression::Or(operands) => self.any(operands, negated)?,
            Expression::Compare { operator, left, right } => {
                self.compare(if negated { operator.negated() } else { *operator }, left, right)
            }
            // NOT (a NOT IN b) differs from a IN b: it is true if b is not an array.
            Expression::In { negated: false, value, list } if !negated => self.membership(value, list),
            _ => NormalForm::unknown(),
        })
    }

    fn all(&mut self, operands: &[Expression], negated: bool) -> Result<NormalForm> {
        operands.iter().try_fold(NormalForm::always(), |form, operand| {
            let other = self.form(operand, negated)?;
            self.conjunction(form, &other)
        })
    }

    fn any(&mut self, operands: &[Expression], negated: bool) -> Result<NormalForm> {
        let mut branches = Vec::new();
        for operand in operands {
            self.interrupt.check()?;
            branches.extend(self.form(operand, negated)?.branches);
            if branches.len() > self.max_branches {
                return Ok(NormalForm::unknown());
            }
        }
        Ok(NormalForm::of(branches))
    }

    /// Returns the conjunction of both. If it would have too many branches, `other` is omitted.
    fn conjunction(&mut self, mut form: NormalForm, other: &NormalForm) -> Result<NormalForm> {
        let count = form.branches.len().saturating_mul(other.branches.len());
        if let [only] = other.branches.as_slice() {
            for branch in &mut form.branches {
                self.add(branch, only)?;
            }
            return Ok(form);
        }
        if count > self.max_branches {
            form.branches.iter_mut().for_each(|branch| branch.is_exact = false);
            return Ok(form);
        }
        let mut branches = Vec::with_capacity(count);
        for left in &form.branches {
            for right in &other.branches {
                let mut both = Branch { atoms: Vec::new(), is_exact: true };
                self.add(&mut both, left)?;
                self.add(&mut both, right)?;
                branches.push(both);
            }
        }
        Ok(NormalForm::of(branches))
    }

    /// Adds the atoms of another branch.
    fn add(&mut self, branch: &mut Branch, other: &Branch) -> Result<()> {
        self.interrupt.check()?;
        self.memory.grow((other.atoms.len() * size_of::<Rc<Atom>>()) as u64)?;
        branch.atoms.extend(other.atoms.iter().cloned());
        branch.is_exact &= other.is_exact;
        Ok(())
    }

    fn compare(&self, operator: CompareOperator, left: &Expression, right: &Expression) -> NormalForm {
        let field = as_field(left, self.document).filter(|_| self.is_available(right));
        if let Some(field) = field {
            return NormalForm::atom(Atom { field, operator: operator.into(), value: right.clone() });
        }
        match as_field(right, self.document).filter(|_| self.is_available(left)) {
            Some(field) => {
                NormalForm::atom(Atom { field, operator: operator.mirrored().into(), value: left.clone() })
            }
            None => NormalForm::unknown(),
        }
    }

    fn membership(&self, value: &Expression, list: &Expression) -> NormalForm {
        if let Some(only) = only_member(list) {
            return self.compare(CompareOperator::Equal, value, &Expression::Constant(only));
        }
        if let Some((low, high)) = long_range(list) {
            // The range has too many members for single lookups. Other numbers lie between its
            // ends too.
            let field = as_field(value, self.document);
            return field.map_or_else(NormalForm::unknown, |field| NormalForm::between(&field, low, high));
        }
        if let Some(field) = as_field(value, self.document).filter(|_| self.is_available(list)) {
            return NormalForm::atom(Atom { field, operator: AtomOperator::In, value: list.clone() });
        }
        match as_array_field(list, self.document).filter(|_| self.is_available(value)) {
            Some(field) => {
                NormalForm::atom(Atom { field, operator: AtomOperator::Contains, value: value.clone() })
            }
            None => NormalForm::unknown(),
        }
    }

    /// Returns true if the value is known before the scan, and the same for all of its documents.
    fn is_available(&self, value: &Expression) -> bool {
        value.is_repeatable() && !value.variables().intersects(self.unavailable)
    }
}

/// Returns the member of a constant array with just one member.
fn only_member(list: &Expression) -> Option<Value> {
    let list = list.as_constant().filter(|list| list.is_array())?;
    let mut members = list.elements();
    let only = members.next()?;
    members.next().is_none().then_some(only)
}

/// Returns the ends of a range with too many members to write out, the lower one first.
fn long_range(list: &Expression) -> Option<(i64, i64)> {
    let Expression::Range { first, last } = list else { return None };
    let (first, last) = (first.as_constant()?.to_i64(), last.as_constant()?.to_i64());
    (first.abs_diff(last) >= MAX_RANGE_ELEMENTS).then(|| (first.min(last), first.max(last)))
}

impl From<CompareOperator> for AtomOperator {
    fn from(operator: CompareOperator) -> Self {
        match operator {
            CompareOperator::Equal => Self::Equal,
            CompareOperator::NotEqual => Self::NotEqual,
            CompareOperator::Less => Self::Less,
            CompareOperator::LessEqual => Self::LessEqual,
            CompareOperator::Greater => Self::Greater,
            CompareOperator::GreaterEqual => Self::GreaterEqual,
        }
    }
}
