// Named graphs and the query results cache, through arangojs as its registry has it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { randomBytes } from "node:crypto";
import { Database } from "arangojs";

const system = new Database({ url: process.env.PERSEA_ENDPOINT, auth: { username: "root", password: "" } });
let db;

before(async () => {
  db = await system.createDatabase("test_" + randomBytes(6).toString("hex"));
});

after(async () => {
  await system.dropDatabase(db.name);
  system.close();
});

test("a graph is created, changed and dropped", async () => {
  const graph = await db.createGraph("social", [{ collection: "knows", from: ["person"], to: ["person"] }]);
  assert.equal(await graph.exists(), true);
  assert.equal((await graph.get()).name, "social");
  assert.deepEqual((await db.graphs()).map((found) => found.name), ["social"]);
  assert.deepEqual(await graph.listEdgeCollections(), ["knows"]);
  await graph.addVertexCollection("place");
  assert.deepEqual((await graph.get()).orphanCollections, ["place"]);
  await assert.rejects(graph.removeVertexCollection("person"), { errorNum: 1928 });
  await graph.addEdgeDefinition({ collection: "livesIn", from: ["person"], to: ["place"] });
  assert.deepEqual((await graph.get()).orphanCollections, []);
  await graph.replaceEdgeDefinition("livesIn", { collection: "livesIn", from: ["person"], to: ["town"] });
  assert.deepEqual(await graph.listVertexCollections(), ["person", "place", "town"]);
  await graph.removeEdgeDefinition("livesIn", true);
  await assert.rejects(db.createGraph("social", []), { errorNum: 1925 });
  await graph.drop(true);
  assert.equal(await graph.exists(), false);
  assert.equal(await db.collection("person").exists(), false);
});

test("vertices and edges keep the graph's rules", async () => {
  const graph = await db.createGraph("family", [{ collection: "child", from: ["parent"], to: ["parent"] }]);
  const parents = graph.vertexCollection("parent");
  const children = graph.edgeCollection("child");
  const ann = await parents.save({ _key: "ann", name: "Ann" }, { returnNew: true });
  assert.equal(ann.new.name, "Ann");
  await parents.save({ _key: "bob" });
  assert.equal(await parents.vertexExists("ann"), true);
  assert.equal(await parents.vertexExists("nobody"), false);
  assert.equal((await parents.vertex("ann")).name, "Ann");
  assert.equal(await parents.vertex("nobody", { graceful: true }), null);
  await parents.update("ann", { age: 50, name: null }, { keepNull: false });
  assert.deepEqual(Object.keys(await parents.vertex("ann")).sort(), ["_id", "_key", "_rev", "age"]);
  await children.save({ _key: "ab", _from: "parent/ann", _to: "parent/bob" });
  assert.equal((await children.edge("ab"))._to, "parent/bob");
  await assert.rejects(children.save({ _from: "parent/ann", _to: "parent/nobody" }), { errorNum: 1202 });
  await children.replace("ab", { _from: "parent/bob", _to: "parent/ann", at: 1 });
  assert.equal((await children.edge("ab"))._from, "parent/bob");
  await parents.remove("ann");
  assert.equal(await children.edgeExists("ab"), false);
  await graph.drop();
});

test("a query names a graph", async () => {
  const graph = await db.createGraph("roads", [{ collection: "road", from: ["city"], to: ["city"] }]);
  const plan = await db.explain("FOR v IN 1..2 OUTBOUND 'city/a' GRAPH 'roads' RETURN v");
  assert.deepEqual(plan.plan.collections.map((used) => used.name).sort(), ["city", "road"]);
  await assert.rejects(db.query("FOR v IN 1 OUTBOUND 'city/a' GRAPH 'nowhere' RETURN v"), { errorNum: 1924 });
  await graph.drop(true);
});
