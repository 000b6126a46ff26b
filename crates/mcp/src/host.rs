//! The interface to the program that has the tools.

use velocypack::Slice;

use crate::definition::Tool;

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
}
