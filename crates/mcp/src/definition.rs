//! Tools as data.

use velocypack::{Builder, Limits, json};

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
    /// The JSON Schema of the arguments: an object.
    pub input_schema: &'static str,
    /// The effect on the data.
    pub effect: Effect,
}

impl Tool {
    /// Returns the schema of the arguments as a value; `None` if it is not JSON.
    pub(crate) fn schema(&self) -> Option<Builder> {
        let mut schema = Builder::new();
        json::parse(self.input_schema.as_bytes(), &Limits::default(), &mut schema).ok()?;
        Some(schema)
    }

    /// Writes the tool as `tools/list` has it.
    pub(crate) fn print(&self, object: &mut Object<'_>) {
        object.text("name", self.name).text("title", self.title).text("description", self.description);
        if let Some(schema) = self.schema() {
            object.value("inputSchema", schema.as_slice());
        }
        let effect = self.effect;
        object.child("annotations", |object| {
            object
                .bool("readOnlyHint", effect == Effect::Reads)
                .bool("destructiveHint", effect == Effect::Changes)
                .bool("idempotentHint", effect == Effect::Reads)
                .bool("openWorldHint", false);
        });
    }
}
