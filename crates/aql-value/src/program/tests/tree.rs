//! Random expressions, and their compilation.

use proptest::prelude::*;

use crate::program::{
    ArithmeticOperator, ArrayOperator, ArrayQuestion, CompareOperator, Expansion, MemberName, Program,
    ProgramBuilder, Quantifier, Slot, UnaryOperator,
};
use crate::value::Value;

/// The number of registers with data; element variables of expansions have one per level after
/// them.
pub(super) const REGISTERS: usize = 4;
const ELEMENT: usize = REGISTERS;

#[derive(Debug, Clone)]
pub(super) enum Tree {
    Register(usize),
    Constant(Value),
    Attribute(Box<Tree>, String),
    Index(Box<Tree>, Box<Tree>),
    Unary(UnaryOperator, Box<Tree>),
    Arithmetic(ArithmeticOperator, Box<Tree>, Box<Tree>),
    Compare(CompareOperator, Box<Tree>, Box<Tree>),
    In(Box<Tree>, Box<Tree>, bool),
    ArrayCompare(Count, ArrayOperator, Box<Tree>, Box<Tree>),
    Range(Box<Tree>, Box<Tree>),
    Array(Vec<Tree>),
    /// An object literal. Names are fixed (`Ok`) or computed (`Err`).
    Object(Vec<(Result<String, Tree>, Tree)>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Choose(Box<Tree>, Option<Box<Tree>>, Box<Tree>),
    Expansion(Box<TreeExpansion>),
    Question(Box<Tree>, Count, usize, Option<Box<Tree>>),
}

#[derive(Debug, Clone)]
pub(super) enum Count {
    All,
    Any,
    None,
    AtLeast(Box<Tree>),
    Between(Box<Tree>, Box<Tree>),
}

#[derive(Debug, Clone)]
pub(super) struct TreeExpansion {
    pub(super) input: Tree,
    pub(super) levels: u32,
    pub(super) element: usize,
    pub(super) filter: Option<Tree>,
    pub(super) offset: Option<Tree>,
    pub(super) limit: Option<Tree>,
    pub(super) projection: Option<Tree>,
}

/// Returns the program of an expression.
pub(super) fn compile(tree: &Tree) -> Program {
    let mut builder = ProgramBuilder::new();
    let result = tree.add_to(&mut builder);
    builder.finish(result)
}

impl Tree {
    fn add_to(&self, builder: &mut ProgramBuilder) -> Slot {
        match self {
            Self::Register(register) => builder.load(*register),
            Self::Constant(value) => builder.constant(value.clone()),
            Self::Attribute(base, name) => {
                let base = base.add_to(builder);
                builder.attribute(base, &[name.as_str().into()])
            }
            Self::Index(base, index) => {
                let (base, index) = (base.add_to(builder), index.add_to(builder));
                builder.index(base, index)
            }
            Self::Unary(operator, operand) => {
                let operand = operand.add_to(builder);
                builder.unary(*operator, operand)
            }
            Self::Arithmetic(operator, left, right) => {
                let (left, right) = (left.add_to(builder), right.add_to(builder));
                builder.arithmetic(*operator, left, right)
            }
            Self::Compare(operator, left, right) => {
                let (left, right) = (left.add_to(builder), right.add_to(builder));
                builder.compare(*operator, left, right)
            }
            Self::In(needle, haystack, negated) => {
                let (needle, haystack) = (needle.add_to(builder), haystack.add_to(builder));
                builder.contained_in(needle, haystack, *negated)
            }
            Self::ArrayCompare(count, operator, left, right) => {
                let quantifier = count.add_to(builder);
                let (left, right) = (left.add_to(builder), right.add_to(builder));
                builder.array_compare(quantifier, *operator, left, right)
            }
            Self::Range(low, high) => {
                let (low, high) = (low.add_to(builder), high.add_to(builder));
                builder.range(low, high)
            }
            Self::Array(elements) => {
                let elements = elements.iter().map(|element| element.add_to(builder)).collect();
                builder.array(elements)
            }
            Self::Object(members) => {
                let mut slots = Vec::new();
                for (name, value) in members {
                    let name = match name {
                        Ok(name) => MemberName::Fixed(name.as_str().into()),
                        Err(name) => MemberName::Computed(name.add_to(builder)),
                    };
                    slots.push((name, value.add_to(builder)));
                }
                builder.object(slots)
            }
            Self::And(operands) => {
                let first = operands[0].add_to(builder);
                builder.and(first, operands[1..].iter().map(compile).collect())
            }
            Self::Or(operands) => {
                let first = operands[0].add_to(builder);
                builder.or(first, operands[1..].iter().map(compile).collect())
            }
            Self::Choose(condition, then, otherwise) => {
                let condition = condition.add_to(builder);
                builder.choose(condition, then.as_deref().map(compile), compile(otherwise))
            }
            Self::Expansion(expansion) => {
                let input = expansion.input.add_to(builder);
                let offset = expansion.offset.as_ref().map(|tree| tree.add_to(builder));
                let limit = expansion.limit.as_ref().map(|tree| tree.add_to(builder));
                builder.expansion(Expansion {
                    input,
                    levels: expansion.levels,
                    element: expansion.element,
                    filter: expansion.filter.as_ref().map(compile),
                    offset,
                    limit,
                    projection: expansion.projection.as_ref().map(compile),
                })
            }
            Self::Question(input, count, element, filter) => {
                let input = input.add_to(builder);
                let quantifier = count.add_to(builder);
                let filter = filter.as_deref().map(compile);
                builder.array_question(ArrayQuestion {
                    input,
                    levels: 1,
                    quantifier,
                    element: *element,
                    filter,
                })
            }
        }
    }
}

impl Count {
    fn add_to(&self, builder: &mut ProgramBuilder) -> Quantifier {
        match self {
            Self::All => Quantifier::All,
            Self::Any => Quantifier::Any,
            Self::None => Quantifier::None,
            Self::AtLeast(tree) => Quantifier::AtLeast(tree.add_to(builder)),
            Self::Between(low, high) => {
                let low = low.add_to(builder);
                Quantifier::Between(low, high.add_to(builder))
            }
        }
    }
}

/// Returns small values of all types; texts are in lower case, where every collation agrees with
/// byte order.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        2 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        4 => (-4i64..6).prop_map(Value::Int),
        1 => (-8i64..8).prop_map(|half| Value::Double(half as f64 / 2.0)),
        2 => prop_oneof!["", "a", "b", "1", "-2", "a rather long text of letters"].prop_map(|text| Value::from_str(&text)),
    ];
    scalar.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|elements| Value::array(&elements)),
            prop::collection::vec(("[abc]", inner), 0..4).prop_map(|entries| {
                let entries: Vec<_> =
                    entries.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
                Value::object(&entries)
            }),
        ]
    })
}

