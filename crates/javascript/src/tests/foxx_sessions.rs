//! Sessions of services: the middleware, its storages and transports, and passwords.

use super::foxx_host::{holds, run};

/// A request, a reply and a collection that look like those of a service.
const FAKES: &str = r#"
const sessions = require('@arangodb/foxx/sessions');
const collectionStorage = require('@arangodb/foxx/sessions/storages/collection');
const jwtStorage = require('@arangodb/foxx/sessions/storages/jwt');
const crypto = require('@arangodb/crypto');
function request(headers = {}, cookies = {}) {
  return {
    get: (name) => headers[name.toLowerCase()],
    cookie: (name, options) => (name in cookies ? cookies[name] + (options.secret ? ':' + options.secret : '') : null),
  };
}
function response() {
  const res = { sent: [] };
  res.set = (name, value) => { res.sent.push([name, value]); };
  res.cookie = (name, value, options) => { res.sent.push([name, value, options]); };
  return res;
}
function arangoError(errorNum) {
  return Object.assign(new Error('error ' + errorNum), { isArangoError: true, errorNum });
}
class Documents {
  constructor() { this.all = new Map(); this.changes = 0; this.isArangoCollection = true; }
  find(key) { if (!this.all.has(key)) throw arangoError(1202); return this.all.get(key); }
  document(key) { return { ...this.find(key) }; }
  put(key, data) { this.changes += 1; const facts = { _id: 's/' + key, _key: key, _rev: String(this.changes) }; this.all.set(key, { ...data, ...facts }); return facts; }
  save(data) { return this.put('k' + (this.all.size + 1), data); }
  replace(key, data) { this.find(key); return this.put(key, data); }
  update(key, data) { return this.put(key, { ...this.find(key), ...data }); }
  remove(key) { this.find(key); this.all.delete(key); }
}
function fails(run, text) {
  try { run(); } catch (error) { return error instanceof TypeError && error.message.includes(text); }
  return false;
}
"#;

fn check(source: &str) {
    holds(&format!("{FAKES}{source}"));
}

#[test]
fn a_request_gets_its_session_and_the_reply_its_identifier() {
    check(
        r#"
        const documents = new Documents();
        const use = sessions({ storage: documents, transport: 'header' });
        let req = request();
        let res = response();
        use(req, res, () => { req.session.uid = 'anna'; req.sessionStorage.save(req.session); });
        const [[name, sid]] = res.sent;
        print(name === 'X-Session-Id' && documents.all.get(sid).uid === 'anna');
        print(req.sessionStorage === use.storage && use.transport.length === 1);
        req = request({ 'x-session-id': sid });
        res = response();
        let seen;
        use(req, res, () => { seen = req.session.uid; });
        print(seen === 'anna' && res.sent[0][1] === sid);
        // An empty session is not persisted.
        res = response();
        req = request();
        use(req, res, () => {});
        print(req.session.uid === null && req.session.data === null && documents.all.size === 1 && res.sent.length === 0);
        "#,
    );
}

#[test]
fn transports_are_asked_in_order_and_all_are_told() {
    check(
        r#"
        const told = [];
        const transport = (name, sid) => ({
          get: () => { told.push('get ' + name); return sid; },
          set: (res, id) => told.push('set ' + name + ' ' + id),
          clear: () => told.push('clear ' + name),
        });
        const storage = { fromClient: (sid) => ({ sid }), forClient: (session) => session.sid };
        const use = sessions({ storage, transport: [transport('a', null), transport('b', 'x'), transport('c', 'y'), { get: () => null }] });
        const req = {};
        use(req, {}, () => {});
        print(told.join() === 'get a,get b,set a x,set b x,set c x');
        told.length = 0;
        use(req, {}, () => { delete req.session; });
        print(told.join() === 'get a,get b,clear a,clear b,clear c');
        const strict = sessions({ storage, transport: { get: () => null }, autoCreate: false });
        strict(req, {}, () => {});
        print(req.session === null);
        // A storage without `new` begins with an empty session.
        sessions({ storage, transport: { get: () => null } })(req, {}, () => {});
        print(Object.keys(req.session).length === 0);
        "#,
    );
}

