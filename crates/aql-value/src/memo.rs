//! Memoization of functions: preparations of arguments that stay the same from call to call.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;

/// A store of one value of each type, created at its first use. Its users bound its size.
#[derive(Default)]
pub struct Memo {
    values: HashMap<TypeId, Box<dyn Any + Send>>,
}

impl Memo {
    /// Returns the value of the type.
    pub fn get<T: Default + Send + 'static>(&mut self) -> Option<&mut T> {
        let value = self.values.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(T::default()));
        value.downcast_mut()
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memo").field("values", &self.values.len()).finish()
    }
}
