//! Prints a tree as canonical text.
//!
//! The text parses into an equal tree. Parentheses appear where the tree's shape needs them, and
//! around some array comparisons that do not. Names are quoted if they would otherwise be read as
//! something else. The printer recurses, because the depth of a tree is bounded.

mod expression;
mod statement;

use crate::ast::{Block, DataSource, DataSourceName, Expression, FunctionName, Query};
use crate::lexer::token_at;
use crate::literal::escape_into;
use crate::precedence;
use crate::token::TokenKind;

/// Prints a query as canonical text, which parses into an equal tree (but for spans).
///
/// One statement a line, indented by the loops it is in; subqueries stay on the line of their
/// statement.
pub fn print(query: &Query) -> String {
    let mut printer = Printer { text: String::new() };
    if !query.with.is_empty() {
        printer.text("WITH ");
        printer.list(&query.with, ", ", Printer::data_source);
        printer.text("\n");
    }
    let mut loops = 0;
    for (index, statement) in query.body.statements.iter().enumerate() {
        if index > 0 {
            printer.text("\n");
        }
        (0..loops).for_each(|_| printer.text("  "));
        printer.statement(statement);
        loops += usize::from(statement.kind.iterates());
    }
    printer.text
}

/// Prints an expression as canonical text.
pub fn print_expression(expression: &Expression) -> String {
    let mut printer = Printer { text: String::new() };
    printer.expression(expression, precedence::TERNARY);
    printer.text
}

struct Printer {
    text: String,
}

impl Printer {
    fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Prints each item, with the separator between any two.
    fn list<T>(&mut self, items: &[T], separator: &str, print: impl Fn(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text(separator);
            }
            print(self, item);
        }
    }

    /// Prints a name, in backticks unless it is a plain identifier.
    fn name(&mut self, name: &str) {
        if is_plain(name) {
            self.text(name);
        } else {
            escape_into(name, '`', &mut self.text);
        }
    }

    fn string(&mut self, text: &str) {
        escape_into(text, '"', &mut self.text);
    }

    fn function_name(&mut self, name: &FunctionName) {
        // `LIKE` is the one reserved word that is also a function.
        if name.normalized() == "LIKE" {
            return self.text(name.written());
        }
        let parts: Vec<&str> = name.written().split("::").collect();
        self.list(&parts, "::", |printer, part| printer.name(part));
    }

    fn data_source(&mut self, source: &DataSource) {
        match &source.name {
            DataSourceName::Name(name) => self.name(name),
            DataSourceName::BindParameter(name) => {
                self.text("@@");
                self.text(name);
            }
            DataSourceName::ValueParameter(name) => {
                self.text("@");
                self.text(name);
            }
        }
    }

    /// Prints the statements of a subquery on one line.
    fn block(&mut self, block: &Block) {
        self.list(&block.statements, " ", Self::statement);
    }
}

/// Returns true if the lexer reads the text as one identifier.
///
/// `AT` is excluded because it forms a token with a following `LEAST`.
fn is_plain(name: &str) -> bool {
    let token = token_at(name, 0);
    token.kind == TokenKind::Identifier
        && token.span.start == 0
        && token.span.end as usize == name.len()
        && !name.eq_ignore_ascii_case("AT")
}
