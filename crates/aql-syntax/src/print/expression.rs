//! Prints expressions.

use super::{Printer, is_plain};
use crate::ast::{
    ArrayComparison, ArrayQuestion, Binary, Expansion, Expression, ExpressionKind, Logical, ObjectKey,
    ObjectMember, Quantifier, QuestionQuantifier, Ternary,
};
use crate::precedence;

impl Printer {
    /// Prints an expression, in parentheses if it binds less tightly than `minimum`.
    pub(super) fn expression(&mut self, expression: &Expression, minimum: u8) {
        if level(&expression.kind) < minimum {
            self.text("(");
            self.kind(&expression.kind);
            self.text(")");
        } else {
            self.kind(&expression.kind);
        }
    }

    /// Prints an expression without parentheses of its own.
    pub(super) fn any_expression(&mut self, expression: &Expression) {
        self.expression(expression, precedence::TERNARY);
    }

    fn expressions(&mut self, expressions: &[Expression]) {
        self.list(expressions, ", ", Self::any_expression);
    }

    fn kind(&mut self, kind: &ExpressionKind) {
        match kind {
            ExpressionKind::Null => self.text("null"),
            ExpressionKind::Bool(value) => self.text(if *value { "true" } else { "false" }),
            ExpressionKind::Int(value) => self.text(&value.to_string()),
            // This form always has a fraction or an exponent, so it is read as a double again.
            ExpressionKind::Double(value) => self.text(&format!("{value:?}")),
            ExpressionKind::String(value) => self.string(value),
            ExpressionKind::Array(elements) => {
                self.text("[");
                self.expressions(elements);
                self.text("]");
            }
            ExpressionKind::Spread(operand) => {
                self.text("...");
                self.any_expression(operand);
            }
            ExpressionKind::Object(members) => {
                self.text("{");
                self.list(members, ", ", Self::member);
                self.text("}");
            }
            ExpressionKind::Reference(name) => self.name(name),
            ExpressionKind::BindParameter(name) => {
                self.text("@");
                self.text(name);
            }
            ExpressionKind::DataSourceBindParameter(name) => {
                self.text("@@");
                self.text(name);
            }
            ExpressionKind::FunctionCall(call) => {
                self.function_name(&call.name);
                self.text("(");
                self.expressions(&call.arguments);
                self.text(")");
            }
            ExpressionKind::Subquery(block) => {
                self.text("(");
                self.block(block);
                self.text(")");
            }
            ExpressionKind::Unary(unary) => {
                self.text(unary.operator.symbol());
                self.expression(&unary.operand, precedence::UNARY);
            }
            ExpressionKind::Binary(binary) => self.binary(binary),
            ExpressionKind::Logical(logical) => self.logical(logical),
            ExpressionKind::Range(low, high) => {
                self.expression(low, precedence::RANGE);
                self.text("..");
                self.expression(high, precedence::RANGE + 1);
            }
            ExpressionKind::Ternary(ternary) => self.ternary(ternary),
            ExpressionKind::ArrayComparison(comparison) => self.array_comparison(comparison),
            access => self.access(access),
        }
    }

    fn access(&mut self, kind: &ExpressionKind) {
        match kind {
            ExpressionKind::AttributeAccess(base, name) => {
                self.base(base);
                self.text(".");
                self.name(name);
            }
            ExpressionKind::BoundAttributeAccess(base, name) => {
                self.base(base);
                self.text(".@");
                self.text(name);
            }
            ExpressionKind::IndexedAccess(base, index) => {
                self.base(base);
                self.text("[");
                self.any_expression(index);
                self.text("]");
            }
            ExpressionKind::Expansion(expansion) => self.expansion(expansion),
            ExpressionKind::ArrayQuestion(question) => self.question(question),
            // The element of an expansion has no text: its accesses follow the bracket.
            _ => {}
        }
    }

    /// Prints the base of an access. Parentheses separate an expansion from an access to its
    /// result.
    fn base(&mut self, base: &Expression) {
        if can_be_followed(&base.kind) {
            self.kind(&base.kind);
        } else {
            self.text("(");
            self.kind(&base.kind);
            self.text(")");
        }
    }

    fn member(&mut self, member: &ObjectMember) {
        match &member.key {
            ObjectKey::Name(name) if is_plain(name) => self.text(name),
            ObjectKey::Name(name) => self.string(name),
            ObjectKey::BindParameter(name) => {
                self.text("@");
                self.text(name);
            }
            ObjectKey::Computed(key) => {
                self.text("[");
                self.any_expression(key);
                self.text("]");
            }
            ObjectKey::Spread => {
                self.text("...");
                return self.any_expression(&member.value);
            }
        }
        self.text(": ");
        self.any_expression(&member.value);
    }

