//! Manual pages in the language of man(7), made of the definitions.

use std::fmt::Write;

use crate::{Definition, Kind, Program, Version};

/// The manual page of a program.
#[derive(Clone, Copy, Debug)]
pub struct Manual {
    /// The program.
    pub program: &'static Program,
    /// Its purpose in a few words.
    pub summary: &'static str,
    /// The names of links that run it.
    pub links: &'static [&'static str],
    /// The names of other pages of section 1.
    pub see_also: &'static str,
}

impl Manual {
    /// Returns the name of the page: `persea-server` for `persea server`.
    pub fn name(&self) -> String {
        self.program.name.replace(' ', "-")
    }

    /// Returns the page.
    pub fn page(&self, version: Version) -> String {
        let mut page = head(&self.name(), self.summary, version);
        let Program { name, usage, about, environment_prefix, .. } = self.program;
        let _ = writeln!(page, ".SH SYNOPSIS\n.B {}\n{}", escape(name), escape(usage));
        for link in self.links {
            let _ = writeln!(page, ".PP\n.B {}\n{}", escape(link), escape(usage));
        }
        let _ = writeln!(page, ".SH DESCRIPTION\n{}", escape(about));
        page.push_str(".SH OPTIONS\n");
        let mut section = None;
        for definition in self.program.definitions() {
            if section.replace(definition.section()) != Some(definition.section()) {
                let title = if definition.section().is_empty() { "general" } else { definition.section() };
                let _ = writeln!(page, ".SS {}", escape(title));
            }
            add_option(definition, &mut page);
        }
        let _ = writeln!(
            page,
            ".SH ENVIRONMENT\n.TP\n.BI {prefix} OPTION\nThe value of an option that the command line lacks: \
             {prefix}SERVER_ENDPOINT for \\-\\-server.endpoint.",
            prefix = escape(environment_prefix)
        );
        page.push_str(EXIT_STATUS);
        let _ = writeln!(page, ".SH SEE ALSO\n{}", see_also(self.see_also));
        page
    }
}

const EXIT_STATUS: &str = ".SH EXIT STATUS\n\
.TP\n.B 0\nSuccess.\n\
.TP\n.B 1\nFailure; the last message says why.\n\
.TP\n.BR 3 \", \" 4 \", \" 6\nAn unknown option, a wrong value, an unusable configuration file.\n";

/// Returns the page of the binary with a list of its commands: name and summary.
pub fn overview(commands: &[(&str, &str)], version: Version) -> String {
    let mut page = head("persea", "a document, graph, key/value and search database", version);
    page.push_str(".SH SYNOPSIS\n.B persea\n.I COMMAND\n[\\-\\-OPTION VALUE ...]\n.SH DESCRIPTION\n");
    page.push_str(
        "A single binary contains the server and its tools. Each command has its own manual page.\n.SH COMMANDS\n",
    );
    for (name, summary) in commands {
        let _ = writeln!(page, ".TP\n.B {}\n{}", escape(name), escape(summary));
    }
    let pages: Vec<String> = commands.iter().map(|(name, _)| format!("persea-{name}")).collect();
    let _ = writeln!(page, ".SH SEE ALSO\n{}", see_also(&pages.join(" ")));
    page
}

fn head(name: &str, summary: &str, version: Version) -> String {
    let title = name.to_uppercase();
    format!(
        ".TH {} 1 \"\" \"persea {}\" \"Persea\"\n.SH NAME\n{} \\- {}\n",
        escape(&title),
        escape(version.own),
        escape(name),
        escape(summary)
    )
}

fn see_also(pages: &str) -> String {
    let pages: Vec<String> =
        pages.split_whitespace().map(|page| format!(".BR {} (1)", escape(page))).collect();
    pages.join(" ,\n")
}

fn add_option(definition: &Definition, page: &mut String) {
    let value = match definition.kind {
        Kind::Choice(choices) => choices.names().join("|"),
        Kind::Bool => "true|false".to_owned(),
        Kind::Bytes => "BYTES".to_owned(),
        Kind::Seconds => "SECONDS".to_owned(),
        Kind::Number | Kind::Decimal => "NUMBER".to_owned(),
        Kind::Text => "TEXT".to_owned(),
    };
    let _ = writeln!(
        page,
        ".TP\n.BI {}\\-\\-{} \" {}\"\n{}",
        definition.letter.map(|letter| format!("\"\\-{letter}, \"")).unwrap_or_default(),
        escape(definition.name),
        escape(&value),
        escape(definition.help)
    );
    if !definition.default.is_empty() {
        let _ = writeln!(page, "Default: {}.", escape(definition.default));
    }
    if definition.is_list {
        page.push_str("Can be given several times.\n");
    }
}

/// Escapes text, so that it appears in the page unchanged.
fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('"', "\\(dq");
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
}