#[test]
fn wrong_options_of_sessions_are_named() {
    check(
        r#"
        print(fails(() => sessions(), 'storage'));
        print(fails(() => sessions({ storage: {}, transport: 'cookie' }), '`storage`'));
        print(fails(() => sessions({ storage: 'sessions', transport: 'fax' }), '`transport`'));
        print(fails(() => sessions({ storage: 'sessions' }), '`transport`'));
        print(fails(() => collectionStorage({ ttl: 1 }), '`collection`'));
        print(fails(() => collectionStorage({ collection: 'c', ttl: 0 }), '`ttl`'));
        print(fails(() => jwtStorage({}), 'secret'));
        print(fails(() => jwtStorage({ algorithm: 'none', secret: 'x' }), 'none'));
        print(fails(() => require('@arangodb/foxx/sessions/transports/cookie')({ algorithm: 'sha1' }), '`secret`'));
        "#,
    );
}

#[test]
fn sessions_of_a_collection_expire() {
    check(
        r#"
        const documents = new Documents();
        const storage = collectionStorage({ collection: documents, ttl: 10 });
        const session = storage.save({ ...storage.new(), extra: [1] });
        print(session._key === 'k1' && storage.forClient(session) === 'k1' && documents.all.get('k1').extra[0] === 1);
        // An access keeps the session alive, unless the service wants to do that.
        documents.all.get('k1').lastUpdate = Date.now() - 9000;
        storage.fromClient('k1');
        print(documents.all.get('k1').lastUpdate > Date.now() - 1000);
        const lazy = collectionStorage({ collection: documents, ttl: 10, autoUpdate: false, pruneExpired: true });
        documents.all.get('k1').lastUpdate = Date.now() - 9000;
        print(lazy.fromClient('k1').extra[0] === 1 && documents.all.get('k1').lastUpdate < Date.now() - 8000);
        documents.all.get('k1').lastUpdate = Date.now() - 11000;
        print(storage.fromClient('k1') === null && documents.all.has('k1'));
        print(lazy.fromClient('k1') === null && !documents.all.has('k1'));
        // Saving again replaces the whole session.
        const other = storage.save({ uid: 'a', data: { x: 1 } });
        delete other.uid;
        storage.save(other);
        print(!('uid' in documents.all.get(other._key)) && documents.all.size === 1);
        print(storage.clear(other) === true && storage.clear(other) === false && storage.clear({ _key: 'none' }) === false);
        print(storage.forClient(storage.new()) === null);
        "#,
    );
}

#[test]
fn identifiers_from_clients_are_keys_of_the_collection_only() {
    check(
        r#"
        const storage = collectionStorage({ collection: new Documents() });
        for (const sid of ['', 'unknown', '_users/1', 's/k1', undefined, { _key: 'k1' }]) {
          print(storage.fromClient(sid) === null);
        }
        const broken = collectionStorage({ collection: { isArangoCollection: true, document() { throw arangoError(1203); } } });
        try { broken.fromClient('x'); print(false); } catch (error) { print(error.errorNum === 1203); }
        "#,
    );
}

