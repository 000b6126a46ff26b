//! Tests of programs against a naive evaluator, and of the guarantees of each instruction.

mod model;
mod tree;

use std::sync::Arc;

use errors::{ErrorCode, Result};
use owner::{Interrupt, MemoryAccount};
use proptest::prelude::*;

use super::{CompareOperator, MAX_RANGE_ELEMENTS, MemberName, Program, ProgramBuilder, Slot};
use crate::batch::Batch;
use crate::column::Column;
use crate::context::{EvaluationContext, EvaluationState};
use crate::environment::NoEnvironment;
use crate::function::Function;
use crate::value::Value;
use crate::warnings::Warnings;
use model::{Model, Naive};
use tree::{REGISTERS, compile, tree};

pub(crate) use tree::value;

/// The owner of a context's borrowed parts.
struct Fixture {
    warnings: Warnings,
    state: EvaluationState,
    memory: MemoryAccount,
    interrupt: Interrupt,
}

impl Fixture {
    fn new() -> Self {
        Self {
            warnings: Warnings::default(),
            state: EvaluationState::fixed(0, 1),
            memory: MemoryAccount::unlimited(),
            interrupt: Interrupt::new(),
        }
    }

    fn context(&mut self) -> EvaluationContext<'_> {
        EvaluationContext {
            warnings: &mut self.warnings,
            state: &mut self.state,
            memory: &self.memory,
            interrupt: &self.interrupt,
            environment: &NoEnvironment,
        }
    }
}

/// The form of a register's column.
#[derive(Debug, Clone)]
enum Shape {
    Constant,
    Values,
    /// The rows in reverse, through a gather.
    Gather,
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![Just(Shape::Constant), Just(Shape::Values), Just(Shape::Gather)]
}

/// Returns a batch with `rows` of the given values, and the values that each row has.
fn batch_of(rows: &[Vec<Value>], shapes: &[Shape], selected: &[bool]) -> (Batch, Vec<Vec<Value>>) {
    let mut batch = Batch::new(rows.len());
    let mut effective = rows.to_vec();
    for (register, shape) in shapes.iter().enumerate() {
        let values: Vec<Value> = rows.iter().map(|row| row[register].clone()).collect();
        let column = match shape {
            Shape::Constant => {
                effective.iter_mut().for_each(|row| row[register] = values[0].clone());
                Column::Constant(values[0].clone())
            }
            Shape::Values => Column::from_values(values),
            Shape::Gather => {
                let reversed: Vec<Value> = values.into_iter().rev().collect();
                let order: Arc<[u32]> = (0..rows.len() as u32).rev().collect();
                Column::from_values(reversed).gather(&order)
            }
        };
        batch.set_column(register, column);
    }
    let selection: Vec<u32> = (0..rows.len() as u32).filter(|&row| selected[row as usize]).collect();
    batch.select(selection.into());
    (batch, effective)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn programs_agree_with_the_naive_evaluator(
        tree in tree(),
        rows in prop::collection::vec(prop::collection::vec(value(), REGISTERS), 1..6),
        shapes in prop::collection::vec(shape(), REGISTERS),
        selected in prop::collection::vec(any::<bool>(), 6),
    ) {
        let program = compile(&tree);
        let (batch, effective) = batch_of(&rows, &shapes, &selected);
        let mut fixture = Fixture::new();
        let column = program.evaluate(&batch, &mut fixture.context()).unwrap();
        let chosen = program.evaluate_predicate(&batch, &mut fixture.context()).unwrap();

        let mut warned = false;
        let mut expected_rows = Vec::new();
        for row in batch.selected() {
            let registers = effective[row].iter().enumerate().map(|(n, value)| (n, Model::of(value))).collect();
            let mut naive = Naive { registers, warned: false, has_written_zero: false };
            let expected = naive.evaluate(&tree);
            warned |= naive.warned;
            if !naive.has_written_zero {
                prop_assert_eq!(Model::of(column.get(row)), expected, "row {}", row);
            }
            let alone = program.evaluate_row(&batch, row, &mut fixture.context()).unwrap();
            prop_assert_eq!(&alone, column.get(row), "row {} alone", row);
            if alone.is_truthy() {
                expected_rows.push(row as u32);
            }
        }
        prop_assert_eq!(&chosen[..], &expected_rows[..]);
        prop_assert_eq!(!fixture.warnings.is_empty(), warned);
    }

    #[test]
    fn comparison_agrees_with_the_model(left in value(), right in value()) {
        prop_assert_eq!(left.compare(&right), Model::of(&left).compare(&Model::of(&right)));
        prop_assert_eq!(left == right, left.compare(&right).is_eq());
        if left == right {
            prop_assert_eq!(left.hash_value(), right.hash_value());
        }
    }
}

