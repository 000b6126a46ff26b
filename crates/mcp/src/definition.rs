//! Tools, resources and prompts as data.

use crate::writer::Object;

/// The effect of a tool on the data, which clients show to the user before they call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads only.
    Reads,
    /// Adds something. A second call adds it again, or fails.
    Adds,
    /// Changes or removes what is there.
    Changes,
}

/// A tool that a model can call.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// The name, in lower case with underscores.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The description for the model: what the tool does, and when to call it.
    pub description: &'static str,
    /// The parameters, in the order in which clients see them.
    pub parameters: &'static [Parameter],
    /// The effect on the data.
    pub effect: Effect,
}

/// A parameter of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name, in lower case with underscores.
    pub name: &'static str,
    /// The JSON Schema of the value, as JSON.
    pub schema: &'static str,
    /// True if it must be given.
    pub is_required: bool,
}

impl Parameter {
    /// Returns a parameter that must be given.
    pub const fn required(name: &'static str, schema: &'static str) -> Self {
        Parameter { name, schema, is_required: true }
    }

    /// Returns a parameter that may be left out.
    pub const fn optional(name: &'static str, schema: &'static str) -> Self {
        Parameter { name, schema, is_required: false }
    }
}

impl Tool {
    /// Writes the tool as `tools/list` has it.
    pub(crate) fn print(&self, object: &mut Object<'_>) {
        object.text("name", self.name).text("title", self.title).text("description", self.description);
        object.child("inputSchema", |object| self.print_schema(object));
        let effect = self.effect;
        object.child("annotations", |object| {
            object
                .bool("readOnlyHint", effect == Effect::Reads)
                .bool("destructiveHint", effect == Effect::Changes)
                .bool("idempotentHint", effect == Effect::Reads)
                .bool("openWorldHint", false);
        });
    }

    /// Writes the JSON Schema of the arguments.
    fn print_schema(&self, object: &mut Object<'_>) {
        object.text("type", "object");
        object.child("properties", |object| {
            for parameter in self.parameters {
                object.raw(parameter.name, parameter.schema.as_bytes());
            }
        });
        let is_required = |parameter: &&Parameter| parameter.is_required;
        if self.parameters.iter().any(|parameter| parameter.is_required) {
            let names = self.parameters.iter().filter(is_required).map(|parameter| parameter.name);
            object.texts("required", names);
        }
        object.bool("additionalProperties", false);
    }
}

/// Something that a client can read by its URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The URI.
    pub uri: String,
    /// The name.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// The type of the content.
    pub mime_type: &'static str,
}

impl Resource {
    /// Writes the resource as `resources/list` has it.
    pub(crate) fn print(&self, object: &mut Object<'_>) {
        object
            .text("uri", &self.uri)
            .text("name", &self.name)
            .text("description", &self.description)
            .text("mimeType", self.mime_type);
    }
}

/// A family of resources, whose URIs have variables in braces (RFC 6570, level 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The URIs.
    pub uri_template: String,
    /// The name.
    pub name: &'static str,
    /// The description for the model.
    pub description: &'static str,
    /// The type of the content.
    pub mime_type: &'static str,
}

impl Template {
    /// Writes the template as `resources/templates/list` has it.
    pub(crate) fn print(&self, object: &mut Object<'_>) {
        object
            .text("uriTemplate", &self.uri_template)
            .text("name", self.name)
            .text("description", self.description)
            .text("mimeType", self.mime_type);
    }
}

/// A prompt that a user can choose.
#[derive(Clone, Copy, Debug)]
pub struct Prompt {
    /// The name.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The description for people.
    pub description: &'static str,
    /// The arguments.
    pub arguments: &'static [PromptArgument],
}

/// An argument of a prompt, which is a text.
#[derive(Clone, Copy, Debug)]
pub struct PromptArgument {
    /// The name.
    pub name: &'static str,
    /// The description for people.
    pub description: &'static str,
    /// True if it must be given.
    pub is_required: bool,
}

impl Prompt {
    /// Writes the prompt as `prompts/list` has it.
    pub(crate) fn print(&self, object: &mut Object<'_>) {
        object.text("name", self.name).text("title", self.title).text("description", self.description);
        object.list("arguments", |array| {
            for argument in self.arguments {
                array.object(|object| {
                    object.text("name", argument.name).text("description", argument.description);
                    object.bool("required", argument.is_required);
                });
            }
        });
    }
}
