//! The tests that every engine must pass: the definition of the trait.
