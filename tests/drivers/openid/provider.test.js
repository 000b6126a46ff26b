// The certified issuer oidc-provider, and a server of its own that trusts it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import Provider from "oidc-provider";

const REDIRECT = "https://db.example/back";
/** Milliseconds until the server must be ready, on a machine that is busy with other work. */
const START_MILLISECONDS = 120_000;

const key = (type, options, name) => ({ ...generateKeyPairSync(type, options).privateKey.export({ format: "jwk" }), kid: name, use: "sig" });
const jwks = { keys: [key("rsa", { modulusLength: 2048 }, "r"), key("ec", { namedCurve: "P-256" }, "e")] };
const client = (alg) => ({
  client_id: `persea-${alg}`, client_secret: "s3cret: &", redirect_uris: [REDIRECT], grant_types: ["authorization_code"], response_types: ["code"],
  id_token_signed_response_alg: alg,
});

let folder, issuers, server, address;

/** Returns a port that is free now. */
function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Starts an issuer whose client has ID tokens with an algorithm. */
async function startIssuer(alg) {
  const http = createServer();
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${http.address().port}`;
  const provider = new Provider(url, {
    clients: [client(alg)],
    jwks,
    cookies: { keys: ["test"] },
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    claims: { openid: ["sub", "groups", "email", "email_verified"] },
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id, groups: ["readers"], email: `${id}@example.com`, email_verified: true }) }),
  });
  http.on("request", provider.callback());
  return { http, url };
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "persea-openid-"));
  issuers = { RS256: await startIssuer("RS256"), ES256: await startIssuer("ES256") };
  writeFileSync(join(folder, "secret"), "s3cret: &\n");
  writeFileSync(join(folder, "issuers.json"), JSON.stringify(Object.entries(issuers).map(([alg, { url }]) => ({
    id: alg, issuer: url, clientId: `persea-${alg}`, clientSecretFile: "secret", redirectUri: REDIRECT, userClaim: "email", userPrefix: `${alg}:`,
    rules: [{ claim: "groups", contains: "readers", databases: { _system: "ro" } }],
  }))));
  address = `http://127.0.0.1:${await freePort()}`;
  const options = ["server", join(folder, "data"), "--server.endpoint", address.replace("http", "tcp"), "--openid.issuers", join(folder, "issuers.json")];
  server = spawn(process.env.PERSEA_PROGRAM, [...options, "--memory-limit", "1GiB"], { stdio: "ignore" });
  const end = Date.now() + START_MILLISECONDS;
  while (!(await fetch(`${address}/_admin/server/availability`).then((reply) => reply.ok, () => false))) {
    assert.ok(Date.now() < end, "the server did not start");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

after(async () => {
  server?.kill("SIGKILL");
  for (const { http } of Object.values(issuers ?? {})) {
    http.closeAllConnections();
    http.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Plays a browser that signs in at the pages of the issuer. Returns the address that it is sent back to. */
async function browse(start) {
  const cookies = new Map();
  let [url, form] = [start, undefined];
  for (let step = 0; step < 20 && !url.startsWith(REDIRECT); step++) {
    const headers = { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") };
    const reply = await fetch(url, { redirect: "manual", headers, method: form ? "POST" : "GET", body: form });
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      cookies.set(name, value);
    }
    form = undefined;
    if (reply.headers.has("location")) {
      url = new URL(reply.headers.get("location"), url).href;
      continue;
    }
    const page = await reply.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    assert.ok(prompt, `${reply.status} ${page}`);
    url = new URL(/action="([^"]+)"/.exec(page)[1], url).href;
    form = new URLSearchParams(prompt === "login" ? { prompt, login: "ann", password: "x" } : { prompt });
  }
  return new URL(url).searchParams;
}

async function post(path, body) {
  const reply = await fetch(address + path, { method: "POST", body: body && JSON.stringify(body) });
  return { status: reply.status, ...(await reply.json()) };
}

for (const alg of ["RS256", "ES256"]) {
  test(`a user signs in and asks, with ${alg}`, async () => {
    const { url, state } = await post(`/_open/auth/openid/${alg}/start`);
    const answer = await browse(url);
    assert.equal(answer.get("state"), state);
    const finished = await post(`/_open/auth/openid/${alg}/finish`, { state, code: answer.get("code") });
    assert.equal(finished.user, `${alg}:ann@example.com`, JSON.stringify(finished));
    assert.equal(JSON.parse(atob(finished.jwt.split(".")[0])).alg, alg);
    const headers = { authorization: `bearer ${finished.jwt}` };
    const query = await fetch(`${address}/_api/cursor`, { method: "POST", headers, body: JSON.stringify({ query: "RETURN CURRENT_USER()" }) });
    assert.deepEqual((await query.json()).result, [finished.user]);
    const write = await fetch(`${address}/_api/collection`, { method: "POST", headers, body: JSON.stringify({ name: "c" }) });
    assert.equal(write.status, 403);
  });
}

test("the issuer takes a code once", async () => {
  const [first, second] = [await post("/_open/auth/openid/RS256/start"), await post("/_open/auth/openid/RS256/start")];
  const code = (await browse(first.url)).get("code");
  // The verifier is that of another sign-in.
  assert.equal((await post("/_open/auth/openid/RS256/finish", { state: second.state, code })).status, 401);
});
