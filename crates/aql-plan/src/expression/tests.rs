//! Tests of identity and folding.

use aql_value::{Interrupt, MemoryAccount, Value};

use super::{Expansion, Expression, MemberName, ObjectMember, Parameter};
use crate::parameters::ParameterShape;
use crate::small_catalog::CATALOG;
use crate::variable::Variables;
use crate::{BindInput, BindParameters, NodeKind, bind, build};

/// Returns the expression of `RETURN` as text.
fn returned(text: &str) -> String {
    let query =
        aql_syntax::parse(&format!("LET v = RAND() RETURN {text}"), &aql_syntax::Limits::default()).unwrap();
    let (parameters, memory, interrupt) =
        (BindParameters::new(), MemoryAccount::unlimited(), Interrupt::new());
    let bound = bind(&query, &BindInput::new(&parameters, &CATALOG, &memory, &interrupt)).unwrap();
    let plan = build(bound, false).unwrap();
    match &plan.nodes[plan.nodes.len() - 2].kind {
        NodeKind::Calculation(calculation) => calculation.expression.to_text(&plan.variables),
        kind => panic!("{kind:?}"),
    }
}

#[test]
fn constants_are_folded_and_everything_else_stays() {
    for (text, folded) in [
        ("1 + 2 * 3", "7"),
        ("[1, [2, 3 + 4]]", "[1,[2,7]]"),
        ("{a: 1, ['b']: 2}", r#"{"a":1,"b":2}"#),
        ("{a: {b: [1, 2]}}.a.b[1]", "2"),
        ("[1, 2, 3][*]", "[1,2,3]"),
        ("[{a: 1}][*].a", "[1]"),
        ("UPPER('a')", r#""A""#),
        ("RAND() + (1 + 1)", "(RAND() + 2)"),
        ("DATE_NOW()", "DATE_NOW()"),
        ("1..3", "(1 .. 3)"),
        ("v + 1 + 1", "((v + 1) + 1)"),
        ("'a' IN ['a', 'b']", "true"),
        ("'abc' LIKE 'a%'", "true"),
        ("[1, 2] ANY == 2", "true"),
        ("[1, 2][? 2 FILTER CURRENT > 0]", "true"),
    ] {
        assert_eq!(returned(text), folded, "{text}");
    }
}

#[test]
fn and_or_and_choices_keep_the_value_of_the_operand_that_decides() {
    for (text, folded) in [
        ("1 && v.a", "v.a"),
        ("v.a && 1", "(v.a && 1)"),
        ("v.a && 1 && v.b", "(v.a && v.b)"),
        ("v.a && 0 && v.b", "(v.a && 0)"),
        ("0 && v.a", "0"),
        ("null || v.a || 5 || v.b", "(v.a || 5)"),
        ("'x' || v.a", r#""x""#),
        ("v.a || false", "(v.a || false)"),
        ("true ? v.a : v.b", "v.a"),
        ("0 ? v.a : v.b", "v.b"),
        ("7 ? : v.b", "7"),
        ("v.c ? : v.b", "(v.c ? : v.b)"),
    ] {
        assert_eq!(returned(text), folded, "{text}");
    }
}

fn expansion(variables: &mut Variables, input: &Expression) -> Expression {
    let element = variables.add_temporary();
    let projection =
        Expression::Attribute { base: Box::new(Expression::Variable(element)), name: "a".into() };
    Expression::Expansion(Box::new(Expansion {
        input: input.clone(),
        levels: 1,
        element,
        filter: None,
        offset: None,
        limit: None,
        projection: Some(projection),
    }))
}

#[test]
fn expansions_are_the_same_whatever_their_elements_are_called() {
    let mut variables = Variables::default();
    let input = Expression::Variable(variables.add_named("x"));
    let (one, other) = (expansion(&mut variables, &input), expansion(&mut variables, &input));
    assert!(one.is_same(&other));
    assert!(!one.is_same(&expansion(&mut variables, &one)));
    assert!(one.variables().contains(input.as_variable().unwrap()));
    assert_eq!(one.count_reads(input.as_variable().unwrap(), 5), 1);
}

#[test]
fn equal_values_of_different_types_are_not_the_same() {
    let constant = |value: Value| Expression::Constant(value);
    assert!(constant(Value::Int(1)).is_same(&constant(Value::Int(1))));
    assert!(!constant(Value::Int(1)).is_same(&constant(Value::Double(1.0))));
    assert!(!constant(Value::from_str("1")).is_same(&constant(Value::Int(1))));
}

#[test]
fn replacing_and_renaming_reach_every_reading() {
    let mut variables = Variables::default();
    let (x, y) = (variables.add_named("x"), variables.add_named("y"));
    let mut expression =
        Expression::Array(vec![expansion(&mut variables, &Expression::Variable(x)), Expression::Variable(x)]);
    expression.rename_variables(&|id| if id == x { y } else { id });
    assert_eq!((expression.count_reads(x, 9), expression.count_reads(y, 9)), (0, 2));
    expression.replace_variable(y, &Expression::Constant(Value::Null));
    assert!(!expression.reads(y));
}

#[test]
fn values_of_parameters_make_constant_arrays_and_objects() {
    let parameter =
        || Expression::Parameter(Parameter { slot: 0, name: "a".into(), shape: ParameterShape::Number });
    let member = |name: &str, value| ObjectMember { name: MemberName::Fixed(name.into()), value };
    let array = Expression::Array(vec![Expression::Constant(Value::Int(1)), parameter()]);
    let mut object = Expression::Object(vec![member("x", array), member("y", parameter())]);
    object.fill_parameters(&[Value::Int(5)]);
    assert_eq!(object.as_constant().unwrap().to_json(), r#"{"x":[1,5],"y":5}"#);
    let mut twice = Expression::Object(vec![member("x", parameter()), member("x", parameter())]);
    twice.fill_parameters(&[Value::Int(5)]);
    assert!(twice.as_constant().is_none());
}
