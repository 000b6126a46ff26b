use std::collections::BTreeMap;

use crate::BucketOptions;
use crate::error::Result;

fn read(path: &str, settings: &[(&str, &str)]) -> Result<BucketOptions> {
    let key = [("access_key_id", "key"), ("secret_access_key", "secret")];
    let settings = key.iter().chain(settings).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    BucketOptions::read(path, &settings.collect::<BTreeMap<_, _>>())
}

#[test]
fn a_section_of_rclone_names_the_place() {
    let options = read("//bucket//some/folder/", &[("region", "eu-central-1"), ("acl", "")]).unwrap();
    assert_eq!((options.bucket.as_str(), options.prefix.as_str()), ("bucket", "some/folder"));
    assert_eq!(options.endpoint.to_string(), "https://s3.eu-central-1.amazonaws.com:443");
    assert!(options.headers.is_empty() && options.path_style);
    for (given, endpoint) in [
        ("http://localhost:9000", "http://localhost:9000"),
        ("http://localhost", "http://localhost:80"),
        ("storage.example", "https://storage.example:443"),
        ("https://[::1]/", "https://[::1]:443"),
    ] {
        let options = read("bucket", &[("endpoint", given), ("provider", "Minio")]).unwrap();
        assert_eq!(options.endpoint.to_string(), endpoint, "{given}");
    }
    let options = read("bucket", &[("acl", "private"), ("storage_class", "GLACIER_IR")]).unwrap();
    let headers: Vec<_> = options.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(headers, [("x-amz-acl", "private"), ("x-amz-storage-class", "GLACIER_IR")]);
}

#[test]
fn wrong_settings_are_named() {
    for (path, setting, value, expected) in [
        ("", "region", "x", "names no bucket"),
        ("a", "region", "x", "names no bucket"),
        ("bucket/../other", "region", "x", "segments"),
        ("bucket", "sse_customer_key", "x", "sse_customer_key"),
        ("bucket", "provider", "Minio", "'endpoint' is missing"),
        ("bucket", "endpoint", "ftp://x", "http or https"),
        ("bucket", "endpoint", "http://x:y", "port"),
        ("bucket", "force_path_style", "yes", "must be true or false"),
    ] {
        let message = read(path, &[(setting, value)]).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    let nothing = BucketOptions::read("bucket", &BTreeMap::new()).unwrap_err().to_string();
    assert!(nothing.contains("'access_key_id' is missing"), "{nothing}");
}

#[test]
fn no_secret_is_printed() {
    let options = read("bucket", &[("session_token", "token")]).unwrap();
    let text = format!("{options:?}");
    assert!(!text.contains("secret") && !text.contains("token"), "{text}");
}
