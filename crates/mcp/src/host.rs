//! The interface to the program that has the tools.

use velocypack::Slice;

use crate::definition::{Prompt, Resource, Template, Tool};
use crate::message::Failure;

/// A call of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// The name of the tool.
    pub name: &'c str,
    /// The arguments: an object.
    pub arguments: Slice<'c>,
}

/// The result of a tool. An error of the tool is also a result, which a model can read and repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The result: a JSON object.
    pub json: Vec<u8>,
    /// True if the tool failed.
    pub is_error: bool,
}

/// The content of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The type of the content.
    pub mime_type: &'static str,
    /// The content.
    pub text: String,
}

/// A question for the values that an argument may have.
#[derive(Clone, Copy, Debug)]
pub struct Completion<'c> {
    /// The name of the prompt, or the template of the resource.
    pub reference: &'c str,
    /// The name of the argument or variable.
    pub argument: &'c str,
    /// The beginning of the value.
    pub value: &'c str,
}

/// The program that has the tools.
pub trait Host {
    /// Returns the version of the program.
    fn version(&self) -> &str;

    /// Returns what a model should know before it calls a tool.
    fn instructions(&self) -> String;

    /// Returns the tools that the user may call, always in the same order.
    fn tools(&self) -> Vec<&'static Tool>;

    /// Calls a tool; `None` if there is none with the name.
    fn call(&self, call: Call<'_>) -> Option<Outcome>;

    /// Returns the resources that clients should show.
    fn resources(&self) -> Vec<Resource>;

    /// Returns the families of resources.
    fn templates(&self) -> Vec<Template>;

    /// Reads a resource; `None` if there is none with the URI. Errors: -32603.
    fn read(&self, uri: &str) -> Result<Option<Contents>, Failure>;

    /// Returns the prompts.
    fn prompts(&self) -> &'static [Prompt];

    /// Returns the text of a prompt, which the user sends to the model. `argument` returns an
    /// argument by its name; required ones are there.
    fn prompt(&self, prompt: &Prompt, argument: &dyn Fn(&str) -> Option<String>) -> String;

    /// Returns the values that begin so, in a stable order.
    fn complete(&self, completion: Completion<'_>) -> Vec<String>;
}
