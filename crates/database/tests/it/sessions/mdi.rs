//! Multi-dimensional indexes find the same documents as a full scan.

use proptest::prelude::*;
use velocypack::Slice;

use crate::common::{create, query, rows, session, value};

/// Returns a number as JSON, or null. There are few values, so that equal ones occur.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (-20i32..20).prop_map(|number| (f64::from(number) / 2.0).to_string()),
        1 => Just("null".to_owned()),
        1 => prop::sample::select(vec!["1e308", "-1e308", "0.0", "-0.0", "1e-310", "9007199254740993"])
            .prop_map(str::to_owned),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(vec!["<", "<=", ">", ">=", "=="]);
    (prop::sample::select(vec!["x", "y", "z"]), operator, number())
        .prop_map(|(field, operator, number)| format!("d.{field} {operator} {number}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn boxes_hold_what_a_full_scan_finds(
        points in prop::collection::vec((number(), number(), number(), 0u8..3), 0..120),
        queries in prop::collection::vec((prop::collection::vec(condition(), 1..6), 0u8..3), 12),
        sparse: bool,
        prefixed: bool,
    ) {
        let session = session();
        create(&session, r#"{"name": "c"}"#);
        let (kind, prefix) = if prefixed { ("mdi-prefixed", r#", "prefixFields": ["p"]"#) } else { ("mdi", "") };
        let index = format!(
            r#"{{"type": "{kind}", "fields": ["x", "y", "z"], "fieldValueTypes": "double", "sparse": {sparse}{prefix}}}"#
        );
        session.create_index("c", Slice::new(&value(&index))).unwrap();
        // Only a sparse index takes documents without a number.
        let documents: Vec<String> = points
            .iter()
            .map(|(x, y, z, p)| format!("{{x: {x}, y: {y}, z: {z}, p: {p}}}"))
            .map(|document| if sparse { document } else { document.replace("null", "0") })
            .collect();
        query(&session, &format!("FOR d IN [{}] INSERT d INTO c", documents.join(", "))).unwrap();
        query(&session, "FOR d IN c FILTER d.x == 1.5 UPDATE d WITH {y: d.z, z: d.y} IN c").unwrap();
        query(&session, "FOR d IN c FILTER d.x == 3 REMOVE d IN c").unwrap();
        for (conditions, p) in queries {
            let mut condition = conditions.join(" && ");
            if prefixed {
                condition = format!("d.p == {p} && {condition}");
            }
            let by_index = format!("FOR d IN c FILTER {condition} SORT d._key RETURN d._key");
            let full = by_index.replace(" IN c ", " IN c OPTIONS {disableIndex: true} ");
            prop_assert_eq!(rows(&session, &by_index), rows(&session, &full), "{}", by_index);
        }
    }
}
