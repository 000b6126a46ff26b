//! A chart is well-formed for any content, and its values are at the right places.

use crate::axis::{Axis, label};
use crate::{Chart, Panel, Series, escape};

fn panel(values: &[Option<f64>], is_logarithmic: bool) -> Panel {
    Panel {
        title: "a < b & \"c\"".to_owned(),
        places: (0..values.len()).map(|place| place.to_string()).collect(),
        series: vec![Series { name: "one".to_owned(), values: values.to_vec() }],
        is_logarithmic,
        ..Panel::default()
    }
}

/// Returns true if each element that is opened is closed, in order.
fn is_balanced(svg: &str) -> bool {
    let mut open = Vec::new();
    for piece in svg.split('<').skip(1) {
        let Some((tag, _)) = piece.split_once('>') else { return false };
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if tag.starts_with('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    open.is_empty()
}

#[test]
fn a_chart_is_well_formed_whatever_is_in_it() {
    let odd = [None, Some(f64::NAN), Some(0.0), Some(1e300), Some(-3.0), Some(f64::INFINITY)];
    for panels in [vec![], vec![panel(&[], false)], vec![panel(&odd, false), panel(&odd, true)]] {
        let chart = Chart { title: "x\u{1}\n<€".to_owned(), panels };
        let svg = chart.svg();
        assert!(is_balanced(&svg) && !svg.contains('\u{1}') && !svg.contains("NaN"), "{svg}");
    }
    assert_eq!(escape("a<b>&\"\n"), "a&lt;b&gt;&amp;&quot; ");
}

#[test]
fn a_line_breaks_where_there_is_no_value() {
    let svg = Chart { title: String::new(), panels: vec![panel(&[Some(1.0), None, Some(2.0)], false)] }.svg();
    assert_eq!(svg.matches("<path d=\"M").count(), 2, "{svg}");
    assert_eq!(svg.matches("<circle").count(), 2);
}

#[test]
fn ticks_are_round_and_include_all_values() {
    let axis = Axis::new([3.0, 87.0].into_iter(), false);
    assert_eq!(axis.ticks(), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
    assert!((axis.share(50.0) - 0.5).abs() < 1e-9);
    let axis = Axis::new([0.5, 90.0].into_iter(), true);
    assert_eq!(axis.ticks(), [0.1, 1.0, 10.0, 100.0]);
    assert!((axis.share(1.0) - 1.0 / 3.0).abs() < 1e-9);
    let labels = [0.0, 0.25, 12.0, 15_000.0, 2_500_000.0].map(label);
    assert_eq!(labels, ["0", "0.25", "12", "15 k", "2.5 M"]);
}

/// Returns the numbers of an attribute, in order, without values that are not numbers.
fn numbers(svg: &str, attribute: &str) -> Vec<f64> {
    let start = format!(" {attribute}=\"");
    let pieces = svg.split(start.as_str()).skip(1);
    pieces.filter_map(|piece| piece.split('"').next()?.parse().ok()).collect()
}

#[test]
fn long_names_have_room() {
    let name = "a streamed cursor with a long name";
    let mut panel = panel(&[Some(1.0), Some(2.0)], false);
    panel.series[0].name = name.to_owned();
    let svg = Chart { title: String::new(), panels: vec![panel.clone()] }.svg();
    let legend = svg.lines().find(|line| line.contains(name)).unwrap();
    let end = numbers(legend, "x")[0] + 6.0 * name.len() as f64;
    assert!(end < numbers(&svg, "width")[0], "{svg}");
    assert!(!svg.contains("rotate(-35"), "short names of places stay level");
    panel.places = vec!["10,000,000 documents each".to_owned(), "20,000,000 documents each".to_owned()];
    let slanted = Chart { title: String::new(), panels: vec![panel] }.svg();
    assert_eq!(slanted.matches("rotate(-35").count(), 2);
    assert!(numbers(&slanted, "height")[0] > numbers(&svg, "height")[0] + 80.0);
}
