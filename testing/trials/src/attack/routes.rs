//! The server's routes, read from its source.

use std::path::{Path, PathBuf};

use regex::Regex;

/// A method and a pattern of paths such as `/_api/document/{collection}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Route {
    pub(crate) pattern: String,
    pub(crate) method: String,
}

impl Route {
    /// Returns the first two segments, such as `/_api/document`.
    pub(crate) fn family(&self) -> String {
        self.pattern.split('/').take(3).collect::<Vec<_>>().join("/")
    }
}

/// The routes' source, seen from the repository, or from a package of it, where tests run.
const FOLDERS: [&str; 2] = ["crates/server/src/route", "../../crates/server/src/route"];

/// Returns all routes. Errors: text for the user, for example that the source is not there.
pub(crate) fn all_routes() -> Result<Vec<Route>, String> {
    let folder = FOLDERS.iter().map(Path::new).find(|folder| folder.is_dir());
    let folder = folder.ok_or("the routes are read from their source: start this in the repository")?;
    let mut routes = Vec::new();
    for file in files(folder)? {
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        routes.extend(routes_in(&text)?);
    }
    routes.sort();
    if routes.is_empty() { Err(format!("{} names no route", folder.display())) } else { Ok(routes) }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut found = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

fn routes_in(text: &str) -> Result<Vec<Route>, String> {
    let route = r#"Route::\w+\(\s*Verb::(\w+),\s*(?:"([^"]+)"|PATTERN)"#;
    let route = Regex::new(route).map_err(|error| error.to_string())?;
    let constant = Regex::new(r#"const PATTERN: &str = "([^"]+)""#).map_err(|error| error.to_string())?;
    let constant = constant.captures(text).and_then(|found| found.get(1)).map_or("", |found| found.as_str());
    let routes = route.captures_iter(text).map(|found| Route {
        method: found[1].to_uppercase(),
        pattern: found.get(2).map_or(constant, |pattern| pattern.as_str()).to_owned(),
    });
    Ok(routes.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_names_the_routes() {
        let routes = all_routes().unwrap();
        for (method, pattern) in [("POST", "/_api/cursor"), ("POST", "/_api/batch"), ("POST", "/_open/auth")]
        {
            let wanted = Route { method: method.to_owned(), pattern: pattern.to_owned() };
            assert!(routes.contains(&wanted), "{wanted:?}");
        }
        assert!(routes.len() > 150, "{}", routes.len());
    }
}