/// Returns the value of an expression without rows.
fn constant(build: impl FnOnce(&mut ProgramBuilder) -> Slot) -> (Result<Value>, Vec<u32>) {
    let mut builder = ProgramBuilder::new();
    let result = build(&mut builder);
    let mut fixture = Fixture::new();
    let value = builder.finish(result).evaluate_constant(&mut fixture.context());
    (value, fixture.warnings.list().iter().map(|warning| warning.code.number()).collect())
}

#[test]
fn regular_expressions_and_like() {
    let text = |text: &'static str, pattern: &'static str, regex: bool, negated: bool| {
        constant(|builder| {
            let (text, pattern) = (builder.constant(text.into()), builder.constant(pattern.into()));
            if regex {
                builder.regex_match(text, pattern, negated)
            } else {
                builder.like(text, pattern, false, negated)
            }
        })
    };
    assert_eq!(text("foo", "^f[o].$", true, false).0.unwrap(), Value::Bool(true));
    assert_eq!(text("foo", "[a-z]+bar$", true, true).0.unwrap(), Value::Bool(true));
    assert_eq!(text("foo", "f%", false, false).0.unwrap(), Value::Bool(true));
    assert_eq!(text("foo", "f%", false, true).0.unwrap(), Value::Bool(false));
    for negated in [false, true] {
        let (value, warnings) = text("foo", "(", true, negated);
        assert!(value.unwrap().is_null());
        assert_eq!(warnings, [1543]);
    }
}

#[test]
fn patterns_may_differ_from_row_to_row() {
    let mut builder = ProgramBuilder::new();
    let (text, pattern) = (builder.load(0), builder.load(1));
    let like = builder.like(text, pattern, false, false);
    let program = builder.finish(like);
    let mut batch = Batch::new(3);
    batch.set_column(0, Column::Constant("abc".into()));
    batch.set_column(1, Column::from_values(vec!["a%".into(), "b%".into(), Value::Null]));
    let column = program.evaluate(&batch, &mut Fixture::new().context()).unwrap();
    let answers: Vec<bool> = (0..3).map(|row| column.get(row).is_truthy()).collect();
    assert_eq!(answers, [true, false, false]);
}

#[test]
fn ranges_are_bounded() {
    let range = |low: i64, high: i64| {
        constant(|builder| {
            let (low, high) = (builder.constant(Value::Int(low)), builder.constant(Value::Int(high)));
            builder.range(low, high)
        })
        .0
    };
    assert_eq!(range(3, 1).unwrap().to_json(), "[3,2,1]");
    assert_eq!(range(i64::MAX, i64::MAX).unwrap().len(), 1);
    assert_eq!(range(1, 1 + MAX_RANGE_ELEMENTS as i64).unwrap_err().number(), 1504);
    assert_eq!(range(i64::MIN, i64::MAX).unwrap_err().number(), 1504);
}

