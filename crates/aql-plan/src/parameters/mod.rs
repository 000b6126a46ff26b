//! Bind parameters: the values that a client sends along with a query, and those that plans leave
//! open.

mod bind_parameters;
mod open_parameters;
mod shape;
#[cfg(test)]
mod tests;

pub use bind_parameters::BindParameters;
pub use open_parameters::OpenParameters;
pub use shape::ParameterShape;
