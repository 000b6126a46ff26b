//! The help text, by section.

use std::fmt::Write;

use crate::{Definition, Program};

/// The options that the help text shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope<'a> {
    /// All options but uncommon ones.
    Common,
    /// All options.
    All,
    /// The options of one section; `general` has those without a section.
    Section(&'a str),
}

/// Writes the help text of a program.
pub(crate) fn help(program: &Program, scope: Scope<'_>) -> String {
    let mut text = format!("usage: {} {}\n", program.name, program.usage);
    if !program.about.is_empty() {
        let _ = write!(text, "\n{}\n", program.about);
    }
    let prefix = program.environment_prefix;
    let _ = write!(
        text,
        "\nValues are also read from environment variables ({prefix}SERVER_ENDPOINT for --server.endpoint) and from the\n\
         file that --configuration names. --help-SECTION shows one section. --version, --version-json, --dump-options\n\
         and --dump-dependencies print and exit.\n",
    );
    if scope == Scope::Common && program.definitions().any(|definition| definition.is_uncommon) {
        text.push_str("--help-all also shows less common options.\n");
    }
    let mut sections: Vec<&str> = Vec::new();
    for definition in program.definitions().filter(|definition| is_shown(definition, scope)) {
        if !sections.contains(&definition.section()) {
            sections.push(definition.section());
        }
    }
    for name in sections {
        let _ = write!(text, "\nSection '{}'\n", title(name));
        let options = program.definitions().filter(|definition| definition.section() == name);
        options
            .filter(|definition| is_shown(definition, scope))
            .for_each(|definition| add(definition, &mut text));
    }
    text
}

fn title(section: &str) -> &str {
    if section.is_empty() { "general" } else { section }
}

fn is_shown(definition: &Definition, scope: Scope<'_>) -> bool {
    match scope {
        Scope::Common => !definition.is_uncommon,
        Scope::All => true,
        Scope::Section(name) => title(definition.section()) == name,
    }
}

fn add(definition: &Definition, text: &mut String) {
    let default = match definition.default {
        "" => String::new(),
        default => format!(" Default: {default}."),
    };
    let list = if definition.is_list { ", repeatable" } else { "" };
    let _ = write!(
        text,
        "  {}--{} <{}{list}>\n      {}{default}\n",
        definition.letter.map(|letter| format!("-{letter}, ")).unwrap_or_default(),
        definition.name,
        definition.kind.expected(),
        definition.help
    );
}
