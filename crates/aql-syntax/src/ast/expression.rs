//! Expressions.

use super::{BinaryOperator, Block, ElementOperator, LogicalOperator, Span, UnaryOperator};

/// An expression: its form, its text, and how deep it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Its form.
    pub kind: ExpressionKind,
    /// Its text, without enclosing parentheses.
    pub span: Span,
    height: u32,
}

impl Expression {
    /// Creates an expression of this form.
    pub fn new(kind: ExpressionKind, span: Span) -> Expression {
        let height = height_of_children(&kind).saturating_add(1);
        Expression { kind, span, height }
    }

    /// Returns the levels of the tree: 1 for a leaf, one more than the tallest child otherwise.
    ///
    /// Subqueries count. The height is fixed when the node is made; replacing `kind` later does not
    /// change it.
    pub fn height(&self) -> u32 {
        self.height
    }
}

/// The form of an [`Expression`].
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer that fits. In a parsed tree it is never negative: `-1` is
    /// [`UnaryOperator::Minus`] on 1.
    Int(i64),
    /// A number with fraction or exponent, or an integer that does not fit an `i64`. Always finite.
    Double(f64),
    /// A string, escapes resolved.
    String(String),
    /// `[a, b, ...c]`
    Array(Vec<Expression>),
    /// `...a`, only as a member of an array: the elements of `a` in its place.
    Spread(Box<Expression>),
    /// `{a: 1, @b: 2, [c]: 3, ...d}`; names may repeat.
    Object(Vec<ObjectMember>),
    /// A name: a variable, a pseudo variable (`CURRENT`, `NEW`, `OLD`), a collection or a View.
    ///
    /// Case matters.
    Reference(String),
    /// `@name`: the value of the bind variable `name`.
    BindParameter(String),
    /// `@@name`: the collection or View whose name is the value of the bind variable `@name`.
    DataSourceBindParameter(String),
    /// The element on which the innermost enclosing [`Expansion::projection`] works.
    ///
    /// It has no text of its own, and occurs only as the innermost base of such a projection.
    Element,
    /// `NOT a`, `-a`
    Unary(Box<Unary>),
    /// `a == b`, `a + b`, `a LIKE b`
    Binary(Box<Binary>),
    /// `a AND b AND c`
    Logical(Logical),
    /// `a .. b`: the array of the integers from `a` to `b`, both included.
    Range(Box<Expression>, Box<Expression>),
    /// `a ? b : c`
    Ternary(Box<Ternary>),
    /// `a ANY == b`
    ArrayComparison(Box<ArrayComparison>),
    /// `f(a, b)`
    FunctionCall(Box<FunctionCall>),
    /// A query in parentheses, or bare as a function's argument: the array of its results.
    Subquery(Box<Block>),
    /// `base.name`
    AttributeAccess(Box<Expression>, String),
    /// `base.@name`: the bind variable `name` holds an attribute name, or an array of names that
    /// form a path.
    BoundAttributeAccess(Box<Expression>, String),
    /// `base[index]`
    IndexedAccess(Box<Expression>, Box<Expression>),
    /// `base[*]...`
    Expansion(Box<Expansion>),
    /// `base[? ...]`
    ArrayQuestion(Box<ArrayQuestion>),
}

/// An operator and its operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Unary {
    /// The operator.
    pub operator: UnaryOperator,
    /// The operand.
    pub operand: Expression,
}

/// An operator between two operands.
#[derive(Clone, Debug, PartialEq)]
pub struct Binary {
    /// The operator.
    pub operator: BinaryOperator,
    /// The operand before it.
    pub left: Expression,
    /// The operand after it.
    pub right: Expression,
}

/// A chain of `AND` or of `OR`, evaluated from left to right up to the first operand that decides.
///
/// `a OR b OR c` is one node with three operands; parentheses make a node of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct Logical {
    /// The operator between any two operands.
    pub operator: LogicalOperator,
    /// The operands, at least two.
    pub operands: Vec<Expression>,
}

/// `condition ? then : otherwise`, or `condition ? : otherwise`.
#[derive(Clone, Debug, PartialEq)]
pub struct Ternary {
    /// The condition, cast to bool.
    pub condition: Expression,
    /// The value if the condition holds; `None`: the condition's own value, evaluated once.
    pub then: Option<Expression>,
    /// The value if the condition does not hold.
    pub otherwise: Expression,
}

