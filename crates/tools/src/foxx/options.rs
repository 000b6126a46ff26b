//! The options of `persea foxx`. Names that foxx-cli has mean the same.

use options::{Choice, Definition, Flag, List, Maybe, Opt, Options, Program, Text, choice, flag, text};

use super::reporter::Reporter;
use crate::options::{ENVIRONMENT_PREFIX, IGNORED, REFUSED, general, log, server};

pub(super) static PROGRAM: Program = Program {
    name: "persea foxx",
    usage: "COMMAND [ARGUMENT ...] [--OPTION VALUE ...]",
    about: "Install, configure, test and remove services in JavaScript (Foxx), and make bundles of them. Commands: \
            list; info, uninstall, scripts, set-dev, set-prod or download MOUNT; install, upgrade or replace MOUNT \
            [SOURCE]; config or deps MOUNT [NAME=VALUE ...]; run MOUNT SCRIPT [ARGUMENT]; test MOUNT [FILTER]; bundle \
            [FOLDER]; init [FOLDER]; ignore [PATTERN ...]; server list. SOURCE is a folder, a ZIP archive, a JavaScript \
            file, a URL, or - for the standard input. Default: the working directory. The exit code is 1 if a test \
            fails. -c is --cfg here.",
    sections: &[ROWS, general::ROWS, server::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED],
    refused: &[REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some(ARGUMENT.row()),
};

const REPORTERS: &[(&str, Reporter); 7] = &[
    ("spec", Reporter::Spec),
    ("list", Reporter::List),
    ("min", Reporter::Min),
    ("json", Reporter::Json),
    ("tap", Reporter::Tap),
    ("stream", Reporter::Stream),
    ("xunit", Reporter::Xunit),
];

options::section! {
    pub(super) static ALL: Opt<Flag> =
        flag("all", false, "List the services of the system, too.").letter('a');
    pub(super) static ARGUMENT: Opt<List<Text>> =
        text("argument", "", "Command, and its arguments. The option's name may be left out.").list().uncommon();
    pub(super) static CFG: Opt<List<Text>> =
        text("cfg", "", "Value of the service's configuration, as NAME=VALUE or NAME=@FILE. A value that is not JSON is a text; FILE has JSON.").list().secret().letter('c');
    pub(super) static DEP: Opt<List<Text>> =
        text("dep", "", "Service that the new one uses, as NAME=/MOUNT. A name may come several times.").list().letter('d');
    static DEV: Opt<Flag> =
        flag("dev", false, "Do the same as --development.").uncommon();
    static DEVELOPMENT: Opt<Flag> =
        flag("development", false, "Begin the development of the service once it is installed.");
    pub(super) static EXAMPLE: Opt<Flag> =
        flag("example", false, "Make a service with routes, a setup script and a test.").letter('e');
    pub(super) static EXTRACT: Opt<Flag> =
        flag("extract", false, "Unpack the downloaded archive into the folder --outfile, or into the working directory.").letter('x');
    pub(super) static FORCE: Opt<Flag> =
        flag("force", false, "Install although there is no service to upgrade or replace; reset the settings that are not given; overwrite files.").letter('f');
    pub(super) static LEGACY: Opt<Flag> =
        flag("legacy", false, "Ask for the compatibility with services of ArangoDB 2.8.").uncommon();
    pub(super) static MINIMAL: Opt<Flag> =
        flag("minimal", false, "Print only names and values of settings.");
    static NO_SETUP: Opt<Flag> =
        flag("no-setup", false, "Do not run the setup script.");
    static NO_TEARDOWN: Opt<Flag> =
        flag("no-teardown", false, "Do not run the teardown script.");
    pub(super) static OUTFILE: Opt<Maybe<Text>> =
        text("outfile", "", "Write the archive to this file.").optional().letter('o');
    pub(super) static RAW: Opt<Flag> =
        flag("raw", false, "Print the server's reply as JSON.");
    pub(super) static REMOTE: Opt<Flag> =
        flag("remote", false, "Let the server read SOURCE: a path of its own, or a URL.");
    pub(super) static REPORTER: Opt<Choice<Reporter>> =
        choice("reporter", REPORTERS, "spec", "Form of the results of tests.").letter('R');
    static SETUP: Opt<Flag> =
        flag("setup", true, "Run the setup script of the new service.");
    pub(super) static SLOPPY: Opt<Flag> =
        flag("sloppy", false, "Make a bundle of a folder without manifest.json.");
    pub(super) static STDOUT: Opt<Flag> =
        flag("stdout", false, "Write the archive to the standard output, even if that is a terminal.").letter('O');
    static TEARDOWN: Opt<Flag> =
        flag("teardown", true, "Run the teardown script of the service that is removed. Default of `upgrade`: false.");
}

/// The options of a source and of its installation.
pub(super) const INSTALLATION: &[&Definition] = &[
    CFG.row(),
    DEP.row(),
    DEV.row(),
    DEVELOPMENT.row(),
    LEGACY.row(),
    NO_SETUP.row(),
    REMOTE.row(),
    SETUP.row(),
    RAW.row(),
];

/// The options of the removal of a service.
pub(super) const REMOVAL: &[&Definition] = &[NO_TEARDOWN.row(), TEARDOWN.row()];

/// Returns true if the setup script is to run.
pub(super) fn runs_setup(options: &Options) -> bool {
    options.get(&SETUP) && !options.get(&NO_SETUP)
}

/// Returns true if the teardown script is to run.
pub(super) fn runs_teardown(options: &Options, default: bool) -> bool {
    let asked = if options.is_given(&TEARDOWN) { options.get(&TEARDOWN) } else { default };
    asked && !options.get(&NO_TEARDOWN)
}

/// Returns true if the service is to be developed.
pub(super) fn is_development(options: &Options) -> bool {
    options.get(&DEVELOPMENT) || options.get(&DEV)
}
