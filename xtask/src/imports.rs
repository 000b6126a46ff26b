//! The order of imports: the standard library, then other crates, then this crate.
//!
//! rustfmt can do this only with options that are not stable yet.

use std::collections::HashSet;

use syn::{Item, UseTree, Visibility};

use crate::{Failure, files};

/// Checks the imports of every Rust file.
pub(crate) fn check() -> Result<(), Failure> {
    let mut wrong = Vec::new();
    for file in files::tracked("*.rs")? {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let source = std::fs::read_to_string(&file).map_err(|error| failed(&error))?;
        let syntax = syn::parse_file(&source).map_err(|error| failed(&error))?;
        wrong.extend(late(&syntax.items, &HashSet::new()).into_iter().map(|name| {
            let order = "std, then other crates, then this crate";
            format!("{}: the import of `{name}` comes too late; the order is {order}", file.display())
        }));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The groups of imports, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Standard,
    OtherCrate,
    ThisCrate,
}

/// Returns the first name of each import that follows one of a later group, also in inner modules.
/// `outer` has the names of the enclosing modules and types.
fn late(items: &[Item], outer: &HashSet<String>) -> Vec<String> {
    let own: HashSet<String> = items.iter().filter_map(own_name).chain(outer.iter().cloned()).collect();
    let mut late = Vec::new();
    let mut latest = Group::Standard;
    for item in items {
        match item {
            // Re-exports stand apart, in an order of their own.
            Item::Use(import) if matches!(import.vis, Visibility::Inherited) => {
                for name in first_names(&import.tree) {
                    let group = group_of(&name, &own);
                    if group < latest {
                        late.push(name);
                    }
                    latest = latest.max(group);
                }
            }
            Item::Mod(module) => {
                latest = Group::Standard;
                late.extend(module.content.iter().flat_map(|(_, items)| self::late(items, &own)));
            }
            _ => latest = Group::Standard,
        }
    }
    late
}

fn first_names(tree: &UseTree) -> Vec<String> {
    match tree {
        UseTree::Path(path) => vec![path.ident.to_string()],
        UseTree::Name(name) => vec![name.ident.to_string()],
        UseTree::Rename(rename) => vec![rename.ident.to_string()],
        UseTree::Glob(_) => Vec::new(),
        UseTree::Group(group) => group.items.iter().flat_map(first_names).collect(),
    }
}

fn group_of(name: &str, own: &HashSet<String>) -> Group {
    match name {
        "std" | "core" | "alloc" => Group::Standard,
        "crate" | "self" | "super" => Group::ThisCrate,
        _ if own.contains(name) => Group::ThisCrate,
        _ => Group::OtherCrate,
    }
}

/// Returns the name of a module or type that paths of imports may begin with.
fn own_name(item: &Item) -> Option<String> {
    match item {
        Item::Mod(item) => Some(item.ident.to_string()),
        Item::Enum(item) => Some(item.ident.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn late_in(source: &str) -> Vec<String> {
        late(&syn::parse_file(source).unwrap().items, &HashSet::new())
    }

    #[test]
    fn imports_of_a_later_group_come_last() {
        assert!(late_in("use std::fmt; use kv::Engine; mod a; use a::A; use crate::B;").is_empty());
        assert_eq!(late_in("use kv::Engine; use std::fmt; use super::B;"), ["std"]);
        assert_eq!(late_in("mod a; use a::A; use kv::Engine;"), ["kv"]);
        assert_eq!(late_in("mod tests { use super::*; use std::fmt; }"), ["std"]);
        assert!(late_in("use crate::A; fn f() {} use std::fmt;").is_empty());
    }
}
