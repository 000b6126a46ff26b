//! Documents: their links lead somewhere, and their lines are short.

use std::path::Path;

use crate::{Failure, files};

/// Columns of a line, but for tables and lines with a link or a word that cannot be broken.
const MAX_COLUMNS: usize = 100;

/// Checks every Markdown file of the repository.
pub(crate) fn check() -> Result<(), Failure> {
    let mut wrong = Vec::new();
    for file in files::tracked("*.md")? {
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let folder = file.parent().unwrap_or(Path::new(""));
        for (number, line) in (1..).zip(prose_lines(&text)) {
            let place = format!("{}:{number}", file.display());
            let missing = links(line).filter(|link| !leads_somewhere(folder, link));
            wrong.extend(missing.map(|link| format!("{place}: there is no {link}")));
            if is_too_long(line) {
                wrong.push(format!("{place}: {} columns; at most {MAX_COLUMNS}", line.chars().count()));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The lines, of which those within fenced blocks are empty.
fn prose_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().map(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        if fenced || is_fence { "" } else { line }
    })
}

/// The targets of the inline links of a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

fn leads_somewhere(folder: &Path, link: &str) -> bool {
    let path = link.split('#').next().unwrap_or_default();
    let is_elsewhere = link.contains("://") || link.starts_with("mailto:");
    is_elsewhere || path.is_empty() || folder.join(path).exists()
}

fn is_too_long(line: &str) -> bool {
    let is_table = line.trim_start().starts_with('|');
    let can_be_broken = line.trim_start().split(' ').count() > 2 && !line.starts_with("    ");
    !is_table && can_be_broken && !line.contains("](") && line.chars().count() > MAX_COLUMNS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_long_lines_are_found_outside_of_fences() {
        let text = "[a](b.md#c) and [d](e)\n```\n[f](g)\n```\n[h](https://x)";
        let found: Vec<&str> = prose_lines(text).flat_map(links).collect();
        assert_eq!(found, ["b.md#c", "e", "https://x"]);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("e"), "").unwrap();
        let leads = |link| leads_somewhere(folder.path(), link);
        assert!(!leads("b.md#c") && leads("e") && leads("#here") && leads("https://x"));
        assert!(is_too_long(&"word ".repeat(21)) && !is_too_long(&format!("| {}", "word ".repeat(21))));
    }
}
