//! The help text, by section.

use std::fmt::Write;

use super::{DEFINITIONS, Definition};

/// What options do: all of them, or those of one section.
pub(crate) fn help(only: Option<&str>) -> String {
    let mut text = String::from(
        "usage: persea server [--OPTION VALUE ...]\n\nA value may also come from an environment variable (PERSEA_SERVER_ENDPOINT for\n\
         --server.endpoint) or from the file that --configuration names. --help-SECTION shows one section; --version,\n\
         --version-json and --dump-options print and end.\n",
    );
    let mut sections: Vec<&str> = DEFINITIONS.iter().map(section).collect();
    sections.dedup();
    for name in sections {
        let title = if name.is_empty() { "general" } else { name };
        if only.is_some_and(|only| only != title) {
            continue;
        }
        let _ = write!(text, "\nSection '{title}'\n");
        for definition in DEFINITIONS.iter().filter(|definition| section(definition) == name) {
            let default = if definition.default.is_empty() {
                String::new()
            } else {
                format!(" (default: {})", definition.default)
            };
            let _ = write!(
                text,
                "  --{} <{}>\n      {}{default}\n",
                definition.name,
                definition.kind.expected(),
                definition.help
            );
        }
    }
    text
}

pub(super) fn section(definition: &Definition) -> &'static str {
    definition.name.split_once('.').map_or("", |(section, _)| section)
}
