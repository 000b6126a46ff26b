//! The keywords of one schema.

use aql_value::pattern::Regex;
use errors::Result;
use velocypack::Slice;

use super::{Compiler, Draft, PATTERNS_MAX, invalid};
use crate::format::Format;
use crate::node::{
    ArrayKeyword, Keyword, NodeId, NumberKeyword, ObjectKeyword, Properties, TextKeyword, Types,
};

impl<'a> Compiler<'a> {
    /// Returns the keywords of a schema. Errors: 1621 for one with a wrong value.
    pub(super) fn keywords(&mut self, schema: Slice<'a>) -> Result<Vec<Keyword>> {
        if let Some(accepts) = schema.as_bool().filter(|_| self.draft == Draft::SixOrSeven) {
            return Ok(if accepts { Vec::new() } else { vec![Keyword::Never] });
        }
        if !schema.is_object() {
            return Err(invalid("a schema must be an object"));
        }
        // Keywords beside a reference do not count in these drafts.
        if let Some(reference) = schema.get("$ref") {
            return Ok(vec![Keyword::Reference(self.referenced(reference)?)]);
        }
        let mut keywords = Vec::new();
        keywords.extend(types(schema)?);
        keywords.extend(values(schema, self.draft)?);
        keywords.extend(numbers(schema)?.into_iter().map(Keyword::Number));
        keywords.extend(self.texts(schema)?.into_iter().map(Keyword::Text));
        keywords.extend(self.arrays(schema)?.into_iter().map(Keyword::Array));
        keywords.extend(self.objects(schema)?.into_iter().map(Keyword::Object));
        self.combinations(schema, &mut keywords)?;
        Ok(keywords)
    }

    fn combinations(&mut self, schema: Slice<'a>, keywords: &mut Vec<Keyword>) -> Result<()> {
        type Combination = fn(Vec<NodeId>) -> Keyword;
        let combinations: [(&str, Combination); 3] =
            [("allOf", Keyword::AllOf), ("anyOf", Keyword::AnyOf), ("oneOf", Keyword::OneOf)];
        for (name, combine) in combinations {
            if let Some(parts) = schema.get(name) {
                let parts = array(name, parts)?;
                if parts.is_empty() {
                    return Err(invalid(&format!("'{name}' must have an element")));
                }
                let nodes = parts.into_iter().map(|part| self.node(part)).collect::<Result<_>>()?;
                keywords.push(combine(nodes));
            }
        }
        if let Some(part) = schema.get("not") {
            keywords.push(Keyword::Not(self.node(part)?));
        }
        if self.draft == Draft::SixOrSeven
            && let Some(condition) = schema.get("if")
        {
            let condition = self.node(condition)?;
            let then = schema.get("then").map(|part| self.node(part)).transpose()?;
            let otherwise = schema.get("else").map(|part| self.node(part)).transpose()?;
            keywords.push(Keyword::If { condition, then, otherwise });
        }
        // Parts that nothing refers to are compiled all the same, so that mistakes in them show.
        for name in ["definitions", "$defs"] {
            if let Some(parts) = schema.get(name) {
                for (_, part) in entries(name, parts)? {
                    self.node(part)?;
                }
            }
        }
        Ok(())
    }

    fn texts(&mut self, schema: Slice<'a>) -> Result<Vec<TextKeyword>> {
        let mut keywords = Vec::new();
        keywords.extend(length(schema, "minLength")?.map(TextKeyword::MinLength));
        keywords.extend(length(schema, "maxLength")?.map(TextKeyword::MaxLength));
        if let Some(pattern) = schema.get("pattern") {
            keywords.push(TextKeyword::Pattern(self.pattern(text("pattern", pattern)?)?));
        }
        if let Some(format) = schema.get("format") {
            keywords.extend(Format::named(text("format", format)?).map(TextKeyword::Format));
        }
        Ok(keywords)
    }

    fn pattern(&mut self, pattern: &str) -> Result<Regex> {
        self.patterns += 1;
        if self.patterns > PATTERNS_MAX {
            return Err(invalid(&format!("the schema has more than {PATTERNS_MAX} regular expressions")));
        }
        Regex::new(pattern, false).ok_or_else(|| {
            invalid(&format!("'{pattern}' is not a valid regular expression, or it is too large"))
        })
    }

