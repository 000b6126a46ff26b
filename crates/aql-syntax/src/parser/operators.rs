//! Operators and their precedence.

use super::{ExpressionEnd, Parsed, Parser};
use crate::ast::{
    ArithmeticOperator, ArrayComparison, Binary, BinaryOperator, ComparisonOperator, ElementOperator,
    Expression, ExpressionKind, Logical, LogicalOperator, MatchOperator, Quantifier, Unary, UnaryOperator,
};
use crate::precedence;
use crate::token::{Token, TokenKind};

/// An operator between two operands.
#[derive(Clone, Copy)]
enum Infix {
    Logical(LogicalOperator),
    Binary(BinaryOperator),
    /// `NOT` before a text match.
    Negated(MatchOperator),
    Range,
    /// `ALL`, `ANY`, `NONE` before a comparison.
    Quantifier,
    AtLeast,
}

impl Infix {
    fn level(self) -> u8 {
        match self {
            Infix::Logical(operator) => precedence::logical(operator),
            Infix::Binary(operator) => precedence::binary(operator),
            Infix::Negated(_) => precedence::EQUALITY,
            Infix::Range => precedence::RANGE,
            Infix::Quantifier => precedence::QUANTIFIER,
            Infix::AtLeast => precedence::AT_LEAST,
        }
    }
}

impl Parser<'_> {
    /// Parses operands joined by operators that bind at least as tightly as `minimum`.
    pub(super) fn operators(&mut self, minimum: u8) -> Parsed<Expression> {
        let start = self.current.span.start;
        let mut left = self.unary()?;
        while let Some(infix) = self.infix() {
            if infix.level() < minimum {
                break;
            }
            left = match infix {
                Infix::Logical(operator) => self.logical(operator, left, start),
                Infix::Binary(operator) => self.binary(operator, left, start),
                Infix::Negated(operator) => {
                    self.advance();
                    self.binary(BinaryOperator::Match(operator), left, start)
                }
                Infix::Range => self.range(left, start),
                Infix::Quantifier | Infix::AtLeast => self.array_comparison(left, start),
            }?;
        }
        Ok(left)
    }

    /// Returns the next operator; `None` if none follows and the expression ends here.
    fn infix(&self) -> Option<Infix> {
        let infix = match self.current.kind {
            TokenKind::Or => Infix::Logical(LogicalOperator::Or),
            TokenKind::And => Infix::Logical(LogicalOperator::And),
            TokenKind::Range => Infix::Range,
            TokenKind::All | TokenKind::Any | TokenKind::None => Infix::Quantifier,
            TokenKind::AtLeast => Infix::AtLeast,
            TokenKind::Not => Infix::Negated(negated_match(self.peek().kind)?),
            TokenKind::In if self.end == ExpressionEnd::Collection && self.collection_follows() => {
                return None;
            }
            kind => Infix::Binary(binary_operator(kind)?),
        };
        // `ANY` may also be the direction of a traversal; then no comparison follows.
        let quantifies = matches!(infix, Infix::Quantifier);
        (!quantifies || self.is_quantifier()).then_some(infix)
    }

    /// Returns true if the next token is followed by a comparison.
    fn is_quantifier(&self) -> bool {
        let Some(operator) = self.element_operator(self.peek()) else { return false };
        // Before a direction, `ANY LIKE(a, b)` calls the function for the start of a traversal.
        let like = match operator {
            ElementOperator::Match(MatchOperator::Like) => self.peek(),
            ElementOperator::Match(MatchOperator::NotLike) => self.token_after(self.peek()),
            _ => return true,
        };
        let may_be_direction = self.end == ExpressionEnd::Direction && self.at(TokenKind::Any);
        !(may_be_direction && self.token_after(like).kind == TokenKind::LeftParenthesis)
    }

    /// Returns the operator of an array comparison that begins with a token, if one does.
    fn element_operator(&self, token: Token) -> Option<ElementOperator> {
        Some(match token.kind {
            TokenKind::Like => ElementOperator::Match(MatchOperator::Like),
            TokenKind::RegexMatch => ElementOperator::Match(MatchOperator::Regex),
            TokenKind::RegexNoMatch => ElementOperator::Match(MatchOperator::NotRegex),
            TokenKind::Not => ElementOperator::Match(negated_match(self.token_after(token).kind)?),
            kind => ElementOperator::Comparison(comparison_operator(kind)?),
        })
    }

    #[inline(never)]
    fn unary(&mut self) -> Parsed<Expression> {
        let operator = match self.current.kind {
            TokenKind::Not => UnaryOperator::Not,
            TokenKind::Plus => UnaryOperator::Plus,
            TokenKind::Minus => UnaryOperator::Minus,
            _ => return self.operand(),
        };
        let start = self.advance().span.start;
        let operand = self.nested_once(Self::unary)?;
        self.node(ExpressionKind::Unary(Box::new(Unary { operator, operand })), start)
    }

    #[inline(never)]
    fn binary(&mut self, operator: BinaryOperator, left: Expression, start: u32) -> Parsed<Expression> {
        self.advance();
        let right = self.right_operand(precedence::binary(operator))?;
        self.node(ExpressionKind::Binary(Box::new(Binary { operator, left, right })), start)
    }

    #[inline(never)]
    fn logical(&mut self, operator: LogicalOperator, first: Expression, start: u32) -> Parsed<Expression> {
        let token = self.current.kind;
        let mut operands = vec![first];
        while self.accept(token) {
            operands.push(self.right_operand(precedence::logical(operator))?);
        }
        self.node(ExpressionKind::Logical(Logical { operator, operands }), start)
    }

    #[inline(never)]
    fn range(&mut self, low: Expression, start: u32) -> Parsed<Expression> {
        self.advance();
        let high = self.right_operand(precedence::RANGE)?;
        self.node(ExpressionKind::Range(Box::new(low), Box::new(high)), start)
    }

    /// Parses `ALL`, `ANY`, `NONE` or `AT LEAST (expression)`.
    pub(super) fn quantifier(&mut self) -> Parsed<Quantifier> {
        match self.advance().kind {
            TokenKind::All => Ok(Quantifier::All),
            TokenKind::Any => Ok(Quantifier::Any),
            TokenKind::None => Ok(Quantifier::None),
            _ => self.at_least(),
        }
    }

    /// Parses the rest of `AT LEAST`.
    #[inline(never)]
    fn at_least(&mut self) -> Parsed<Quantifier> {
        self.expect(TokenKind::LeftParenthesis)?;
        let count = self.expression()?;
        self.expect_among_others(TokenKind::RightParenthesis)?;
        Ok(Quantifier::AtLeast(count))
    }

    /// Parses an array comparison from its quantifier on.
    #[inline(never)]
    fn array_comparison(&mut self, left: Expression, start: u32) -> Parsed<Expression> {
        let quantifier = self.quantifier()?;
        let Some(operator) = self.element_operator(self.current) else {
            return Err(self.unexpected(&[]));
        };
        if self.advance().kind == TokenKind::Not {
            self.advance();
        }
        let right = self.right_operand(precedence::binary(operator.binary()))?;
        let comparison = ArrayComparison { quantifier, operator, left, right };
        self.node(ExpressionKind::ArrayComparison(Box::new(comparison)), start)
    }

    /// Parses the operand after an operator of this level. Operators of one level associate to the
    /// left.
    fn right_operand(&mut self, level: u8) -> Parsed<Expression> {
        self.nested_once(|parser| parser.operators(level + 1))
    }
}

