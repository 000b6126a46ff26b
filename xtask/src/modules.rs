//! The modules of one crate, and their uses of each other.
//!
//! A module is a file; inline modules belong to the file that they stand in. Tests are omitted. An
//! edge goes to the module that defines a name, also where the name is reached through a re-export.
//! Paths inside macro calls are not seen.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

use crate::Failure;

/// Longest chain of re-exports that is followed.
const MAX_REEXPORTS: usize = 16;

/// The modules of a crate; the first is its root.
pub(crate) struct Modules {
    modules: Vec<Module>,
}

/// A circle of modules: each with the members of the circle that it uses.
pub(crate) type Circle<'a> = Vec<(&'a str, Vec<&'a str>)>;

struct Module {
    /// The path, such as `crate::http::router`.
    name: String,
    parent: Option<usize>,
    children: HashMap<String, usize>,
    items: BTreeSet<String>,
    imports: Vec<Import>,
    paths: Vec<Vec<String>>,
}

/// A name that a `use` brings into a module, or all names if `name` is `None`.
struct Import {
    name: Option<String>,
    path: Vec<String>,
}

impl Modules {
    /// Reads a crate, starting at its root file.
    pub(crate) fn read(root: &Path) -> Result<Self, Failure> {
        let mut modules = Modules { modules: Vec::new() };
        let folder = root.parent().unwrap_or(Path::new("."));
        modules.add(root, folder, "crate", None)?;
        Ok(modules)
    }

    /// Reads a module's file, and those of its children, which lie in `folder`.
    fn add(
        &mut self,
        file: &Path,
        folder: &Path,
        name: &str,
        parent: Option<usize>,
    ) -> Result<usize, Failure> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| failed(&error))?;
        let syntax = syn::parse_file(&text).map_err(|error| failed(&error))?;
        let mut contents = Contents::default();
        contents.visit_file(&syntax);
        let id = self.modules.len();
        let Contents { items, imports, paths, children } = contents;
        let module =
            Module { name: name.to_owned(), parent, children: HashMap::new(), items, imports, paths };
        self.modules.push(module);
        for child in children {
            let inner = folder.join(&child);
            let (flat, nested) = (folder.join(format!("{child}.rs")), inner.join("mod.rs"));
            let file: PathBuf = if flat.is_file() { flat } else { nested };
            let child_id = self.add(&file, &inner, &format!("{name}::{child}"), Some(id))?;
            self.modules[id].children.insert(child, child_id);
        }
        Ok(id)
    }

    /// Returns the groups of modules that use each other in a circle.
    ///
    /// Each module comes with the members of its circle that it uses. A module may use its own
    /// ancestors.
    pub(crate) fn circles(&self) -> Vec<Circle<'_>> {
        let edges: Vec<Vec<usize>> = (0..self.modules.len()).map(|id| self.uses(id)).collect();
        let name = |id: &usize| self.modules[*id].name.as_str();
        let circle = |mut group: Vec<usize>| {
            group.sort_by_key(name);
            let uses = |id: &usize| edges[*id].iter().filter(|to| group.contains(to)).map(name).collect();
            group.iter().map(|id| (name(id), uses(id))).collect()
        };
        strongly_connected(&edges).into_iter().filter(|group| group.len() > 1).map(circle).collect()
    }

    /// Returns the pairs of different children of `folder` where the first uses the second.
    pub(crate) fn uses_among_children(&self, folder: &str) -> Vec<(&str, &str)> {
        let child = |id: usize| {
            let rest = self.modules[id].name.strip_prefix(folder)?.strip_prefix("::")?;
            rest.split("::").next()
        };
        let mut pairs = BTreeSet::new();
        for id in 0..self.modules.len() {
            let Some(from) = child(id) else { continue };
            pairs.extend(
                self.uses(id).into_iter().filter_map(child).filter(|to| *to != from).map(|to| (from, to)),
            );
        }
        pairs.into_iter().collect()
    }

    /// Returns the uses that go from one top-level module to another one that the root lists after
    /// it, as pairs of modules. There are none if the root lists its modules ground first, which is
    /// possible only if they do not use each other in a circle.
    pub(crate) fn upward_uses(&self) -> Vec<(&str, &str)> {
        let mut upward = Vec::new();
        for id in 1..self.modules.len() {
            let room = self.top_level(id);
            let above = self.uses(id).into_iter().filter(|used| self.top_level(*used) > room);
            upward
                .extend(above.map(|used| (self.modules[id].name.as_str(), self.modules[used].name.as_str())));
        }
        upward
    }

    /// Returns the top-level module that contains a module. The numbers of modules ascend in the
    /// order in which their parents list them.
    fn top_level(&self, id: usize) -> usize {
        let mut lineage = std::iter::successors(Some(id), |id| self.modules[*id].parent);
        lineage.find(|id| self.modules[*id].parent == Some(0)).unwrap_or(0)
    }

    /// Returns the modules, other than its ancestors, that define the names in a module.
    fn uses(&self, id: usize) -> Vec<usize> {
        let imports = self.modules[id].imports.iter().map(|import| &import.path);
        let paths = imports.chain(&self.modules[id].paths);
        let used: BTreeSet<usize> = paths.filter_map(|path| self.resolve(id, path, MAX_REEXPORTS)).collect();
        used.into_iter().filter(|used| *used != id && !self.is_ancestor(*used, id)).collect()
    }

    fn is_ancestor(&self, ancestor: usize, of: usize) -> bool {
        std::iter::successors(self.modules[of].parent, |id| self.modules[*id].parent).any(|id| id == ancestor)
    }

    /// Returns the module that defines the item at a path, if it is one of this crate.
    fn resolve(&self, from: usize, path: &[String], reexports: usize) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.descend(0, rest, reexports),
            "self" => self.descend(from, rest, reexports),
            "super" => self.climb(self.modules[from].parent?, rest, reexports),
            name => {
                let child = *self.modules[from].children.get(name)?;
                self.descend(child, rest, reexports)
            }
        }
    }

    fn climb(&self, at: usize, path: &[String], reexports: usize) -> Option<usize> {
        match path.split_first() {
            Some((first, rest)) if first == "super" => self.climb(self.modules[at].parent?, rest, reexports),
            _ => self.descend(at, path, reexports),
        }
    }

    fn descend(&self, at: usize, path: &[String], reexports: usize) -> Option<usize> {
        let Some((first, rest)) = path.split_first() else { return Some(at) };
        let module = &self.modules[at];
        if let Some(child) = module.children.get(first) {
            return self.descend(*child, rest, reexports);
        }
        if module.items.contains(first) || reexports == 0 {
            return Some(at);
        }
        let named = module.imports.iter().find(|import| import.name.as_deref() == Some(first));
        if let Some(import) = named {
            // A name of another crate counts as defined here.
            return self.resolve(at, &import.path, reexports - 1).or(Some(at));
        }
        let globs = module.imports.iter().filter(|import| import.name.is_none());
        let mut through = globs.filter_map(|glob| {
            let target = self.resolve(at, &glob.path, reexports - 1)?;
            let found = self.descend(target, path, reexports - 1)?;
            (found != target || self.modules[target].items.contains(first)).then_some(found)
        });
        through.next().or(Some(at))
    }
}

