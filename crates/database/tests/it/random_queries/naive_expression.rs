//! Expressions by their definition.
//!
//! The order and the casts of values, and binary arithmetic, come from the server. They have tests
//! of their own.

use aql_syntax::ast::{
    ArithmeticOperator, ArrayComparison, BinaryOperator, ComparisonOperator, ElementOperator, Expansion,
    Expression, ExpressionKind as E, FunctionCall, LogicalOperator, ObjectKey, Quantifier, UnaryOperator,
};
use aql_value::{Value, program};

use super::naive::{Documents, Row, block};

pub(super) fn evaluate(expression: &Expression, row: &Row, documents: &Documents) -> Value {
    let value = |expression: &Expression| evaluate(expression, row, documents);
    match &expression.kind {
        E::Null => Value::Null,
        E::Bool(value) => Value::Bool(*value),
        E::Int(number) => Value::Int(*number),
        E::Double(number) => Value::from_f64(*number),
        E::String(text) => Value::from_str(text),
        E::Array(members) => Value::array(&members.iter().map(value).collect::<Vec<_>>()),
        E::Object(members) => {
            let entries: Vec<(&str, Value)> = members
                .iter()
                .map(|member| match &member.key {
                    ObjectKey::Name(name) => (name.as_str(), value(&member.value)),
                    other => panic!("the evaluator does not support {other:?}"),
                })
                .collect();
            Value::object(&entries)
        }
        E::Reference(name) => row.get(name).unwrap_or_else(|| panic!("no variable {name}")).clone(),
        E::Element => row.get("CURRENT").unwrap().clone(),
        E::Unary(unary) => {
            let operand = value(&unary.operand);
            match unary.operator {
                UnaryOperator::Not => Value::Bool(!operand.is_truthy()),
                UnaryOperator::Plus => operand.to_number(),
                UnaryOperator::Minus => program::negate(&operand),
            }
        }
        E::Binary(binary) => {
            let (left, right) = (value(&binary.left), value(&binary.right));
            match binary.operator {
                BinaryOperator::Comparison(operator) => Value::Bool(compare(operator, &left, &right)),
                BinaryOperator::Arithmetic(operator) => arithmetic(operator, &left, &right),
                BinaryOperator::Match(other) => panic!("the evaluator does not support {other:?}"),
            }
        }
        E::Logical(logical) => {
            let ends = logical.operator == LogicalOperator::Or;
            let mut last = Value::Null;
            for operand in &logical.operands {
                last = value(operand);
                if last.is_truthy() == ends {
                    break;
                }
            }
            last
        }
        E::Range(low, high) => {
            let (low, high) = (value(low).to_i64(), value(high).to_i64());
            let numbers: Vec<Value> = match low <= high {
                true => (low..=high).map(Value::Int).collect(),
                false => (high..=low).rev().map(Value::Int).collect(),
            };
            Value::array(&numbers)
        }
        E::Ternary(ternary) => match value(&ternary.condition).is_truthy() {
            true => value(ternary.then.as_ref().unwrap()),
            false => value(&ternary.otherwise),
        },
        E::ArrayComparison(comparison) => array_comparison(comparison, value),
        E::FunctionCall(call) => function(call, value),
        E::Subquery(inner) => Value::array(&block(inner, row, documents)),
        E::AttributeAccess(base, name) => value(base).get(name),
        E::IndexedAccess(base, index) => match (value(base), value(index)) {
            (base, index) if base.is_array() => base.at(index.to_i64()),
            (base, index) => base.get(&index.cast_string()),
        },
        E::Expansion(expansion) => expand(expansion, row, documents),
        other => panic!("the evaluator does not support {other:?}"),
    }
}

fn compare(operator: ComparisonOperator, left: &Value, right: &Value) -> bool {
    let order = left.compare(right);
    let is_in = || right.is_array() && right.elements().any(|member| member == *left);
    match operator {
        ComparisonOperator::Equal => order.is_eq(),
        ComparisonOperator::NotEqual => order.is_ne(),
        ComparisonOperator::Less => order.is_lt(),
        ComparisonOperator::LessOrEqual => order.is_le(),
        ComparisonOperator::Greater => order.is_gt(),
        ComparisonOperator::GreaterOrEqual => order.is_ge(),
        ComparisonOperator::In => is_in(),
        ComparisonOperator::NotIn => !is_in(),
    }
}

