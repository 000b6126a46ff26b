use aql_value::{Interrupt, MemoryAccount};

use super::SearchCondition;
use crate::bind::{BindInput, bind};
use crate::build::build;
use crate::catalog::EmptyCatalog;
use crate::expression::Expression;
use crate::node::NodeKind;
use crate::parameters::BindParameters;

/// Returns the shape of a condition on the variable of a loop, or the error.
fn shape(condition: &str) -> errors::Result<SearchCondition<Expression>> {
    let text = format!("FOR x IN [1] FOR d IN [2] RETURN ({condition})");
    let query = aql_syntax::parse(&text, &aql_syntax::Limits::default())?;
    let (parameters, memory, interrupt) =
        (BindParameters::new(), MemoryAccount::unlimited(), Interrupt::new());
    let bound = bind(&query, &BindInput::new(&parameters, &EmptyCatalog, &memory, &interrupt))?;
    let plan = build(bound, false)?;
    let document = plan.variables.iter().find(|variable| &*variable.name == "d").map(|variable| variable.id);
    let condition = plan.nodes.iter().rev().find_map(|node| match &node.kind {
        NodeKind::Calculation(calculation) => Some(&calculation.expression),
        _ => None,
    });
    SearchCondition::of(condition.unwrap(), document.unwrap())
}

#[test]
fn conditions_of_attributes_and_values_have_a_shape() {
    for condition in [
        "d.a == 1",
        "x < d.a.b[0]",
        "d.a IN [1, x]",
        "1 IN d.a",
        "d.a NOT IN 1..x",
        "[1, 2] ALL > d.a",
        "[1, 2] AT LEAST (x) IN d.a",
        "d.a[*].b ANY == x",
        "ANALYZER(PHRASE(d.a, 'b', x, 'c') OR x, 'text_en')",
        "BOOST(d.a LIKE '%a', 2) AND NOT STARTS_WITH(d.a, ['b'], 1)",
        "MIN_MATCH(d.a == 1, d.b == 2, 1)",
        "d.a[? 1..2 FILTER CURRENT.b == x AND CURRENT.c[? FILTER CURRENT.d > 1]]",
        "GEO_CONTAINS(x, d.a) OR GEO_DISTANCE(d.a, x) < 100 OR 100 > GEO_DISTANCE(x, d.a)",
        "EXISTS(d.a, 'string')",
    ] {
        assert!(shape(condition).is_ok(), "{condition}: {:?}", shape(condition));
    }
}

#[test]
fn other_uses_of_the_document_are_refused() {
    for condition in [
        "d.a",
        "d && true",
        "d.a == d.b",
        "d.a + 1 == 2",
        "LENGTH(d.a) > 1",
        "d == 1",
        "d.a ? true : false",
        "d.a IN d.b",
        "d.a[? FILTER d.b == 1]",
        "d.a[?]",
        "d.a[* FILTER CURRENT == 1] ANY == 1",
        "d.a ALL > 1",
    ] {
        assert_eq!(shape(condition).unwrap_err().number(), 10, "{condition}");
    }
}
