//! Places on borders, or on one great circle. The expected numbers of places are those of S2
//! itself.

use std::cmp::Ordering;

use s2::point::Point;

use crate::crossing::{Crossing, crossing};
use crate::sign::{exact_sign, sign};
use crate::tests::{NEVER, region, shape};
use crate::{Position, Shape, contains, covering_of, intersects, ranges_meeting};

type Corner = (i32, i32);

/// Returns a polygon of corners in whole degrees, longitude first.
fn polygon(corners: &[Corner]) -> Shape {
    region(&ring(corners))
}

fn ring(corners: &[Corner]) -> String {
    let texts: Vec<String> =
        corners.iter().chain(corners.first()).map(|(x, y)| format!("[{x}, {y}]")).collect();
    format!("[[{}]]", texts.join(", "))
}

fn square(west: i32, south: i32, side: i32) -> [Corner; 4] {
    let (east, north) = (west + side, south + side);
    [(west, south), (east, south), (east, north), (west, north)]
}

/// Returns the places in whole degrees from one corner to the other.
fn grid((west, south): Corner, (east, north): Corner) -> impl Iterator<Item = Position> {
    (west..=east).flat_map(move |x| (south..=north).map(move |y| Position::new(x.into(), y.into())))
}

fn is_within(shape: &Shape, place: Position) -> bool {
    contains(shape, &Shape::point(place), NEVER).unwrap()
}

/// Returns points on many great circles with several points each, and on the axes.
fn points() -> Vec<Point> {
    let mut points: Vec<Point> = grid((-2, -1), (2, 1)).map(Position::point).collect();
    points.extend(grid((0, 88), (0, 90)).map(Position::point));
    points.extend([(0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)].map(|(x, y, z)| Point::from_coords(x, y, z)));
    points.extend(
        [(0.6, 0.8, 0.0), (0.6, 0.0, 0.8), (0.0, 0.6, -0.8)].map(|(x, y, z)| Point::from_coords(x, y, z)),
    );
    points
}

#[test]
fn three_different_points_have_a_sign() {
    let points = points();
    let mut collinear = 0;
    for a in &points {
        for b in &points {
            for c in &points {
                let found = sign(a, b, c);
                assert_eq!(found == Ordering::Equal, a == b || b == c || c == a, "{a:?} {b:?} {c:?}");
                assert_eq!(found, exact_sign(a, b, c));
                assert_eq!(found, sign(b, c, a));
                assert_eq!(found, sign(c, b, a).reverse());
                collinear += usize::from(found.is_gt() && a.0.cross(&b.0).dot(&c.0).abs() < 1e-16);
            }
        }
    }
    assert!(collinear > 100, "{collinear}");
    let axes =
        [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)].map(|(x, y, z)| Point::from_coords(x, y, z));
    assert_eq!(sign(&axes[0], &axes[1], &axes[2]), Ordering::Greater);
}

#[test]
fn edges_cross_in_whatever_order_they_are_named() {
    let points: Vec<Point> = points().into_iter().step_by(2).collect();
    for a in &points {
        for b in &points {
            for c in &points {
                for d in &points {
                    let found = crossing(a, b, c, d);
                    let has_shared_end = a == c || a == d || b == c || b == d;
                    assert_eq!(found == Crossing::SharedEnd, has_shared_end);
                    assert_eq!(found, crossing(c, d, a, b));
                    assert_eq!(found, crossing(b, a, c, d));
                    assert_eq!(found, crossing(a, b, d, c));
                }
            }
        }
    }
}

#[test]
fn polygons_contain_the_places_that_s2_finds() {
    let cases: [(&[Corner], Corner, Corner, usize); 11] = [
        (&square(-2, -2, 4), (-8, -8), (8, 8), 22),
        (&square(0, 0, 5), (-6, -6), (11, 11), 22),
        (&square(-5, -5, 10), (-11, -11), (11, 11), 105),
        (&square(-20, -20, 40), (-26, -26), (26, 26), 1705),
        (&square(88, -2, 4), (80, -10), (100, 10), 22),
        // Everything else: clockwise.
        (&[(0, 5), (5, 5), (5, 0), (0, 0)], (-6, -6), (11, 11), 302),
        (&[(-170, 80), (-160, 80), (-160, 89), (-170, 89)], (-172, 79), (-158, 89), 86),
        (&[(0, 80), (90, 80), (180, 80), (-90, 80)], (-179, 78), (180, 89), 2713),
        (&[(170, -10), (-170, -10), (-170, 10), (170, 10)], (-179, -12), (-165, 12), 210),
        (&[(6, 6), (6, 4), (2, 0), (2, 4)], (0, 0), (8, 8), 72),
        (
            &[(-12, -4), (-17, -14), (-9, -17), (2, -13), (20, 1), (20, 12), (6, 11), (5, 16), (-2, 1)],
            (-20, -20),
            (20, 20),
            570,
        ),
    ];
    for (corners, from, to, expected) in cases {
        let shape = polygon(corners);
        let found = grid(from, to).filter(|place| is_within(&shape, *place)).count();
        assert_eq!(found, expected, "{corners:?}");
    }
}