fn arithmetic(operator: ArithmeticOperator, left: &Value, right: &Value) -> Value {
    match operator {
        ArithmeticOperator::Add => program::add(left, right),
        ArithmeticOperator::Subtract => program::subtract(left, right),
        ArithmeticOperator::Multiply => program::multiply(left, right),
        ArithmeticOperator::Divide => program::divide(left, right).unwrap_or_default(),
        ArithmeticOperator::Modulo => program::modulo(left, right).unwrap_or_default(),
    }
}

fn array_comparison(comparison: &ArrayComparison, value: impl Fn(&Expression) -> Value) -> Value {
    let (left, right) = (value(&comparison.left), value(&comparison.right));
    let ElementOperator::Comparison(operator) = comparison.operator else {
        panic!("the evaluator does not support text matches of arrays");
    };
    let holds = |member: Value| compare(operator, &member, &right);
    Value::Bool(match &comparison.quantifier {
        Quantifier::All => left.elements().all(holds),
        Quantifier::Any => left.elements().any(holds),
        Quantifier::None => !left.elements().any(holds),
        Quantifier::AtLeast(_) => panic!("the evaluator does not support AT LEAST"),
    })
}

fn expand(expansion: &Expansion, row: &Row, documents: &Documents) -> Value {
    assert_eq!(expansion.levels, 1);
    let members = evaluate(&expansion.base, row, documents);
    let mut rows: Vec<Row> = members.elements().map(|member| row.with("CURRENT", member)).collect();
    if let Some(filter) = &expansion.filter {
        rows.retain(|row| evaluate(filter, row, documents).is_truthy());
    }
    if let Some(limit) = &expansion.limit {
        let number = |expression: &Expression| evaluate(expression, row, documents).to_i64() as usize;
        let offset = limit.offset.as_ref().map_or(0, number);
        rows = rows.into_iter().skip(offset).take(number(&limit.count)).collect();
    }
    let result = |row: &Row| match &expansion.result {
        Some(result) => evaluate(result, row, documents),
        None => row.get("CURRENT").unwrap().clone(),
    };
    let projected = |row: &Row| match &expansion.projection {
        Some(projection) => evaluate(projection, &row.with("CURRENT", result(row)), documents),
        None => result(row),
    };
    Value::array(&rows.iter().map(projected).collect::<Vec<_>>())
}

fn function(call: &FunctionCall, value: impl Fn(&Expression) -> Value) -> Value {
    let arguments: Vec<Value> = call.arguments.iter().map(value).collect();
    let first = &arguments[0];
    let members = || first.elements().collect::<Vec<Value>>();
    let set = || first.elements().filter(|value| !value.is_null());
    let sorted = || {
        let mut members = members();
        members.sort();
        members
    };
    match call.name.normalized() {
        "LENGTH" if first.is_array() => Value::Int(first.len() as i64),
        "FIRST" => members().into_iter().next().unwrap_or_default(),
        "LAST" => members().pop().unwrap_or_default(),
        "MIN" => set().min().unwrap_or_default(),
        "MAX" => set().max().unwrap_or_default(),
        "SORTED" => Value::array(&sorted()),
        "SORTED_UNIQUE" => {
            let mut members = sorted();
            members.dedup();
            Value::array(&members)
        }
        "COUNT_DISTINCT" => {
            let mut members = sorted();
            members.dedup();
            Value::Int(members.len() as i64)
        }
        "REVERSE" => Value::array(&members().into_iter().rev().collect::<Vec<_>>()),
        "NOT_NULL" => arguments.iter().find(|value| !value.is_null()).cloned().unwrap_or_default(),
        "CONCAT" => Value::from_str(&arguments.iter().map(|value| value.cast_string()).collect::<String>()),
        "UPPER" => Value::from_str(&first.cast_string().to_uppercase()),
        "TYPENAME" => Value::from_str(first.kind().name()),
        "TO_STRING" => Value::from_str(&first.cast_string()),
        "TO_ARRAY" => first.to_array(),
        "TO_BOOL" => Value::Bool(first.is_truthy()),
        "IS_NULL" => Value::Bool(first.is_null()),
        "IS_NUMBER" => Value::Bool(first.is_number()),
        "IS_STRING" => Value::Bool(first.is_string()),
        "IS_ARRAY" => Value::Bool(first.is_array()),
        other => panic!("the evaluator does not support {other}"),
    }
}
