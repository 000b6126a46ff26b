//! Titles of commits: `area: what it does now`, short enough for one line of a log.

use std::process::Command;

use crate::Failure;

/// Maximum number of characters of a title; longer ones are cut off by most tools.
const MAX_CHARACTERS: usize = 72;

/// The last commit whose title this check did not see.
const LAST_UNCHECKED: &str = "0c78e2a8fc5fa8b3641374e768817153e92ea3c7";

/// Checks the titles of all commits after [`LAST_UNCHECKED`]. Checks nothing if that commit does
/// not exist, as in a shallow clone or a source archive.
pub(crate) fn check() -> Result<(), Failure> {
    let range = format!("{LAST_UNCHECKED}..HEAD");
    let output = Command::new("git").args(["log", "--no-merges", "--format=%h %s", &range]).output();
    let output = output.map_err(|error| format!("git log could not be started: {error}"))?;
    if !output.status.success() {
        println!("titles: no history to check");
        return Ok(());
    }
    let log = String::from_utf8_lossy(&output.stdout);
    let wrong: Vec<String> = log.lines().filter_map(|line| fault(line.split_once(' ')?)).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Returns a sentence about a commit whose title is too long or names no area.
fn fault((commit, title): (&str, &str)) -> Option<String> {
    let characters = title.chars().count();
    if characters > MAX_CHARACTERS {
        return Some(format!("{commit}: the title has {characters} characters; at most {MAX_CHARACTERS}"));
    }
    let names_area = title.split_once(": ").is_some_and(|(area, rest)| !area.is_empty() && !rest.is_empty());
    (!names_area).then(|| format!("{commit}: the title is {title:?}; it must be `area: what it does now`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_short_and_name_an_area() {
        assert_eq!(fault(("1", "storage: a load is visible in one step")), None);
        assert!(fault(("1", &format!("storage: {}", "a".repeat(64)))).unwrap().contains("73 characters"));
        assert!(fault(("1", "a borrow less")).is_some() && fault(("1", "storage: ")).is_some());
    }
}