#[test]
fn the_first_member_of_a_name_wins_at_its_place() {
    let (value, _) = constant(|builder| {
        let numbers: Vec<_> = (1..=4).map(|number| builder.constant(Value::Int(number))).collect();
        let name = builder.constant("a".into());
        builder.object(vec![
            (MemberName::Fixed("a".into()), numbers[0]),
            (MemberName::Fixed("b".into()), numbers[1]),
            (MemberName::Computed(name), numbers[2]),
            (MemberName::Computed(numbers[3]), numbers[3]),
        ])
    });
    assert_eq!(value.unwrap().to_json(), r#"{"a":1,"b":2,"4":4}"#);
}

#[test]
fn a_long_constant_list_is_searched_by_value() {
    let list: Vec<Value> = (0..100).map(|n| Value::Int(n * 2)).chain([Value::Null, "x".into()]).collect();
    let mut builder = ProgramBuilder::new();
    let (needle, list) = (builder.load(0), builder.constant(Value::array(&list)));
    let found = builder.contained_in(needle, list, false);
    let program = builder.finish(found);
    let mut batch = Batch::new(5);
    let needles = vec![Value::Int(50), Value::Double(50.0), Value::Int(51), Value::Null, "x".into()];
    batch.set_column(0, Column::from_values(needles));
    let rows = program.evaluate_predicate(&batch, &mut Fixture::new().context()).unwrap();
    assert_eq!(&rows[..], [0, 1, 3, 4]);
}

fn count_calls(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    context.warn(ErrorCode::QueryUserWarn, "called")?;
    Ok(arguments.first().cloned().unwrap_or_default())
}

static PURE: Function = Function {
    name: "PURE",
    min_args: 0,
    max_args: None,
    deterministic: true,
    cacheable: true,
    collection_arguments: 0,
    reads_documents: false,
    call: count_calls,
    call_batch: None,
    rows: None,
};

static VOLATILE: Function = Function { name: "VOLATILE", deterministic: false, ..PURE };

#[test]
fn calls_of_constants_are_made_once_unless_not_deterministic() {
    for (function, calls) in [(&PURE, 1), (&VOLATILE, 5)] {
        let mut builder = ProgramBuilder::new();
        let argument = builder.load(0);
        let call = builder.call(function, vec![argument]);
        let program = builder.finish(call);
        assert_eq!(program.is_deterministic(), function.deterministic);
        let mut batch = Batch::new(5);
        batch.set_column(0, Column::Constant(Value::Int(7)));
        let mut fixture = Fixture::new();
        let column = program.evaluate(&batch, &mut fixture.context()).unwrap();
        assert_eq!(column.get(4), &Value::Int(7));
        assert_eq!(fixture.warnings.list().len(), calls);
    }
}

#[test]
fn what_is_not_needed_is_not_evaluated() {
    // false AND (1 / 0), true OR (1 / 0), true ? 1 : 1 / 0
    let divide = || {
        let mut builder = ProgramBuilder::new();
        let (one, zero) = (builder.constant(Value::Int(1)), builder.constant(Value::Int(0)));
        let quotient = builder.arithmetic(super::ArithmeticOperator::Divide, one, zero);
        builder.finish(quotient)
    };
    let and = constant(|builder| {
        let first = builder.constant(Value::Int(0));
        builder.and(first, vec![divide()])
    });
    let or = constant(|builder| {
        let first = builder.constant("x".into());
        builder.or(first, vec![divide()])
    });
    let choose = constant(|builder| {
        let condition = builder.constant(Value::Bool(true));
        builder.choose(condition, Some(Program::constant(Value::Int(2))), divide())
    });
    assert_eq!((and.0.unwrap(), and.1), (Value::Int(0), vec![]));
    assert_eq!((or.0.unwrap(), or.1), ("x".into(), vec![]));
    assert_eq!((choose.0.unwrap(), choose.1), (Value::Int(2), vec![]));
    assert_eq!(
        constant(|builder| {
            let first = builder.constant(Value::Bool(true));
            builder.and(first, vec![divide()])
        })
        .1,
        [1562]
    );
}

#[test]
fn knows_what_it_reads() {
    let mut nested = ProgramBuilder::new();
    let (left, right) = (nested.load(3), nested.load(9));
    let compared = nested.compare(CompareOperator::Less, left, right);
    let nested = nested.finish(compared);
    let mut builder = ProgramBuilder::new();
    let (input, again) = (builder.load(5), builder.load(5));
    assert_eq!(input, again);
    let expansion = builder.expansion(super::Expansion {
        input,
        levels: 1,
        element: 9,
        filter: Some(nested.clone()),
        offset: None,
        limit: None,
        projection: None,
    });
    assert_eq!(builder.finish(expansion).registers_read(), [3, 5]);
    assert_eq!(nested.registers_read(), [3, 9]);
    assert_eq!(Program::load(4).as_register(), Some(4));
    assert_eq!(Program::constant(Value::Int(1)).as_constant(), Some(&Value::Int(1)));
}

#[test]
fn long_arrays_go_through_expansions_in_parts() {
    let mut filter = ProgramBuilder::new();
    let (element, two) = (filter.load(1), filter.constant(Value::Int(2)));
    let remainder = filter.arithmetic(super::ArithmeticOperator::Modulo, element, two);
    let filter = filter.finish(remainder);
    let mut builder = ProgramBuilder::new();
    let input = builder.load(0);
    let (offset, limit) = (builder.constant(Value::Int(1000)), builder.constant(Value::Int(2000)));
    let expansion = builder.expansion(super::Expansion {
        input,
        levels: 1,
        element: 1,
        filter: Some(filter),
        offset: Some(offset),
        limit: Some(limit),
        projection: None,
    });
    let program = builder.finish(expansion);
    let long = Value::array(&(0..10_000).map(Value::Int).collect::<Vec<_>>());
    let mut batch = Batch::new(3);
    batch.set_column(0, Column::from_values(vec![long.clone(), Value::Null, long]));
    let column = program.evaluate(&batch, &mut Fixture::new().context()).unwrap();
    for row in [0, 2] {
        let kept: Vec<i64> = column.get(row).elements().map(|element| element.to_i64()).collect();
        assert_eq!((kept.len(), kept[0], kept[1999]), (2000, 2001, 5999));
    }
    assert!(column.get(1).is_array() && column.get(1).is_empty());
}

#[test]
fn a_killed_query_ends() {
    let mut builder = ProgramBuilder::new();
    let (low, high) = (builder.constant(Value::Int(1)), builder.constant(Value::Int(9_000_000)));
    let range = builder.range(low, high);
    let program = builder.finish(range);
    let mut fixture = Fixture::new();
    fixture.interrupt.kill();
    assert_eq!(program.evaluate_constant(&mut fixture.context()).unwrap_err().number(), 1500);
}

#[test]
fn a_killed_query_ends_within_a_batch() {
    let falsehood = || {
        let mut builder = ProgramBuilder::new();
        let (value, other) = (builder.load(0), builder.constant(Value::Int(-1)));
        let equal = builder.compare(CompareOperator::Equal, value, other);
        builder.finish(equal)
    };
    let mut builder = ProgramBuilder::new();
    let first = builder.constant(Value::Bool(false));
    let any = builder.or(first, (0..100).map(|_| falsehood()).collect());
    let program = builder.finish(any);
    let mut batch = Batch::new(1_000);
    batch.set_column(0, Column::from_values((0..1_000).map(Value::Int).collect()));
    let mut fixture = Fixture::new();
    fixture.interrupt.kill();
    assert_eq!(program.evaluate(&batch, &mut fixture.context()).unwrap_err().number(), 1500);
}

#[test]
fn what_is_built_stays_within_the_memory_limit() {
    let mut builder = ProgramBuilder::new();
    let (low, high) = (builder.constant(Value::Int(1)), builder.constant(Value::Int(9_000_000)));
    let range = builder.range(low, high);
    let program = builder.finish(range);
    let mut fixture = Fixture::new();
    fixture.memory = MemoryAccount::new(Some(1 << 20), None);
    assert_eq!(program.evaluate_constant(&mut fixture.context()).unwrap_err().number(), 32);
}
