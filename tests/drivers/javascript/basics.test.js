// The calls with which a program starts, through arangojs as its registry has it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { randomBytes } from "node:crypto";
import { aql, Database } from "arangojs";

const system = new Database({ url: process.env.PERSEA_ENDPOINT, auth: { username: "root", password: "" } });
let db;

before(async () => {
  db = await system.createDatabase("test_" + randomBytes(6).toString("hex"));
});

after(async () => {
  await system.dropDatabase(db.name);
  system.close();
});

test("the server says that it is one", async () => {
  const version = await system.version();
  assert.equal(version.server, "arango");
  assert.match(version.version, /^3\.12\./);
});

test("documents are saved, read, changed and removed", async () => {
  const people = await db.createCollection("people");
  const saved = await people.save({ _key: "ann", age: 30 }, { returnNew: true });
  assert.equal(saved.new.age, 30);
  await assert.rejects(people.save({ _key: "ann" }), { errorNum: 1210 });
  const updated = await people.update("ann", { city: "Cologne" }, { returnNew: true, returnOld: true });
  assert.deepEqual([updated.old.city, updated.new.city, updated.new.age], [undefined, "Cologne", 30]);
  assert.equal(await people.documentExists("ann"), true);
  await people.remove("ann");
  await assert.rejects(people.document("ann"), { errorNum: 1202 });
});

test("edges know their ends", async () => {
  await db.createCollection("places").then((places) => places.import([{ _key: "a" }, { _key: "b" }, { _key: "c" }]));
  const roads = await db.createEdgeCollection("roads");
  await roads.import([
    { _from: "places/a", _to: "places/b" },
    { _from: "places/c", _to: "places/a" },
  ]);
  assert.equal((await roads.outEdges("places/a")).edges.length, 1);
  assert.equal((await roads.edges("places/a")).edges.length, 2);
  await assert.rejects(roads.save({ _from: "places/a" }), { errorNum: 1233 });
});

test("a cursor is read batch by batch while others write", async () => {
  const numbers = await db.createCollection("numbers");
  await numbers.import(Array.from({ length: 3_000 }, (_, n) => ({ _key: String(n), n })));
  const cursor = await db.query(aql`FOR d IN ${numbers} SORT d.n RETURN d.n`, { batchSize: 250, count: true });
  assert.equal(cursor.count, 3_000);
  await numbers.save({ n: -1 });
  assert.deepEqual(await cursor.all(), Array.from({ length: 3_000 }, (_, n) => n));
});

test("queries take parameters and report errors", async () => {
  const cursor = await db.query("FOR i IN 1..@top FILTER i % 2 == 0 RETURN i", { top: 6 });
  assert.deepEqual(await cursor.all(), [2, 4, 6]);
  await assert.rejects(db.query("FOR x IN"), { errorNum: 1501 });
  await assert.rejects(db.query("RETURN @x"), { errorNum: 1551 });
  const plan = await db.explain("FOR i IN 1..3 RETURN i");
  assert.ok(plan.plan.nodes.some((node) => node.type === "EnumerateListNode"));
});
