//! A naive evaluator that follows the definition of a syntax tree: it computes all rows of a
//! statement, then those of the next.
//!
//! It knows only the parts of AQL that the generator writes, and panics otherwise.

use std::cmp::Ordering;

use aql_syntax::ast::{
    Aggregate, Block, Collect, Expression, ExpressionKind, SortDirection, Statement, StatementKind, Window,
};
use aql_value::Value;

use super::naive_expression::evaluate;
use super::naive_graph;

/// Documents by collection.
pub(crate) type Documents = Vec<(String, Vec<Value>)>;

/// Variables with their values, the innermost last.
#[derive(Clone, Default)]
pub(super) struct Row(Vec<(String, Value)>);

impl Row {
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    pub(super) fn with(&self, name: &str, value: Value) -> Self {
        let mut row = self.clone();
        row.0.push((name.to_owned(), value));
        row
    }
}

/// Returns the results of a query.
pub(crate) fn run(query: &aql_syntax::ast::Query, documents: &Documents) -> Vec<Value> {
    block(&query.body, &Row::default(), documents)
}

pub(super) fn block(block: &Block, around: &Row, documents: &Documents) -> Vec<Value> {
    let Some((last, statements)) = block.statements.split_last() else { panic!("an empty query") };
    let rows = rows_within(statements, around, documents);
    let StatementKind::Return(last) = &last.kind else { panic!("a query without RETURN") };
    let results: Vec<Value> = rows.iter().map(|row| evaluate(&last.value, row, documents)).collect();
    if last.distinct { distinct(results) } else { results }
}

/// Returns the rows after a query's first statements.
pub(super) fn rows_after(statements: &[Statement], documents: &Documents) -> Vec<Row> {
    rows_within(statements, &Row::default(), documents)
}

fn rows_within(statements: &[Statement], around: &Row, documents: &Documents) -> Vec<Row> {
    let mut rows = vec![around.clone()];
    // The only row before the first loop or COLLECT. Later statements do not gather its variables.
    let mut outside = around.clone();
    let mut is_grouped = false;
    for statement in statements {
        let value = |row: &Row, expression: &Expression| evaluate(expression, row, documents);
        let is_loop = matches!(
            statement.kind,
            StatementKind::For(_) | StatementKind::Traversal(_) | StatementKind::PathSearch(_)
        );
        if is_loop && !is_grouped {
            is_grouped = true;
            outside = rows.first().unwrap_or(around).clone();
        }
        rows = match &statement.kind {
            StatementKind::For(statement) => {
                let name = &statement.target.as_variable().unwrap().name;
                let members = |row: &Row| source(&statement.source, row, documents);
                rows.iter()
                    .flat_map(|row| members(row).into_iter().map(|member| row.with(name, member)))
                    .collect()
            }
            StatementKind::Filter(condition) => {
                rows.into_iter().filter(|row| value(row, condition).is_truthy()).collect()
            }
            StatementKind::Let(statement) => {
                let name = &statement.target.as_variable().unwrap().name;
                rows.iter().map(|row| row.with(name, value(row, &statement.value))).collect()
            }
            StatementKind::Sort(sort) => {
                let keys = |row: &Row| sort.items.iter().map(|item| value(row, &item.expression)).collect();
                let mut keyed: Vec<(Vec<Value>, Row)> =
                    rows.into_iter().map(|row| (keys(&row), row)).collect();
                keyed.sort_by(|(left, _), (right, _)| {
                    let compared =
                        sort.items.iter().zip(left.iter().zip(right)).map(|(item, (left, right))| match item
                            .direction
                        {
                            SortDirection::Descending => right.compare(left),
                            _ => left.compare(right),
                        });
                    compared.fold(Ordering::Equal, Ordering::then)
                });
                keyed.into_iter().map(|(_, row)| row).collect()
            }
            StatementKind::Limit(limit) => {
                let number = |expression: &Expression| value(around, expression).to_i64() as usize;
                let offset = limit.offset.as_ref().map_or(0, number);
                rows.into_iter().skip(offset).take(number(&limit.count)).collect()
            }
            StatementKind::Traversal(statement) => {
                rows.iter().flat_map(|row| naive_graph::traverse(statement, row, documents)).collect()
            }
            StatementKind::PathSearch(statement) => {
                rows.iter().flat_map(|row| naive_graph::search(statement, row, documents)).collect()
            }
            StatementKind::Window(statement) => window(statement, &rows, documents),
            StatementKind::Collect(statement) => {
                is_grouped = true;
                collect(statement, &rows, &outside, documents)
            }
            other => panic!("the evaluator does not support {other:?}"),
        };
    }
    rows
}

fn source(source: &Expression, row: &Row, documents: &Documents) -> Vec<Value> {
    if let ExpressionKind::Reference(name) = &source.kind
        && row.get(name).is_none()
    {
        return documents.iter().find(|(own, _)| own == name).unwrap().1.clone();
    }
    evaluate(source, row, documents).elements().collect()
}

