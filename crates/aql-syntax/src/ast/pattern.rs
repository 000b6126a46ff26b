//! The target left of `IN` in a `FOR` and left of `=` in a `LET`: a variable or a destructuring
//! pattern.

use super::{Identifier, Span};

/// A variable or a destructuring pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Its form.
    pub kind: PatternKind,
    /// Its text.
    pub span: Span,
}

/// The form of a [`Pattern`].
#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    /// `x`
    Variable(Identifier),
    /// `[a, , b]`: `None` skips an element. A missing element is null.
    Array(Vec<Option<Pattern>>),
    /// `{ x, y: z, n: { a } }`. A missing attribute is null.
    Object(Vec<ObjectPatternMember>),
}

/// One member of an object pattern. `{ x }` is read as `{ x: x }`.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectPatternMember {
    /// The attribute that is read.
    pub attribute: String,
    /// The target of the attribute's value.
    pub target: Pattern,
    /// The text of the member.
    pub span: Span,
}

impl Pattern {
    /// Returns the variable, if the pattern is a plain variable.
    pub fn as_variable(&self) -> Option<&Identifier> {
        match &self.kind {
            PatternKind::Variable(identifier) => Some(identifier),
            PatternKind::Array(_) | PatternKind::Object(_) => None,
        }
    }

    /// Returns every variable that the pattern introduces, from left to right.
    pub fn variables(&self) -> Vec<&Identifier> {
        let mut found = Vec::new();
        self.collect_variables(&mut found);
        found
    }

    // Recursion is bounded: patterns count towards the parser's depth.
    fn collect_variables<'a>(&'a self, found: &mut Vec<&'a Identifier>) {
        match &self.kind {
            PatternKind::Variable(identifier) => found.push(identifier),
            PatternKind::Array(elements) => {
                elements.iter().flatten().for_each(|element| element.collect_variables(found));
            }
            PatternKind::Object(members) => {
                members.iter().for_each(|member| member.target.collect_variables(found));
            }
        }
    }
}
