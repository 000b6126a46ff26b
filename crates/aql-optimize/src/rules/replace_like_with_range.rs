//! `replace-like-with-range`: adds a range that an index can look up to a LIKE: `a LIKE "abc%"`
//! holds only for values from `"abc"` to below `"abd"`.
//!
//! The LIKE stays, because the range contains other strings too.

use aql_plan::{CompareOperator, Expression, Filter, Node, NodeKind, Plan};
use aql_value::Value;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::condition::as_field;
use crate::analysis::pipeline::{definition, for_each_pipeline};

pub(super) struct ReplaceLikeWithRange;

impl Rule for ReplaceLikeWithRange {
    fn name(&self) -> &'static str {
        "replace-like-with-range"
    }

    fn description(&self) -> &'static str {
        "Adds the range of possible values to LIKE with a fixed beginning, for indexes."
    }

    fn can_be_disabled(&self) -> bool {
        false
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let Some((defined_at, replacement)) = replacement(nodes, position, context) else { continue };
                if let Some(NodeKind::Calculation(calculation)) =
                    nodes.get_mut(defined_at).map(|node| &mut node.kind)
                {
                    calculation.expression = replacement;
                    changed = true;
                }
            }
            Ok(changed)
        })
    }
}

/// Returns the condition of the filter at a position with ranges added, and the position of its
/// calculation.
fn replacement(nodes: &[Node], position: usize, context: &RuleContext<'_>) -> Option<(usize, Expression)> {
    let NodeKind::Filter(Filter { condition, .. }) = &nodes.get(position)?.kind else { return None };
    let (defined_at, expression) = definition(nodes, *condition)?;
    let conjuncts = match expression {
        Expression::And(conjuncts) => conjuncts.as_slice(),
        other => std::slice::from_ref(other),
    };
    let mut all = Vec::with_capacity(conjuncts.len());
    for conjunct in conjuncts {
        if context.interrupt.is_set() {
            return None;
        }
        all.extend(range(nodes, conjunct, context).into_iter().flatten());
        all.push(conjunct.clone());
    }
    (all.len() > conjuncts.len()).then_some((defined_at, Expression::And(all)))
}

/// Returns the bounds that follow from a LIKE of an indexed attribute.
fn range(nodes: &[Node], conjunct: &Expression, context: &RuleContext<'_>) -> Option<[Expression; 2]> {
    let Expression::Call { function, arguments } = conjunct else { return None };
    let (attribute, pattern) = match (function.name, arguments.as_slice()) {
        ("LIKE", [attribute, pattern]) => (attribute, pattern.as_constant()?.as_str()?),
        _ => return None,
    };
    let prefix = fixed_beginning(pattern);
    if !has_only_strings(&prefix) || !is_indexed(nodes, attribute, context) {
        return None;
    }
    let bound = |operator, text: &str| Expression::Compare {
        operator,
        left: Box::new(attribute.clone()),
        right: Box::new(Expression::Constant(Value::from_str(text))),
    };
    let end = end_of(&prefix)?;
    Some([bound(CompareOperator::GreaterEqual, &prefix), bound(CompareOperator::Less, &end)])
}

/// Returns the text with which every match of a LIKE pattern begins.
fn fixed_beginning(pattern: &str) -> String {
    let mut text = String::new();
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '%' | '_' => break,
            '\\' => text.push(characters.next_if(|next| matches!(next, '%' | '_' | '\\')).unwrap_or('\\')),
            other => text.push(other),
        }
    }
    text
}

/// Returns a string that sorts after all strings with this beginning, in Unicode's root collation.
///
/// Its last character is replaced by one with a different, greater base letter.
fn end_of(prefix: &str) -> Option<String> {
    let last = prefix.chars().next_back()?;
    let greater = match last.to_ascii_lowercase() {
        // Greek follows the Latin letters.
        'z' => 'α',
        '9' => 'a',
        letter if letter.is_ascii_alphanumeric() => char::from_u32(letter as u32 + 1)?,
        // Punctuation comes before digits.
        _ => '0',
    };
    Some(prefix.chars().take(prefix.chars().count() - 1).chain(Some(greater)).collect())
}

/// Returns true if only strings match: LIKE casts other values to text. The prefix must be ASCII,
/// in which no character sorts differently because of its successor.
fn has_only_strings(prefix: &str) -> bool {
    prefix.is_ascii()
        && prefix.starts_with(|first: char| first.is_ascii_alphabetic())
        && !prefix.contains(|character: char| character.is_ascii_control())
        && !["true", "false"].iter().any(|text| text.starts_with(prefix))
}

fn is_indexed(nodes: &[Node], attribute: &Expression, context: &RuleContext<'_>) -> bool {
    let sources = nodes.iter().filter_map(|node| node.kind.source());
    sources.into_iter().any(|source| {
        let Some(field) = as_field(attribute, source.out) else { return false };
        context.catalog.collection(&source.collection.name).is_some_and(|info| {
            info.indexes.iter().any(|index| index.capabilities.ordered && index.fields.contains(&field))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn all_strings_of_a_beginning_are_within_its_range(
            prefix in "[ -~]{1,4}", rest in "(\\PC|[\u{300}-\u{310}\u{ad}\u{ffff}\u{e40}ก-ฮ]){0,4}"
        ) {
            let (text, end) = (Value::from_str(&format!("{prefix}{rest}")), end_of(&prefix).unwrap());
            proptest::prop_assert!(text.compare(&Value::from_str(&prefix)).is_ge(), "{prefix:?} {rest:?}");
            proptest::prop_assert!(text.compare(&Value::from_str(&end)).is_lt(), "{prefix:?} {rest:?} {end:?}");
        }
    }

    #[test]
    fn beginnings_end_at_a_wildcard() {
        for (pattern, beginning) in
            [("ab%c", "ab"), ("a_", "a"), ("a\\%b\\x%", "a%b\\x"), ("abc", "abc"), ("%", "")]
        {
            assert_eq!(fixed_beginning(pattern), beginning);
        }
    }
}