fn distinct(values: Vec<Value>) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// Runs a COLLECT. Groups do not gather the variables of `outside`, which stay visible.
fn collect(collect: &Collect, rows: &[Row], outside: &Row, documents: &Documents) -> Vec<Row> {
    let value = |row: &Row, expression: &Expression| evaluate(expression, row, documents);
    let mut groups: Vec<(Vec<Value>, Vec<&Row>)> = Vec::new();
    for row in rows {
        let keys: Vec<Value> = collect.groups.iter().map(|group| value(row, &group.expression)).collect();
        match groups.iter_mut().find(|(own, _)| *own == keys) {
            Some((_, members)) => members.push(row),
            None => groups.push((keys, vec![row])),
        }
    }
    if groups.is_empty() && collect.groups.is_empty() {
        groups.push((Vec::new(), Vec::new()));
    }
    let row_of = |(keys, members): (Vec<Value>, Vec<&Row>)| {
        let mut row = outside.clone();
        for (group, key) in collect.groups.iter().zip(keys) {
            row = row.with(&group.variable.name, key);
        }
        for wanted in &collect.aggregates {
            let values = members.iter().map(|row| value(row, &wanted.arguments[0])).collect();
            row = row.with(&wanted.variable.name, aggregate(wanted, values));
        }
        if let Some(count) = &collect.count {
            row = row.with(&count.name, Value::Int(members.len() as i64));
        }
        if let Some(into) = &collect.into {
            let gathered = |row: &&Row| match &into.expression {
                Some(expression) => value(row, expression),
                None => {
                    let kept =
                        |name: &str| into.keep.is_empty() || into.keep.iter().any(|kept| kept.name == name);
                    let entries: Vec<(&str, Value)> = row.0[outside.0.len()..]
                        .iter()
                        .filter(|(name, _)| kept(name))
                        .map(|(name, value)| (name.as_str(), value.clone()))
                        .collect();
                    Value::object(&entries)
                }
            };
            let members: Vec<Value> = members.iter().map(gathered).collect();
            row = row.with(&into.variable.name, Value::array(&members));
        }
        row
    };
    groups.into_iter().map(row_of).collect()
}

/// Returns each row with the aggregates over its neighbouring rows.
fn window(window: &Window, rows: &[Row], documents: &Documents) -> Vec<Row> {
    assert!(window.range.is_none());
    let reach = |row: &Row, name: &str| {
        let bound = evaluate(&window.bounds, row, documents).get(name);
        if bound.is_number() { bound.to_i64() as usize } else { rows.len() }
    };
    let with_aggregates = |(position, row): (usize, &Row)| {
        let first = position.saturating_sub(reach(row, "preceding"));
        let near = rows[first..].iter().take(position - first + reach(row, "following") + 1);
        window.aggregates.iter().fold(row.clone(), |row, wanted| {
            let values = near.clone().map(|row| evaluate(&wanted.arguments[0], row, documents)).collect();
            row.with(&wanted.variable.name, aggregate(wanted, values))
        })
    };
    rows.iter().enumerate().map(with_aggregates).collect()
}

fn aggregate(aggregate: &Aggregate, values: Vec<Value>) -> Value {
    let set = || values.iter().filter(|value| !value.is_null());
    let is_numeric = set().all(Value::is_number);
    let sum = || set().map(Value::to_f64).fold(0.0, |sum, value| sum + value);
    let bits = |combine: fn(i64, i64) -> i64| {
        let is_operand =
            |value: &Value| value.as_i64().is_some_and(|number| (0..=0xffff_ffff).contains(&number));
        let all = set().all(is_operand).then(|| set().map(Value::to_i64).reduce(combine));
        all.flatten().map_or(Value::Null, Value::Int)
    };
    match aggregate.function.normalized() {
        "COUNT" | "LENGTH" => Value::Int(values.len() as i64),
        "SUM" => {
            if is_numeric && !values.is_empty() {
                Value::from_f64(sum())
            } else {
                Value::Null
            }
        }
        "AVG" if is_numeric && set().count() > 0 => Value::from_f64(sum() / set().count() as f64),
        "AVG" => Value::Null,
        "MIN" => set().min().cloned().unwrap_or_default(),
        "MAX" => set().max().cloned().unwrap_or_default(),
        "COUNT_DISTINCT" => Value::Int(distinct(values).len() as i64),
        "UNIQUE" => Value::array(&distinct(values)),
        "SORTED_UNIQUE" => {
            let mut values = distinct(values);
            values.sort();
            Value::array(&values)
        }
        "PUSH" => Value::array(&values),
        "BIT_AND" => bits(|left, right| left & right),
        "BIT_OR" => bits(|left, right| left | right),
        "BIT_XOR" => bits(|left, right| left ^ right),
        other => panic!("the evaluator does not support {other}"),
    }
}
