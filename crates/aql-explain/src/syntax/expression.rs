//! Expressions of syntax trees.

use aql_syntax::ast::{
    ArithmeticOperator, ArrayQuestion, BinaryOperator, ComparisonOperator, ElementOperator, Expansion,
    Expression, ExpressionKind, LogicalOperator, MatchOperator, ObjectKey, ObjectMember, Quantifier,
    QuestionQuantifier, UnaryOperator,
};
use aql_value::Value;
use errors::Result;

use super::{List, TreeWriter, leaf, no_op, unknown, value};
use crate::writer::MAX_NESTED_OPERANDS;

impl<'a> TreeWriter<'a> {
    pub(super) fn expression(&mut self, list: &mut List<'_>, expression: &'a Expression) -> Result<()> {
        match &expression.kind {
            ExpressionKind::Null => value(list, &Value::Null),
            ExpressionKind::Bool(constant) => value(list, &Value::Bool(*constant)),
            ExpressionKind::Int(constant) => value(list, &Value::Int(*constant)),
            ExpressionKind::Double(constant) => value(list, &Value::from_f64(*constant)),
            ExpressionKind::String(text) => value(list, &Value::from_str(text)),
            ExpressionKind::Reference(name) => self.reference(list, name),
            ExpressionKind::BindParameter(name) => leaf(list, "parameter", Some(name)),
            ExpressionKind::DataSourceBindParameter(name) => {
                leaf(list, "datasource parameter", Some(&format!("@{name}")))
            }
            ExpressionKind::Element => leaf(list, "reference", None),
            ExpressionKind::Array(members) => self.children(list, "array", members),
            ExpressionKind::Spread(operand) => self.children(list, "spread", [&**operand]),
            ExpressionKind::Object(members) => self.node(list.out, "object", |tree, list| {
                members.iter().try_for_each(|member| tree.member(list, member))
            }),
            ExpressionKind::Subquery(block) => {
                self.node(list.out, "subquery", |tree, list| tree.root(list.out, block, &[]))
            }
            ExpressionKind::AttributeAccess(base, name) => self.access(list, "attribute access", name, base),
            ExpressionKind::BoundAttributeAccess(base, name) => {
                self.node(list.out, "bound attribute access", |tree, list| {
                    tree.expression(list, base)?;
                    leaf(list, "parameter", Some(name))
                })
            }
            ExpressionKind::FunctionCall(call) => self.call(list, call.name.normalized(), &call.arguments),
            ExpressionKind::Expansion(expansion) => self.expansion(list, expansion),
            ExpressionKind::ArrayQuestion(question) => self.question(list, question),
            _ => self.operator(list, expression),
        }
    }

    fn operator(&mut self, list: &mut List<'_>, expression: &'a Expression) -> Result<()> {
        match &expression.kind {
            ExpressionKind::Unary(unary) => {
                let name = match unary.operator {
                    UnaryOperator::Not => "unary not",
                    UnaryOperator::Plus => "unary plus",
                    UnaryOperator::Minus => "unary minus",
                };
                self.children(list, name, [&unary.operand])
            }
            ExpressionKind::Binary(binary) => match binary.operator {
                BinaryOperator::Comparison(ComparisonOperator::Equal) => {
                    self.equality(list, &binary.left, &binary.right)
                }
                BinaryOperator::Comparison(operator) => {
                    self.children(list, comparison_name(operator), [&binary.left, &binary.right])
                }
                BinaryOperator::Arithmetic(operator) => {
                    self.children(list, arithmetic_name(operator), [&binary.left, &binary.right])
                }
                BinaryOperator::Match(operator) => {
                    self.text_match(list, operator, &binary.left, &binary.right)
                }
            },
            ExpressionKind::Logical(logical) => {
                let name = match logical.operator {
                    LogicalOperator::And => "logical and",
                    LogicalOperator::Or => "logical or",
                };
                self.logical(list, name, &logical.operands)
            }
            ExpressionKind::Range(first, last) => self.children(list, "range", [&**first, last]),
            ExpressionKind::Ternary(ternary) => {
                let then = ternary.then.as_ref().unwrap_or(&ternary.condition);
                self.children(list, "ternary", [&ternary.condition, then, &ternary.otherwise])
            }
            ExpressionKind::ArrayComparison(comparison) => {
                let name = format!("array {}", element_operator_name(comparison.operator));
                self.node(list.out, &name, |tree, list| {
                    tree.expression(list, &comparison.left)?;
                    tree.expression(list, &comparison.right)?;
                    tree.quantifier(list, &comparison.quantifier)
                })
            }
            ExpressionKind::IndexedAccess(base, index) => {
                self.children(list, "indexed access", [&**base, index])
            }
            _ => Err(unknown("an expression that is not known")),
        }
    }

