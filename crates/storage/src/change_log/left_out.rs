//! The collections whose changes the log leaves out.

/// Collections in which the server keeps how far others have read the log. Their entries would be
/// news for those readers: each delivery would cause the next.
const LEFT_OUT: [&str; 3] = ["_subscriptions", "_webhooks", "_webhookdeadletters"];

/// Returns true if the log has no entries of a collection: neither its documents nor its
/// definition.
pub fn is_left_out(collection: &str) -> bool {
    collection.starts_with('_') && LEFT_OUT.contains(&collection)
}