#[test]
fn neighbours_share_out_the_places_on_their_border() {
    for (west, south, side) in [(0, 0, 5), (-5, -5, 5), (88, -2, 2), (30, 40, 7), (178, -3, 1), (-3, 85, 2)] {
        let block: Vec<Shape> = (0..3)
            .flat_map(|column| (0..3).map(move |row| (west + column * side, south + row * side)))
            .filter(|(_, south)| south + side <= 90)
            .map(|(west, south)| {
                let wrapped = |x: i32| if x > 180 { x - 360 } else { x };
                polygon(&square(west, south, side).map(|(x, y)| (wrapped(x), y)))
            })
            .collect();
        // Around the block's middle, and well within its curved northern and southern borders.
        let inside = grid((west + side / 2 + 1, south + side), (west + 2 * side, south + side + side / 2));
        for place in inside.map(Position::wrapped) {
            let found = block.iter().filter(|shape| is_within(shape, place)).count();
            assert_eq!(found, 1, "{place:?} of {west}, {south}");
        }
    }
}

#[test]
fn places_on_the_border_lie_in_the_cells_that_meet_it() {
    let lies_within = |ranges: &[crate::CellRange], cell| {
        ranges.iter().any(|range| range.first <= cell && cell <= range.last)
    };
    let rings: [&[Corner]; 7] = [
        &square(0, 0, 5),
        &square(-5, -5, 10),
        &square(90, 0, 8),
        // Their borders run along those of cells: the places on them lie in cells on the other
        // side.
        &[(85, 0), (90, 0), (90, 8), (85, 8)],
        &[(85, 2), (90, 2), (90, 6)],
        &[(-5, -5), (5, -5), (5, 0), (-5, 0)],
        &square(-45, -8, 8),
    ];
    for corners in rings {
        let shape = polygon(corners);
        let ranges = ranges_meeting(&shape);
        for place in grid((-50, -10), (100, 10)).filter(|place| is_within(&shape, *place)) {
            assert!(lies_within(&ranges, place.cell()), "{place:?} of {corners:?}");
            // The other direction: a shape stored by its covering is found from the place.
            let of_place = ranges_meeting(&Shape::point(place));
            let is_found = covering_of(&shape).iter().any(|cell| lies_within(&of_place, *cell));
            assert!(is_found, "{place:?} of {corners:?}");
        }
    }
}

#[test]
fn rings_that_touch_or_cross_themselves_are_refused() {
    let rings: [&[Corner]; 8] = [
        &[(0, 0), (1, 0), (3, 2), (2, 0)],
        &[(0, 0), (2, 0), (1, 0), (1, 1)],
        &[(0, 0), (4, 0), (4, 4), (2, 0), (0, 4)],
        &[(0, 0), (4, 0), (0, 2), (4, 4), (0, 4)],
        &[(0, 0), (0, 3), (1, 1), (0, 2)],
        &[(0, 0), (0, 2), (1, 1), (0, 1)],
        &[(0, 0), (4, 4), (4, 0), (0, 4)],
        &[(0, 0), (4, 0), (2, 2), (4, 4), (0, 4), (2, 2)],
    ];
    for corners in rings {
        let text = format!(r#"{{"type": "Polygon", "coordinates": {}}}"#, ring(corners));
        assert!(shape(&text).is_err(), "{corners:?}");
    }
}

#[test]
fn rings_may_touch_at_a_vertex_and_not_cross_there() {
    let diamond = "[[0, 0], [4, -4], [8, 0], [4, 4], [0, 0]]";
    let touching = "[[0, 0], [3, -1], [3, 1], [0, 0]]";
    // A bow whose second half leaves the diamond at its corner.
    let crossing = "[[0, 0], [3, 1], [-3, 1], [0, 0]]";
    let read = |hole: &str| shape(&format!(r#"{{"type": "Polygon", "coordinates": [{diamond}, {hole}]}}"#));
    assert!(read(touching).is_ok());
    assert!(read(crossing).is_err());
}

#[test]
fn polygons_that_touch_relate_as_those_of_s2() {
    let cases: [(&[Corner], &[Corner], bool, bool); 7] = [
        (&square(8, 18, 4), &[(7, 21), (7, 20), (8, 21), (8, 22)], false, false),
        (&[(10, 20), (10, 19), (11, 20), (9, 21)], &[(8, 18), (10, 18), (10, 20), (8, 20)], false, false),
        (&[(9, 18), (12, 17), (12, 19), (13, 22), (9, 23)], &square(9, 19, 3), true, true),
        (&square(8, 18, 4), &[(8, 18), (9, 19), (10, 19), (8, 20)], true, true),
        (&square(0, 0, 4), &square(4, 0, 4), false, false),
        // Places of the small one's western and southern sides do not lie on the great one's
        // exactly.
        (&square(0, 0, 4), &square(0, 0, 2), false, true),
        (&square(0, 0, 4), &square(0, 0, 4), true, true),
    ];
    for (left, right, contained, meeting) in cases {
        let (left, right) = (polygon(left), polygon(right));
        assert_eq!(contains(&left, &right, NEVER), Ok(contained), "{left:?} {right:?}");
        assert_eq!(intersects(&left, &right, NEVER), Ok(meeting), "{left:?} {right:?}");
        assert_eq!(intersects(&right, &left, NEVER), Ok(meeting), "{left:?} {right:?}");
    }
}
