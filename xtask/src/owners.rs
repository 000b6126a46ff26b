//! The owners of computations: an interrupt that nothing else ends, a budget without a limit and an
//! account without a limit are made only where `ARCHITECTURE.md` says why.
//!
//! The section [`SECTION`] has a table whose first column names the file, and whose second column
//! names the expressions. Code of tests is left out.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{Failure, files};

/// The heading of the table.
const SECTION: &str = "## Owners";

/// The expressions that make something without an owner.
const EXPRESSIONS: [&str; 4] =
    ["Interrupt::new()", "Interrupt::default()", "Budget::UNLIMITED", "MemoryAccount::unlimited()"];

/// A file and an expression in it.
type Place = (String, &'static str);

/// Compares the expressions in the code of the product with the table.
pub(crate) fn check() -> Result<(), Failure> {
    let mut found = BTreeSet::new();
    for file in files::tracked("crates/*.rs")?.iter().filter(|file| !is_test(file)) {
        let source = read(file)?;
        found.extend(expressions(&source).map(|expression| (file.display().to_string(), expression)));
    }
    let wrong = differences(&found, &rows(&read(Path::new("ARCHITECTURE.md"))?));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn read(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Returns true for the files of tests. The crate `owner` has the types themselves.
fn is_test(file: &Path) -> bool {
    let mut parts = file.components().map(|part| part.as_os_str().to_string_lossy());
    parts.any(|part| part == "tests" || part.ends_with("tests.rs")) || file.starts_with("crates/owner")
}

/// Returns the expressions that the code has before its tests, which stand last in a file.
fn expressions(source: &str) -> impl Iterator<Item = &'static str> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let lines: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    EXPRESSIONS.into_iter().filter(move |expression| lines.iter().any(|line| line.contains(expression)))
}

/// Returns the places of the table.
fn rows(text: &str) -> BTreeSet<Place> {
    let section = text.split_once(SECTION).map_or("", |(_, section)| section);
    let section = section.split("\n## ").next().unwrap_or_default();
    let mut places = BTreeSet::new();
    for line in section.lines() {
        let mut cells = line.split('|').skip(1).map(str::trim);
        let (Some(file), Some(named)) = (cells.next(), cells.next()) else { continue };
        let file = format!("crates/{}", file.trim_matches('`'));
        let named = EXPRESSIONS.into_iter().filter(|expression| named.contains(expression));
        places.extend(named.map(|expression| (file.clone(), expression)));
    }
    places
}

fn differences(found: &BTreeSet<Place>, rows: &BTreeSet<Place>) -> Vec<String> {
    let unnamed = found.difference(rows).map(|(file, expression)| {
        format!(
            "{file} has {expression}: take the owner's as a parameter, or name it in ARCHITECTURE.md, \
             {SECTION}"
        )
    });
    let gone = rows
        .difference(found)
        .map(|(file, expression)| format!("ARCHITECTURE.md, {SECTION}: {file} has no {expression} any more"));
    unnamed.chain(gone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_compared_with_the_table() {
        let source = "// Interrupt::new()\nlet a = Interrupt::new();\n#[cfg(test)]\nBudget::UNLIMITED";
        assert_eq!(expressions(source).collect::<Vec<_>>(), ["Interrupt::new()"]);
        let table =
            "## Owners\n\n| file | makes |\n| --- | --- |\n| `a/src/b.rs` | `Interrupt::new()` | x |\n";
        let rows = rows(&format!("{table}\n## Next\n\n| `c.rs` | `Budget::UNLIMITED` |\n"));
        let place = ("crates/a/src/b.rs".to_owned(), "Interrupt::new()");
        assert_eq!(rows, BTreeSet::from([place.clone()]));
        assert!(differences(&rows, &rows).is_empty());
        assert!(differences(&rows, &BTreeSet::new())[0].contains("take the owner's"));
        assert!(differences(&BTreeSet::new(), &rows)[0].contains("no Interrupt::new() any more"));
    }

    #[test]
    fn tests_are_left_out() {
        for file in ["crates/a/tests/it/b.rs", "crates/a/src/tests.rs", "crates/a/src/b/tests/c.rs"] {
            assert!(is_test(Path::new(file)), "{file}");
        }
        assert!(!is_test(Path::new("crates/a/src/b.rs")));
    }
}
