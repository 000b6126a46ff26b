//! Clients of OAuth, and requests to the own server.

use super::foxx_host::{holds, run, run_with};

/// The client of the example in Twitter's documentation of signatures, which names each step.
const OAUTH1: &str = r#"
const crypto = require('@arangodb/crypto');
const oauth1 = (options) => require('@arangodb/foxx/oauth1')({
  requestTokenEndpoint: 'https://api.test/request', authEndpoint: 'https://api.test/authorize?lang=en',
  accessTokenEndpoint: 'https://api.test/access', activeUserEndpoint: 'https://api.test/me?full=1',
  clientId: 'xvz1evFS4wEEPTGEFPHBog', clientSecret: 'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw', ...options });
"#;

#[test]
fn signatures_are_those_of_the_published_example() {
    holds(&format!(
        r#"{OAUTH1}
        crypto.genRandomAlphaNumbers = () => 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg';
        Date.now = () => 1318622958000;
        const signed = oauth1().createSignedRequest('post', 'https://API.twitter.com:443/1.1/statuses/update.json?include_entities=true',
          {{ status: 'Hello Ladies + Gentlemen, a signed OAuth request!' }},
          '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb', 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE');
        print(signed.headers.authorization.includes('oauth_signature="hCtSmYh%2BiHYCEqBWrE7C7hYmtUk%3D"'));
        print(signed.url === 'https://api.twitter.com/1.1/statuses/update.json');
        print(signed.qs === 'include_entities=true&status=Hello%20Ladies%20%2B%20Gentlemen%2C%20a%20signed%20OAuth%20request%21');
        print(signed.headers.accept === 'application/json' && signed.headers.authorization.startsWith('OAuth oauth_consumer_key="'));
        const plain = oauth1({{ signatureMethod: 'PLAINTEXT' }}).createSignedRequest('GET', 'http://a:80?x=1&x=0', null, 't', 's&');
        print(plain.url === 'http://a/' && plain.qs === 'x=0&x=1');
        print(plain.headers.authorization.includes('oauth_signature="kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw%26s%2526"'));
        "#
    ));
}

#[test]
fn tokens_of_oauth1_are_fetched() {
    let printed = run_with(
        "oauth_token=a%20b&oauth_token_secret=c&oauth_callback_confirmed=true",
        &format!(
            r#"{OAUTH1}
            const client = oauth1();
            const token = client.fetchRequestToken('http://me/back?x=1', {{ scope: 'all' }});
            print(token.oauth_token, token.oauth_callback_confirmed);
            client.exchangeRequestToken('t', 'v', {{ oauth_token_secret: 'hidden' }});
            client.fetchActiveUser('t', 's');
            print(client.getAuthUrl('a b', {{ force: true }}), oauth1({{ activeUserEndpoint: undefined }}).fetchActiveUser('t', 's'));"#
        ),
    )
    .unwrap();
    for part in [
        "POST https://api.test/request?scope=all\n",
        "oauth_callback=\"http%3A%2F%2Fme%2Fback%3Fx%3D1\"",
        "a b true\n",
        "POST https://api.test/access\n",
        "oauth_verifier=\"v\"",
        "GET https://api.test/me?full=1\n",
        "https://api.test/authorize?lang=en&force=true&oauth_token=a%20b null\n",
    ] {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
    assert!(!printed.contains("hidden"), "{printed}");
}

/// A client of OAuth 2.0.
const OAUTH2: &str = r#"
const oauth2 = (options) => require('@arangodb/foxx/oauth2')({ authEndpoint: 'https://api.test/auth?scope=user',
  tokenEndpoint: 'https://api.test/token', activeUserEndpoint: 'https://api.test/me', clientId: 'id', clientSecret: 'se&cret', ...options });
"#;

#[test]
fn tokens_of_oauth2_are_fetched() {
    let printed = run_with(
        r#"{"access_token":"t"}"#,
        &format!(
            r#"{OAUTH2}
            print(oauth2().getAuthUrl('http://me/?a=1', {{ state: 's' }}));
            print(oauth2().exchangeGrantToken('c', 'http://me/').access_token);
            oauth2().exchangeRefreshToken('r');
            oauth2({{ refreshEndpoint: 'https://api.test/refresh' }}).exchangeRefreshToken('r');
            oauth2().fetchActiveUser('t');
            print(oauth2({{ activeUserEndpoint: undefined }}).fetchActiveUser('t'));"#
        ),
    )
    .unwrap();
    for part in [
        "https://api.test/auth?scope=user&response_type=code&state=s&redirect_uri=http%3A%2F%2Fme%2F%3Fa%3D1&client_id=id\n",
        "POST https://api.test/token\n",
        "content-type: application/x-www-form-urlencoded\n",
        "grant_type=authorization_code&code=c&redirect_uri=http%3A%2F%2Fme%2F&client_id=id&client_secret=se%26cret\n",
        "grant_type=refresh_token&refresh_token=r&client_id=id&client_secret=se%26cret\n",
        "POST https://api.test/refresh\n",
        "authorization: Bearer t\n",
        "null\n",
    ] {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
}

#[test]
fn empty_replies_and_wrong_options_are_errors() {
    let printed = run(&format!(
        r#"{OAUTH1}{OAUTH2}
        const fails = (run, text) => {{ try {{ run(); }} catch (error) {{ return error.message.includes(text); }} return false; }};
        print(fails(() => oauth1().fetchRequestToken('x'), 'empty body'));
        print(fails(() => oauth2().exchangeGrantToken('c', 'x'), 'empty body'));
        print(fails(() => oauth1({{ signatureMethod: 'RSA-SHA1' }}), 'HMAC-SHA1'));
        print(fails(() => oauth1({{ clientId: '' }}), '`clientId`'));
        print(fails(() => oauth2({{ tokenEndpoint: undefined }}), '`tokenEndpoint`'));
        print(fails(() => oauth1().createSignedRequest('GET', '/path', null, 't', 's'), 'https://HOST'));
        print(fails(() => oauth2().fetchActiveUser(), 'access token'));"#
    ));
    let told = |word: &str| printed.lines().filter(|line| *line == word).count();
    assert_eq!((told("true"), told("false")), (7, 0), "{printed}");
}

#[test]
fn a_path_is_a_request_to_the_own_server() {
    let script = "const r = require('@arangodb/request'); print(r.get('/_db/other/app?x=1', { json: true }).json.own); r.post('/app')";
    assert_eq!(run(script), "GET other /app?x=1\ntrue\nPOST _system /app\n");
}
