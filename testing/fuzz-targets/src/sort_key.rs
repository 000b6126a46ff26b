//! Any three JSON texts, one a line: comparison is a total order, and equality, hash and sort key
//! agree with it.

use velocypack::{Builder, Limits, Slice, json, order};

pub(crate) fn run(bytes: &[u8]) {
    let mut parser = json::Parser::new(bytes, &Limits::default());
    let mut values = Vec::new();
    while values.len() < 3 {
        let mut builder = Builder::new();
        match parser.next_value(&mut builder) {
            Ok(Some(_)) => values.push(builder.into_vec()),
            _ => break,
        }
    }
    values.sort_by(|left, right| order::compare(Slice::new(left), Slice::new(right)));
    let key = |value: Slice<'_>| {
        let mut key = Vec::new();
        order::sort_key(value, &mut key);
        key
    };
    for (index, left) in values.iter().enumerate() {
        for (other, right) in values.iter().enumerate() {
            let (left, right) = (Slice::new(left), Slice::new(right));
            let found = order::compare(left, right);
            assert_eq!(found, order::compare(right, left).reverse());
            assert!(index >= other || found.is_le(), "sorted, so transitive");
            assert_eq!(order::equal(left, right), found.is_eq());
            let (left_key, right_key) = (key(left), key(right));
            assert_eq!(left_key.cmp(&right_key), found);
            if found.is_eq() {
                assert_eq!(order::hash(left), order::hash(right));
            } else {
                assert!(!left_key.starts_with(&right_key), "no key begins with another");
            }
        }
    }
}
