//! Options without a section about the process: its user, and who starts it.

use options::{Flag, Maybe, Opt, Text, flag, text};

options::section! {
    pub(crate) static DAEMON: Opt<Flag> =
        flag("daemon", false, "Run in the background, for systems without systemd. The command returns once the server is ready. Requires --pid-file and a log file.");
    pub(crate) static GID: Opt<Maybe<Text>> =
        text("gid", "", "Switch to this group, given by name or number. Default: the group of --uid.").optional();
    pub(crate) static SERVER_GID: Opt<Maybe<Text>> =
        text("server.gid", "", "Alias of --gid.").optional();
    pub(crate) static SERVER_UID: Opt<Maybe<Text>> =
        text("server.uid", "", "Alias of --uid.").optional();
    pub(crate) static SUPERVISOR: Opt<Flag> =
        flag("supervisor", false, "Run a second process that restarts the server after a crash. Requires --pid-file.");
    pub(crate) static UID: Opt<Maybe<Text>> =
        text("uid", "", "Switch to this user, given by name or number, before opening any file.").optional();
}