    pub(super) fn children(
        &mut self,
        list: &mut List<'_>,
        kind: &str,
        children: impl IntoIterator<Item = &'a Expression>,
    ) -> Result<()> {
        self.node(list.out, kind, |tree, list| {
            children.into_iter().try_for_each(|child| tree.expression(list, child))
        })
    }

    /// Writes the operands nested, two by two, as in plans.
    fn logical(&mut self, list: &mut List<'_>, name: &str, operands: &'a [Expression]) -> Result<()> {
        match operands.split_last() {
            Some((last, first)) if (3..=MAX_NESTED_OPERANDS).contains(&operands.len()) => {
                self.node(list.out, name, |tree, list| {
                    tree.logical(list, name, first)?;
                    tree.expression(list, last)
                })
            }
            _ => self.children(list, name, operands),
        }
    }

    /// Writes an equality. It is the only comparison with a flag for the exclusion of null, which
    /// is unknown after parsing.
    fn equality(&mut self, list: &mut List<'_>, left: &'a Expression, right: &'a Expression) -> Result<()> {
        self.node_with(
            list.out,
            "compare ==",
            |out| out.key("excludesNull")?.flag(false),
            |tree, list| {
                tree.expression(list, left)?;
                tree.expression(list, right)
            },
        )
    }

    fn reference(&mut self, list: &mut List<'_>, name: &'a str) -> Result<()> {
        let id = self.lookup(name);
        if id.is_none() && !matches!(name, "CURRENT" | "NEW" | "OLD") {
            return self.collection(list, name);
        }
        list.out.object(|out| {
            out.key("type")?.text("reference")?;
            out.key("name")?.text(name)?;
            if let Some(id) = id {
                out.key("id")?.number(id)?;
            }
            out.key("subqueryReference")?.flag(false)
        })
    }

    fn access(&mut self, list: &mut List<'_>, kind: &str, name: &str, base: &'a Expression) -> Result<()> {
        list.out.depth += 1;
        let is_too_deep = list.out.depth > super::MAX_EXPRESSION_DEPTH;
        let written = list.out.object(|out| {
            out.key("type")?.text(kind)?;
            out.key("name")?.text(name)?;
            if is_too_deep {
                return Ok(());
            }
            out.key("subNodes")?;
            out.array([base], |out, base| self.expression(&mut List { out }, base))
        });
        list.out.depth -= 1;
        written
    }

    fn call(&mut self, list: &mut List<'_>, name: &str, arguments: &'a [Expression]) -> Result<()> {
        list.out.object(|out| {
            out.key("type")?.text(if name.contains("::") {
                "user function call"
            } else {
                "function call"
            })?;
            out.key("name")?.text(name)?;
            out.key("subNodes")?;
            out.array([arguments], |out, arguments| self.children(&mut List { out }, "array", arguments))
        })
    }

