//! Sliding aggregates against those of COLLECT over the same values.

use std::sync::Arc;

use aql_value::{Column, MemoryAccount};
use proptest::prelude::*;

use super::*;
use crate::aggregate::aggregator;

const FUNCTIONS: &[AggregateFunction] = &[
    AggregateFunction::Length,
    AggregateFunction::Min,
    AggregateFunction::Max,
    AggregateFunction::Sum,
    AggregateFunction::Average,
    AggregateFunction::VariancePopulation,
    AggregateFunction::VarianceSample,
    AggregateFunction::StddevPopulation,
    AggregateFunction::StddevSample,
    AggregateFunction::SortedUnique,
    AggregateFunction::CountDistinct,
    AggregateFunction::BitAnd,
    AggregateFunction::BitOr,
    AggregateFunction::BitXor,
    AggregateFunction::Push,
];

fn expected(function: AggregateFunction, values: &[Value]) -> Value {
    let mut memory = Charge::new(Arc::new(MemoryAccount::unlimited()));
    let mut aggregator = aggregator(function);
    aggregator.grow(1);
    let rows: Vec<u32> = (0..values.len() as u32).collect();
    aggregator.add(&Column::from_values(values.to_vec()), &rows, &vec![0; rows.len()], &mut memory).unwrap();
    aggregator.result(0, &Interrupt::new()).unwrap()
}

fn is_close(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => (left - right).abs() <= 1e-9 * left.abs().max(1.0),
        _ => left == right,
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        20 => (0..100i64).prop_map(Value::Int),
        1 => Just(Value::Null),
        1 => Just(Value::from_str("a text that does not fit into a value itself")),
    ]
}

proptest! {
    #[test]
    fn agrees_with_the_aggregates_of_collect(
        values in prop::collection::vec(any_value(), 1..40), width in 1..12usize, keeps_all in any::<bool>()
    ) {
        for function in FUNCTIONS {
            let account = Arc::new(MemoryAccount::unlimited());
            let mut memory = Charge::new(Arc::clone(&account));
            let mut aggregate = sliding(*function, keeps_all);
            for (position, value) in values.iter().enumerate() {
                aggregate.push(value, &mut memory).unwrap();
                let mut first = 0;
                if !keeps_all && position >= width {
                    aggregate.pop(&mut memory).unwrap();
                    first = position + 1 - width;
                }
                let window = &values[first..=position];
                let result = aggregate.result(&Interrupt::new()).unwrap();
                let expected = expected(*function, window);
                prop_assert!(is_close(&result, &expected), "{function:?} of {window:?}: {result:?}");
            }
            aggregate.clear(&mut memory);
            prop_assert_eq!(memory.bytes(), 0);
        }
    }
}
