//! Files of text.

use super::super::form::text_form;
use super::super::xgmml::GraphForm;
use super::settings;

const LINES: &str = concat!(
    r#"{"_key":"a","_id":"c/a","n":1.5,"t":"x \"y\", <z>\n","f":"=1+1","l":[1,"=2"],"b":true,"e":null}"#,
    "\n",
    r#"{"_key":"b","_id":"c/b","n":-1,"o":{"p":"q"}}"#,
    "\n"
);

fn file(arguments: &[&str], has_documents: bool) -> String {
    let settings = settings(&[&["--collection", "c & d"], arguments].concat()).unwrap();
    let mut form = text_form(&settings, "c & d", has_documents);
    let mut out = Vec::new();
    if !has_documents {
        form.begin(&mut out);
    }
    for line in LINES.split_inclusive('\n') {
        form.lines(line.as_bytes(), &mut out).unwrap();
    }
    form.end(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn lines_stay_as_they_are() {
    assert_eq!(file(&[], false), LINES);
}

#[test]
fn arrays_have_a_document_per_line_and_continue() {
    let inner = LINES.trim_end().replace('\n', ",\n");
    assert_eq!(file(&["--type", "json"], false), format!("[\n{inner}\n]\n"));
    assert_eq!(file(&["--type", "json"], true), format!(",\n{inner}\n]\n"));
    let settings = settings(&["--collection", "c", "--type", "json"]).unwrap();
    let (mut form, mut out) = (text_form(&settings, "c", false), Vec::new());
    form.begin(&mut out);
    form.end(&mut out);
    assert_eq!(out, b"[\n]\n");
}

#[test]
fn csv_has_texts_in_quotes_and_no_formulas() {
    let fields = ["--type", "csv", "--fields", "_key, n,t,f,l,b,e,o,a\"b"];
    assert_eq!(
        file(&fields, false),
        "_key,n,t,f,l,b,e,o,\"a\"\"b\"\n\
         \"a\",1.5,\"x \"\"y\"\", <z>\n\",\"'=1+1\",\"[1,\"\"=2\"\"]\",true,,,\n\
         \"b\",-1,,,,,,\"{\"\"p\"\":\"\"q\"\"}\",\n"
    );
    let plain = file(&["--type", "csv", "--fields", "f", "--escape-csv-formulae", "false"], false);
    assert_eq!(plain, "f\n\"=1+1\"\n\n");
}

#[test]
fn xml_has_an_element_for_each_attribute() {
    assert_eq!(
        file(&["--type", "xml"], false),
        r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<collection name="c &amp; d">
<doc key="a">
<att name="_key" type="string" value="a"/>
<att name="_id" type="string" value="c/a"/>
<att name="n" type="number" value="1.5"/>
<att name="t" type="string" value="x &quot;y&quot;, &lt;z&gt;&#10;"/>
<att name="f" type="string" value="=1+1"/>
<att name="l" type="array" value="[1,&quot;=2&quot;]"/>
<att name="b" type="boolean" value="true"/>
<att name="e" type="null" value="null"/>
</doc>
<doc key="b">
<att name="_key" type="string" value="b"/>
<att name="_id" type="string" value="c/b"/>
<att name="n" type="number" value="-1"/>
<att name="o" type="object" value="{&quot;p&quot;:&quot;q&quot;}"/>
</doc>
</collection>
"#
    );
}

#[test]
fn characters_that_xml_cannot_have_are_replaced() {
    let mut out = Vec::new();
    super::super::form::xml::escape("a\u{0}b\u{1b}\t\u{e4}", &mut out);
    assert_eq!(String::from_utf8(out).unwrap(), "a\u{fffd}b\u{fffd}&#9;\u{e4}");
}

#[test]
fn xgmml_has_nodes_and_edges_with_labels() {
    let graph = |arguments: &[&str]| {
        let settings = settings(&[&["--type", "xgmml", "--graph-name", "g"], arguments].concat()).unwrap();
        let (form, mut out) = (GraphForm::new(&settings), Vec::new());
        form.begin("g", &mut out);
        form.lines(
            b"{\"_id\":\"v/1\",\"_key\":\"1\",\"label\":\"One\",\"l\":[1,{\"x\":2.5}],\"z\":null}\n",
            false,
            &mut out,
        )
        .unwrap();
        let edge = b"{\"_id\":\"e/9\",\"_key\":\"9\",\"_from\":\"v/1\",\"_to\":\"v/1\",\"w\":true}\n";
        form.lines(edge, true, &mut out).unwrap();
        form.end(&mut out);
        String::from_utf8(out).unwrap()
    };
    let begin = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
                 <graph label=\"g\" xmlns=\"http://www.cs.rpi.edu/XGMML\" directed=\"1\">\n";
    assert_eq!(
        graph(&["--xgmml-label-only"]),
        format!(
            "{begin}<node label=\"One\" id=\"v/1\"/>\n\
             <edge label=\"Default-Label\" source=\"v/1\" target=\"v/1\"/>\n</graph>\n"
        )
    );
    let whole = graph(&["--xgmml-label-attribute", "l"]);
    assert!(whole.contains("<node label=\"Default-Label\" id=\"v/1\">\n"), "{whole}");
    assert!(
        whole.contains(
            "<att name=\"l\" type=\"list\">\n<att type=\"integer\" value=\"1\"/>\n<att type=\"list\">\n\
             <att name=\"x\" type=\"real\" value=\"2.5\"/>\n</att>\n</att>\n"
        ),
        "{whole}"
    );
    assert!(whole.contains("<att name=\"w\" type=\"boolean\" value=\"true\"/>\n</edge>\n"), "{whole}");
}
