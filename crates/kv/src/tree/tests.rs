use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Entry, Node, Tree};

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn entry(key: &[u8], value: &[u8]) -> Entry {
    Entry::new(key, Some(value), &mut Vec::new())
}

fn ascending(tree: &Tree, start: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    tree.iter_from(start).map(pair).collect()
}

fn descending(tree: &Tree, end: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    tree.iter_before(end).map(pair).collect()
}

fn pair(entry: &Entry) -> (Vec<u8>, Vec<u8>) {
    (entry.key().to_vec(), entry.value().unwrap_or_default().to_vec())
}

/// Returns the number of entries. Fails unless nodes are neither empty nor overfull and lower
/// bounds hold.
fn check(node: &Node) -> usize {
    match node {
        Node::Leaf(entries) => {
            assert!((1..=super::NODE_ENTRIES_MAX).contains(&entries.len()));
            assert!(entries.is_sorted_by(|left, right| left.key() < right.key()));
            entries.len()
        }
        Node::Branch(children) => {
            assert!((1..=super::NODE_ENTRIES_MAX).contains(&children.len()));
            assert!(children[1..].is_sorted_by(|left, right| left.lower_bound < right.lower_bound));
            children.iter().map(|child| check(&child.node)).sum()
        }
    }
}

fn check_against(tree: &Tree, model: &Model) {
    assert_eq!(tree.len(), model.len());
    assert_eq!(tree.root.as_deref().map_or(0, check), model.len());
    let pairs: Vec<_> = model.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
    assert_eq!(ascending(tree, b""), pairs);
    assert_eq!(descending(tree, b"").into_iter().rev().collect::<Vec<_>>(), pairs);
}

/// Keys of 0 to 2 bytes: few enough for repetitions, enough for a high tree.
fn key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => any::<u16>().prop_map(|number| (number % 3_000).to_be_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..2),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_tree_is_an_ordered_map(
        writes in prop::collection::vec((key(), prop::option::weighted(0.6, any::<u8>())), 0..4000),
        bounds in prop::collection::vec(key(), 20),
    ) {
        let mut tree = Tree::default();
        let mut model = Model::new();
        let mut copies = Vec::new();
        for (i, (key, value)) in writes.iter().enumerate() {
            match value {
                Some(value) => {
                    let old = tree.insert(entry(key, &[*value])).map(|entry| pair(&entry).1);
                    prop_assert_eq!(old, model.insert(key.clone(), vec![*value]));
                }
                None => {
                    let old = tree.remove(key).map(|entry| pair(&entry).1);
                    prop_assert_eq!(old, model.remove(key));
                }
            }
            if i % 700 == 0 {
                copies.push((tree.clone(), model.clone()));
            }
        }
        copies.push((tree, model));
        for (tree, model) in &copies {
            check_against(tree, model);
            for bound in &bounds {
                let found = tree.get(bound).map(|entry| pair(entry).1);
                prop_assert_eq!(found.as_ref(), model.get(bound));
                let from = model.range(bound.clone()..).next().map(|(key, _)| key.as_slice());
                prop_assert_eq!(tree.iter_from(bound).peek().map(Entry::key), from);
                if !bound.is_empty() {
                    let before = model.range(..bound.clone()).next_back().map(|(key, _)| key.as_slice());
                    prop_assert_eq!(tree.iter_before(bound).peek().map(Entry::key), before);
                }
            }
        }
    }
}

#[test]
fn ascending_and_descending_keys_fill_the_tree() {
    for is_descending in [false, true] {
        let mut tree = Tree::default();
        let mut model = Model::new();
        for i in 0..20_000_u32 {
            let key = (if is_descending { 20_000 - i } else { i }).to_be_bytes();
            tree.insert(entry(&key, b"v"));
            model.insert(key.to_vec(), b"v".to_vec());
        }
        check_against(&tree, &model);
        for i in 0..=20_000_u32 {
            tree.remove(&i.to_be_bytes());
        }
        assert!(tree.is_empty() && tree.root.is_none());
    }
}

#[test]
fn a_copy_shares_what_is_not_written_after_it() {
    let mut tree = Tree::default();
    for i in 0..10_000_u32 {
        tree.insert(entry(&i.to_be_bytes(), b"old"));
    }
    let copy = tree.clone();
    tree.insert(entry(&5_u32.to_be_bytes(), b"new"));
    tree.remove(&6_u32.to_be_bytes());
    tree.remove(b"absent");
    let (Some(Node::Branch(old)), Some(Node::Branch(new))) = (copy.root.as_deref(), tree.root.as_deref())
    else {
        panic!("10,000 entries need branches");
    };
    let copied =
        old.iter().zip(new).filter(|(old, new)| !std::sync::Arc::ptr_eq(&old.node, &new.node)).count();
    assert!(old.len() > 1 && copied == 1, "only the path to the written leaf is copied");
    assert_eq!(copy.get(&5_u32.to_be_bytes()).and_then(Entry::value), Some(&b"old"[..]));
    assert!(copy.get(&6_u32.to_be_bytes()).is_some());
    assert_eq!((copy.len(), tree.len()), (10_000, 9_999));
}
