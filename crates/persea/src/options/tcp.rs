//! `--tcp`: sockets.

use options::{Flag, Number, Opt, flag, number};

options::section! {
    pub(crate) static BACKLOG_SIZE: Opt<Number> =
        number("tcp.backlog-size", "1024", "Maximum number of connections that wait to be accepted.");
    pub(crate) static REUSE_ADDRESS: Opt<Flag> =
        flag("tcp.reuse-address", true, "Listen even on an address that was in use a moment ago.");
}
