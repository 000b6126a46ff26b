//! Properties of every function, and of pairs of functions that undo each other.

use std::time::Duration;

use aql_functions::all;
use aql_value::{Function, Interrupt, Value};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;

use crate::common::{Query, parse, text, value_of};

/// Texts that have a meaning to some function.
const TELLING_TEXTS: [&str; 24] = [
    "",
    "a",
    "foo/bar",
    "2024-02-29T12:34:56.789Z",
    "2015-02-31",
    "0000-01-01",
    "9999-12-31T23:59:59.999Z",
    "P1Y2M3DT4H",
    "day",
    "months",
    "Europe/Berlin",
    "%yyyy-%mm%",
    "(a|b)+$",
    "(",
    "$1\\",
    "identity",
    "interpolation",
    "1.2.3.4",
    "_YU0HOEG---",
    "[1, {\"a\": 2}]",
    "öß🥑\u{301}",
    "1e308",
    "CONCAT",
    "persons/alice",
];

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-3_i64..40).prop_map(Value::Int),
        any::<i64>().prop_map(Value::Int),
        any::<u64>().prop_map(Value::from_u64),
        any::<f64>().prop_map(Value::from_f64),
        prop::sample::select(vec![i64::MIN, i64::MAX, 1 << 31, 1 << 32, 10_000_000, 253_402_300_799_999])
            .prop_map(Value::Int),
        prop::sample::select(vec![0.5, -0.0, 1e-300, 1e300, f64::MAX, f64::MIN_POSITIVE])
            .prop_map(Value::Double),
    ]
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        3 => number(),
        3 => prop::sample::select(TELLING_TEXTS.as_slice()).prop_map(Value::from_str),
        1 => "\\PC{0,20}".prop_map(|text| Value::from_str(&text)),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 24, 5, |inner| {
        let name = prop::sample::select(vec!["_id", "_key", "a", "b", "name with blanks", "ö", ""]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|elements| Value::array(&elements)),
            prop::collection::vec(number(), 0..6).prop_map(|elements| Value::array(&elements)),
            prop::collection::vec((name, inner), 0..4).prop_map(|entries| Value::object(&entries)),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    let entry = (prop::sample::select(vec!["a", "b", "c", "_key"]), value());
    prop::collection::vec(entry, 0..4).prop_map(|entries| Value::object(&entries))
}

fn function() -> impl Strategy<Value = &'static Function> {
    prop::sample::select(all().collect::<Vec<_>>())
}

/// Returns a function with as many arguments as it takes.
fn call() -> impl Strategy<Value = (&'static Function, Vec<Value>)> {
    function().prop_flat_map(|function| {
        let most = function.max_args.unwrap_or(function.min_args + 3);
        (Just(function), prop::collection::vec(value(), function.min_args..=most))
    })
}

/// Returns a query whose calls end soon, `SLEEP()` included.
fn short_query() -> Query<'static> {
    Query { interrupt: Interrupt::with_max_runtime(Duration::from_millis(50)), ..Query::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn no_arguments_make_a_function_panic_and_equal_ones_give_equal_answers((function, arguments) in call()) {
        let first = short_query().call(function, &arguments);
        if !function.deterministic {
            return Ok(());
        }
        let second = short_query().call(function, &arguments);
        prop_assert_eq!(&first.warnings, &second.warnings);
        match (first.result, second.result) {
            (Ok(first), Ok(second)) => prop_assert_eq!(first.to_json(), second.to_json()),
            (Err(first), Err(second)) if first.number() == second.number() => {}
            // A call near the time limit may end within it once and not the other time.
            (Err(error), _) | (_, Err(error)) => prop_assert_eq!(error.number(), 1500),
        }
    }
}

#[test]
fn deep_nesting_is_harmless() {
    let mut array = Value::Int(1);
    let mut object = Value::Int(1);
    for _ in 0..1000 {
        array = Value::array(&[array]);
        object = Value::object(&[("a", object)]);
    }
    for function in all() {
        for argument in [&array, &object] {
            let count = function.max_args.unwrap_or(function.min_args + 1).min(3).max(function.min_args);
            let arguments = vec![argument.clone(); count];
            // Any result will do, as long as the call returns.
            let _ = short_query().call(function, &arguments).result;
            let lists = vec![Value::array(&[argument.clone(), argument.clone()]); count];
            let _ = short_query().call(function, &lists).result;
            let mut named = arguments.clone();
            if let Some(second) = named.get_mut(1) {
                *second = text("a");
            }
            let _ = short_query().call(function, &named).result;
        }
    }
}

