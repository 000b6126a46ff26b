//! What functions keep between two calls, so that what they prepare of arguments that stay the same is prepared once.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;

/// One value of each type, made when it is first asked for. Whoever keeps something here bounds its size.
#[derive(Default)]
pub struct Memo {
    values: HashMap<TypeId, Box<dyn Any + Send>>,
}

impl Memo {
    /// The value of the type.
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