    fn text_match(
        &mut self,
        list: &mut List<'_>,
        operator: MatchOperator,
        left: &'a Expression,
        right: &'a Expression,
    ) -> Result<()> {
        let (name, negated) = match operator {
            MatchOperator::Like => ("LIKE", false),
            MatchOperator::NotLike => ("LIKE", true),
            MatchOperator::Regex => ("REGEX_TEST", false),
            MatchOperator::NotRegex => ("REGEX_TEST", true),
        };
        let call = |tree: &mut Self, list: &mut List<'_>| {
            list.out.object(|out| {
                out.key("type")?.text("function call")?;
                out.key("name")?.text(name)?;
                out.key("subNodes")?;
                out.array([()], |out, ()| tree.children(&mut List { out }, "array", [left, right]))
            })
        };
        if negated { self.node(list.out, "unary not", call) } else { call(self, list) }
    }

    fn member(&mut self, list: &mut List<'_>, member: &'a ObjectMember) -> Result<()> {
        match &member.key {
            ObjectKey::Name(name) => self.access(list, "object element", name, &member.value),
            ObjectKey::BindParameter(name) => {
                self.node(list.out, "calculated object element", |tree, list| {
                    leaf(list, "parameter", Some(name))?;
                    tree.expression(list, &member.value)
                })
            }
            ObjectKey::Computed(name) => {
                self.children(list, "calculated object element", [name, &member.value])
            }
            ObjectKey::Spread => self.children(list, "spread", [&member.value]),
        }
    }

    fn quantifier(&mut self, list: &mut List<'_>, quantifier: &'a Quantifier) -> Result<()> {
        let (name, operand) = match quantifier {
            Quantifier::All => ("all", None),
            Quantifier::Any => ("any", None),
            Quantifier::None => ("none", None),
            Quantifier::AtLeast(number) => ("at least", Some(number)),
        };
        list.out.object(|out| {
            out.key("type")?.text("quantifier")?;
            out.key("quantifier")?.text(name)?;
            out.key("subNodes")?;
            out.array(operand, |out, operand| self.expression(&mut List { out }, operand))
        })
    }

    /// Writes the input, FILTER, LIMIT, RETURN and the part after the brackets, each `no-op` if
    /// missing.
    fn expansion(&mut self, list: &mut List<'_>, expansion: &'a Expansion) -> Result<()> {
        self.node(list.out, "expansion", |tree, list| {
            tree.expression(list, &expansion.base)?;
            tree.optional(list, expansion.filter.as_ref())?;
            match &expansion.limit {
                Some(limit) => {
                    tree.children(list, "array limit", limit.offset.iter().chain(Some(&limit.count)))?
                }
                None => no_op(list)?,
            }
            tree.optional(list, expansion.result.as_ref())?;
            tree.optional(list, expansion.projection.as_ref())
        })
    }

    fn question(&mut self, list: &mut List<'_>, question: &'a ArrayQuestion) -> Result<()> {
        self.node(list.out, "expansion", |tree, list| {
            tree.expression(list, &question.base)?;
            match &question.quantifier {
                Some(QuestionQuantifier::Quantifier(quantifier)) => tree.quantifier(list, quantifier)?,
                Some(QuestionQuantifier::Count(count)) => tree.children(list, "quantifier", [count])?,
                None => no_op(list)?,
            }
            tree.optional(list, question.filter.as_ref())
        })
    }

    pub(super) fn optional(&mut self, list: &mut List<'_>, expression: Option<&'a Expression>) -> Result<()> {
        match expression {
            Some(expression) => self.expression(list, expression),
            None => no_op(list),
        }
    }
}

fn element_operator_name(operator: ElementOperator) -> &'static str {
    match operator {
        ElementOperator::Comparison(operator) => comparison_name(operator),
        ElementOperator::Match(MatchOperator::Like) => "compare like",
        ElementOperator::Match(MatchOperator::NotLike) => "compare not like",
        ElementOperator::Match(MatchOperator::Regex) => "compare =~",
        ElementOperator::Match(MatchOperator::NotRegex) => "compare !~",
    }
}

fn comparison_name(operator: ComparisonOperator) -> &'static str {
    match operator {
        ComparisonOperator::Equal => "compare ==",
        ComparisonOperator::NotEqual => "compare !=",
        ComparisonOperator::Less => "compare <",
        ComparisonOperator::LessOrEqual => "compare <=",
        ComparisonOperator::Greater => "compare >",
        ComparisonOperator::GreaterOrEqual => "compare >=",
        ComparisonOperator::In => "compare in",
        ComparisonOperator::NotIn => "compare not in",
    }
}

fn arithmetic_name(operator: ArithmeticOperator) -> &'static str {
    match operator {
        ArithmeticOperator::Add => "plus",
        ArithmeticOperator::Subtract => "minus",
        ArithmeticOperator::Multiply => "times",
        ArithmeticOperator::Divide => "division",
        ArithmeticOperator::Modulo => "modulus",
    }
}