    fn binary(&mut self, binary: &Binary) {
        let level = precedence::binary(binary.operator);
        self.expression(&binary.left, level);
        self.text(" ");
        self.text(binary.operator.symbol());
        self.text(" ");
        self.expression(&binary.right, level + 1);
    }

    fn logical(&mut self, logical: &Logical) {
        let level = precedence::logical(logical.operator);
        let separator = format!(" {} ", logical.operator.symbol());
        self.list(&logical.operands, &separator, |printer, operand| printer.expression(operand, level + 1));
    }

    fn ternary(&mut self, ternary: &Ternary) {
        self.expression(&ternary.condition, precedence::OR);
        self.text(" ? ");
        if let Some(then) = &ternary.then {
            self.any_expression(then);
            self.text(" ");
        }
        self.text(": ");
        self.any_expression(&ternary.otherwise);
    }

    fn array_comparison(&mut self, comparison: &ArrayComparison) {
        self.expression(&comparison.left, quantifier_level(&comparison.quantifier) + 1);
        self.text(" ");
        self.quantifier(&comparison.quantifier);
        self.text(" ");
        let operator = comparison.operator.binary();
        self.text(operator.symbol());
        self.text(" ");
        self.expression(&comparison.right, precedence::binary(operator) + 1);
    }

    fn quantifier(&mut self, quantifier: &Quantifier) {
        match quantifier {
            Quantifier::All => self.text("ALL"),
            Quantifier::Any => self.text("ANY"),
            Quantifier::None => self.text("NONE"),
            Quantifier::AtLeast(count) => {
                self.text("AT LEAST (");
                self.any_expression(count);
                self.text(")");
            }
        }
    }

    fn expansion(&mut self, expansion: &Expansion) {
        self.base(&expansion.base);
        self.text("[");
        (0..expansion.levels).for_each(|_| self.text("*"));
        self.clause(" FILTER ", expansion.filter.as_ref());
        if let Some(limit) = &expansion.limit {
            self.text(" LIMIT ");
            if let Some(offset) = &limit.offset {
                self.any_expression(offset);
                self.text(", ");
            }
            self.any_expression(&limit.count);
        }
        self.clause(" RETURN ", expansion.result.as_ref());
        self.text("]");
        if let Some(projection) = &expansion.projection {
            self.kind(&projection.kind);
        }
    }

    fn question(&mut self, question: &ArrayQuestion) {
        self.base(&question.base);
        self.text("[");
        (0..question.levels).for_each(|_| self.text("?"));
        match &question.quantifier {
            Some(QuestionQuantifier::Quantifier(quantifier)) => {
                self.text(" ");
                self.quantifier(quantifier);
            }
            Some(QuestionQuantifier::Count(count)) => self.clause(" ", Some(count)),
            None => {}
        }
        self.clause(" FILTER ", question.filter.as_ref());
        self.text("]");
    }

    /// Prints an expression with a prefix, or nothing at all.
    pub(super) fn clause(&mut self, before: &str, expression: Option<&Expression>) {
        if let Some(expression) = expression {
            self.text(before);
            self.any_expression(expression);
        }
    }
}

/// Returns the precedence of an expression's outermost operator.
fn level(kind: &ExpressionKind) -> u8 {
    match kind {
        ExpressionKind::Ternary(_) => precedence::TERNARY,
        ExpressionKind::Logical(logical) => precedence::logical(logical.operator),
        ExpressionKind::ArrayComparison(comparison) => quantifier_level(&comparison.quantifier),
        ExpressionKind::Binary(binary) => precedence::binary(binary.operator),
        ExpressionKind::Range(..) => precedence::RANGE,
        ExpressionKind::Unary(_) => precedence::UNARY,
        _ => precedence::OPERAND,
    }
}

fn quantifier_level(quantifier: &Quantifier) -> u8 {
    match quantifier {
        Quantifier::All | Quantifier::Any | Quantifier::None => precedence::QUANTIFIER,
        Quantifier::AtLeast(_) => precedence::AT_LEAST,
    }
}

/// Returns true if an access after the expression is read as an access to it.
fn can_be_followed(kind: &ExpressionKind) -> bool {
    matches!(
        kind,
        ExpressionKind::Array(_)
            | ExpressionKind::Object(_)
            | ExpressionKind::Reference(_)
            | ExpressionKind::BindParameter(_)
            | ExpressionKind::DataSourceBindParameter(_)
            | ExpressionKind::Element
            | ExpressionKind::FunctionCall(_)
            | ExpressionKind::Subquery(_)
            | ExpressionKind::AttributeAccess(..)
            | ExpressionKind::BoundAttributeAccess(..)
            | ExpressionKind::IndexedAccess(..)
            | ExpressionKind::ArrayQuestion(_)
    )
}