    fn arrays(&mut self, schema: Slice<'a>) -> Result<Vec<ArrayKeyword>> {
        let mut keywords = Vec::new();
        keywords.extend(length(schema, "minItems")?.map(ArrayKeyword::MinItems));
        keywords.extend(length(schema, "maxItems")?.map(ArrayKeyword::MaxItems));
        if flag(schema, "uniqueItems")? {
            keywords.push(ArrayKeyword::UniqueItems);
        }
        if let Some(items) = schema.get("items") {
            if items.is_array() {
                let first = items.elements().map(|part| self.node(part)).collect::<Result<_>>()?;
                let rest = self.rest(schema, "additionalItems")?;
                keywords.push(ArrayKeyword::Items { first, rest });
            } else {
                let rest = Some(self.node(items)?);
                keywords.push(ArrayKeyword::Items { first: Vec::new(), rest });
            }
        }
        if self.draft == Draft::SixOrSeven
            && let Some(part) = schema.get("contains")
        {
            keywords.push(ArrayKeyword::Contains(self.node(part)?));
        }
        Ok(keywords)
    }

    fn objects(&mut self, schema: Slice<'a>) -> Result<Vec<ObjectKeyword>> {
        let mut keywords = Vec::new();
        keywords.extend(length(schema, "minProperties")?.map(ObjectKeyword::MinProperties));
        keywords.extend(length(schema, "maxProperties")?.map(ObjectKeyword::MaxProperties));
        if let Some(required) = schema.get("required") {
            keywords.push(ObjectKeyword::Required(texts_of("required", required)?));
        }
        if self.draft == Draft::SixOrSeven
            && let Some(part) = schema.get("propertyNames")
        {
            keywords.push(ObjectKeyword::Names(self.node(part)?));
        }
        let properties = self.properties(schema)?;
        let is_empty =
            properties.named.is_empty() && properties.patterns.is_empty() && properties.rest.is_none();
        keywords.extend((!is_empty).then_some(ObjectKeyword::Properties(properties)));
        if let Some(dependencies) = schema.get("dependencies") {
            for (name, dependency) in entries("dependencies", dependencies)? {
                keywords.push(match dependency.is_array() {
                    true => {
                        ObjectKeyword::RequiredWith(name.to_owned(), texts_of("dependencies", dependency)?)
                    }
                    false => ObjectKeyword::SchemaWith(name.to_owned(), self.node(dependency)?),
                });
            }
        }
        Ok(keywords)
    }

    fn properties(&mut self, schema: Slice<'a>) -> Result<Properties> {
        let mut properties = Properties::default();
        if let Some(named) = schema.get("properties") {
            for (name, part) in entries("properties", named)? {
                properties.named.push((name.to_owned(), self.node(part)?));
            }
            properties.named.sort();
        }
        if let Some(patterns) = schema.get("patternProperties") {
            for (pattern, part) in entries("patternProperties", patterns)? {
                properties.patterns.push((self.pattern(pattern)?, self.node(part)?));
            }
        }
        properties.rest = self.rest(schema, "additionalProperties")?;
        Ok(properties)
    }

    /// Returns the node of `additionalItems` or `additionalProperties`, which may be a bool in all
    /// drafts.
    fn rest(&mut self, schema: Slice<'a>, name: &str) -> Result<Option<NodeId>> {
        let Some(rest) = schema.get(name) else { return Ok(None) };
        match rest.as_bool() {
            Some(true) => Ok(None),
            Some(false) => {
                let node = self.node(rest)?;
                // In draft 4, a bool is a schema only here.
                self.queue.pop_if(|(queued, _)| *queued == node);
                self.set(node, vec![Keyword::Never]);
                Ok(Some(node))
            }
            None => self.node(rest).map(Some),
        }
    }
}

