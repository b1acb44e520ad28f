import { beforeEach, expect, test, vi } from "vitest";
import type { FairPage } from "../wire";
import { commitmentOf, draw, faces } from "./derive";
import { forget, opened, seal } from "./shares";
import { verify } from "./verify";

// the vectors of docs/fairness.md
const seed = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const table = "Kn0bel-example_1";
const a = "11".repeat(32);
const b = "fe".repeat(32);

test("commitments as in the document", () => {
  expect(commitmentOf(seed)).toBe("630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd");
  expect(commitmentOf(a)).toBe("02d449a31fbb267c8f352e9968a79e3e5fc95c1bbeaa502fd6454ebde5a4bedc");
  expect(commitmentOf(b)).toBe("cc0670e42d78aa98c7a1334a843925e5a4601a2e947225a6d576e7a110e249a4");
});

test.each([
  [[a, b], 0, "1314626466646243114422612614613224241565"],
  [[a, b], 1, "5115545133233124533635453223626213252533"],
  [[a, b], 1000, "3315366365151224415444514314621216212351"],
  [[a], 17, "4426642521423146124214441116116445644534"],
  [[], 0, "1553225354442654334514235646423331421614"],
  [[], 1000, "6626414464145251544231514342346343435135"],
])("faces as in the document: %#", (shares, event, expected) => {
  expect(draw(faces(seed, table, shares, event), 40).join("")).toBe(expected);
});

/** The game in the document: both throw two dice for the beginning, 13 against 14; then three throws. */
const page: FairPage = {
  table,
  dice: "provable",
  begin: "highest_throw",
  first: 1,
  seats: ["Anna", "Ben"].map((name) => ({ name, kind: "person", guest: name, ready: true, stand_in: null })),
  fair: { commitment: commitmentOf(seed), commitments: [commitmentOf(a), commitmentOf(b)], shares: [a, b], seed },
  throws: [
    { event: 0, seat: 0, faces: [1, 3] },
    { event: 0, seat: 1, faces: [1, 4] },
    { event: 1, seat: 1, faces: [5, 1] },
    { event: 2, seat: 1, faces: [2] },
    { event: 4, seat: 0, faces: [5, 6] },
  ],
};

test("a game is verified, throw by throw", () => {
  const verdict = verify(page);
  expect(verdict?.throws.map(({ derived }) => derived)).toEqual(page.throws.map((thrown) => thrown.faces));
  expect(verdict?.isRight).toBe(true);
});

test("whatever is changed is found", () => {
  const [first, ...others] = page.throws;
  const cases: Partial<FairPage>[] = [
    { throws: [...others.slice(0, 2), { event: 2, seat: 1, faces: [3] }] },
    { throws: [{ event: 0, seat: 0, faces: [1, 5] }, ...others] },
    { first: 0 },
    { fair: { ...page.fair, seed: a } },
    { fair: { ...page.fair, shares: [b, a] } },
    { fair: { ...page.fair, shares: [a, null] } }, // a share that was left out
    { begin: "seat" },
    { table: "another" },
  ];
  expect(first?.faces).toEqual([1, 3]);
  for (const change of cases) expect(verify({ ...page, ...change })?.isRight, JSON.stringify(change)).toBe(false);
});

test("as long as there is no seed, and with real dice, nothing can be said", () => {
  expect(verify({ ...page, fair: { ...page.fair, seed: null } })).toBeNull();
  expect(verify({ ...page, dice: "typed" })).toBeNull();
});

test("ties throw again, and chance decides as the document says", () => {
  const tied = [0, 1, 0, 1].map((seat, place) => ({ event: 0, seat, faces: [[3], [3], [2], [6]][place] ?? [] }));
  const open = { ...page, throws: tied };
  expect(verify(open)?.first).toBe(true);
  expect(verify({ ...open, first: 0 })?.first).toBe(false);
  expect(verify({ ...page, begin: "random", throws: [], first: 0 })?.first).toBe(true); // 1 3: number 2 of 36
});

let stored: Map<string, string>;
beforeEach(() => {
  stored = new Map();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
});

test("shares are found again by their commitments, also when seats have moved", () => {
  const sealed = seal("t1", [1, 2]);
  seal("t2", [0]);
  expect(sealed.map(([seat]) => seat)).toEqual([1, 2]);
  const commitments = [sealed[0]?.[1] ?? "", sealed[1]?.[1] ?? ""]; // one seat before them is gone
  const shares = opened("t1", [0, 1], commitments);
  expect(shares.map(([, share]) => commitmentOf(share))).toEqual(commitments);
  expect(opened("t2", [0, 1], commitments)).toEqual([]);
  forget("t1");
  expect(opened("t1", [0, 1], commitments)).toEqual([]);
});

test("they outlast a reload, and sealing again makes new ones", () => {
  const [first] = seal("t3", [0]);
  const [second] = seal("t3", [0]);
  expect(first).not.toEqual(second);
  expect(JSON.parse(stored.get("knobel.shares") ?? "{}")["t3"]).toHaveLength(2);
  expect(opened("t3", [0], [first?.[1] ?? null])).toHaveLength(1);
});