/// The contents of one file.
#[derive(Default)]
struct Contents {
    items: BTreeSet<String>,
    imports: Vec<Import>,
    paths: Vec<Vec<String>>,
    children: Vec<String>,
}

impl Contents {
    fn import(&mut self, prefix: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.import(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) if name.ident == "self" => {
                self.imports.push(Import { name: prefix.last().cloned(), path: prefix.to_vec() });
            }
            syn::UseTree::Name(name) => {
                let path = with(&name.ident);
                self.imports.push(Import { name: Some(name.ident.to_string()), path });
            }
            syn::UseTree::Rename(rename) => {
                let path = if rename.ident == "self" { prefix.to_vec() } else { with(&rename.ident) };
                self.imports.push(Import { name: Some(rename.rename.to_string()), path });
            }
            syn::UseTree::Glob(_) => self.imports.push(Import { name: None, path: prefix.to_vec() }),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(prefix, tree)),
        }
    }
}

impl<'ast> Visit<'ast> for Contents {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if is_test(item) {
            return;
        }
        self.items.extend(name_of(item));
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        match module.content {
            // A file of another crate's tests.
            None if module.attrs.iter().any(|attribute| attribute.path().is_ident("path")) => {}
            None => self.children.push(module.ident.to_string()),
            Some(_) => visit::visit_item_mod(self, module),
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            self.import(&[], &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            self.paths.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }
}

fn is_test(item: &syn::Item) -> bool {
    let attributes = match item {
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            list.tokens.clone().into_iter().next().is_some_and(|token| token.to_string() == "test")
        }
        _ => false,
    })
}

