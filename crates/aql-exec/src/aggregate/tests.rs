//! The results of each aggregate for empty, null, mixed and ordinary input.

use std::sync::Arc;

use aql_plan::AggregateFunction as F;
use aql_value::{Charge, Column, Interrupt, MemoryAccount, Value};

use super::{aggregate, aggregator};

const ALL: [F; 16] = [
    F::Length,
    F::Min,
    F::Max,
    F::Sum,
    F::Average,
    F::VariancePopulation,
    F::VarianceSample,
    F::StddevPopulation,
    F::StddevSample,
    F::Unique,
    F::SortedUnique,
    F::CountDistinct,
    F::BitAnd,
    F::BitOr,
    F::BitXor,
    F::Push,
];

fn ints(numbers: &[i64]) -> Vec<Value> {
    numbers.iter().map(|&number| Value::Int(number)).collect()
}

#[test]
fn of_no_rows() {
    for function in ALL {
        let expected = match function {
            F::Length | F::CountDistinct => Value::Int(0),
            F::Unique | F::SortedUnique | F::Push => Value::empty_array(),
            _ => Value::Null,
        };
        assert_eq!(aggregate(function, Vec::new()), expected, "{function:?}");
    }
}

#[test]
fn of_nulls_only() {
    for function in ALL {
        let expected = match function {
            F::Length => Value::Int(2),
            F::CountDistinct => Value::Int(1),
            F::Sum => Value::Int(0),
            F::Unique | F::SortedUnique => Value::array(&[Value::Null]),
            F::Push => Value::array(&[Value::Null, Value::Null]),
            _ => Value::Null,
        };
        assert_eq!(aggregate(function, vec![Value::Null, Value::Null]), expected, "{function:?}");
    }
}

#[test]
fn of_numbers() {
    let numbers = || [ints(&[4, 2, 2]), vec![Value::Null], ints(&[8])].concat();
    for (function, expected) in [
        (F::Length, Value::Int(5)),
        (F::Min, Value::Int(2)),
        (F::Max, Value::Int(8)),
        (F::Sum, Value::Int(16)),
        (F::Average, Value::Int(4)),
        (F::VariancePopulation, Value::Int(6)),
        (F::VarianceSample, Value::Int(8)),
        (F::StddevPopulation, Value::Double(6f64.sqrt())),
        (F::StddevSample, Value::Double(8f64.sqrt())),
        (F::SortedUnique, Value::array(&[vec![Value::Null], ints(&[2, 4, 8])].concat())),
        (F::CountDistinct, Value::Int(4)),
        (F::BitAnd, Value::Int(0)),
        (F::BitOr, Value::Int(14)),
        (F::BitXor, Value::Int(12)),
        (F::Push, Value::array(&numbers())),
    ] {
        let found = aggregate(function, numbers());
        match (found.as_f64(), expected.as_f64()) {
            // Sums of squares are rounded.
            (Some(found), Some(expected)) => {
                assert!((found - expected).abs() < 1e-12, "{function:?}: {found}")
            }
            _ => assert_eq!(found, expected, "{function:?}"),
        }
    }
}

#[test]
fn of_something_that_is_not_a_number() {
    for function in [F::Sum, F::Average, F::VariancePopulation, F::StddevSample, F::BitOr] {
        assert!(aggregate(function, vec![Value::Int(1), Value::from_str("2")]).is_null(), "{function:?}");
    }
    assert!(aggregate(F::BitOr, ints(&[1, -1])).is_null());
    assert!(aggregate(F::BitOr, vec![Value::Double(1.5)]).is_null());
    assert_eq!(aggregate(F::Max, vec![Value::Int(1), Value::from_str("a")]), Value::from_str("a"));
}

#[test]
fn sums_stay_exact_until_they_overflow() {
    assert_eq!(aggregate(F::Sum, ints(&[i64::MAX - 1, 1])), Value::Int(i64::MAX));
    assert_eq!(aggregate(F::Sum, ints(&[i64::MAX, 1])), Value::Double(2f64.powi(63)));
    assert!(aggregate(F::Sum, vec![Value::Double(1e308), Value::Double(1e308)]).is_null());
}

#[test]
fn groups_do_not_mix() {
    let mut memory = Charge::new(Arc::new(MemoryAccount::unlimited()));
    let mut sums = aggregator(F::Sum);
    sums.grow(2);
    let column = Column::from_values(ints(&[1, 2, 3, 4]));
    sums.add(&column, &[0, 1, 3], &[1, 0, 1], &mut memory).unwrap();
    sums.grow(3);
    let results = [0, 1, 2].map(|group| sums.result(group, &Interrupt::new()).unwrap());
    assert_eq!(results, [Value::Int(2), Value::Int(5), Value::Null]);
}

#[test]
fn what_is_retained_is_accounted() {
    let account = Arc::new(MemoryAccount::new(Some(10_000), None));
    let mut memory = Charge::new(Arc::clone(&account));
    let column =
        Column::from_values((0..1000).map(|n| Value::from_str(&format!("a rather long text {n}"))).collect());
    let rows: Vec<u32> = (0..1000).collect();
    for function in [F::Push, F::Unique, F::SortedUnique, F::CountDistinct] {
        let mut aggregator = aggregator(function);
        aggregator.grow(1);
        let error = aggregator.add(&column, &rows, &[0; 1000], &mut memory).unwrap_err();
        assert_eq!(error.number(), 32, "{function:?}");
        memory.clear();
    }
    let mut max = aggregator(F::Max);
    max.grow(1);
    max.add(&column, &rows, &[0; 1000], &mut memory).unwrap();
    assert!((1..100).contains(&account.used_bytes()));
}
