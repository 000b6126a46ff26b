//! Random queries that write each document at most once.

use super::choices::Choices;
use super::data::COLLECTIONS;
use super::generator::{Generator, Query, Scope, Type};

pub(crate) fn modification(choices: &mut Choices<'_>) -> Query {
    let mut generator = Generator::new(choices, 0, 1);
    let text = generator.modification();
    Query { text, is_ordered: false }
}

impl Generator<'_, '_> {
    fn modification(&mut self) -> String {
        let from = self.choices.pick(COLLECTIONS);
        let other = if from == "c" { "d" } else { "c" };
        let name = self.name();
        let mut scope = Scope::default();
        scope.add(&name, Type::Document);
        let mut text = format!("FOR {name} IN {from} ");
        for _ in 0..self.choices.below(3) {
            text += &format!("FILTER {} ", self.condition(&scope, 2));
        }
        if self.choices.percent(40) {
            let calculated = self.name();
            text += &format!("LET {calculated} = {} ", self.number(&scope, 2));
            scope.add(&calculated, Type::Any);
        }
        if self.choices.percent(30) {
            text += &format!("SORT {name}.n DESC LIMIT {} ", 1 + self.choices.below(5));
        }
        let (first, second) = (self.number(&scope, 1), self.number(&scope, 1));
        let keeps_null = self.choices.pick(&["", "OPTIONS {keepNull: false} "]);
        let new = "n: NEW.n, a: NEW.a, t: NEW.t, s: NEW.s";
        text += &match self.choices.below(7) {
            0 => format!(
                "UPDATE {name} WITH {{a: {first}, o: {{t: {second}}}}} IN {from} {keeps_null}RETURN {{o: OLD, {new}}}"
            ),
            1 => format!("UPDATE {name}._key WITH {{t: {first}}} IN {from} RETURN [OLD.t, NEW]"),
            2 => format!("UPDATE {{_key: {name}._key, a: {first}}} IN {from} RETURN {{{new}}}"),
            3 => format!(
                "REPLACE {name} WITH {{n: {name}.n, t: {first}}} IN {from} RETURN {{o: OLD.a, {new}}}"
            ),
            4 => format!("REMOVE {name} IN {from} RETURN [OLD._key, OLD.a]"),
            5 => format!(
                "INSERT {{_key: CONCAT('new', {name}._key), n: {name}.n + 100, a: {first}, t: {second}}} INTO {other} RETURN {{k: NEW._key, {new}}}"
            ),
            _ => format!(
                "UPSERT {{n: {name}.n}} INSERT {{_key: CONCAT('new', {name}._key), n: {name}.n, a: {first}}} UPDATE {{t: {second}}} IN {other} RETURN {{o: OLD.t, {new}}}"
            ),
        };
        text
    }
}
