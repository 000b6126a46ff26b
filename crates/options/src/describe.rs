//! The VelocyPack of `/_admin/options`, `/_admin/options-description` and `--dump-options`, and the
//! graph of `--dump-dependencies`.

use velocypack::{Builder, Result, Slice};

use crate::kind::{is_true, parse_bytes};
use crate::{Definition, Kind, Options, Program};

impl Options {
    /// Returns the values of all options as a VelocyPack object, secrets omitted.
    pub fn values(&self) -> Result<Vec<u8>> {
        let mut builder = Builder::new();
        builder.open_object()?;
        for definition in self.program().definitions().filter(|definition| !definition.is_secret) {
            builder.key(definition.name)?;
            let texts = self.texts(definition);
            if definition.is_list {
                builder.open_array()?;
                texts.iter().try_for_each(|text| add_value(&mut builder, definition, text))?;
                builder.close()?;
            } else {
                match texts.first() {
                    Some(text) => add_value(&mut builder, definition, text)?,
                    None => builder.add_null()?,
                }
            }
        }
        builder.close()?;
        Ok(builder.into_vec())
    }
}

impl Program {
    /// Returns the description of each option as a VelocyPack object. The attributes are those of
    /// ArangoDB.
    pub fn description(&self) -> Result<Vec<u8>> {
        let mut builder = Builder::new();
        builder.open_object()?;
        for definition in self.definitions() {
            builder.key(definition.name)?;
            describe(definition, &mut builder)?;
        }
        builder.close()?;
        Ok(builder.into_vec())
    }

    /// Returns the parts of the program as a graph in the language DOT: its sections of options.
    pub(crate) fn dependencies(&self) -> String {
        let mut sections: Vec<&str> = self
            .definitions()
            .map(|option| option.name.split_once('.').map_or("", |(section, _)| section))
            .collect();
        sections.sort_unstable();
        sections.dedup();
        let edges = sections.iter().filter(|section| !section.is_empty());
        let edges: String = edges.map(|section| format!("  {:?} -> {section:?};\n", self.name)).collect();
        format!("digraph dependencies\n{{\n  overlap = false;\n{edges}}}\n")
    }

    /// Returns the description of each option as JSON.
    pub fn description_json(&self) -> Result<String> {
        let description = self.description()?;
        Ok(Slice::new(&description).to_json_string())
    }
}

fn describe(definition: &Definition, builder: &mut Builder) -> Result<()> {
    builder.open_object()?;
    let texts = [
        ("section", definition.section()),
        ("description", definition.help),
        ("category", "option"),
        ("type", type_name(definition)),
    ];
    for (name, text) in texts {
        builder.key(name)?;
        builder.add_str(text)?;
    }
    let flags = [
        ("hidden", definition.is_uncommon),
        ("experimental", false),
        ("obsolete", false),
        ("enterpriseOnly", false),
        ("requiresValue", !matches!(definition.kind, Kind::Bool)),
        ("required", false),
        // A missing default depends on the machine or on other options.
        ("dynamic", definition.default.is_empty() && matches!(definition.kind, Kind::Number | Kind::Bytes)),
    ];
    for (name, flag) in flags {
        builder.key(name)?;
        builder.add_bool(flag)?;
    }
    for (name, element) in [("os", "linux"), ("component", "single")] {
        builder.key(name)?;
        builder.open_array()?;
        builder.add_str(element)?;
        builder.close()?;
    }
    if let Kind::Choice(choices) = definition.kind {
        builder.key("values")?;
        builder.add_str(&choices.names().join(", "))?;
    }
    if !definition.default.is_empty() {
        builder.key("default")?;
        add_value(builder, definition, definition.default)?;
    }
    builder.close()
}

fn type_name(definition: &Definition) -> &'static str {
    match definition.kind {
        Kind::Text | Kind::Choice(_) if definition.is_list => "string...",
        Kind::Text | Kind::Choice(_) => "string",
        Kind::Bool => "boolean",
        Kind::Number | Kind::Bytes => "uint64",
        Kind::Seconds | Kind::Decimal if definition.is_list => "double...",
        Kind::Seconds | Kind::Decimal => "double",
    }
}

/// Adds a value that has been checked.
fn add_value(builder: &mut Builder, definition: &Definition, value: &str) -> Result<()> {
    match definition.kind {
        Kind::Text | Kind::Choice(_) => builder.add_str(value),
        Kind::Bool => builder.add_bool(is_true(value)),
        Kind::Number | Kind::Bytes => builder.add_u64(parse_bytes(value).unwrap_or(0)),
        Kind::Seconds | Kind::Decimal => match value.parse() {
            Ok(number) => builder.add_f64(number),
            Err(_) => builder.add_slice(Slice::NULL),
        },
    }
}
