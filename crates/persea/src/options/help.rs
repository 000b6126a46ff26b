//! The help text, by section.

use std::fmt::Write;

use super::{DEFINITIONS, Definition};

/// All options with what they do.
pub(crate) fn help() -> String {
    let mut text = String::from(
        "usage: persea server [--OPTION VALUE ...]\n\nA value may also come from an environment variable (PERSEA_SERVER_ENDPOINT for\n\
         --server.endpoint) or from the file that --configuration names.\n",
    );
    let mut sections: Vec<&str> = DEFINITIONS.iter().map(section).collect();
    sections.dedup();
    for name in sections {
        let title = if name.is_empty() { "general" } else { name };
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

fn section(definition: &Definition) -> &'static str {
    definition.name.split_once('.').map_or("", |(section, _)| section)
}