fn name_of(item: &syn::Item) -> Option<String> {
    Some(match item {
        syn::Item::Const(item) => item.ident.to_string(),
        syn::Item::Enum(item) => item.ident.to_string(),
        syn::Item::Fn(item) => item.sig.ident.to_string(),
        syn::Item::Macro(item) => item.ident.as_ref()?.to_string(),
        syn::Item::Static(item) => item.ident.to_string(),
        syn::Item::Struct(item) => item.ident.to_string(),
        syn::Item::Trait(item) => item.ident.to_string(),
        syn::Item::Type(item) => item.ident.to_string(),
        syn::Item::Union(item) => item.ident.to_string(),
        _ => return None,
    })
}

/// Returns the strongly connected components of a graph, by Tarjan's algorithm.
fn strongly_connected(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search =
        Search { edges, marks: vec![None; edges.len()], next: 0, stack: Vec::new(), found: Vec::new() };
    for id in 0..edges.len() {
        if search.marks[id].is_none() {
            search.visit(id);
        }
    }
    search.found
}

struct Search<'a> {
    edges: &'a [Vec<usize>],
    marks: Vec<Option<Mark>>,
    next: usize,
    stack: Vec<usize>,
    found: Vec<Vec<usize>>,
}

#[derive(Clone, Copy)]
struct Mark {
    /// The order of its discovery.
    index: usize,
    on_stack: bool,
}

impl Search<'_> {
    /// Visits a module and returns the lowest index reachable from it.
    fn visit(&mut self, id: usize) -> usize {
        let index = self.next;
        self.next += 1;
        self.stack.push(id);
        self.marks[id] = Some(Mark { index, on_stack: true });
        let mut low = index;
        for &to in &self.edges[id] {
            match self.marks[to] {
                None => low = low.min(self.visit(to)),
                Some(mark) if mark.on_stack => low = low.min(mark.index),
                Some(_) => {}
            }
        }
        if low == index {
            let at = self.stack.iter().rposition(|on| *on == id).unwrap_or(0);
            let group = self.stack.split_off(at);
            for member in &group {
                if let Some(mark) = &mut self.marks[*member] {
                    mark.on_stack = false;
                }
            }
            self.found.push(group);
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found_through_reexports_and_ancestors_are_no_circle() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("lib.rs", "mod a; mod b; mod c; pub use a::A; pub struct Root;");
        write("a.rs", "use crate::Root; pub struct A(crate::b::B);");
        write("b/mod.rs", "mod inner; pub struct B; pub use inner::I;");
        write("b/inner.rs", "use super::B; pub struct I; #[cfg(test)] mod tests { use crate::c::C; }");
        write("c.rs", "use crate::b::*; pub struct C(I);");
        let read = || Modules::read(&folder.path().join("lib.rs")).unwrap();
        assert!(read().circles().is_empty(), "{:?}", read().circles());
        write("b/inner.rs", "use super::B; use crate::A; pub struct I;");
        let circle = [
            ("crate::a", vec!["crate::b"]),
            ("crate::b", vec!["crate::b::inner"]),
            ("crate::b::inner", vec!["crate::a"]),
        ];
        assert_eq!(read().circles(), [circle]);
        assert_eq!(read().uses_among_children("crate"), [("a", "b"), ("b", "a"), ("c", "b")]);
    }

    #[test]
    fn uses_of_modules_that_are_listed_later_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let upward = || {
            let modules = Modules::read(&folder.path().join("lib.rs")).unwrap();
            let uses = modules.upward_uses().into_iter();
            uses.map(|(from, to)| format!("{from} {to}")).collect::<Vec<_>>()
        };
        write("lib.rs", "mod ground; mod upper; pub struct Root;");
        write("ground/mod.rs", "pub mod deep; use crate::Root;");
        write("ground/deep.rs", "pub struct Deep;");
        write("upper.rs", "use crate::ground::deep::Deep; pub struct Upper;");
        assert!(upward().is_empty(), "{:?}", upward());
        write("ground/deep.rs", "pub struct Deep; use crate::upper::Upper;");
        assert_eq!(upward(), ["crate::ground::deep crate::upper"]);
        write("ground/deep.rs", "pub struct Deep;");
        write("lib.rs", "mod upper; mod ground; pub struct Root;");
        assert_eq!(upward(), ["crate::upper crate::ground::deep"]);
    }
}