#[test]
fn tokens_hold_sessions_and_only_valid_ones_count() {
    check(
        r#"
        const storage = jwtStorage('secret');
        const session = { ...storage.new(), uid: 'anna', data: { a: 1 }, twitter: 't' };
        const token = storage.forClient(session);
        print(JSON.parse(Buffer.from(token.split('.')[0], 'base64')).alg === 'HS512');
        const again = storage.fromClient(token);
        print(again.uid === 'anna' && again.data.a === 1 && again.twitter === 't' && again.created === session.created && !('exp' in again));
        const now = Math.floor(Date.now() / 1000);
        const made = (message, key = 'secret', algorithm = 'HS512') => crypto.jwtEncode(key, message, algorithm);
        const whole = { uid: 'anna', exp: now + 100 };
        print(storage.fromClient(made(whole)).uid === 'anna');
        print(storage.fromClient(made({ ...whole, exp: now - 1 })) === null);
        print(storage.fromClient(made({ uid: 'anna' })) === null);
        print(storage.fromClient(made(whole, 'other')) === null);
        print(storage.fromClient(made(whole, 'secret', 'HS256')) === null);
        print(storage.fromClient(made(whole, null, 'none')) === null);
        print(storage.fromClient(token.slice(0, -2)) === null);
        for (const bad of ['', 'a', 'a.b.c', '..', made([1]), made('text'), made(null)]) {
          print(storage.fromClient(bad) === null);
        }
        const capped = jwtStorage({ secret: 'secret', maxExp: now + 50 });
        print(capped.fromClient(made(whole)) === null && capped.fromClient(made({ ...whole, exp: now + 40 })).uid === 'anna');
        const trusting = jwtStorage({ secret: 'secret', verify: false });
        print(trusting.fromClient(made(whole, 'other')).uid === 'anna');
        const open = jwtStorage({ algorithm: 'none' });
        print(open.fromClient(open.forClient(session)).uid === 'anna' && open.fromClient(made(whole)) === null);
        "#,
    );
}

#[test]
fn cookies_have_the_attributes_of_their_transport() {
    check(
        r#"
        const cookie = require('@arangodb/foxx/sessions/transports/cookie');
        const res = response();
        cookie().set(res, 'x');
        cookie({ name: 'n', ttl: 5, algorithm: 'sha1', secret: 's', path: '/p', domain: 'd', secure: true, httpOnly: true }).set(res, 'x');
        cookie('n').clear(res);
        print(JSON.stringify(res.sent[0]) === '["sid","x",{}]');
        print(JSON.stringify(res.sent[1]) === '["n","x",{"path":"/p","domain":"d","secure":true,"httpOnly":true,"algorithm":"sha1","secret":"s","ttl":5}]');
        print(JSON.stringify(res.sent[2]) === '["n","",{"ttl":-1}]');
        // A secret without an algorithm signs nothing.
        print(cookie({ secret: 's' }).get(request({}, { sid: 'v' })) === 'v');
        print(cookie({ secret: 's', algorithm: 'sha256' }).get(request({}, { sid: 'v' })) === 'v:s');
        print(cookie().get(request()) === null);
        const header = require('@arangodb/foxx/sessions/transports/header');
        print(header('X-Mine').get(request({ 'x-mine': 'v' })) === 'v' && header().get(request()) === null);
        "#,
    );
}

#[test]
fn passwords_are_verified_with_any_method() {
    check(
        r#"
        const createAuth = require('@arangodb/foxx/auth');
        for (const method of ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'pbkdf2']) {
          const made = createAuth({ method, saltLength: 8, workFactor: 0.001 }).create('hunter2');
          print(made.method === method && made.salt.length === 8 && typeof made.hash === 'string');
          print(createAuth().verify(made, 'hunter2') === true && createAuth().verify(made, 'hunter3') === false);
        }
        const auth = createAuth();
        print(auth.verify() === false && auth.verify({}, 'x') === false && auth.verify(null) === false);
        print(fails(() => createAuth({ method: 'rot13' }), 'rot13'));
        print(fails(() => createAuth({ workFactor: -1 }), 'workFactor'));
        "#,
    );
}

#[test]
fn nonces_are_known_to_all_scripts_of_the_program_once() {
    let nonce = run("print(require('@arangodb/crypto').createNonce())");
    let nonce = nonce.trim();
    assert_eq!(nonce.len(), 16);
    let check = format!(
        "const c = require('@arangodb/crypto'); print(c.checkAndMarkNonce({nonce:?}), c.checkAndMarkNonce({nonce:?}))"
    );
    assert_eq!(run(&check), "true false\n");
    let check = "const c = require('@arangodb/crypto'); print(c.checkAndMarkNonce('AAAAAAAAAAAAAAAA'), c.checkAndMarkNonce(1))";
    assert_eq!(run(check), "false false\n");
}