fn boxed(tree: impl Strategy<Value = Tree> + Clone) -> impl Strategy<Value = Box<Tree>> + Clone {
    tree.prop_map(Box::new)
}

fn small_number() -> impl Strategy<Value = Tree> + Clone {
    (-2i64..5).prop_map(|number| Tree::Constant(Value::Int(number)))
}

fn count(tree: impl Strategy<Value = Tree> + Clone + 'static) -> impl Strategy<Value = Count> {
    prop_oneof![
        Just(Count::All),
        Just(Count::Any),
        Just(Count::None),
        boxed(prop_oneof![small_number(), tree]).prop_map(Count::AtLeast),
    ]
}

fn compare_operator() -> impl Strategy<Value = CompareOperator> {
    prop::sample::select(vec![
        CompareOperator::Equal,
        CompareOperator::NotEqual,
        CompareOperator::Less,
        CompareOperator::LessEqual,
        CompareOperator::Greater,
        CompareOperator::GreaterEqual,
    ])
}

/// Returns expressions over the registers and, within expansions, their elements.
pub(super) fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        4 => (0..REGISTERS).prop_map(Tree::Register),
        1 => Just(Tree::Register(ELEMENT)),
        2 => value().prop_map(Tree::Constant),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let inner = inner.boxed();
        prop_oneof![
            2 => operators(&inner),
            1 => constructors(&inner),
            2 => lazy(&inner),
            2 => per_element(&inner),
        ]
    })
}

