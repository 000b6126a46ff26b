//! Options without a section about the process: its user, and who starts it.

use options::{Flag, Maybe, Opt, Text, flag, text};

options::section! {
    pub(crate) static DAEMON: Opt<Flag> =
        flag("daemon", false, "Start in the background, for systems without systemd. The command returns when the server is ready. Needs --pid-file and a file for the log.");
    pub(crate) static GID: Opt<Maybe<Text>> =
        text("gid", "", "Group that the server changes to, by name or number. Default: that of --uid.").optional();
    pub(crate) static SERVER_GID: Opt<Maybe<Text>> =
        text("server.gid", "", "Another name of --gid.").optional();
    pub(crate) static SERVER_UID: Opt<Maybe<Text>> =
        text("server.uid", "", "Another name of --uid.").optional();
    pub(crate) static SUPERVISOR: Opt<Flag> =
        flag("supervisor", false, "A second process that starts the server again after a crash. Needs --pid-file.");
    pub(crate) static UID: Opt<Maybe<Text>> =
        text("uid", "", "User that the server changes to before it opens a file, by name or number.").optional();
}