fn comparison_operator(kind: TokenKind) -> Option<ComparisonOperator> {
    Some(match kind {
        TokenKind::Equal => ComparisonOperator::Equal,
        TokenKind::NotEqual => ComparisonOperator::NotEqual,
        TokenKind::Less => ComparisonOperator::Less,
        TokenKind::LessOrEqual => ComparisonOperator::LessOrEqual,
        TokenKind::Greater => ComparisonOperator::Greater,
        TokenKind::GreaterOrEqual => ComparisonOperator::GreaterOrEqual,
        TokenKind::In => ComparisonOperator::In,
        TokenKind::NotIn => ComparisonOperator::NotIn,
        _ => return None,
    })
}

/// Returns the operator of `NOT` and a token.
fn negated_match(kind: TokenKind) -> Option<MatchOperator> {
    Some(match kind {
        TokenKind::Like => MatchOperator::NotLike,
        TokenKind::RegexMatch => MatchOperator::NotRegex,
        TokenKind::RegexNoMatch => MatchOperator::Regex,
        _ => return None,
    })
}

fn binary_operator(kind: TokenKind) -> Option<BinaryOperator> {
    let arithmetic = match kind {
        TokenKind::Like => return Some(BinaryOperator::Match(MatchOperator::Like)),
        TokenKind::RegexMatch => return Some(BinaryOperator::Match(MatchOperator::Regex)),
        TokenKind::RegexNoMatch => return Some(BinaryOperator::Match(MatchOperator::NotRegex)),
        TokenKind::Plus => ArithmeticOperator::Add,
        TokenKind::Minus => ArithmeticOperator::Subtract,
        TokenKind::Star => ArithmeticOperator::Multiply,
        TokenKind::Slash => ArithmeticOperator::Divide,
        TokenKind::Percent => ArithmeticOperator::Modulo,
        _ => return comparison_operator(kind).map(BinaryOperator::Comparison),
    };
    Some(BinaryOperator::Arithmetic(arithmetic))
}