/// `left ALL == right`, `left ANY LIKE right`: compares every element of the left array with the
/// right value.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayComparison {
    /// The number of elements that must match.
    pub quantifier: Quantifier,
    /// The comparison of each element.
    pub operator: ElementOperator,
    /// The array.
    pub left: Expression,
    /// The value that each element is compared with.
    pub right: Expression,
}

/// The number of elements of an array that must match.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantifier {
    /// `ALL`; holds for an empty array.
    All,
    /// `ANY`; does not hold for an empty array.
    Any,
    /// `NONE`; holds for an empty array.
    None,
    /// `AT LEAST (n)`
    AtLeast(Expression),
}

/// A function call. The binder checks that the function exists.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCall {
    /// Its name.
    pub name: FunctionName,
    /// Its arguments; a bare subquery is an [`ExpressionKind::Subquery`].
    pub arguments: Vec<Expression>,
}

/// The name of a function. Functions are matched without regard to case.
#[derive(Clone, Debug)]
pub struct FunctionName {
    written: String,
    normalized: String,
    /// Its text, for messages.
    pub span: Span,
}

impl FunctionName {
    /// Creates a name, with `::` between namespace parts and no blanks.
    pub fn new(written: impl Into<String>, span: Span) -> FunctionName {
        let written = written.into();
        let normalized = written.to_ascii_uppercase();
        FunctionName { written, normalized, span }
    }

    /// Returns the name as written in the query.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Returns the name in upper case, as functions are looked up.
    pub fn normalized(&self) -> &str {
        &self.normalized
    }

    /// Returns true if the name has a namespace, as those of user-defined functions do.
    pub fn is_namespaced(&self) -> bool {
        self.written.contains("::")
    }
}

impl PartialEq for FunctionName {
    fn eq(&self, other: &FunctionName) -> bool {
        self.written == other.written && self.span == other.span
    }
}

/// One member of an object literal.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectMember {
    /// The member's name.
    pub key: ObjectKey,
    /// Its value.
    pub value: Expression,
    /// The text of the member.
    pub span: Span,
}

/// The form of the name of an object member.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectKey {
    /// An identifier or a string.
    Name(String),
    /// `@name`: the bind variable's value, which must be a string.
    BindParameter(String),
    /// `[expression]`: its value, cast to a string.
    Computed(Expression),
    /// `...`: the member is no name but all attributes of the value.
    Spread,
}

/// `base[* FILTER c LIMIT o, n RETURN r]` and the accesses that follow it.
///
/// Evaluation: take `base`; anything but an array gives `[]`. Flatten it by `levels - 1` levels.
/// For each element, with `CURRENT` naming it: drop it unless `filter` holds; skip and stop by
/// `limit`; replace it by `result` if there is one. Then evaluate `projection` with
/// [`ExpressionKind::Element`] standing for the remaining element.
///
/// The accesses that follow a `[*]` belong to its elements, so a further `[*]` is nested:
/// `a[*].b[*].c` is `Expansion { base: a, projection: Expansion { base: Element.b, projection:
/// Element.c } }`. Parentheses end that: in `(a[*].b)[0]` the base of the index is the whole
/// expansion.
#[derive(Clone, Debug, PartialEq)]
pub struct Expansion {
    /// The array.
    pub base: Expression,
    /// The number of asterisks, at least 1.
    pub levels: u32,
    /// `FILTER` inside the brackets.
    pub filter: Option<Expression>,
    /// `LIMIT` inside the brackets.
    pub limit: Option<InlineLimit>,
    /// `RETURN` inside the brackets.
    pub result: Option<Expression>,
    /// The accesses after the brackets, applied to [`ExpressionKind::Element`]; `None` without any.
    pub projection: Option<Expression>,
}

/// `LIMIT` inside `[* ]`.
#[derive(Clone, Debug, PartialEq)]
pub struct InlineLimit {
    /// Number of elements to skip.
    pub offset: Option<Expression>,
    /// Number of elements to keep.
    pub count: Expression,
}

/// `base[? quantifier FILTER condition]`: a boolean.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayQuestion {
    /// The array; anything else gives false.
    pub base: Expression,
    /// The number of question marks, at least 1; the array is flattened by `levels - 1` levels.
    pub levels: u32,
    /// Number of elements that must match; `None`: at least one.
    pub quantifier: Option<QuestionQuantifier>,
    /// The condition, in which `CURRENT` names the element. `None`: every element matches.
    pub filter: Option<Expression>,
}

