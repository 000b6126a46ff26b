//! The options of `persea vpack`, which are those of arangovpack.

use options::{Choice, Flag, Opt, Options, Program, Text, choice, flag, text};

use crate::options::{ENVIRONMENT_PREFIX, IGNORED, REFUSED, general, log};

pub(super) static PROGRAM: Program = Program {
    name: "persea vpack",
    usage: "[--OPTION VALUE ...]",
    about: "Check a value in VelocyPack or JSON, and convert it.",
    sections: &[ROWS, general::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED],
    refused: &[REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: None,
};

const INPUT_FORMS: &[(&str, InputForm); 4] = &[
    ("json", InputForm { is_json: true, is_hex: false }),
    ("json-hex", InputForm { is_json: true, is_hex: true }),
    ("vpack", InputForm { is_json: false, is_hex: false }),
    ("vpack-hex", InputForm { is_json: false, is_hex: true }),
];

const OUTPUT_FORMS: &[(&str, OutputForm); 4] = &[
    ("json", OutputForm::Json),
    ("json-pretty", OutputForm::PrettyJson),
    ("vpack", OutputForm::VelocyPack),
    ("vpack-hex", OutputForm::Hex),
];

options::section! {
    static FAIL_ON_NON_JSON: Opt<Flag> =
        flag("fail-on-non-json", true, "Fail if the value has types that JSON lacks. Otherwise dates are written as numbers, and bytes as hexadecimal digits.");
    static INPUT_FILE: Opt<Text> =
        text("input-file", "-", "Read this file; `-` is standard input.");
    static INPUT_TYPE: Opt<Choice<InputForm>> =
        choice("input-type", INPUT_FORMS, "vpack", "Form of the input.");
    static OUTPUT_FILE: Opt<Text> =
        text("output-file", "+", "Write this file; `+` is standard output.");
    static OUTPUT_TYPE: Opt<Choice<OutputForm>> =
        choice("output-type", OUTPUT_FORMS, "json-pretty", "Form of the output.");
}

/// The form of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InputForm {
    pub(super) is_json: bool,
    /// The bytes are written as hexadecimal digits.
    pub(super) is_hex: bool,
}

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputForm {
    Json,
    PrettyJson,
    VelocyPack,
    /// VelocyPack as hexadecimal digits.
    Hex,
}

/// The settings of the tool.
#[derive(Debug)]
pub(super) struct Settings {
    /// The path of the input; `None` is standard input.
    pub(super) input: Option<String>,
    pub(super) input_form: InputForm,
    /// The path of the output; `None` is standard output.
    pub(super) output: Option<String>,
    pub(super) output_form: OutputForm,
    pub(super) fails_on_non_json: bool,
}

impl Settings {
    pub(super) fn read(options: &Options) -> Self {
        let path = |option: &Opt<Text>, stream: &str| {
            let path = options.get(option);
            (!path.is_empty() && path != stream).then(|| path.to_owned())
        };
        Settings {
            input: path(&INPUT_FILE, "-"),
            input_form: options.get(&INPUT_TYPE),
            output: path(&OUTPUT_FILE, "+"),
            output_form: options.get(&OUTPUT_TYPE),
            fails_on_non_json: options.get(&FAIL_ON_NON_JSON),
        }
    }
}
