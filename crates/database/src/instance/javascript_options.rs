//! The JavaScript that users may run.

/// The JavaScript that users may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JavaScriptOptions {
    /// True if queries may call functions that users write.
    pub user_defined_functions: bool,
    /// True if transactions may be functions that users write.
    pub transactions: bool,
    /// True if users may make tasks.
    pub tasks: bool,
    /// True if users may run programs by `/_admin/execute`.
    pub admin_execute: bool,
}

impl JavaScriptOptions {
    /// Returns true if users may run JavaScript of any kind.
    pub fn is_enabled(&self) -> bool {
        self.user_defined_functions || self.transactions || self.tasks || self.admin_execute
    }
}

impl Default for JavaScriptOptions {
    fn default() -> Self {
        JavaScriptOptions {
            user_defined_functions: true,
            transactions: true,
            tasks: true,
            admin_execute: false,
        }
    }
}
