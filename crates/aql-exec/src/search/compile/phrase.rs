//! `PHRASE()`.

use aql_plan::SearchField;
use aql_value::{Interrupt, Value};
use errors::Result;
use search::{Analysis, Bounds, Matcher, PhrasePart, Query};

use super::super::value::{Arguments, term_value};
use super::ngrams::tokens;
use super::similar::similar;
use super::{Compiler, Scope};

impl Compiler<'_> {
    /// Returns the query of `PHRASE(field, part, skip, part, .., analyzer)`, where a part may be an
    /// array of parts and numbers of tokens to skip. Parts and numbers alternate, so the number of
    /// arguments says if there is an Analyzer.
    pub(super) fn phrase(
        &self,
        field: &SearchField<Value>,
        arguments: &Arguments<'_>,
        scope: &Scope,
    ) -> Result<Query> {
        let (parts, analyzer) = match arguments.values.split_last() {
            Some((last, parts)) if arguments.len().is_multiple_of(2) => (parts, Some(last)),
            _ => (arguments.values, None),
        };
        let scope = self.scope_of(analyzer, arguments, scope)?;
        self.try_on_field(field, &scope, |field| {
            let (analysis, interrupt) = (&field.analysis, self.interrupt);
            let mut phrase = Phrase { arguments, analysis, interrupt, parts: Vec::new(), skip: 0 };
            phrase.push_arguments(parts)?;
            let parts = phrase.parts;
            Ok(if parts.is_empty() { Query::None } else { Query::Phrase(field, parts) })
        })
    }
}

/// A phrase that is being built.
struct Phrase<'a> {
    arguments: &'a Arguments<'a>,
    analysis: &'a Analysis,
    interrupt: &'a Interrupt,
    parts: Vec<PhrasePart>,
    /// The tokens to skip before the next part.
    skip: i64,
}

impl Phrase<'_> {
    /// Adds parts, with numbers between them.
    fn push_arguments(&mut self, values: &[Value]) -> Result<()> {
        for (index, value) in values.iter().enumerate() {
            match (index % 2, value.is_array()) {
                (0, true) => self.push_list(index, value)?,
                (0, false) => self.push_part(index, value)?,
                _ if value.is_number() => self.push_skip(value),
                _ => return Err(self.arguments.invalid(index, "a number of tokens")),
            }
        }
        Ok(())
    }

    /// Adds the parts of an array, in which numbers are optional and arrays are alternatives.
    fn push_list(&mut self, argument: usize, list: &Value) -> Result<()> {
        for value in list.elements() {
            if value.is_number() {
                self.push_skip(&value);
            } else if value.is_array() {
                self.push_alternatives(argument, &value)?;
            } else {
                self.push_part(argument, &value)?;
            }
        }
        Ok(())
    }

    fn push_skip(&mut self, value: &Value) {
        self.skip = self.skip.saturating_add(value.to_i64());
    }

    /// Adds a text or an object.
    fn push_part(&mut self, argument: usize, value: &Value) -> Result<()> {
        if value.is_object() {
            let matcher = self.object(argument, value)?;
            self.push(matcher, None);
            return Ok(());
        }
        let text = value.as_str().ok_or_else(|| {
            self.arguments.invalid(argument, "a string, an array, or an object such as {TERM: [..]}")
        })?;
        let mut before = None;
        let mut found = Vec::new();
        let mut emit = |token: &str, position| found.push((token.to_owned(), i64::from(position)));
        self.analysis.tokens(text, self.interrupt, &mut emit)?;
        for (token, position) in found {
            let skip = before.replace(position).map(|before: i64| position - before - 1);
            self.push(Matcher::AnyOf(vec![token]), skip);
        }
        Ok(())
    }

    /// Adds a part, after this many tokens, or as many as the numbers before it say.
    ///
    /// As documented, -1 is the place directly before the last part: nothing can be in between.
    fn push(&mut self, matcher: Matcher, skip: Option<i64>) {
        let given = std::mem::take(&mut self.skip);
        let given = if given < 0 { given.saturating_sub(1) } else { given };
        let skip = if self.parts.is_empty() { 0 } else { skip.unwrap_or(given) };
        self.parts.push(PhrasePart { skip, matcher });
    }

    /// Adds the tokens of several texts, one of which must occur.
    fn push_alternatives(&mut self, argument: usize, list: &Value) -> Result<()> {
        let mut alternatives = Vec::new();
        for value in list.elements() {
            let text = value.as_str().ok_or_else(|| {
                self.arguments.invalid(argument, "an array whose inner arrays contain only strings")
            })?;
            alternatives.extend(tokens(self.analysis, text, self.interrupt)?);
        }
        if !alternatives.is_empty() {
            self.push(Matcher::AnyOf(alternatives), None);
        }
        Ok(())
    }

    /// Returns the condition of an object with one member, whose texts are tokens already.
    fn object(&self, argument: usize, object: &Value) -> Result<Matcher> {
        let mut entries = object.entries();
        let (Some((name, value)), None) = (entries.next(), entries.next()) else {
            return Err(self.arguments.invalid(argument, "an object with one member"));
        };
        let values: Vec<Value> = if value.is_array() { value.elements().collect() } else { vec![value] };
        let name = name.to_string().to_ascii_uppercase();
        let own = |function| Arguments { function, values: &values };
        let only_text = |function: &'static str| match values.as_slice() {
            [_] => own(function).text(0).map(str::to_owned),
            _ => Err(self.arguments.invalid(argument, &format!("{{{function}: [one string]}}"))),
        };
        Ok(match name.as_str() {
            "TERM" => Matcher::AnyOf(vec![only_text("TERM")?]),
            "TERMS" => {
                let terms = (0..values.len()).map(|index| own("TERMS").text(index).map(str::to_owned));
                Matcher::AnyOf(terms.collect::<Result<_>>()?)
            }
            "STARTS_WITH" => Matcher::Prefix(only_text("STARTS_WITH")?),
            "WILDCARD" => Matcher::Like(only_text("WILDCARD")?),
            "LEVENSHTEIN_MATCH" => Matcher::Levenshtein(similar(&own("LEVENSHTEIN_MATCH"))?),
            "IN_RANGE" => {
                let arguments = own("IN_RANGE");
                let bound = |index: usize, includes: usize| match values.get(index).and_then(term_value) {
                    Some(search::Value::Text(text)) => Ok(Some((text, arguments.flag(includes, true)?))),
                    _ => Err(arguments.invalid(index, "a string")),
                };
                Matcher::Range(Bounds { low: bound(0, 2)?, high: bound(1, 3)? })
            }
            _ => {
                let names = "TERM, TERMS, STARTS_WITH, WILDCARD, LEVENSHTEIN_MATCH or IN_RANGE";
                return Err(self.arguments.invalid(argument, &format!("an object with {names}")));
            }
        })
    }
}