/// Returns texts without the separator `,`.
fn part() -> impl Strategy<Value = String> {
    "[a-zäöü🥑 ]{0,5}"
}

proptest! {
    #[test]
    fn split_undoes_concat_separator(parts in prop::collection::vec(part(), 1..6)) {
        let list = Value::array(&parts.iter().map(|part| text(part)).collect::<Vec<_>>());
        let joined = value_of("CONCAT_SEPARATOR", &[text(","), list.clone()]);
        prop_assert_eq!(&value_of("SPLIT", &[joined.clone(), text(",")]), &list);
        prop_assert_eq!(value_of("REGEX_SPLIT", &[joined, text(",")]), list);
    }

    #[test]
    fn json_parse_undoes_json_stringify(value in value()) {
        let json = value_of("JSON_STRINGIFY", std::slice::from_ref(&value));
        prop_assert_eq!(value_of("JSON_PARSE", &[json]), value);
    }

    #[test]
    fn encodings_decode(input in "\\PC{0,20}") {
        let encoded = value_of("TO_BASE64", &[text(&input)]);
        prop_assert_eq!(STANDARD.decode(encoded.as_str().unwrap()).unwrap(), input.as_bytes());
        let hex = value_of("TO_HEX", &[text(&input)]);
        let digits = hex.as_str().unwrap().as_bytes().chunks(2);
        let bytes: Vec<u8> =
            digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect();
        prop_assert_eq!(bytes, input.as_bytes());
    }

    #[test]
    fn reverse_undoes_itself(input in "\\PC{0,20}", list in prop::collection::vec(leaf(), 0..6)) {
        for value in [text(&input), Value::array(&list)] {
            let reversed = value_of("REVERSE", std::slice::from_ref(&value));
            prop_assert_eq!(value_of("REVERSE", &[reversed]), value);
        }
    }

    #[test]
    fn substring_takes_characters(input in "[aöß🥑]{0,9}", offset in -12_i64..12, length in -2_i64..12) {
        let characters: Vec<char> = input.chars().collect();
        let count = characters.len() as i64;
        let start = if offset < 0 { (count + offset).max(0) } else { offset };
        let model: String = characters.iter().skip(start as usize).take(length.max(0) as usize).collect();
        let arguments = [text(&input), Value::Int(offset), Value::Int(length)];
        prop_assert_eq!(value_of("SUBSTRING", &arguments), text(&model));
        let halves = [
            value_of("LEFT", &[text(&input), Value::Int(length)]),
            value_of("RIGHT", &[text(&input), Value::Int(count - length.max(0))]),
        ];
        prop_assert_eq!(value_of("CONCAT", &halves), text(&input));
    }

    #[test]
    fn addresses_and_bits_convert_back(number in any::<u32>()) {
        let number = Value::Int(i64::from(number));
        let address = value_of("IPV4_FROM_NUMBER", std::slice::from_ref(&number));
        prop_assert_eq!(&value_of("IPV4_TO_NUMBER", &[address]), &number);
        let digits = value_of("BIT_TO_STRING", &[number.clone(), Value::Int(32)]);
        prop_assert_eq!(&value_of("BIT_FROM_STRING", &[digits]), &number);
        let positions = value_of("BIT_DECONSTRUCT", std::slice::from_ref(&number));
        prop_assert_eq!(value_of("BIT_CONSTRUCT", &[positions]), number);
    }

    #[test]
    fn pop_undoes_push_and_shift_undoes_unshift(list in prop::collection::vec(leaf(), 0..6), added in value()) {
        let array = Value::array(&list);
        for (add, remove) in [("PUSH", "POP"), ("UNSHIFT", "SHIFT")] {
            let longer = value_of(add, &[array.clone(), added.clone()]);
            prop_assert_eq!(longer.len(), list.len() + 1);
            prop_assert_eq!(value_of(remove, &[longer]), array.clone());
        }
    }

    #[test]
    fn sorting_is_in_the_total_order(list in prop::collection::vec(value(), 0..8)) {
        let sorted: Vec<Value> = value_of("SORTED", &[Value::array(&list)]).elements().collect();
        let mut model = list.clone();
        model.sort();
        prop_assert_eq!(&sorted, &model);
        model.dedup();
        prop_assert_eq!(value_of("COUNT_DISTINCT", &[Value::array(&list)]), Value::Int(model.len() as i64));
        prop_assert_eq!(value_of("SORTED_UNIQUE", &[Value::array(&list)]), Value::array(&model));
    }

    #[test]
    fn set_functions_agree_with_their_definition(
        left in prop::collection::vec(-4_i64..4, 0..8),
        right in prop::collection::vec(-4_i64..4, 0..8),
    ) {
        let list = |numbers: &[i64]| Value::array(&numbers.iter().map(|number| Value::Int(*number)).collect::<Vec<_>>());
        let arrays = [list(&left), list(&right)];
        let set_of = |name: &str| {
            let mut numbers: Vec<i64> = value_of(name, &arrays).elements().map(|number| number.to_i64()).collect();
            numbers.sort_unstable();
            numbers
        };
        let model = |keep: &dyn Fn(i64) -> bool| (-4..4).filter(|number| keep(*number)).collect::<Vec<i64>>();
        let count = |number: i64| left.iter().chain(&right).filter(|other| **other == number).count();
        prop_assert_eq!(set_of("UNION_DISTINCT"), model(&|number| count(number) > 0));
        prop_assert_eq!(set_of("INTERSECTION"), model(&|number| left.contains(&number) && right.contains(&number)));
        prop_assert_eq!(set_of("MINUS"), model(&|number| left.contains(&number) && !right.contains(&number)));
        prop_assert_eq!(set_of("OUTERSECTION"), model(&|number| count(number) == 1));
    }

    #[test]
    fn zip_undoes_entries(entries in prop::collection::btree_map("[a-z]{1,4}", leaf(), 0..6)) {
        let entries: Vec<(&str, Value)> = entries.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        let object = Value::object(&entries);
        let pairs = value_of("ENTRIES", std::slice::from_ref(&object));
        let column = |index| Value::array(&pairs.elements().map(|pair| pair.at(index)).collect::<Vec<_>>());
        prop_assert_eq!(value_of("ZIP", &[column(0), column(1)]).to_json(), object.to_json());
        prop_assert_eq!(value_of("VALUES", std::slice::from_ref(&object)).to_json(), column(1).to_json());
    }

    #[test]
    fn merge_is_right_biased_and_keep_and_unset_are_complements(left in object(), right in object(), name in "[ab]") {
        let merged = value_of("MERGE", &[left, right.clone()]);
        for (name, value) in right.entries() {
            prop_assert_eq!(merged.get(name), value);
        }
        let kept = value_of("KEEP", &[merged.clone(), text(&name)]);
        let rest = value_of("UNSET", &[merged.clone(), text(&name)]);
        prop_assert_eq!(kept.len() + rest.len(), merged.len());
        prop_assert_eq!(value_of("MERGE", &[kept, rest]), merged);
    }

    #[test]
    fn dates_convert_back(ms in -62_167_219_200_000_i64..=253_402_300_799_999) {
        let iso = value_of("DATE_ISO8601", &[Value::Int(ms)]);
        prop_assert_eq!(value_of("DATE_TIMESTAMP", &[iso]), Value::Int(ms));
    }

    #[test]
    fn local_times_of_a_zone_convert_back(ms in -2_000_000_000_000_i64..4_000_000_000_000) {
        for zone in ["Asia/Kolkata", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe"] {
            let local = value_of("DATE_UTCTOLOCAL", &[Value::Int(ms), text(zone)]);
            let utc = value_of("DATE_LOCALTOUTC", &[local.clone(), text(zone)]);
            // For a time that the clock shows twice, the earlier is taken, so only the local time
            // must match.
            prop_assert!(value_of("DATE_UTCTOLOCAL", &[utc, text(zone)]).equal(&local));
        }
    }

    #[test]
    fn truncating_leads_to_a_beginning_and_stays_there(ms in -60_000_000_000_000_i64..250_000_000_000_000) {
        for unit in ["year", "month", "day", "hour", "minute", "second", "millisecond"] {
            let begin = value_of("DATE_TRUNC", &[Value::Int(ms), text(unit)]);
            prop_assert!(value_of("DATE_TRUNC", &[begin.clone(), text(unit)]).equal(&begin));
            prop_assert!(value_of("DATE_TIMESTAMP", std::slice::from_ref(&begin)).to_i64() <= ms);
            let same = value_of("DATE_COMPARE", &[begin, Value::Int(ms), text("year"), text(unit)]);
            prop_assert!(same.to_bool());
        }
    }

    #[test]
    fn the_difference_is_what_was_added(ms in -1_000_000_000_000_i64..4_000_000_000_000, amount in -9999_i64..9999) {
        for unit in ["week", "day", "hour", "minute", "second", "millisecond"] {
            let later = value_of("DATE_ADD", &[Value::Int(ms), Value::Int(amount), text(unit)]);
            let difference = value_of("DATE_DIFF", &[Value::Int(ms), later, text(unit)]);
            prop_assert_eq!(difference.to_i64(), amount);
        }
    }

    #[test]
    fn subtracting_undoes_adding_of_fixed_units(
        ms in 0_i64..4_000_000_000_000,
        amount in 0_i64..10_000,
        unit in prop::sample::select(vec!["weeks", "days", "hours", "minutes", "seconds", "milliseconds"]),
    ) {
        let sum = value_of("DATE_ADD", &[Value::Int(ms), Value::Int(amount), text(unit)]);
        let difference = value_of("DATE_DIFF", &[Value::Int(ms), sum.clone(), text(unit)]);
        prop_assert_eq!(difference, Value::Int(amount));
        let back = value_of("DATE_SUBTRACT", &[sum, Value::Int(amount), text(unit)]);
        prop_assert_eq!(value_of("DATE_TIMESTAMP", &[back]), Value::Int(ms));
    }

    #[test]
    fn flattening_keeps_every_leaf(list in prop::collection::vec(value(), 0..5)) {
        let flat = value_of("FLATTEN", &[Value::array(&list), Value::Int(100)]);
        prop_assert!(flat.elements().all(|element| !element.is_array()));
        let strip = |value: &Value| value.to_json().replace(['[', ']', ','], "");
        // Objects keep their arrays, so only lists without objects can be compared by their text.
        prop_assume!(!value_of("JSON_STRINGIFY", std::slice::from_ref(&flat)).as_str().unwrap().contains('{'));
        prop_assert_eq!(strip(&flat), strip(&Value::array(&list)));
    }

    #[test]
    fn ranges_have_their_ends(start in -50_i64..50, stop in -50_i64..50) {
        let range = value_of("RANGE", &[Value::Int(start), Value::Int(stop)]);
        prop_assert_eq!(range.len() as u64, start.abs_diff(stop) + 1);
        prop_assert_eq!((range.at(0), range.at(-1)), (Value::Int(start), Value::Int(stop)));
    }

    #[test]
    fn the_median_is_the_50th_interpolated_percentile(numbers in prop::collection::vec(-1000_i64..1000, 1..12)) {
        let list = Value::array(&numbers.iter().map(|number| Value::Int(*number)).collect::<Vec<_>>());
        let percentile = value_of("PERCENTILE", &[list.clone(), Value::Int(50), text("interpolation")]);
        prop_assert_eq!(value_of("MEDIAN", &[list]), percentile);
    }

    #[test]
    fn hash_agrees_with_equality(left in value(), right in value()) {
        let hash = |value: &Value| value_of("HASH", std::slice::from_ref(value));
        prop_assert_eq!(hash(&left), hash(&parse(&left.to_json())));
        prop_assert_eq!(hash(&left) == hash(&right), left == right);
        prop_assert!(hash(&left).to_f64() < 9_007_199_254_740_992.0);
    }
}
