//! The examples of "Signature Calculations for the Authorization Header" and of the test suite for
//! Signature Version 4, which Amazon publishes.

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::options::Credentials;
use crate::signature::{Scope, Unsigned, authorization, hexadecimal};

fn key(access_key: &str, secret_key: &str) -> Credentials {
    Credentials { access_key: access_key.to_owned(), secret_key: secret_key.to_owned(), session_token: None }
}

/// Signs a request of the examples of S3, and returns the signature.
fn sign(method: &str, path: &str, query: &[(&str, &str)], headers: &[(&str, &str)], body: &str) -> String {
    let body_sha256 = hexadecimal(&Sha256::digest(body.as_bytes()));
    let mut all = vec![
        ("host", "examplebucket.s3.amazonaws.com"),
        ("x-amz-content-sha256", &body_sha256),
        ("x-amz-date", "20130524T000000Z"),
    ];
    all.extend(headers);
    let headers: Vec<(String, String)> =
        all.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let time = "2013-05-24T00:00:00Z".parse::<Timestamp>().unwrap();
    let scope = Scope { region: "us-east-1", service: "s3", time };
    let request = Unsigned { method, path, query, headers: &headers, body_sha256: &body_sha256 };
    let key = key("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
    let value = authorization(&key, &scope, &request);
    assert!(value.contains("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "));
    value.split_once("Signature=").unwrap().1.to_owned()
}

#[test]
fn an_object_is_read_by_range() {
    let signature = sign("GET", "/test.txt", &[], &[("range", "bytes=0-9")], "");
    assert_eq!(signature, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

#[test]
fn an_object_is_written() {
    let headers = [("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")];
    let signature = sign("PUT", "/test$file.text", &[], &headers, "Welcome to Amazon S3.");
    assert_eq!(signature, "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

#[test]
fn a_bucket_is_asked() {
    let signature = sign("GET", "/", &[("lifecycle", "")], &[], "");
    assert_eq!(signature, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    let signature = sign("GET", "/", &[("prefix", "J"), ("max-keys", "2")], &[], "");
    assert_eq!(signature, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

#[test]
fn the_simplest_request_of_the_suite() {
    let headers = [("host", "example.amazonaws.com"), ("x-amz-date", "20150830T123600Z")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let time = "2015-08-30T12:36:00Z".parse::<Timestamp>().unwrap();
    let scope = Scope { region: "us-east-1", service: "service", time };
    let body_sha256 = hexadecimal(&Sha256::digest(b""));
    let request =
        Unsigned { method: "GET", path: "/", query: &[], headers: &headers, body_sha256: &body_sha256 };
    let value =
        authorization(&key("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"), &scope, &request);
    assert_eq!(
        value,
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
         SignedHeaders=host;x-amz-date, \
         Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
    );
}