fn operators(inner: &BoxedStrategy<Tree>) -> impl Strategy<Value = Tree> + use<> {
    let pair = || (boxed(inner.clone()), boxed(inner.clone()));
    prop_oneof![
        (boxed(inner.clone()), "[abc]").prop_map(|(base, name)| Tree::Attribute(base, name)),
        pair().prop_map(|(base, index)| Tree::Index(base, index)),
        (boxed(inner.clone()), boxed(small_number())).prop_map(|(base, index)| Tree::Index(base, index)),
        (
            prop::sample::select(vec![UnaryOperator::Not, UnaryOperator::Plus, UnaryOperator::Minus]),
            boxed(inner.clone())
        )
            .prop_map(|(operator, operand)| Tree::Unary(operator, operand)),
        (
            prop::sample::select(vec![
                ArithmeticOperator::Add,
                ArithmeticOperator::Subtract,
                ArithmeticOperator::Multiply,
                ArithmeticOperator::Divide,
                ArithmeticOperator::Modulo,
            ]),
            pair()
        )
            .prop_map(|(operator, (left, right))| Tree::Arithmetic(operator, left, right)),
        (compare_operator(), pair())
            .prop_map(|(operator, (left, right))| Tree::Compare(operator, left, right)),
        (pair(), any::<bool>()).prop_map(|((needle, haystack), negated)| Tree::In(needle, haystack, negated)),
    ]
}

fn constructors(inner: &BoxedStrategy<Tree>) -> impl Strategy<Value = Tree> + use<> {
    let computed =
        prop_oneof![small_number(), "[ab]".prop_map(|text| Tree::Constant(Value::from_str(&text)))];
    let name = prop_oneof![
        3 => "[abc]".prop_map(Ok),
        1 => prop_oneof![computed, (0..REGISTERS).prop_map(|register| {
            // A text, whatever the register holds.
            Tree::Compare(
                CompareOperator::Equal,
                Box::new(Tree::Register(register)),
                Box::new(Tree::Constant(Value::Null)),
            )
        })].prop_map(Err),
    ];
    prop_oneof![
        prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::Array),
        prop::collection::vec((name, inner.clone()), 0..4).prop_map(Tree::Object),
        (boxed(small_number()), boxed(small_number())).prop_map(|(low, high)| Tree::Range(low, high)),
    ]
}

fn lazy(inner: &BoxedStrategy<Tree>) -> impl Strategy<Value = Tree> + use<> {
    prop_oneof![
        prop::collection::vec(inner.clone(), 2..5).prop_map(Tree::And),
        prop::collection::vec(inner.clone(), 2..5).prop_map(Tree::Or),
        (boxed(inner.clone()), prop::option::of(boxed(inner.clone())), boxed(inner.clone()))
            .prop_map(|(condition, then, otherwise)| Tree::Choose(condition, then, otherwise)),
    ]
}

fn per_element(inner: &BoxedStrategy<Tree>) -> impl Strategy<Value = Tree> + use<> {
    let optional = || prop::option::of(inner.clone());
    let bound = || prop::option::weighted(0.3, prop_oneof![3 => small_number(), 1 => inner.clone()]);
    let array_operator = prop_oneof![
        3 => compare_operator().prop_map(ArrayOperator::Compare),
        1 => Just(ArrayOperator::In),
        1 => Just(ArrayOperator::NotIn),
    ];
    let question_count = prop_oneof![
        3 => count(inner.clone()),
        1 => (boxed(small_number()), boxed(small_number())).prop_map(|(low, high)| Count::Between(low, high)),
    ];
    prop_oneof![
        2 => (inner.clone(), 1u32..4, optional(), bound(), bound(), optional()).prop_map(
            |(input, levels, filter, offset, limit, projection)| {
                let element = ELEMENT;
                let expansion = TreeExpansion { input, levels, element, filter, offset, limit, projection };
                Tree::Expansion(Box::new(expansion))
            }
        ),
        1 => (boxed(inner.clone()), question_count, prop::option::of(boxed(inner.clone())))
            .prop_map(|(input, count, filter)| Tree::Question(input, count, ELEMENT, filter)),
        1 => (count(inner.clone()), array_operator, boxed(inner.clone()), boxed(inner.clone()))
            .prop_map(|(count, operator, left, right)| Tree::ArrayCompare(count, operator, left, right)),
    ]
}