/// The number of elements that must match in `[? ]`.
#[derive(Clone, Debug, PartialEq)]
pub enum QuestionQuantifier {
    /// `ALL`, `ANY`, `NONE` or `AT LEAST (n)`
    Quantifier(Quantifier),
    /// An exact number, or a range.
    Count(Expression),
}

/// A direct child of an expression.
#[derive(Clone, Copy, Debug)]
pub enum Child<'a> {
    /// An expression.
    Expression(&'a Expression),
    /// The statements of a subquery.
    Block(&'a Block),
}

impl Child<'_> {
    /// Returns the levels of nested expressions and subqueries in the child.
    pub fn height(&self) -> u32 {
        match self {
            Child::Expression(expression) => expression.height(),
            Child::Block(block) => block.height(),
        }
    }
}

/// Calls `visit` with every direct child of an expression, from left to right.
pub fn children<'a>(kind: &'a ExpressionKind, visit: &mut dyn FnMut(Child<'a>)) {
    let mut each = |expression: &'a Expression| visit(Child::Expression(expression));
    match kind {
        ExpressionKind::Null
        | ExpressionKind::Bool(_)
        | ExpressionKind::Int(_)
        | ExpressionKind::Double(_)
        | ExpressionKind::String(_)
        | ExpressionKind::Reference(_)
        | ExpressionKind::BindParameter(_)
        | ExpressionKind::DataSourceBindParameter(_)
        | ExpressionKind::Element => {}
        ExpressionKind::Array(elements) => elements.iter().for_each(each),
        ExpressionKind::Spread(operand) => each(operand),
        ExpressionKind::Object(members) => {
            for member in members {
                if let ObjectKey::Computed(key) = &member.key {
                    each(key);
                }
                each(&member.value);
            }
        }
        ExpressionKind::Unary(unary) => each(&unary.operand),
        ExpressionKind::Binary(binary) => [&binary.left, &binary.right].into_iter().for_each(each),
        ExpressionKind::Logical(logical) => logical.operands.iter().for_each(each),
        ExpressionKind::Range(low, high) => [low, high].into_iter().for_each(|bound| each(bound)),
        ExpressionKind::Ternary(ternary) => {
            each(&ternary.condition);
            ternary.then.iter().for_each(&mut each);
            each(&ternary.otherwise);
        }
        ExpressionKind::ArrayComparison(comparison) => {
            each(&comparison.left);
            quantifier(&comparison.quantifier, &mut each);
            each(&comparison.right);
        }
        ExpressionKind::FunctionCall(call) => call.arguments.iter().for_each(each),
        ExpressionKind::Subquery(block) => visit(Child::Block(block)),
        ExpressionKind::AttributeAccess(base, _) | ExpressionKind::BoundAttributeAccess(base, _) => {
            each(base)
        }
        ExpressionKind::IndexedAccess(base, index) => {
            each(base);
            each(index);
        }
        ExpressionKind::Expansion(expansion) => expansion_children(expansion, &mut each),
        ExpressionKind::ArrayQuestion(question) => {
            each(&question.base);
            match &question.quantifier {
                Some(QuestionQuantifier::Quantifier(inner)) => quantifier(inner, &mut each),
                Some(QuestionQuantifier::Count(count)) => each(count),
                None => {}
            }
            question.filter.iter().for_each(&mut each);
        }
    }
}

fn quantifier<'a>(quantifier: &'a Quantifier, each: &mut dyn FnMut(&'a Expression)) {
    if let Quantifier::AtLeast(count) = quantifier {
        each(count);
    }
}

fn expansion_children<'a>(expansion: &'a Expansion, each: &mut dyn FnMut(&'a Expression)) {
    each(&expansion.base);
    expansion.filter.iter().for_each(&mut *each);
    if let Some(limit) = &expansion.limit {
        limit.offset.iter().for_each(&mut *each);
        each(&limit.count);
    }
    expansion.result.iter().for_each(&mut *each);
    expansion.projection.iter().for_each(&mut *each);
}

/// Returns the height of the tallest direct child, 0 for a leaf.
fn height_of_children(kind: &ExpressionKind) -> u32 {
    let mut height = 0;
    children(kind, &mut |child| height = height.max(child.height()));
    height
}