fn types(schema: Slice<'_>) -> Result<Option<Keyword>> {
    let Some(names) = schema.get("type") else { return Ok(None) };
    let wrong = || invalid("'type' must be a type, or an array of different types");
    let names: Vec<Slice<'_>> = if names.is_array() { names.elements().collect() } else { vec![names] };
    let mut types = Types::default();
    for name in &names {
        if !types.add(name.as_str().ok_or_else(wrong)?) {
            return Err(wrong());
        }
    }
    if names.is_empty() { Err(wrong()) } else { Ok(Some(Keyword::Types(types))) }
}

fn values(schema: Slice<'_>, draft: Draft) -> Result<Option<Keyword>> {
    let copy = |value: Slice<'_>| value.bytes().to_vec();
    if let Some(value) = schema.get("const").filter(|_| draft == Draft::SixOrSeven) {
        return Ok(Some(Keyword::Enum(vec![copy(value)])));
    }
    let Some(values) = schema.get("enum") else { return Ok(None) };
    Ok(Some(Keyword::Enum(array("enum", values)?.into_iter().map(copy).collect())))
}

fn numbers(schema: Slice<'_>) -> Result<Vec<NumberKeyword>> {
    type Bound = fn(Vec<u8>, bool) -> NumberKeyword;
    let bounds: [(&str, &str, Bound); 2] = [
        ("minimum", "exclusiveMinimum", |bound, is_exclusive| NumberKeyword::Minimum { bound, is_exclusive }),
        ("maximum", "exclusiveMaximum", |bound, is_exclusive| NumberKeyword::Maximum { bound, is_exclusive }),
    ];
    let mut keywords = Vec::new();
    for (name, exclusive_name, keyword) in bounds {
        let exclusive = schema.get(exclusive_name);
        if let Some(bound) = schema.get(name) {
            // A bool in draft 4, a second bound since draft 6.
            let is_exclusive = exclusive.and_then(Slice::as_bool).unwrap_or(false);
            keywords.push(keyword(number(name, bound)?.bytes().to_vec(), is_exclusive));
        }
        if let Some(bound) = exclusive.filter(|exclusive| !exclusive.is_bool()) {
            keywords.push(keyword(number(exclusive_name, bound)?.bytes().to_vec(), true));
        }
    }
    if let Some(factor) = schema.get("multipleOf") {
        let is_positive = factor.as_f64().is_some_and(|factor| factor > 0.0);
        let factor = number("multipleOf", factor)?.as_number().filter(|_| is_positive);
        let factor = factor.ok_or_else(|| invalid("'multipleOf' must be greater than 0"))?;
        keywords.push(NumberKeyword::MultipleOf(factor));
    }
    Ok(keywords)
}

fn number<'a>(name: &str, value: Slice<'a>) -> Result<Slice<'a>> {
    if value.is_number() { Ok(value) } else { Err(invalid(&format!("'{name}' must be a number"))) }
}

fn length(schema: Slice<'_>, name: &str) -> Result<Option<u64>> {
    let Some(value) = schema.get(name) else { return Ok(None) };
    let length = value.as_u64();
    let length = length.ok_or_else(|| invalid(&format!("'{name}' must be a whole number from 0 on")))?;
    Ok(Some(length))
}

fn flag(schema: Slice<'_>, name: &str) -> Result<bool> {
    let Some(value) = schema.get(name) else { return Ok(false) };
    value.as_bool().ok_or_else(|| invalid(&format!("'{name}' must be a bool")))
}

fn text<'a>(name: &str, value: Slice<'a>) -> Result<&'a str> {
    value.as_str().ok_or_else(|| invalid(&format!("'{name}' must be a string")))
}

fn array<'a>(name: &str, value: Slice<'a>) -> Result<Vec<Slice<'a>>> {
    if !value.is_array() {
        return Err(invalid(&format!("'{name}' must be an array")));
    }
    Ok(value.elements().collect())
}

fn texts_of(name: &str, value: Slice<'_>) -> Result<Vec<String>> {
    array(name, value)?.into_iter().map(|value| text(name, value).map(str::to_owned)).collect()
}

fn entries<'a>(name: &str, value: Slice<'a>) -> Result<impl Iterator<Item = (&'a str, Slice<'a>)>> {
    if !value.is_object() {
        return Err(invalid(&format!("'{name}' must be an object")));
    }
    Ok(value.entries())
}
