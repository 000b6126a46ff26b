use errors::ErrorCode;
use proptest::prelude::*;

use super::*;

fn mount(text: &str) -> Mount {
    Mount::parse(text).unwrap()
}

#[test]
fn each_broken_rule_is_named() {
    let long = format!("/{}", "a".repeat(MOUNT_MAX_BYTES));
    let segment = format!("/{}", "a".repeat(SEGMENT_MAX_BYTES + 1));
    for (text, rule) in [
        ("", "does not begin with a slash"),
        ("shop", "does not begin with a slash"),
        ("/", "is the root"),
        ("//", "ends with a slash"),
        ("/shop/", "ends with a slash"),
        ("/shop//api", "two slashes in a row"),
        ("/shop/APP/x", "reserved"),
        ("/app", "reserved"),
        ("/shop/..", "the character '.'"),
        ("/a b", "the character ' '"),
        ("/a%20b", "the character '%'"),
        ("/ä", "the character 'ä'"),
        ("/a\0", "the character '\\0'"),
        (&long, "bytes; at most 512"),
        (&segment, "part of 201 bytes"),
    ] {
        let error = Mount::parse(text).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidMountPoint);
        assert!(error.message().contains(rule), "{text}: {error}");
    }
    for text in ["/shop", "/Shop-2/api_v1", "/_admin/aardvark", "/1", "/APPLE"] {
        assert_eq!(mount(text).as_str(), text);
    }
}

#[test]
fn a_mount_point_gives_the_prefix_and_the_folder() {
    assert_eq!(mount("/my-foxx").collection_prefix(), "my_foxx");
    assert_eq!(mount("/shop/api-v1").collection_prefix(), "shop_api_v1");
    assert_eq!(mount("/shop/api").folder("_system"), "_db/_system/shop/api/APP");
    assert!(mount("/_api/foxx").is_system() && !mount("/x/_y").is_system());
}

#[test]
fn no_name_of_a_database_leads_out_of_its_folder() {
    for (database, name) in [
        ("..", "%2E."),
        (".", "%2E"),
        ("a/../b", "a%2F..%2Fb"),
        ("a\\b", "a%5Cb"),
        ("50%", "50%25"),
        ("Ä", "Ä"),
    ] {
        assert_eq!(mount("/m").folder(database), format!("_db/{name}/m/APP"));
    }
}

#[test]
fn a_path_matches_at_the_mount_point_and_below_it() {
    let shop = mount("/shop");
    assert_eq!(
        (shop.rest("/shop"), shop.rest("/shop/"), shop.rest("/shop/a")),
        (Some(""), Some("/"), Some("/a"))
    );
    assert!(!shop.matches("/shopping") && !shop.matches("/sho") && !shop.matches("shop"));
}

#[test]
fn the_longest_mount_point_is_found() {
    let mounts: Mounts<usize> =
        ["/a", "/a/b/c", "/b/x"].into_iter().enumerate().map(|(at, text)| (mount(text), at)).collect();
    let find = |path: &str| mounts.find(path).map(|(mount, _)| mount.as_str());
    for (path, found) in [
        ("/a", Some("/a")),
        ("/a/", Some("/a")),
        ("/a/b", Some("/a")),
        ("/a/b/c", Some("/a/b/c")),
        ("/a/b/c/d/e", Some("/a/b/c")),
        ("/a/b/cd", Some("/a")),
        ("/b", None),
        ("/b/x/y", Some("/b/x")),
        ("/", None),
        ("", None),
        ("//a", None),
        ("/ab", None),
    ] {
        assert_eq!(find(path), found, "{path}");
    }
    assert!(Mounts::<()>::default().find("/a").is_none());
}

proptest! {
    #[test]
    fn the_search_agrees_with_a_scan(
        texts in prop::collection::vec("(/[ab]{1,2}){1,4}", 0..12),
        path in "(/[ab]{0,2}){0,6}",
    ) {
        let mounts: Mounts<()> = texts.iter().map(|text| (mount(text), ())).collect();
        let longest = mounts.iter().map(|(mount, ())| mount).filter(|mount| mount.matches(&path));
        let longest = longest.max_by_key(|mount| mount.as_str().len());
        prop_assert_eq!(mounts.find(&path).map(|(mount, ())| mount), longest);
    }
}
